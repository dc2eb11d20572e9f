"""ChartQA's relaxed correctness, but a year must be the same year.

Under the official rule (mmeval.numbers._relaxed) 2015 is within 5 % of 1950. ChartQAPro (arXiv 2504.05506)
marks its years for that reason and compares them as texts; here a gold of exactly four digits, 1000 to 2099,
is a year. Whatever else the official rule accepts or refuses stays as it is.
"""

from __future__ import annotations

import re

import msgspec

from mmeval.numbers import _relaxed
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Sample

_YEAR = re.compile(r"(?:1\d|20)\d\d")


def grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The official verdict, unless every reference that it rests on is another year."""
    reading = _relaxed.grade(prediction, sample, knobs)
    if not reading.hit or reading.found.value is None:
        return reading
    tolerance = knobs.numeric_rel_tol or _relaxed.TOLERANCE
    value = reading.found.value
    if any(_same(value, reference.strip(), tolerance) for reference in sample.references):
        return reading
    return msgspec.structs.replace(reading, hit=False)


def _same(value: str, reference: str, tolerance: float) -> bool:
    """Whether the answer is this reference; for a year, the same year."""
    if _YEAR.fullmatch(reference):
        return _relaxed.relaxed(value, reference, 0.0)
    return _relaxed.relaxed(value, reference, tolerance)


RULES = RuleSet("chartqa-years", grade, grade)
