"""MMMU's open answers: MMMU-Benchmark/MMMU mmmu/utils/eval_utils.py @ bb0b95a94599, run."""

from __future__ import annotations

import pytest

from mmeval.answers.mmmu import RULES, candidates, key_parts, normalised
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

KNOBS = Knobs()


def _sample(*golds: str) -> Sample:
    return Sample(1, "", Options(()), list(golds), golds, (), "open")


NORMALISED = [
    (" 1,500 ", [1500.0]),
    ("1.005", [1.0]),
    ("2.675", [2.67]),
    ("1e3", [1000.0]),
    ("5%", ["5%"]),
    ("Cat", ["cat"]),
    ("A", [" a", "a "]),
    ("", [""]),
]


@pytest.mark.parametrize(("text", "values"), NORMALISED, ids=[repr(case[0]) for case in NORMALISED])
def test_normalised(text: str, values: list[str | float]) -> None:
    assert normalised(text) == values


PARTS = [
    ("The answer is 5.", ["5"]),
    ("x = 3 = 4", ["4"]),
    ("x = 3\nno cue", ["x = 3\nno cue"]),
    ("x = 3\nso it is 4", ["4"]),
    ("This. It is so. Thus 4", ["4"]),
    ("cat", ["cat"]),
    ("so ", ["so"]),
    ("the answer is :", ["the answer is :"]),
    ("", [""]),
]


@pytest.mark.parametrize(("reply", "parts"), PARTS, ids=[repr(case[0]) for case in PARTS])
def test_key_parts(reply: str, parts: list[str]) -> None:
    assert key_parts(reply) == parts


def test_candidates_are_parts_then_numbers() -> None:
    assert candidates("The answer is 1,234.5 or 2e3") == ["1,234.5 or 2e3", 1234.0, 2000.0, 234.5, 3.0]


VERDICTS = [
    ("The answer is 5.", ("5",), True, "5.0"),
    ("about 5 units", ("5",), True, "5.0"),
    ("5%", ("5",), True, "5.0"),
    ("15", ("5",), False, "15"),
    ("category", ("cat",), True, "category"),
    ("a dog", ("cat", "dog"), True, "a dog"),
    ("Right", ("C",), False, "right"),
    ("option C it is", ("C",), True, "option c it is"),
    ("", ("5",), None, None),
    ("nan", ("nan",), False, "nan"),
]


@pytest.mark.parametrize(
    ("reply", "golds", "hit", "shown"), VERDICTS, ids=[repr(case[0]) for case in VERDICTS]
)
def test_rule(reply: str, golds: tuple[str, ...], hit: bool | None, shown: str | None) -> None:
    reading = RULES.rule(reply, _sample(*golds), KNOBS)
    assert (reading.hit, reading.found.value) == (hit, shown)


@pytest.mark.parametrize(
    ("reply", "gold", "hit"),
    [
        ("5", "5", True),
        (" Cat. ", "cat", True),
        ("the cat", "cat", None),
        ("is so", "is so", None),
        ("", "x", None),
    ],
)
def test_exact(reply: str, gold: str, hit: bool | None) -> None:
    assert RULES.exact(reply, _sample(gold), KNOBS).hit is hit
