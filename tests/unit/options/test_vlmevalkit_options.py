"""VLMEvalKit's letter inference, with and without its later phrase rule.

Observed by running `can_infer` of ms-vlmeval 0.0.20 and of open-compass/VLMEvalKit @ e8e78f05f308.
"""

from __future__ import annotations

import pytest

from mmeval.options import vlmevalkit, vlmevalkit_head, vlmevalkit_sane, vlmevalkit_verbose
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

KNOBS = Knobs()
COLOURS = {"A": "red", "B": "blue", "C": "green car", "D": "yellow"}
DIGITS = {"A": "1", "B": "2"}
ANSWERS = {"A": "Yes", "B": "No"}
SIDES = {"A": "left", "B": "left side", "C": "right"}
PETS = {"A": "cat", "B": "dog"}


def _sample(options: dict[str, str], gold: str = "B") -> Sample:
    known = Options(tuple(options), tuple(options.values()), "options")
    return Sample(1, "", known, gold, (gold,), (), "mcq")


CASES = [
    # options, prediction, letter, rule
    (COLOURS, "B", "B", "late-token"),
    (COLOURS, "(B)", "B", "late-token"),
    (COLOURS, "B. blue", "B", "late-token"),
    (COLOURS, "\\boxed{B}", "B", "late-token"),
    (COLOURS, "**B**", "B", "late-token"),
    (COLOURS, "The answer is: B", "B", "late-token"),
    (COLOURS, "b", None, "no-option-found"),
    (COLOURS, "`B`", None, "no-option-found"),
    (COLOURS, '"B"', None, "no-option-found"),
    (COLOURS, "<answer>B</answer>", None, "no-option-found"),
    (COLOURS, "B/C", None, "no-option-found"),
    (COLOURS, "$B$", None, "no-option-found"),
    (COLOURS, "答案：B", None, "no-option-found"),
    (COLOURS, "选B", None, "no-option-found"),
    (COLOURS, "选 B ", "B", "late-token"),
    (COLOURS, "A red apple", "A", "late-token"),
    (COLOURS, "I think A is the best", "A", "late-token"),
    (COLOURS, "I think A is the best answer here", None, "option-too-early"),
    (COLOURS, "Both A and B", None, "two-options-found"),
    (COLOURS, "A.B", None, "two-options-found"),
    (COLOURS, "It is A, not B", None, "two-options-found"),
    (COLOURS, "The car is BLUE.", "B", "option-text"),
    (COLOURS, "The object is a bluebird", "B", "option-text"),
    (COLOURS, "red and blue", None, "no-option-found"),
    (COLOURS, "green", None, "no-option-found"),
    (COLOURS, "Cannot determine the answer", "Z", "refusal"),
    (COLOURS, "Z", "Z", "letter-z"),
    (COLOURS, "B or Z", "B", "late-token"),
    (COLOURS, "ABBA, says B", "B", "late-token"),
    (COLOURS, "Failed to obtain answer via API B", None, "api-failure"),
    (COLOURS, "", None, "no-option-found"),
    (COLOURS, "nan", None, "no-option-found"),
    (DIGITS, "11", "A", "option-text"),
    (DIGITS, "12", None, "no-option-found"),
    (DIGITS, "There are 2 dogs", None, "no-option-found"),
    (ANSWERS, "Not sure", "B", "option-text"),
    (ANSWERS, "Yes, because of that thing there", None, "no-option-found"),
    (SIDES, "left", "A", "option-text"),
    (SIDES, "left side", None, "no-option-found"),
    (PETS, "I see a dog!!", None, "no-option-found"),
    (PETS, "dog dog dog", "B", "option-text"),
]


@pytest.mark.parametrize(
    ("options", "prediction", "letter", "rule"), CASES, ids=[f"{case[3]}:{case[1][:24]}" for case in CASES]
)
def test_reads(options: dict[str, str], prediction: str, letter: str | None, rule: str) -> None:
    reading = vlmevalkit.RULES.rule(prediction, _sample(options), KNOBS)
    assert (reading.found.value, reading.found.rule) == (letter, rule)
    assert reading.hit is (None if letter is None else letter == "B")
    if reading.found.span:
        start, end = reading.found.span
        text = options[letter] if rule == "option-text" else letter
        assert prediction[start:end].lower() == text.lower()


