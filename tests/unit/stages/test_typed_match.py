"""Answers compared as the type that is asked for: MathVista's forms, with and without its guess."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.stages.typed_match import TypedMatch
from mmeval.types import Case, Invalid, Options, Outcome, Pass, Sample, Score

ANGLES = ("135°", "140°", "145°", "150°")


def asked(
    gold: str, answer: str | None, wanted: str = "", options: tuple[str, ...] = (), places: Any = None
) -> Case:
    """A case whose answer an earlier stage extracted; None: it looked and found none."""
    known = Options(tuple("ABCDEFGH"[: len(options)]), options, "choices" if options else "none")
    fields = {"answer_type": wanted, "precision": places}
    kind = "mcq" if options else "open"
    sample = Sample(1, "How much?", known, gold, (gold,), ("so...",), kind, fields=fields)  # type: ignore[arg-type]
    found: Outcome = Pass("nothing-extracted") if answer is None else Pass("extracted-by-judge", answer)
    return Case(sample, "so...", (found,))


# calculate_score.py@53d525874bdd, run: the canonical form that it gives these.
CHOICES = [
    ("C", "145°", "bare-label"),
    ("(C) 145°", "145°", "bracketed"),
    ("(c)", "145°", "bracketed"),
    (" C\n", "145°", "bare-label"),
    ("it is (B), not (C)", "140°", "bracketed"),
    ("150°", "150°", "text-alone"),
]


@pytest.mark.parametrize(("answer", "read", "rule"), CHOICES)
def test_options(answer: str, read: str, rule: str) -> None:
    for stage in (TypedMatch(), TypedMatch(nearest=True)):
        assert stage(asked(read, answer, options=ANGLES)) == Score(1.0, read, None, rule)
    miss = TypedMatch()(asked("135°", answer, options=ANGLES))
    assert miss == Pass(f"{rule}-is-not-the-gold", read)
    settled = TypedMatch(settle_misses=True)(asked("135°", answer, options=ANGLES))
    assert settled == Score(0.0, read, None, rule)


# The same script: what it takes for the option that was meant.
GUESSES = [
    ("Sorry, I can't help with images of people yet.", ("Yes", "No"), "Yes"),
    ("N/A", ("Yes", "No"), "No"),
    ("92.5", ("54", "97", "103"), "97"),
    ("C", ("Yes", "No"), "No"),
]


@pytest.mark.parametrize(("answer", "options", "guess"), GUESSES)
def test_the_nearest_option_is_a_guess_and_taken_only_where_declared(
    answer: str, options: tuple[str, ...], guess: str
) -> None:
    case = asked(guess, answer, options=options)
    assert TypedMatch(nearest=True)(case) == Score(1.0, guess, None, "nearest-option")
    assert TypedMatch(settle_misses=True)(case) == Pass("not-an-option", answer)


def test_other_case_names_an_option_if_it_is_the_only_one() -> None:
    assert TypedMatch()(asked("Yes", "yes", options=("Yes", "No"))) == Score(1.0, "Yes", None, "text-alone")
    assert TypedMatch()(asked("Yes", "yes", options=("Yes", "YES"))) == Pass("not-an-option", "yes")


@pytest.mark.parametrize(
    ("answer", "options", "read"),
    [
        # MathVista's script takes the option at the least edit distance: the same one in all of these
        ("145", ANGLES, "145°"),
        ("145.0", ANGLES, "145°"),
        ("145 degrees", ("135", "145"), "145"),
        ("7 cm", ("7", "70"), "7"),
        ("12", ("12%", "21%"), "12%"),
        # two options of that number, another unit, no number, another number
        ("5", ("5 cm", "5 m"), None),
        ("5 mm", ("5 cm", "7 cm"), None),
        ("about 145", ANGLES, None),
        ("14", ANGLES, None),
        ("1/2", ("1/2 cm", "2 cm"), None),
    ],
)
def test_the_number_of_one_option_names_it(answer: str, options: tuple[str, ...], read: str | None) -> None:
    if read is None:
        assert TypedMatch()(asked(options[0], answer, options=options)) == Pass("not-an-option", answer)
    else:
        assert TypedMatch()(asked(read, answer, options=options)) == Score(1.0, read, None, "unit-left-out")


TYPED = [
    # wanted, places, gold, answer, score (None: passed on)
    ("integer", None, "3", "3", 1),
    ("integer", None, "3", "3.4", 1),
    ("integer", None, "-3", "-3.9", 1),
    ("integer", None, "1000", " 1e3 ", 1),
    ("integer", None, "0", "-0.5", 1),
    ("Integer", None, "3", "4", 0),
    ("integer", None, "3", "three", None),
    ("integer", None, "3", "3 cm", None),
    ("integer", None, "3", "inf", None),
    ("integer", None, "3", "nan", None),
    ("float", 1, "0.1", "0.11", 1),
    ("float", 2.0, "0.11", "0.1149", 1),
    ("float", "1", "1.2", "1.25", 1),
    ("float", 1, "0.0", "-0.04", 1),
    ("float", 1, "1.2", "1.3", 0),
    ("float", 1, "1.2", "1.2 m", None),
    ("list", None, "[2014, 2016]", "[2014, 2016]", 1),
    ("list", None, "[2014, 2016]", "[2014,2016]", 0),
    ("text", None, "odd", "odd", 1),
    ("", None, "odd", "even", 0),
]


@pytest.mark.parametrize(("wanted", "places", "gold", "answer", "score"), TYPED)
def test_types(wanted: str, places: Any, gold: str, answer: str, score: float | None) -> None:
    outcome = TypedMatch(settle_misses=True)(asked(gold, answer, wanted, places=places))
    if score is None:
        assert outcome == Pass("not-a-number", answer)
    else:
        assert isinstance(outcome, Score) and outcome.value == score


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (asked(" ", "3", "integer"), "blank-reference"),
        (asked("three", "3", "integer"), "unparsable-gold"),
        (asked("1.2", "1.2", "float"), "no-precision"),
        (asked("1.2", "1.2", "float", places=True), "no-precision"),
        (asked("1.2", "1.2", "float", places=1.5), "no-precision"),
        (asked("1.2", "1.2", "float", places=99), "no-precision"),
        (asked("160°", "C", options=ANGLES), "gold-not-an-option"),
    ],
)
def test_rows_that_cannot_be_graded(case: Case, reason: str) -> None:
    assert TypedMatch()(case) == Invalid(reason)


def test_options_that_are_not_told() -> None:
    sample = Sample(1, "Which?", Options(("A", "B")), "A", ("A",), ("A",), "mcq")
    assert TypedMatch()(Case(sample, "A")) == Invalid("options-not-parsed")


def test_a_gold_may_be_the_label() -> None:
    assert TypedMatch()(asked("C", "145°", options=ANGLES)) == Score(1.0, "145°", None, "text-alone")


def test_the_fields_have_names() -> None:
    case = asked("7", "7.9", "integer")
    renamed = Sample(1, "", Options(()), "7", ("7",), ("",), "open", fields={"kind": "float", "digits": 0})
    stage = TypedMatch(type_field="kind", precision_field="digits")
    assert stage(Case(renamed, "", case.previous)) == Pass("whole-number-is-not-the-gold", "8.0")


def test_nothing_extracted_and_nothing_said() -> None:
    assert TypedMatch(nearest=True)(asked("Yes", None, options=("Yes", "No"))) == Pass("nothing-extracted")
    bare = asked("3", "3", "integer")
    assert TypedMatch()(Case(bare.sample, " ")) == Pass("blank-prediction")
    assert TypedMatch()(Case(bare.sample, "3")) == Score(1.0, "3", None, "whole-number")
    assert TypedMatch()(Case(bare.sample, "3", (Pass("not-applicable"),))).value == 1.0  # type: ignore[union-attr]
