"""Our reading of numbers: exact values, one commitment, and no number where there are several.

`exact` reads a reply that is a number (wrappers, a currency and a unit apart); `rule` reads prose, see
`mmeval.numbers._commitment`. Values are compared as fractions: equal, or within the declared absolute
tolerance, or within the declared tolerance relative to the gold (off where the gold is 0). A percent sign
follows `Knobs.percent` on both sides. Every reference counts. Where no reference is a number, the
comparison is that of open answers (`mmeval.answers.robust`).
"""

from __future__ import annotations

from fractions import Fraction

from mmeval.answers._matching import grade_text
from mmeval.numbers._commitment import Committed, plain, prose
from mmeval.numbers._golds import golds, is_gold
from mmeval.numbers._parse import written
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample


def _exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    values = golds(sample.references, knobs.percent)
    if not values:
        return grade_text(prediction, sample.references, knobs, "exact")
    return _reading(plain(prediction, knobs.percent), values, knobs)


def _rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    values = golds(sample.references, knobs.percent)
    if not values:
        return grade_text(prediction, sample.references, knobs, "rule")
    return _reading(prose(prediction, sample.question, knobs.percent), values, knobs)


def _reading(committed: Committed, values: tuple[Fraction, ...], knobs: Knobs) -> Reading:
    if committed.value is None:
        return Reading(Found(None, committed.rule, committed.span))
    hit = any(is_gold(committed.value, gold, knobs) for gold in values)
    return Reading(Found(written(committed.value), committed.rule, committed.span), hit)


RULES = RuleSet("robust", _exact, _rule)
