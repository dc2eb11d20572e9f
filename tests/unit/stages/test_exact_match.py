"""exact-match: the whole reply is the gold, or the stage has nothing to say."""

from __future__ import annotations

import pytest

from mmeval.stages.exact_match import ExactMatch
from mmeval.types import Case, Options, Pass, QuestionType, Sample, Score

FRUIT = Options(("A", "B", "C"), ("apple", "banana", "cherry"), "options")


def case(kind: QuestionType, gold: str, prediction: str) -> Case:
    return Case(Sample(1, "Which?", FRUIT, gold, (gold,), (prediction,), kind), prediction)


@pytest.mark.parametrize(
    ("kind", "gold", "prediction"),
    [
        ("mcq", "B", "B"),
        ("mcq", "B", "(B)"),
        ("mcq", "B", "B."),
        ("mcq", "B", "**B**"),
        ("mcq", "B", "\\boxed{B}"),
        ("mcq", "B", "<think>A? no</think>B"),
        ("yes_no", "yes", "Yes."),
        ("yes_no", "no", "NO"),
        ("numeric", "12", "12"),
        ("numeric", "1200", "1,200"),
        ("numeric", "24", "24%"),
        ("open", "bakery", "Bakery"),
    ],
)
def test_the_reply_is_the_gold(kind: QuestionType, gold: str, prediction: str) -> None:
    outcome = ExactMatch()(case(kind, gold, prediction))
    assert isinstance(outcome, Score)
    assert outcome.value == 1.0
    assert outcome.reason


@pytest.mark.parametrize(
    ("kind", "gold", "prediction"),
    [
        ("mcq", "B", ""),
        ("mcq", "B", "C"),
        ("mcq", "B", "The answer is B."),
        ("yes_no", "yes", "Yes, there is one."),
        ("numeric", "12", "about 12"),
        ("numeric", "12", "13"),
        ("open", "bakery", "It says bakery."),
    ],
)
def test_anything_else_passes_on(kind: QuestionType, gold: str, prediction: str) -> None:
    assert isinstance(ExactMatch()(case(kind, gold, prediction)), Pass)


@pytest.mark.parametrize(
    ("stage", "kind", "gold", "prediction", "value"),
    [
        (ExactMatch(settle_misses=True), "mcq", "B", "C", 0.0),
        (ExactMatch(numeric_rel_tol=0.05), "numeric", "100", "105", 1.0),
        (ExactMatch(numeric_rel_tol=0.05), "numeric", "100", "106", None),
        (ExactMatch(numeric_rel_tol=0.05), "numeric", "0", "0.01", None),
        (ExactMatch(numeric_abs_tol=0.5), "numeric", "0", "0.5", 1.0),
        (ExactMatch(percent="fraction"), "numeric", "0.24", "24%", 1.0),
        (ExactMatch(percent="refuse"), "numeric", "24", "24%", None),
    ],
)
def test_parameters(
    stage: ExactMatch, kind: QuestionType, gold: str, prediction: str, value: float | None
) -> None:
    outcome = stage(case(kind, gold, prediction))
    assert (outcome.value if isinstance(outcome, Score) else None) == value
