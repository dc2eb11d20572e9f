"""Golds that are numbers, and when a value is one of them."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

from mmeval.numbers._parse import whole
from mmeval.reading import Knobs
from mmeval.text.wrappers import peel


@lru_cache(4096)
def golds(
    references: tuple[str, ...], percent: Literal["strip", "fraction", "refuse"]
) -> tuple[Fraction, ...]:
    """The values of those references that are numbers; a percent sign divides by 100 only for `fraction`."""
    values = []
    for reference in references:
        start, end = peel(reference, 0, len(reference))
        number = whole(reference[start:end])
        if number is not None and number.value is not None:
            share = number.kind == "percent" and percent == "fraction"
            values.append(number.value / 100 if share else number.value)
    return tuple(values)


@lru_cache(64)
def _exactly(tolerance: float) -> Fraction:
    """The tolerance as written: 0.05 is 1/20."""
    return Fraction(repr(tolerance))


def is_gold(value: Fraction, gold: Fraction, knobs: Knobs) -> bool:
    """Equal, or within the absolute tolerance, or within the relative one (off where gold is 0)."""
    if value == gold:
        return True
    if not (knobs.numeric_abs_tol or knobs.numeric_rel_tol):
        return False
    error = abs(value - gold)
    if knobs.numeric_abs_tol > 0 and error <= _exactly(knobs.numeric_abs_tol):
        return True
    return bool(gold) and knobs.numeric_rel_tol > 0 and error <= _exactly(knobs.numeric_rel_tol) * abs(gold)
