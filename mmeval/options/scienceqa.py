"""Option letters of ScienceQA as LLaVA's evaluation reads them.

Source: haotian-liu/LLaVA `llava/eval/eval_science_qa.py` @ c121f0432da2. In order:

1. the whole reply is one of A to E;
2. the reply begins with one of A to E, a full stop and a space;
3. the phrase "The answer is X" with a capital X and one more character after it occurs exactly once.

Traps: "The answer is B" without a character behind it is not read, nor is "the answer is B."; two phrases
cancel each other even where they agree. A letter beyond the question's options is a reading, and wrong.
Upstream once drew a letter where nothing was read; at this commit that is wrong without a draw, and here
nothing is read.

`exact` is rule 1.
"""

from __future__ import annotations

import re

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_LABELS = ("A", "B", "C", "D", "E")
_PHRASE = re.compile(r"The answer is ([A-Z]).")


def _graded(found: Found, sample: Sample) -> Reading:
    """Right if the letter is the gold and the question has that option."""
    options = sample.options
    known = found.value in _LABELS[: len(options.labels)] if options.parsed else found.value in _LABELS
    return Reading(found, known and found.value in sample.references)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rules 1 to 3."""
    if prediction in _LABELS:
        return _graded(Found(prediction, "lone-option", (0, 1)), sample)
    if prediction[:1] in _LABELS and prediction[1:3] == ". ":
        return _graded(Found(prediction[0], "leading-label", (0, 1)), sample)
    phrases = list(_PHRASE.finditer(prediction))
    if len(phrases) != 1:
        return Reading(Found(None, "several-phrases" if phrases else "no-option-found"))
    return _graded(Found(phrases[0][1], "the-answer-is", phrases[0].span(1)), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Rule 1."""
    if prediction not in _LABELS:
        return Reading(Found(None, "not-a-lone-option"))
    return _graded(Found(prediction, "lone-option", (0, 1)), sample)


RULES = RuleSet("scienceqa", exact, rule)
