"""Our reading of numbers: exact values, one commitment, and no number where there are several.

`exact` reads a reply that is a number (wrappers, a currency and a unit apart); `rule` reads prose, see
`mmeval.numbers._commitment`. Values are compared as fractions: equal, or within the declared absolute
tolerance, or within the declared tolerance relative to the gold (off where the gold is 0). A percent sign
follows `Knobs.percent` on both sides. Every reference counts; one that is no number counts as text. Where
none is a number, the comparison is that of open answers (`mmeval.answers.robust`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from mmeval.answers._matching import grade_text
from mmeval.numbers._commitment import Committed, plain, prose
from mmeval.numbers._golds import golds, is_gold
from mmeval.numbers._parse import written
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample


def _exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    return _grade(prediction, sample, knobs, "exact")


def _rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    return _grade(prediction, sample, knobs, "rule")


def _grade(prediction: str, sample: Sample, knobs: Knobs, kind: Literal["exact", "rule"]) -> Reading:
    values = golds(sample.references, knobs.percent)
    if not values:
        return grade_text(prediction, sample.references, knobs, kind)
    if kind == "exact":
        committed = plain(prediction, knobs.percent)
    else:
        committed = prose(prediction, sample.question, knobs.percent)
    reading = _reading(committed, values, knobs)
    if not reading.hit and len(values) < len(sample.references):
        as_text = grade_text(prediction, sample.references, knobs, kind)
        return as_text if as_text.hit else reading
    return reading


def _reading(committed: Committed, values: tuple[Fraction, ...], knobs: Knobs) -> Reading:
    if committed.value is None:
        return Reading(Found(None, committed.rule, committed.span))
    hit = any(is_gold(committed.value, gold, knobs) for gold in values)
    return Reading(Found(written(committed.value), committed.rule, committed.span), hit)


RULES = RuleSet("robust", _exact, _rule)
