"""Rates and sums over all rows: mean, sum, threshold-rate."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from mmeval.aggregates._table import Column, Keys, column, groups, keys, parts_by, sample_fields
from mmeval.errors import MetadataError
from mmeval.stats import UNIT, Interval, mean, of_clustered_mean, of_mean
from mmeval.types import Reduced, Row

Op: TypeAlias = Literal["<", "<=", ">", ">="]
OPS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
# Below this many clusters the t interval is too narrow in practice (Miller 2024, section 2.2).
FEW_CLUSTERS = 30


@dataclass(frozen=True)
class Mean:
    """The mean over all rows.

    value = sum(field) / rows. `field` is `score` (a fraction 0..1; invalid, failed and undecided rows are 0),
    a numeric sample field, or `evidence.<key>`; the unit is the field's. `by` adds one part per group
    (several fields make joint groups). `cluster` names what makes rows dependent (an image, a video): the
    interval is then clustered, t with C - 1 degrees of freedom. Interval otherwise: Wilson for 0/1 scores,
    Student's t for graded.

    Source: Miller 2024, arXiv 2411.00640; Bowyer et al. 2025, arXiv 2503.01747.
    """

    reduce: ClassVar[str] = "mean"
    version: ClassVar[int] = 1
    field: str = "score"
    by: Keys = ()
    cluster: Keys = ()

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.field, *keys(self.by), *keys(self.cluster))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The mean of these rows."""
        data = column(rows, self.field, self.reduce)
        parts = parts_by(data.rows, self.by, self.reduce, lambda at: mean([data.values[i] for i in at]))
        interval, notes = self._interval(data)
        return Reduced(mean(data.values), len(data.values), *interval, parts, data.notes + notes)

    def _interval(self, data: Column) -> tuple[Interval, tuple[str, ...]]:
        if not keys(self.cluster):
            return of_mean(data.values, data.limits), ()
        found = groups(data.rows, self.cluster, self.reduce)
        member = {position: group for group, where in found.items() for position in where}
        clusters = [member[position] for position in range(len(data.values))]
        few = f"only {len(found)} clusters: the interval is rough below {FEW_CLUSTERS}"
        notes = (few,) if 0 < len(found) < FEW_CLUSTERS else ()
        return of_clustered_mean(data.values, clusters, data.limits), notes


@dataclass(frozen=True)
class Sum:
    """The sum over all rows (OCRBench: hits out of 1000).

    value = sum(field), 0 of no rows is undefined. `field` and `by` as in `mean`. The interval is n times that
    of the mean.

    Source: open-compass/VLMEvalKit vlmeval/dataset/utils/ocrbench.py@e8e78f05 (OCRBench).
    """

    reduce: ClassVar[str] = "sum"
    version: ClassVar[int] = 1
    field: str = "score"
    by: Keys = ()

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.field, *keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The sum of these rows."""
        data = column(rows, self.field, self.reduce)
        n = len(data.values)
        parts = parts_by(data.rows, self.by, self.reduce, lambda at: math.fsum(data.values[i] for i in at))
        interval = of_mean(data.values, data.limits).times(n)
        return Reduced(math.fsum(data.values) if n else None, n, *interval, parts, data.notes)


@dataclass(frozen=True)
class ThresholdRate:
    """The share of rows whose number lies on one side of a threshold (MMHal-Bench: rating below 3).

    value = rows with `field` `op` `threshold` / rows, a fraction 0..1. `field` as in `mean`; a score of a row
    without a verdict is 0. `by` adds one part per group. Interval: Wilson.

    Source: MMHal-Bench, arXiv 2309.14525 (hallucination rate).
    """

    reduce: ClassVar[str] = "threshold-rate"
    version: ClassVar[int] = 1
    op: Op
    threshold: float
    field: str = "score"
    by: Keys = ()

    def __post_init__(self) -> None:
        if self.op not in OPS:
            raise MetadataError(f"aggregate {self.reduce}: op {self.op!r} must be one of {', '.join(OPS)}")

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.field, *keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The share of these rows."""
        data = column(rows, self.field, self.reduce)
        compare = OPS[self.op]
        hits = [float(compare(value, self.threshold)) for value in data.values]
        parts = parts_by(data.rows, self.by, self.reduce, lambda at: mean([hits[i] for i in at]))
        return Reduced(mean(hits), len(hits), *of_mean(hits, UNIT), parts, data.notes)
