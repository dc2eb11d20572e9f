"""rule-match: the one answer that a reply commits to, out of its prose."""

from __future__ import annotations

import pytest

from mmeval.stages.rule_match import RuleMatch
from mmeval.types import Case, Options, Pass, QuestionType, Sample, Score

FRUIT = Options(("A", "B", "C"), ("apple", "banana", "cherry"), "options")


def case(kind: QuestionType, gold: str, prediction: str) -> Case:
    return Case(Sample(1, "Which?", FRUIT, gold, (gold,), (prediction,), kind), prediction)


@pytest.mark.parametrize(
    ("kind", "gold", "prediction", "read"),
    [
        ("mcq", "B", "It is long and yellow, so the answer is B.", "B"),
        ("mcq", "A", "I think it is the apple.", "A"),
        ("mcq", "C", "<think>A or B?</think>Answer: C", "C"),
        ("yes_no", "yes", "Yes, there is a kettle on the stove.", "yes"),
        ("numeric", "12", "The answer is 12 metres.", "12"),
    ],
)
def test_one_commitment_is_read(kind: QuestionType, gold: str, prediction: str, read: str) -> None:
    outcome = RuleMatch()(case(kind, gold, prediction))
    assert isinstance(outcome, Score)
    assert (outcome.value, outcome.extracted) == (1.0, read)
    assert outcome.span is not None
    assert prediction[slice(*outcome.span)].strip()


@pytest.mark.parametrize(
    ("kind", "gold", "prediction"),
    [
        ("mcq", "A", "It might be A or B."),
        ("mcq", "A", "I cannot tell."),
        ("mcq", "A", ""),
        ("yes_no", "yes", "The picture is dark."),
        ("numeric", "12", "Somewhere between 12 and 15."),
    ],
)
def test_without_one_commitment_it_passes_on(kind: QuestionType, gold: str, prediction: str) -> None:
    for stage in (RuleMatch(), RuleMatch(settle_misses=True)):
        outcome = stage(case(kind, gold, prediction))
        assert isinstance(outcome, Pass)
        assert outcome.extracted is None


def test_a_miss_passes_on_with_what_was_read_or_is_settled() -> None:
    asked = case("mcq", "C", "The correct option is A.")
    passed = RuleMatch()(asked)
    assert isinstance(passed, Pass)
    assert passed.extracted == "A"
    assert passed.reason.endswith("-is-not-the-gold")
    settled = RuleMatch(settle_misses=True)(asked)
    assert isinstance(settled, Score)
    assert (settled.value, settled.extracted) == (0.0, "A")


def test_the_rules_of_the_authors_keep_their_oddities() -> None:
    """POPE: all is yes that does not say no (AoiDragon/POPE evaluate.py @ 08d957b)."""
    asked = case("yes_no", "yes", "The picture is dark.")
    outcome = RuleMatch(yes_no_rules="pope", settle_misses=True)(asked)
    assert isinstance(outcome, Score)
    assert outcome.value == 1.0
