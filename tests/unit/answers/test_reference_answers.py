"""Open answers as simple-mmeval compares them: mm-evaluation/simple-mmeval mmeval/scoring @ 3aa72c0."""

from __future__ import annotations

import pytest

from mmeval.answers.reference import RULES, after_cue, agrees
from mmeval.reading import Knobs
from mmeval.types import Options, Sample


def _sample(*golds: str) -> Sample:
    return Sample(1, "", Options(()), list(golds), golds, (), "open")


AGREES = [
    ('"Tower Bridge."', ("tower bridge",), {}, True),
    ("the tower bridge", ("tower bridge",), {}, False),
    ("blue", ("red", "blue"), {}, True),
    ("2042", ("42",), {"string_match": "contains"}, True),
    ("42", ("2042",), {"string_match": "contains"}, False),
    ("anything", (".",), {"string_match": "contains"}, False),
    ("Micheal Jordan", ("michael jordan",), {"string_match": "anls"}, True),
    ("abxy", ("abcd",), {"string_match": "anls"}, True),
    ("abxyz", ("abcd",), {"string_match": "anls"}, False),
    ("abxyz", ("abcd",), {"string_match": "anls", "anls_threshold": 0.4}, True),
    ("abxyz", ("abcd",), {"string_match": "anls", "anls_threshold": 0.0}, False),
]


@pytest.mark.parametrize(("answer", "golds", "knobs", "same"), AGREES, ids=[str(case[:3]) for case in AGREES])
def test_agrees(answer: str, golds: tuple[str, ...], knobs: dict[str, object], same: bool) -> None:
    assert agrees(answer, golds, Knobs(**knobs)) is same


@pytest.mark.parametrize(
    ("reply", "rest"),
    [
        ("So the answer is: Paris.", ("Paris.", 18)),
        ("The answer is Rome. Final answer: Paris", ("Paris", 34)),
        ("Paris", None),
        ("the answer is", None),
    ],
)
def test_after_cue(reply: str, rest: tuple[str, int] | None) -> None:
    assert after_cue(reply) == rest


def test_rule_reads_behind_the_cue_then_the_whole() -> None:
    assert RULES.rule("Well, the answer is Paris.", _sample("paris"), Knobs()).hit is True
    assert RULES.rule("The answer is yes", _sample("the answer is yes"), Knobs()).found.rule == "whole-answer"
    missed = RULES.rule("The answer is Rome", _sample("paris"), Knobs())
    assert (missed.hit, missed.found.value) == (False, "rome")


def test_exact_reads_the_whole() -> None:
    assert RULES.exact("The answer is Paris", _sample("paris"), Knobs()).hit is False
    assert RULES.exact("", _sample("paris"), Knobs()).hit is None
