"""Option letters as simple-mmeval reads them, beyond the worked examples of the conformance test."""

from __future__ import annotations

import pytest

from mmeval.options.reference import RULES, candidates
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

KNOBS = Knobs()
PETS = Options(("A", "B", "C", "D"), ("cat", "dog", "bird", "fish"), "options")
INLINE = Options(("A", "B", "C", "D"), (), "inline")
NONE = Options(tuple("ABCDEF"))


def _sample(gold: str = "B", options: Options = PETS) -> Sample:
    return Sample(1, "", options, gold, (gold,), (), "mcq")


EXACT = [
    ("B", "B", "lone-set"),
    ("the answer is b.", "B", "set-after-cue"),
    ("Final answer: A and C", "A,C", "set-after-cue"),
    ("bd", "B,D", "lone-set"),
    ("A, A", None, "no-option-found"),
    ("B) dog", "B", "leading-label"),
    ("Option B.", "B", "leading-word"),
    ("I say the answer is B because", "B", "cue"),
    ("<answer>B. dog</answer>", "B", "leading-label"),
    ("<answer>C</answer> A", "C", "answer-element"),
    ("E", None, "no-option-found"),
    ("**B**", None, "no-option-found"),
    ("", None, "no-option-found"),
]


@pytest.mark.parametrize(("prediction", "letters", "rule"), EXACT, ids=[case[0][:24] for case in EXACT])
def test_exact(prediction: str, letters: str | None, rule: str) -> None:
    found = RULES.exact(prediction, _sample(), KNOBS).found
    assert (found.value, found.rule) == (letters, rule)


RULE = [
    ("(C)", "C", "lone-option"),
    ("Not A. <answer>(B)</answer>", "B", "answer-element"),
    ("<answer>it is B</answer>", "B", "answer-element"),
    ("<answer>a dog</answer>", "B", "answer-element"),
    ("I think the answer is: **B**, not A", "B", "last-cue"),
    ("option is A... no, correct option is (C) here", "C", "last-cue"),
    ("A is out, B is out, so correct choice is d", "D", "cue-at-end"),
    ("选B", "B", "last-cue"),
    ("It may well be B", "B", "late-token"),
    ("B may be what I would take for it", None, "no-option-found"),
    ("B: it is not A", "B", "short-label"),
    ("well **B: dog** and then more than one A", "B", "bold-label"),
    ("It shows a dog", "B", "option-text"),
    ("a dog and a cat", None, "no-option-found"),
    ("", None, "no-option-found"),
]


@pytest.mark.parametrize(("prediction", "letters", "rule"), RULE, ids=[case[0][:24] for case in RULE])
def test_rule(prediction: str, letters: str | None, rule: str) -> None:
    found = RULES.rule(prediction, _sample(), KNOBS).found
    assert (found.value, found.rule) == (letters, rule)


@pytest.mark.parametrize(
    ("labels", "gold", "letters"),
    [
        (("A", "B"), "B", "AB"),
        (("A", "B"), "D", "ABCD"),
        (("A", "B"), "dog", "AB"),
        (("1", "2"), "B", "ABCDEF"),
        ((), "C", "ABCDEF"),
    ],
)
def test_candidates(labels: tuple[str, ...], gold: str, letters: str) -> None:
    assert candidates(labels, gold) == letters


def test_options_of_the_question_text_cannot_be_restated() -> None:
    assert RULES.rule("It shows a dog", _sample("B", INLINE), KNOBS).found.value is None


def test_compact_golds_only_with_options() -> None:
    assert RULES.exact("B, D", _sample("BD"), KNOBS).hit is True
    assert RULES.exact("B, D", _sample("BD", NONE), KNOBS).hit is False


def test_a_list_of_golds_is_never_met() -> None:
    sample = Sample(1, "", PETS, ["A", "B"], ("A", "B"), (), "mcq")
    assert RULES.exact("A, B", sample, KNOBS).hit is False
