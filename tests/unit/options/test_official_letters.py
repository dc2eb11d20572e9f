"""The authors' own letter rules: MMMU, MMMU-Pro, ScienceQA, TempCompass and plain equality."""

from __future__ import annotations

import pytest

from mmeval.reading import Knobs, rule_set
from mmeval.types import Options, Sample

KNOBS = Knobs()
PETS = Options(("A", "B", "C", "D"), ("cat", "dog", "bird", "fish"), "options")


def _sample(gold: str = "B", options: Options = PETS) -> Sample:
    return Sample(1, "", options, gold, (gold,), (), "mcq")


CASES = [
    # rule set, prediction, letter, rule
    # MMMU-Benchmark/MMMU mmmu/utils/eval_utils.py @ bb0b95a94599
    ("mmmu", "B", "B", "spaced"),
    ("mmmu", "B.", "B", "spaced"),
    ("mmmu", "'B'", "B", "spaced"),
    ("mmmu", "B.,", "B", "spaced"),
    ("mmmu", "B,.", None, "official-guesses"),
    ("mmmu", "(A) or rather (B)", "B", "bracketed"),
    ("mmmu", "A or rather (B) and C", "B", "bracketed"),
    ("mmmu", "A or B or", "B", "spaced"),
    ("mmmu", "A dog is on the left", "A", "spaced"),
    ("mmmu", "B. dog", None, "official-guesses"),
    ("mmmu", "B\n", None, "official-guesses"),
    ("mmmu", "b", None, "official-guesses"),
    ("mmmu", "**B**", None, "official-guesses"),
    ("mmmu", "\\boxed{B}", None, "official-guesses"),
    ("mmmu", "", None, "official-guesses"),
    ("mmmu", "it is a dog", None, "official-guesses"),
    ("mmmu", "in this picture it is a DOG", "B", "option-text"),
    ("mmmu", "no cat here but there is a dog", "B", "option-text"),
    # MMMU-Benchmark/MMMU mmmu-pro/evaluate.py @ bb0b95a94599
    ("mmmu-pro", "B", "B", "before-space"),
    ("mmmu-pro", "B. dog", "B", "before-period"),
    ("mmmu-pro", "A. no. Answer: B", "B", "answer-cue"),
    ("mmmu-pro", "Answer: The Cat", "C", "answer-cue"),
    ("mmmu-pro", "Answer: A or B", "B", "before-space"),
    ("mmmu-pro", "Answer: Aha, it is (B)", "B", "bracketed"),
    ("mmmu-pro", "NASA is right", "A", "before-space"),
    ("mmmu-pro", "AAA BBB ", "A", "before-space"),
    ("mmmu-pro", "**B**", None, "official-guesses"),
    ("mmmu-pro", "well, in this picture it is a dog", "B", "option-text"),
    # haotian-liu/LLaVA llava/eval/eval_science_qa.py @ c121f0432da2
    ("scienceqa", "B", "B", "lone-option"),
    ("scienceqa", "B. dog", "B", "leading-label"),
    ("scienceqa", "B.", None, "no-option-found"),
    ("scienceqa", "B) dog", None, "no-option-found"),
    ("scienceqa", "So. The answer is B.", "B", "the-answer-is"),
    ("scienceqa", "The answer is B", None, "no-option-found"),
    ("scienceqa", "the answer is B.", None, "no-option-found"),
    ("scienceqa", "The answer is B. The answer is B.", None, "several-phrases"),
    ("scienceqa", "The answer is Because.", "B", "the-answer-is"),
    ("scienceqa", "E", "E", "lone-option"),
    ("scienceqa", "The answer is X.", "X", "the-answer-is"),
    ("scienceqa", " B", None, "no-option-found"),
    ("scienceqa", "", None, "no-option-found"),
    # llyx97/TempCompass eval_multi-choice.py @ e1b463166400
    ("tempcompass", "B. dog", "B", "whole-gold"),
    ("tempcompass", "B</s>", "B", "lone-option"),
    ("tempcompass", " B ", "B", "lone-option"),
    ("tempcompass", "B. a dog", "B", "leading-label"),
    ("tempcompass", "B) dog", "B", "leading-label"),
    ("tempcompass", "A.B", "A", "leading-label"),
    ("tempcompass", "B dog", None, "no-option-found"),
    ("tempcompass", "(B)", None, "no-option-found"),
    ("tempcompass", "B: dog", None, "no-option-found"),
    ("tempcompass", "E. dog", None, "no-option-found"),
    ("tempcompass", "dog", None, "no-option-found"),
    ("tempcompass", "", None, "no-option-found"),
    # chenllliang/MMEvalPro auto_score.py @ c6fb5418997b
    ("letter", "B", "B", "lone-option"),
    ("letter", "A", "A", "lone-option"),
    ("letter", "b", None, "not-a-lone-option"),
    ("letter", " B", None, "not-a-lone-option"),
    ("letter", "B.", None, "not-a-lone-option"),
    ("letter", "", None, "not-a-lone-option"),
]


@pytest.mark.parametrize(
    ("rules", "prediction", "letter", "rule"),
    CASES,
    ids=[f"{case[0]}:{case[3]}:{case[1][:20]!r}" for case in CASES],
)
def test_reads(rules: str, prediction: str, letter: str | None, rule: str) -> None:
    reading = rule_set("mmeval.options", rules).rule(prediction, _sample(), KNOBS)
    assert (reading.found.value, reading.found.rule) == (letter, rule)
    assert reading.hit is (None if letter is None else letter == "B")
    if reading.found.span:
        start, end = reading.found.span
        assert prediction[start:end].lower() == ("dog" if rule == "option-text" else letter).lower()


@pytest.mark.parametrize("rules", ["mmmu", "mmmu-pro", "scienceqa", "tempcompass", "letter"])
@pytest.mark.parametrize("prediction", [case[1] for case in CASES])
def test_exact_reads_a_part_of_what_rule_reads(rules: str, prediction: str) -> None:
    both = rule_set("mmeval.options", rules)
    strict, loose = both.exact(prediction, _sample(), KNOBS), both.rule(prediction, _sample(), KNOBS)
    if strict.found.value is not None:
        assert (strict.found.value, strict.hit) == (loose.found.value, loose.hit)


@pytest.mark.parametrize("rules", ["mmmu", "mmmu-pro", "scienceqa", "tempcompass", "letter"])
def test_exact_reads_a_lone_letter(rules: str) -> None:
    assert rule_set("mmeval.options", rules).exact("B", _sample(), KNOBS).hit is True


def test_any_of_several_mmmu_golds() -> None:
    sample = Sample(1, "", PETS, ["A", "B"], ("A", "B"), (), "mcq")
    assert rule_set("mmeval.options", "mmmu").rule("B", sample, KNOBS).hit is True
    assert rule_set("mmeval.options", "mmmu").rule("C", sample, KNOBS).hit is False


def test_scienceqa_letters_beyond_the_options_are_wrong() -> None:
    two = Options(("A", "B"), ("cat", "dog"), "options")
    assert rule_set("mmeval.options", "scienceqa").rule("C", _sample("C", two), KNOBS).hit is False


def test_tempcompass_takes_the_gold_as_the_authors_write_it() -> None:
    sample = _sample("E. an owl")
    assert rule_set("mmeval.options", "tempcompass").rule("E. an owl", sample, KNOBS).hit is True


def test_labels_of_several_characters() -> None:
    many = Options(tuple(map(str, range(1, 13))), tuple(f"text {n}" for n in "abcdefghijkl"), "options")
    assert rule_set("mmeval.options", "mmmu").rule("(12)", _sample("12", many), KNOBS).hit is True
