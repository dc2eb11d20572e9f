"""Annotator agreement, mode by mode."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.errors import UsageError
from mmeval.stages.vqa_accuracy import VqaAccuracy
from mmeval.types import Case, Invalid, Score

DRINKS = ["coca cola"] * 4 + ["coke"] * 3 + ["pepsi"] * 2 + ["soda"]
ALL = ("vqaeval", "evalai", "vlmevalkit", "symmetric")

CASES = [
    # modes, references, prediction, score; VLMEvalKit process_line @ e8e78f05f308, run
    (ALL, DRINKS, "Coca-Cola", 1.0),
    (ALL, DRINKS, "coke", 0.9),
    (ALL, DRINKS, "pepsi", 0.6),
    (ALL, DRINKS, "soda", 0.3),
    (ALL, DRINKS, "water", 0.0),
    # reported cases I212 to I223
    (ALL, ["cat"] + ["dog"] * 9, "cat", 0.3),
    (ALL, ["cat"] * 2 + ["dog"] * 8, "cat", 0.6),
    (ALL, ["none", "dog", "cow", "hen", "pig", "rat", "bat", "elk", "fox", "owl"], "none", 0.3),
    (ALL, ["the cat"] * 4 + ["dog"] * 6, "the cat", 1.0),
    (ALL, ["2"] * 9 + ["3"], "two", 1.0),
    (ALL, ["A"] * 9 + ["a letter"], "A", 1.0),
    (ALL, ["yes"] * 5 + ["no"] * 5, "Yes.", 1.0),
    # vqaEval.py: where all references are one text, nothing is normalised
    (("vqaeval",), ["2"] * 10, "two", 0.0),
    (("vqaeval",), ["2"] * 10, " 2\n", 1.0),
    (("evalai", "vlmevalkit", "symmetric"), ["2"] * 10, "two", 1.0),
    # a full stop after a digit
    (("vqaeval", "evalai", "symmetric"), ["3"] * 9 + ["4"], "3.", 1.0),
    (("vlmevalkit",), ["3"] * 9 + ["4"], "3.", 0.0),
    # EvalAI splits 's off, on both sides
    (ALL, ["king's cross"] * 9 + ["x"], "Kings Cross", 0.0),
    (("evalai",), ["king 's cross"] * 9 + ["x"], "King's Cross", 1.0),
    (("vqaeval",), ["king 's cross"] * 9 + ["x"], "King's Cross", 0.0),
    # an answer that normalises to nothing
    (("vqaeval", "evalai", "vlmevalkit"), ["a"] * 9 + ["b"], "", 1.0),
    (("symmetric",), ["a"] * 9 + ["b"], "", 0.0),
    (("symmetric",), ["a"] * 9 + ["b"], "the", 0.0),
    (ALL, ["cat"] * 9 + ["b"], "<think>dog</think> Cat", 1.0),
    (ALL, ["cat"] * 2, "cat", 1 / 3),
    (ALL, ["cat"] * 3 + ["dog"], "cat", 0.75),
]
ROWS = [(mode, *row[1:]) for row in CASES for mode in row[0]]


@pytest.mark.parametrize(("mode", "references", "prediction", "score"), ROWS)
def test_score(
    case: Callable[..., Case], mode: str, references: list[str], prediction: str, score: float
) -> None:
    outcome = VqaAccuracy(mode=mode)(case(references, prediction))  # type: ignore[arg-type]
    assert isinstance(outcome, Score)
    assert outcome.value == pytest.approx(score, abs=1e-12)


def test_doubles_are_those_of_the_official_sum(case: Callable[..., Case]) -> None:
    """vqaEval.py adds the ten values left to right: their order shows in the last bit."""
    late = ["x", "x", "x", "x", "u", "u", "y", "x", "x", "z"]
    assert VqaAccuracy()(case(late, "u")).value == sum([2 / 3] * 4 + [1 / 3] * 2 + [2 / 3] * 4) / 10


def test_outcome_says_how_many_agree(case: Callable[..., Case]) -> None:
    outcome = VqaAccuracy()(case(["cat"] * 5 + ["dog"] * 5, "A cat!"))
    assert outcome == Score(1.0, "cat", None, "annotators-agree", "5 of 10")


def test_too_few_annotators(case: Callable[..., Case]) -> None:
    assert VqaAccuracy()(case("cat", "cat")) == Invalid("too-few-annotators")
    stage = VqaAccuracy(single_annotator="match")
    assert stage(case("cat", "cat")).value == 1.0
    assert stage(case("cat", "dog")).value == 0.0
    assert VqaAccuracy()(case(["", " "], "cat")) == Invalid("blank-reference")


@pytest.mark.parametrize("params", [{"mode": "vqa"}, {"single_annotator": "yes"}, {"reasoning": "drop"}])
def test_refused_parameters(params: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        VqaAccuracy(**params)  # type: ignore[arg-type]
