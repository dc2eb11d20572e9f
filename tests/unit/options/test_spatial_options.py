"""The letters of the spatial benchmarks: what each of the seven places holds, and the three rule sets.

Observed by running `can_match_option` of ms-vlmeval 0.0.20, which is that of open-compass/VLMEvalKit
@ e8e78f05f308.
"""

from __future__ import annotations

import pytest

from mmeval.options import spatial, spatial_literal, spatial_sane
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

KNOBS = Knobs()
FOUR = Options(("A", "B", "C", "D"), ("left", "right", "front", "back"), "columns")


def sample(gold: str, options: Options = FOUR) -> Sample:
    return Sample(1, "", options, gold, (gold,), (), "mcq")


CASES = [
    # prediction, letter, rule
    ("b", "B", "own-line"),
    ("(B)", "B", "own-line"),
    ("`C`", "C", "own-line"),
    ("$B$", "B", "sole-label"),
    ("\\boxed{B}", "B", "sole-in-line"),
    ('"B"', "B", "sole-label"),
    ("B。", "B", "sole-in-line"),
    ("**Answer: C**", "C", "sole-in-line"),
    ("答案为C", "C", "sole-in-line"),
    ("Answer：C", "C", "sole-in-line"),
    ("answer: c", "C", "cue"),
    ("<answer>Because it is blue</answer>", "B", "answer-element"),
    ("<answer>dog</answer>", "D", "answer-element"),
    ("<answer>left</answer>", None, "no-option-found"),
    ("<answer>H</answer>", "H", "answer-element"),
    ("< Answer type='x'> (b) </ answer>", "B", "before-closing-tag"),
    ("<think>maybe B</think> The answer is A", "B", "before-closing-tag"),
    ("<think>maybe B?</think> The answer is A", "A", "sole-in-line"),
    ("A dog", "A", "sole-in-line"),
    ("A or B", None, "two-options-found"),
    ("A is wrong so B", None, "two-options-found"),
    ("The correct option is C because D is wrong", None, "two-options-found"),
    ("b is right", None, "no-option-found"),
    ("Option A: foo\nOption B: bar", None, "no-option-found"),
    ("Option A: foo\nOption B: bar\nSo the answer is A", "A", "sole-in-line"),
    ("选项 A：foo\n> Option B: bar", None, "no-option-found"),
    ("A. red\nB. blue", "B", "labelled-line"),
    ("I pick B/C", "C", "sole-in-line"),
    ("答案：B 或 C", "B", "cue"),
    ("\ufeff \u200bB\u200d", "B", "own-line"),
    ("G", None, "no-option-found"),
    ("", None, "no-option-found"),
    ("left", None, "no-option-found"),
    ("A or B\nC\n" + "words and words\n" * 5, "C", "own-line"),
    ("A or B\nC\n" + "words and words\n" * 6, None, "two-options-found"),
    ("C\n" + "words and words\n" * 60, "C", "sole-label"),
    ("so B</think>" + " words" * 140, "B", "sole-label"),
    ("<think>A</think>B.\n<think>C\nD", "A", "before-closing-tag"),
]


@pytest.mark.parametrize(
    ("prediction", "letter", "rule"), CASES, ids=[f"{case[2]}:{case[0][:24]!r}" for case in CASES]
)
def test_reads(prediction: str, letter: str | None, rule: str) -> None:
    reading = spatial.RULES.rule(prediction, sample("B"), KNOBS)
    assert (reading.found.value, reading.found.rule) == (letter, rule)
    assert reading.hit is (None if letter is None else letter == "B")
    if reading.found.span is not None:
        start, end = reading.found.span
        assert prediction[start:end].upper() == letter


GOLDS = [
    # gold, prediction, hit and reason of spatial, hit and reason of spatial-literal
    ("B", "b", True, None, True, "own-line"),
    ("(b)", "B", True, None, True, "own-line"),
    ("B. right", "B", True, None, True, "own-line"),
    ("B", "C", False, None, False, "own-line"),
    ("B", "dunno", None, None, None, "no-option-found"),
    ("left", "dunno", None, "unparsable-gold", True, "neither-is-an-option"),
    ("left", "", None, "unparsable-gold", True, "neither-is-an-option"),
    ("left", "B", None, "unparsable-gold", False, "own-line"),
    ("G", "H", None, "unparsable-gold", True, "neither-is-an-option"),
]


@pytest.mark.parametrize(("gold", "prediction", "hit", "invalid", "literal", "rule"), GOLDS)
def test_a_gold_without_a_letter(
    gold: str, prediction: str, hit: bool | None, invalid: str | None, literal: bool | None, rule: str
) -> None:
    reading = spatial.RULES.rule(prediction, sample(gold), KNOBS)
    assert (reading.hit, reading.invalid) == (hit, invalid)
    reading = spatial_literal.RULES.rule(prediction, sample(gold), KNOBS)
    assert (reading.hit, reading.invalid, reading.found.rule) == (literal, None, rule)


SANE = [
    # prediction, options, letter, rule: where the traps of the official reading are
    ("<think>maybe B</think> The answer is A", FOUR, "A", "sole-in-line"),
    ("<think>The answer is B", FOUR, None, "reasoning-unclosed"),
    ("<answer>Because it is blue</answer>", FOUR, None, "no-option-found"),
    ("<answer>dog</answer>", FOUR, None, "no-option-found"),
    ("<answer>B. right</answer>", FOUR, "B", "answer-element"),
    ("A dog", FOUR, "A", "sole-in-line"),
    ("A", FOUR, "A", "own-line"),
    ("E", FOUR, None, "label-not-among-options"),
    ("E", Options(tuple("ABCDEF")), "E", "own-line"),
]


@pytest.mark.parametrize(("prediction", "options", "letter", "rule"), SANE)
def test_without_the_traps(prediction: str, options: Options, letter: str | None, rule: str) -> None:
    found = spatial_sane.RULES.rule(prediction, sample("B", options), KNOBS).found
    assert (found.value, found.rule) == (letter, rule)
    if found.span is not None:
        start, end = found.span
        assert prediction[start:end] == letter


@pytest.mark.parametrize("rules", [spatial.RULES, spatial_literal.RULES, spatial_sane.RULES])
def test_exact_reads_the_letter_alone(rules: spatial.RuleSet) -> None:
    assert rules.exact(" (b)\n", sample("B"), KNOBS).hit
    assert rules.exact(" (b)\n", sample("B"), KNOBS).found.span == (2, 3)
    assert rules.exact("It is B", sample("B"), KNOBS).found.value is None
