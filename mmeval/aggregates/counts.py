"""Errors of counts: count-errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

from mmeval.aggregates._table import number, sample_fields, settled, text_of
from mmeval.errors import MetadataError
from mmeval.stats import UNIT, UNKNOWN, Interval, mean, of_mean
from mmeval.types import Reduced, Row

CountFigure: TypeAlias = Literal["mae", "rmse", "nae", "exact", "within5", "within10"]
FIGURES: tuple[CountFigure, ...] = get_args(CountFigure)


class Count(NamedTuple):
    """A counted row: the gold, its error (an unread count is 0), and whether a count was read at all."""

    gold: float
    error: float
    read: bool

    def within(self, percent: int) -> float:
        """1.0 if a count was read and lies within `percent` of the gold, inclusive; exact only for gold 0."""
        return float(self.read and self.error * 100 <= percent * abs(self.gold))


@dataclass(frozen=True)
class CountErrors:
    """How far counts are off (FSC-147, CountQA, PixMo-Count).

    With e = |count - gold| and an unread count taken as 0: MAE = mean e, RMSE = sqrt(mean e^2), both in
    counts; NAE = mean e / gold over rows with a gold that is not 0; `exact`, `within5`, `within10` = share of
    rows with e = 0, e <= 0.05 gold, e <= 0.10 gold, inclusive, fractions 0..1. An unread count is never exact
    nor within, even for gold 0; for gold 0 within means exact. Rows whose gold cannot be used (status
    invalid) are left out of the errors and count as misses in the shares. `prediction` and `gold` are
    `label`, `gold`, `evidence.<key>` or a sample field. `value` chooses the headline, all six are parts.
    Interval: t for MAE and NAE, Wilson for shares, None for RMSE.

    Source: FSC-147, arXiv 2104.08391 (MAE, RMSE); Counting-DETR eval_all.py@9cbc19ed (NAE);
    evalscope@fde259d2 CountQA (relaxed accuracy).
    """

    reduce: ClassVar[str] = "count-errors"
    version: ClassVar[int] = 1
    value: CountFigure = "mae"
    prediction: str = "label"
    gold: str = "gold"

    def __post_init__(self) -> None:
        if self.value not in FIGURES:
            raise MetadataError(
                f"aggregate {self.reduce}: value {self.value!r} must be one of {', '.join(FIGURES)}"
            )

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.prediction, self.gold)

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The errors of these rows."""
        counts = self._counts(rows)
        left = len(rows) - len(counts)
        return count_figures(counts, left, self.value, _notes(counts, left, len(rows)))

    def _counts(self, rows: Sequence[Row]) -> list[Count]:
        counts, odd = [], []
        for row in rows:
            gold, said = number(text_of(row, self.gold)), number(text_of(row, self.prediction))
            if gold is not None and row.status != "invalid":
                counts.append(Count(gold, abs((said or 0.0) - gold), said is not None))
            elif settled(row):
                odd.append(row.id)
        if odd:
            raise MetadataError(
                f"aggregate {self.reduce}: {len(odd)} of {len(rows)} rows have no number as {self.gold!r} "
                f"(first: sample {odd[0]}); name the field with the count, or leave rows out with 'where'"
            )
        return counts


def count_figures(counts: Sequence[Count], left: int, value: CountFigure, notes: tuple[str, ...]) -> Reduced:
    """All six figures of counts, `value` of them with its interval; `left` more rows are misses in shares."""
    misses = [0.0] * left
    columns: dict[CountFigure, list[float]] = {
        "mae": [each.error for each in counts],
        "rmse": [each.error * each.error for each in counts],
        "nae": [each.error / abs(each.gold) for each in counts if each.gold],
        "exact": [each.within(0) for each in counts] + misses,
        "within5": [each.within(5) for each in counts] + misses,
        "within10": [each.within(10) for each in counts] + misses,
    }
    parts: dict[str, float | None] = {name: mean(values) for name, values in columns.items()}
    squared = parts["rmse"]
    parts["rmse"] = None if squared is None else math.sqrt(squared)
    values = columns[value]
    return Reduced(parts[value], len(values), *_interval(values, value), parts, notes)


def _interval(values: Sequence[float], value: CountFigure) -> Interval:
    if value == "rmse":
        return UNKNOWN
    return of_mean(values, None if value in ("mae", "nae") else UNIT)


def _notes(counts: Sequence[Count], left: int, total: int) -> tuple[str, ...]:
    unread, zero = sum(not each.read for each in counts), sum(not each.gold for each in counts)
    told = (
        (unread, f"{unread} of {total} rows without a count enter the errors as 0"),
        (zero, f"{zero} of {total} rows with gold 0 are left out of NAE"),
        (
            left,
            f"{left} of {total} rows without a usable gold are left out of the errors, missed in the shares",
        ),
    )
    return tuple(note for count, note in told if count)
