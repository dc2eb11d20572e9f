"""Our reading of open answers: whole answers in normal form, announced answers, and nothing guessed.

The comparison is that of `mmeval.answers._matching`. Where every reference is a plain number (no leading
zeros) or a LaTeX fraction, a reply in prose that commits itself to one number is read as a number, as a
numeric question's would be.
"""

from __future__ import annotations

import re

from mmeval.answers._matching import grade_text
from mmeval.numbers._commitment import prose
from mmeval.numbers._golds import golds, is_gold
from mmeval.numbers._parse import written
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_PLAIN_NUMBER = re.compile(
    r"\s*-?(?:0|[1-9][\d,]*)(?:\.\d+)?\s?%?\s*|\s*\$?\s?-?\\[dt]?frac\s?\{\d+\}\s?\{\d+\}\s?\$?\s*"
)


def _exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    return grade_text(prediction, sample.references, knobs, "exact")


def _rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    as_text = grade_text(prediction, sample.references, knobs, "rule")
    if as_text.hit or not all(map(_PLAIN_NUMBER.fullmatch, sample.references)):
        return as_text
    values = golds(sample.references, knobs.percent)
    committed = prose(prediction, sample.question, knobs.percent)
    if not values or committed.value is None:
        return as_text
    hit = any(is_gold(committed.value, gold, knobs) for gold in values)
    return Reading(Found(written(committed.value), committed.rule, committed.span), hit)


RULES = RuleSet("robust", _exact, _rule)
