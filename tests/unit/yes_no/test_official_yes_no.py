"""Yes and no as VLMEvalKit, the authors of POPE, MME and AMBER, and simple-mmeval read them."""

from __future__ import annotations

import pytest

from mmeval.reading import Knobs, rule_set
from mmeval.types import Options, Sample

KNOBS = Knobs()


def _sample(gold: str = "yes") -> Sample:
    return Sample(1, "", Options(()), gold, (gold,), (), "yes_no")


CASES = [
    # rule set, prediction, word, rule
    # YOrN_Extraction of ms-vlmeval 0.0.20, run
    ("vlmevalkit", "Yes, it is.", "yes", "word"),
    ("vlmevalkit", 'The answer is "yes".', "yes", "word"),
    ("vlmevalkit", "Answer: Yes", "yes", "word"),
    ("vlmevalkit", "\\boxed{yes}", "yes", "word"),
    ("vlmevalkit", "<answer>Yes</answer>", "yes", "word"),
    ("vlmevalkit", "No", "no", "word"),
    ("vlmevalkit", "no.", "no", "word"),
    ("vlmevalkit", "y-es or not -", "yes", "word"),
    ("vlmevalkit", "**Yes**", None, "no-yes-or-no-found"),
    ("vlmevalkit", "*No*", None, "no-yes-or-no-found"),
    ("vlmevalkit", "Answer:Yes", None, "no-yes-or-no-found"),
    ("vlmevalkit", "'yes'", None, "no-yes-or-no-found"),
    ("vlmevalkit", "Yes/No", None, "yes-and-no-found"),
    ("vlmevalkit", "No.5", None, "no-yes-or-no-found"),
    ("vlmevalkit", "not", None, "no-yes-or-no-found"),
    ("vlmevalkit", "nope", None, "no-yes-or-no-found"),
    ("vlmevalkit", "Yes—it is", None, "no-yes-or-no-found"),
    ("vlmevalkit", "There is no yes here", None, "yes-and-no-found"),
    ("vlmevalkit", "no. yes", None, "yes-and-no-found"),
    ("vlmevalkit", "It is so. " * 33 + "No.", None, "no-yes-or-no-found"),
    ("vlmevalkit", "It is so. " * 31 + "No.", "no", "word"),
    ("vlmevalkit", "", None, "no-yes-or-no-found"),
    # AoiDragon/POPE evaluate.py @ 08d957b917e5
    ("pope", "Yes", "yes", "no-negation"),
    ("pope", "No", "no", "negation"),
    ("pope", "No, there is none.", "no", "negation"),
    ("pope", "There is not.", "no", "negation"),
    ("pope", "Yes, and there is no dog", "no", "negation"),
    ("pope", "Yes. There is no dog", "yes", "no-negation"),
    ("pope", "", "yes", "no-negation"),
    ("pope", "NO", "yes", "no-negation"),
    ("pope", "Nope", "yes", "no-negation"),
    ("pope", "No!", "yes", "no-negation"),
    ("pope", "no\n", "yes", "no-negation"),
    ("pope", "n,o", "no", "negation"),
    ("pope", "I cannot tell", "yes", "no-negation"),
    # calculation.py of MME's eval_tool.zip @ dd2950902889
    ("mme", "Yes", "yes", "prefix"),
    ("mme", "no, it is not", "no", "prefix"),
    ("mme", "Not sure", "no", "prefix"),
    ("mme", "None of them", "no", "prefix"),
    ("mme", "Know", "no", "prefix"),
    ("mme", " Yes", "yes", "prefix"),
    ("mme", "  Yes", None, "other"),
    ("mme", "I know", None, "other"),
    ("mme", "**Yes**", None, "other"),
    ("mme", "y", None, "other"),
    ("mme", "", None, "other"),
    # junyangwang0410/AMBER inference.py @ 534babf6bbfc
    ("amber", "Yes", "yes", "lone-word"),
    ("amber", "No", "no", "lone-word"),
    ("amber", "yes", None, "not-a-lone-word"),
    ("amber", "Yes.", None, "not-a-lone-word"),
    ("amber", "No ", None, "not-a-lone-word"),
    ("amber", "Yes, it is.", None, "not-a-lone-word"),
    ("amber", "", None, "not-a-lone-word"),
    # llyx97/TempCompass eval_yes_no.py @ e1b463166400
    ("tempcompass", "Yes, it does.", "yes", "leading-word"),
    ("tempcompass", " YES</s>", "yes", "leading-word"),
    ("tempcompass", "no", "no", "leading-word"),
    ("tempcompass", "Not sure", "no", "leading-word"),
    ("tempcompass", "Nothing moves", "no", "leading-word"),
    ("tempcompass", "**Yes**", None, "no-yes-or-no-found"),
    ("tempcompass", "It does.", None, "no-yes-or-no-found"),
    ("tempcompass", "", None, "no-yes-or-no-found"),
    # simple-mmeval @ 3aa72c0
    ("reference", "Yes", "yes", "word"),
    ("reference", "Yes, it is.", "yes", "word"),
    ("reference", "**No**", "no", "word"),
    ("reference", "No, yes... unclear", None, "yes-and-no-found"),
    ("reference", "Not at all", None, "no-yes-or-no-found"),
    ("reference", "It isn't", None, "no-yes-or-no-found"),
    ("reference", "", None, "no-yes-or-no-found"),
]
SETS = ["vlmevalkit", "pope", "mme", "amber", "tempcompass", "reference"]


@pytest.mark.parametrize(
    ("rules", "prediction", "word", "rule"),
    CASES,
    ids=[f"{case[0]}:{case[3]}:{case[1][-20:]!r}" for case in CASES],
)
def test_reads(rules: str, prediction: str, word: str | None, rule: str) -> None:
    reading = rule_set("mmeval.yes_no", rules).rule(prediction, _sample(), KNOBS)
    assert (reading.found.value, reading.found.rule) == (word, rule)
    assert reading.hit is (None if word is None else word == "yes")
    if reading.found.span:
        start, end = reading.found.span
        assert prediction[start:end].lower() in (word, "not")


@pytest.mark.parametrize("rules", SETS)
@pytest.mark.parametrize("prediction", [case[1] for case in CASES])
def test_exact_reads_a_part_of_what_rule_reads(rules: str, prediction: str) -> None:
    both = rule_set("mmeval.yes_no", rules)
    strict, loose = both.exact(prediction, _sample(), KNOBS), both.rule(prediction, _sample(), KNOBS)
    if strict.found.value is not None:
        assert (strict.found.value, strict.hit) == (loose.found.value, loose.hit)


@pytest.mark.parametrize("rules", SETS)
@pytest.mark.parametrize(("prediction", "hit"), [("Yes", True), ("No", False), ("Yes, it is", None)])
def test_exact_reads_the_word_alone(rules: str, prediction: str, hit: bool | None) -> None:
    assert rule_set("mmeval.yes_no", rules).exact(prediction, _sample(), KNOBS).hit is hit


@pytest.mark.parametrize("rules", SETS)
def test_golds_in_capitals(rules: str) -> None:
    assert rule_set("mmeval.yes_no", rules).rule("No", _sample("No"), KNOBS).hit is True


@pytest.mark.parametrize("rules", ["pope", "mme", "amber", "tempcompass"])
def test_a_gold_that_is_neither_is_refused(rules: str) -> None:
    both = rule_set("mmeval.yes_no", rules)
    assert both.rule("Yes", _sample("maybe"), KNOBS).invalid == "gold-not-yes-or-no"
    assert both.exact("Yes, but", _sample(""), KNOBS).invalid == "gold-not-yes-or-no"
