"""The ratio of two means over the same rows: ratio-of-means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mmeval.aggregates._table import Column, Group, Keys, groups, keys, named_parts, replicated, sample_fields
from mmeval.errors import MetadataError
from mmeval.stats import mean, of_ratio
from mmeval.types import Reduced, Row


@dataclass(frozen=True)
class RatioOfMeans:
    """The ratio of two means over the same rows (LLaVA-Bench: model over reference), not the mean of ratios.

    value = sum(numerator) / sum(denominator); 1.0 means as good as the reference, declare `scale: 100` for
    the official figure. Both are `score`, a numeric sample field or `evidence.<key>`. Where the evidence
    lists a number per time that the judge was asked, there is a ratio for each of these runs, and the value
    is their mean. None where a denominator sums to 0. With `mean_digits` both means are rounded before they
    are divided, with `digits` each ratio is (LLaVA-Bench: 3 and 3, one decimal of a per cent).

    Parts: `numerator` and `denominator` (their means), one ratio per group of `by`; of several runs also
    `run:1`, `run:1/<group>`, ... Interval: linearised ratio estimator over the rows' means, t with n - 1.

    Source: haotian-liu/LLaVA llava/eval/summarize_gpt_review.py@c121f043; Cochran, Sampling Techniques,
    chapter 6.
    """

    reduce: ClassVar[str] = "ratio-of-means"
    version: ClassVar[int] = 2
    numerator: str
    denominator: str
    by: Keys = ()
    mean_digits: int | None = None
    digits: int | None = None

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.numerator, self.denominator, *keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The ratio over these rows."""
        above = replicated(rows, self.numerator, self.reduce)
        below = replicated(rows, self.denominator, self.reduce)
        self._same(above, below)
        first = above[0]
        everywhere = range(len(first.values))
        runs = [self._ratio(*pair, everywhere) for pair in zip(above, below, strict=True)]
        parts: dict[str, float | None] = {"numerator": _whole(above), "denominator": _whole(below)}
        parts |= self._parts(above, below, runs)
        notes = tuple(dict.fromkeys(first.notes + below[0].notes))
        interval = of_ratio(_over_runs(above), _over_runs(below))
        return Reduced(_mean_of(runs), len(first.values), *interval, parts, notes)

    def _same(self, above: Sequence[Column], below: Sequence[Column]) -> None:
        sizes = [(len(each), len(each[0].values)) for each in (above, below)]
        if sizes[0] != sizes[1]:
            raise MetadataError(
                f"aggregate {self.reduce}: {self.numerator!r} has {sizes[0][0] * sizes[0][1]} values and "
                f"{self.denominator!r} {sizes[1][0] * sizes[1][1]}; name two numbers that every row carries"
            )

    def _ratio(self, above: Column, below: Column, where: Sequence[int]) -> float | None:
        """One run's ratio over the rows at these places."""
        top, bottom = (math.fsum(each.values[i] for i in where) for each in (above, below))
        if self.mean_digits is not None and where:
            top, bottom = (round(total / len(where), self.mean_digits) for total in (top, bottom))
        if not bottom:
            return None
        return top / bottom if self.digits is None else round(top / bottom, self.digits)

    def _parts(
        self, above: Sequence[Column], below: Sequence[Column], runs: Sequence[float | None]
    ) -> dict[str, float | None]:
        """A ratio per group, and where there are several runs a ratio per run and per group of it."""
        found = groups(above[0].rows, self.by, self.reduce) if keys(self.by) else {}
        each: dict[Group, list[float | None]] = {
            group: [self._ratio(*pair, where) for pair in zip(above, below, strict=True)]
            for group, where in found.items()
        }
        parts = named_parts({group: _mean_of(ratios) for group, ratios in each.items()}, self.reduce)
        if len(runs) > 1:
            for turn, ratio in enumerate(runs):
                own = {group: ratios[turn] for group, ratios in each.items()}
                named = named_parts(own, self.reduce)
                parts[f"run:{turn + 1}"] = ratio
                parts |= {f"run:{turn + 1}/{name}": figure for name, figure in named.items()}
        return parts


def _mean_of(ratios: Sequence[float | None]) -> float | None:
    """The mean over runs; undefined where one of them is."""
    defined = [each for each in ratios if each is not None]
    return mean(defined) if len(defined) == len(ratios) else None


def _over_runs(columns: Sequence[Column]) -> list[float]:
    """The mean over runs, row by row."""
    return [
        math.fsum(values) / len(values) for values in zip(*(each.values for each in columns), strict=True)
    ]


def _whole(columns: Sequence[Column]) -> float | None:
    return mean([value for each in columns for value in each.values])
