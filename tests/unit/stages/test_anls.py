"""Average normalised Levenshtein similarity, in its named readings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.errors import UsageError
from mmeval.stages.anls import Anls
from mmeval.types import Case, Invalid, Score

CASES = [
    # parameters, references, prediction, score: VLMEvalKit anls_compute @ e8e78f05f308, run
    ({}, ["hello"], "hallo", 0.8),
    ({}, ["hello"], "help", 0.6),
    ({}, ["abcd"], "abxy", 0.5),
    ({}, ["abcd"], "abxyz", 0.0),
    ({}, ["ITC Limited", "itc"], "ITC", 1.0),
    ({"length": "raw"}, ["ab"], "  ac  ", 0.8333333333333334),
    ({}, ["ab"], "  ac  ", 0.5),
    ({}, ["ab"], "ac", 0.5),
    # the paper's strict boundary, arXiv:1905.13648
    ({"at_threshold": "zero"}, ["ab"], "ac", 0.0),
    ({"at_threshold": "zero"}, ["hello"], "help", 0.6),
    # reported cases I204 to I207, I211
    ({}, ["hello world", "hello"], "helo", 0.8),
    ({}, ["new york"], "  New   York ", 1.0),
    ({}, ["abc"], "", 0.0),
    ({}, ["$45.00"], "The total is $45.00", 0.0),
    ({}, ["apple"], "<think>maybe apple</think>apple", 1.0),
    # ours
    ({"threshold": 0.0}, ["abcd"], "axyz", 0.25),
    ({"threshold": 0.0}, ["abc"], "xyz", 0.0),
    ({"threshold": 1.0}, ["hello"], "hallo", 0.0),
    ({"threshold": 1.0}, ["hello"], "Hello", 1.0),
    ({"normalisation": "strip"}, ["new york"], "new   york", 0.8),
    ({"normalisation": "strip"}, ["new york"], "new  york ", 0.8888888888888888),
    ({"length": "raw", "threshold": 0.0}, ["ß"], "x", 0.5),
    ({"length": "raw", "threshold": 0.0}, ["İ"], "x", 0.0),
    ({"reasoning": "keep"}, ["apple"], "<think>maybe apple</think>apple", 0.0),
    ({}, ["", "apple"], "apple", 1.0),
    ({}, ["apple"], "<think>apple", 0.0),
]


@pytest.mark.parametrize(("params", "references", "prediction", "score"), CASES)
def test_score(
    case: Callable[..., Case], params: dict[str, object], references: list[str], prediction: str, score: float
) -> None:
    outcome = Anls(**params)(case(references, prediction))  # type: ignore[arg-type]
    assert isinstance(outcome, Score)
    assert outcome.value == score


def test_outcome_says_which_reference_was_nearest(case: Callable[..., Case]) -> None:
    outcome = Anls()(case(["far away", "Hello"], "hallo"))
    assert outcome == Score(0.8, "hallo", None, "nearest-reference", {"nearest": "hello"})
    outcome = Anls()(case(["abcd"], "abxyz"))
    assert outcome == Score(0.0, "abxyz", None, "below-threshold", {"nearest": "abcd", "similarity": 0.4})


@pytest.mark.parametrize("references", [[""], [" ", "\n"]])
def test_blank_references(case: Callable[..., Case], references: list[str]) -> None:
    assert Anls()(case(references, "x")) == Invalid("blank-reference")


@pytest.mark.parametrize(
    "params",
    [
        {"threshold": 1.5},
        {"threshold": -0.1},
        {"threshold": float("nan")},
        {"at_threshold": "half"},
        {"length": "long"},
    ],
)
def test_refused_parameters(params: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=next(iter(params))):
        Anls(**params)  # type: ignore[arg-type]
