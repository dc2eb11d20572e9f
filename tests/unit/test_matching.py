"""What exact-match and rule-match share: parameters, rule sets, and the way from a reading to an outcome."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.matching import Matching, read
from mmeval.reading import Reading
from mmeval.types import Case, Found, Invalid, Options, Outcome, Pass, QuestionType, Sample, Score

SPAN = (3, 4)


@pytest.mark.parametrize(
    ("reading", "settle", "outcome"),
    [
        pytest.param(Reading(Found("B", "cue", SPAN), True), False, Score(1.0, "B", SPAN, "cue"), id="hit"),
        pytest.param(
            Reading(Found("B", "cue", SPAN), True), True, Score(1.0, "B", SPAN, "cue"), id="hit-settling"
        ),
        pytest.param(
            Reading(Found("C", "cue", SPAN), False), False, Pass("cue-is-not-the-gold", "C", SPAN), id="miss"
        ),
        pytest.param(
            Reading(Found("C", "cue", SPAN), False), True, Score(0.0, "C", SPAN, "cue"), id="miss-settled"
        ),
        pytest.param(
            Reading(Found(None, "no-option-found")), True, Pass("no-option-found"), id="nothing-read"
        ),
        pytest.param(
            Reading(Found("C", "cue"), None), True, Pass("cue-is-not-the-gold", "C"), id="not-compared"
        ),
        pytest.param(
            Reading(Found("B", "cue"), True, "gold-is-no-option"),
            True,
            Invalid("gold-is-no-option"),
            id="invalid",
        ),
    ],
)
def test_from_a_reading_to_an_outcome(reading: Reading, settle: bool, outcome: Outcome) -> None:
    assert Matching(settle_misses=settle).outcome(reading) == outcome


@pytest.mark.parametrize(
    ("params", "says"),
    [
        pytest.param({"numeric_rel_tol": -0.1}, "numeric_rel_tol", id="negative"),
        pytest.param({"numeric_abs_tol": float("inf")}, "numeric_abs_tol", id="infinite"),
        pytest.param({"numeric_abs_tol": float("nan")}, "numeric_abs_tol", id="nan"),
        pytest.param({"anls_threshold": 1.1}, "0..1", id="threshold"),
        pytest.param({"option_rules": "robus"}, "did you mean 'robust'?", id="option-rules"),
        pytest.param({"yes_no_rules": "pop"}, "did you mean 'pope'?", id="yes-no-rules"),
        pytest.param({"number_rules": "?"}, "known:", id="number-rules"),
        pytest.param({"answer_rules": "_matching"}, "no rule set", id="private-module"),
    ],
)
def test_impossible_parameters_are_refused_before_the_first_sample(params: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        Matching(**params)
    assert says in str(caught.value)


def case(answer: Any, prediction: str, kind: QuestionType) -> Case:
    references = (answer,) if isinstance(answer, str) else ()
    options = Options(("A", "B", "C"), ("red", "green", "blue"), "options")
    sample = Sample(1, "q", options, answer, references, (prediction,), kind)
    return Case(sample, prediction)


@pytest.mark.parametrize(
    ("kind", "gold", "alone", "prose"),
    [
        ("mcq", "B", "B", "The answer is B."),
        ("yes_no", "yes", "Yes", "Yes, there is one on the left."),
        ("numeric", "12", "12", "The answer is 12."),
        ("open", "bakery", "Bakery", "The answer is bakery."),
    ],
)
def test_every_kind_of_question_has_its_rules(kind: QuestionType, gold: str, alone: str, prose: str) -> None:
    stage = Matching()
    assert isinstance(read(stage, case(gold, alone, kind), "exact"), Score)
    assert isinstance(read(stage, case(gold, prose, kind), "exact"), Pass)
    assert isinstance(read(stage, case(gold, prose, kind), "rule"), Score)


@pytest.mark.parametrize("kind", ["exact", "rule"])
def test_a_gold_that_is_no_text_cannot_be_matched(kind: Any) -> None:
    assert read(Matching(), case([[0, 0, 1, 1]], "B", "open"), kind) == Invalid("reference-is-no-text")