HEAD = [
    (COLOURS, "The answer is clearly blue because of B and C", "C"),
    (COLOURS, "The answer is because A and B are wrong", "B"),
    (COLOURS, "The answer is a long story about the car and the road, C and D", "A"),
    (COLOURS, "The answer is a blue bus", "A"),
    (COLOURS, "A or C? The answer is **B**. Here is why: D is not", "B"),
    ({"A": "cat", "B": "dog", "D": "cow"}, "The answer is dog", "D"),
    (PETS, "The answer is dog", None),
    (PETS, "The answer is both", "B"),
    (COLOURS, "Failed to obtain answer via API, the answer is B", None),
    (COLOURS, "Cannot determine the answer; the answer is B", "Z"),
    (COLOURS, "Not C or D: the answer\nis  c", "C"),
]


@pytest.mark.parametrize(("options", "prediction", "letter"), HEAD, ids=[case[1][:30] for case in HEAD])
def test_later_phrase_rule(options: dict[str, str], prediction: str, letter: str | None) -> None:
    assert vlmevalkit_head.RULES.rule(prediction, _sample(options), KNOBS).found.value == letter


def test_without_the_phrase_rule() -> None:
    reading = vlmevalkit.RULES.rule("The answer is a blue bus", _sample(COLOURS), KNOBS)
    assert reading.found.value == "B"


def test_z_is_wrong_even_where_an_option_is_called_so() -> None:
    """A refusal reads as Z whatever the gold; only a question with an option Z could call it right."""
    assert vlmevalkit.RULES.rule("I can't process this file.", _sample(COLOURS), KNOBS).hit is False


@pytest.mark.parametrize("rules", [vlmevalkit.RULES, vlmevalkit_head.RULES], ids=["release", "head"])
@pytest.mark.parametrize(
    ("prediction", "letter"),
    [("B", "B"), (" (B). ", "B"), ("[B]:", "B"), ("B. blue", None), ("b", None), ("", None), ("A B", None)],
)
def test_exact_reads_the_letter_alone(rules, prediction: str, letter: str | None) -> None:
    reading = rules.exact(prediction, _sample(COLOURS), KNOBS)
    assert reading.found.value == letter
    assert reading.hit is (None if letter is None else True)


def test_the_gold_is_compared_as_written() -> None:
    assert vlmevalkit.RULES.rule("B", _sample(COLOURS, "b"), KNOBS).hit is False


def test_labels_without_texts_have_no_text_rule() -> None:
    sample = Sample(1, "", Options(("A", "B"), (), "inline"), "B", ("B",), (), "mcq")
    assert vlmevalkit.RULES.rule("B", sample, KNOBS).hit
    assert vlmevalkit.RULES.rule("", sample, KNOBS).found.value is None


GUARD = [
    # options, prediction, letter without and with the variable VERBOSE (can_infer of 0.0.20, run with both)
    (COLOURS, "A red apple", "A", "A"),
    (COLOURS, "I think A is the best", "A", None),
    (COLOURS, "It is A: red", "A", "A"),
    (COLOURS, "A blue apple is on it", "B", "B"),
    (COLOURS, "So I say A, the blue", "A", "B"),
    (COLOURS, "A or B or so", None, None),
    (PETS, "The answer is B", "B", "B"),
    ({"B": "dog", "C": "cow"}, "A thing like B there", "B", None),
]


@pytest.mark.parametrize(("options", "prediction", "off", "on"), GUARD, ids=[case[1] for case in GUARD])
def test_the_guard_against_articles(
    options: dict[str, str], prediction: str, off: str | None, on: str | None
) -> None:
    assert vlmevalkit.RULES.rule(prediction, _sample(options), KNOBS).found.value == off
    assert vlmevalkit_verbose.RULES.rule(prediction, _sample(options), KNOBS).found.value == on


SANE = [
    # options, prediction, letter: where the official reading has a trap
    (COLOURS, "`B`", "B"),
    (COLOURS, '"B"', "B"),
    (COLOURS, "<answer>B</answer>", "B"),
    (COLOURS, "$B$", "B"),
    (COLOURS, "答案：B", "B"),
    (COLOURS, "B/C", None),
    (COLOURS, "<think>A or C?</think> B", "B"),
    (COLOURS, "<think>A or C? B", None),
    (COLOURS, "The object is a bluebird", None),
    (COLOURS, "The car is BLUE.", "B"),
    (ANSWERS, "Not sure", None),
    (ANSWERS, "No!", "B"),
    ({"A": "", "B": "dog"}, "dog", "B"),
    (COLOURS, "Cannot determine the answer", "Z"),
]


@pytest.mark.parametrize(("options", "prediction", "letter"), SANE, ids=[case[1] for case in SANE])
def test_without_the_traps(options: dict[str, str], prediction: str, letter: str | None) -> None:
    found = vlmevalkit_sane.RULES.rule(prediction, _sample(options), KNOBS).found
    assert found.value == letter
    if found.span is not None:
        start, end = found.span
        assert prediction[start:end].lower() in ((letter or "").lower(), options[letter or "A"].lower())
