"""How far stated confidence is from being right: calibration-error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar, NamedTuple

from mmeval.aggregates._table import column, sample_fields, score_of
from mmeval.errors import MetadataError
from mmeval.types import Reduced, Row

_PERCENT = 100.0


class _Bin(NamedTuple):
    """Rows of similar confidence: how many, their mean confidence, and the share of them that is right."""

    size: int
    confidence: float
    right: float


@dataclass(frozen=True)
class CalibrationError:
    """The root mean square distance between stated confidence and the share that is right (HLE).

    Rows with a confidence are sorted by it and cut into bins of `bin_size` rows; the last bin takes what is
    left too. value = sqrt(sum over bins of size/n * (mean confidence - mean score)^2), 0..1, less is better.
    The authors' loop leaves out the last bin, though its rows count in n; so does the value, while the part
    `all_bins` leaves out none. Undefined where no bin is left: below twice `bin_size` rows (the authors
    print 0 there, and fail below `bin_size`).

    `confidence` is a number of 0..100: `evidence.<key>`, where a judge says it, or a sample field. Rows
    without a number, or without a verdict, are left out, and a note says how many. Rows of equal confidence
    at the border of a bin are shared out evenly, so that no order of rows changes a digit; there the
    authors' figure depends on the order. Parts: `all_bins`, `confidence` and `right` (means over these
    rows). No interval.

    Source: kflu/hle hle_eval/run_judge_results.py@ce3f6f123819 (calib_err, dump_metrics), a fork of
    centerforaisafety/hle.
    """

    reduce: ClassVar[str] = "calibration-error"
    version: ClassVar[int] = 1
    confidence: str = "evidence.confidence"
    bin_size: int = 100

    def __post_init__(self) -> None:
        """Refuse bins that hold nothing."""
        if self.bin_size < 1:
            raise MetadataError(f"aggregate {self.reduce}: bin_size must be at least 1, not {self.bin_size}")

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.confidence)

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The error over these rows."""
        having = [row for row in rows if self._stated(row)]
        left = len(rows) - len(having)
        notes = (
            (f"{left} of {len(rows)} rows without a confidence or a verdict are left out",) if left else ()
        )
        if not having:
            return Reduced(None, 0, notes=("no row has a confidence: no judge was asked for one",))
        said = [value / _PERCENT for value in column(having, self.confidence, self.reduce).values]
        right = [score_of(row) or 0.0 for row in having]
        bins = _bins(said, right, self.bin_size)
        parts: dict[str, float | None] = {
            "all_bins": _error(bins, len(having)),
            "confidence": math.fsum(said) / len(said),
            "right": math.fsum(right) / len(right),
        }
        if len(bins) < 2:
            few = f"{len(having)} rows with a confidence are fewer than two bins of {self.bin_size}"
            return Reduced(None, len(having), parts=parts, notes=(*notes, few))
        return Reduced(_error(bins[:-1], len(having)), len(having), parts=parts, notes=notes)

    def _stated(self, row: Row) -> bool:
        if row.status != "ok" or not row.decided or row.score is None:
            return False
        try:
            (value,) = column([row], self.confidence, self.reduce).values
        except MetadataError:
            return False
        return 0.0 <= value <= _PERCENT


def _bins(said: Sequence[float], right: Sequence[float], size: int) -> list[_Bin]:
    """Bins of rows in the order of their confidence; what rows of equal confidence score is shared out."""
    shared: list[tuple[float, float]] = []
    for value, alike in groupby(sorted(zip(said, right, strict=True)), key=lambda pair: pair[0]):
        scores = [score for _, score in alike]
        shared += [(value, math.fsum(scores) / len(scores))] * len(scores)
    starts = [at * size for at in range(max(1, len(shared) // size))]
    found = []
    for start, end in zip(starts, [*starts[1:], len(shared)], strict=True):
        members = shared[start:end]
        means = [math.fsum(each) / len(members) for each in zip(*members, strict=True)]
        found.append(_Bin(len(members), *means))
    return found


def _error(bins: Sequence[_Bin], rows: int) -> float:
    return math.sqrt(math.fsum(each.size / rows * (each.confidence - each.right) ** 2 for each in bins))
