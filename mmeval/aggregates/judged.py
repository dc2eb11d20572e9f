"""Figures of what a judge said: checklist, label-mean, replicate-spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.aggregates._table import (
    EVIDENCE,
    Keys,
    is_right,
    keys,
    measured_note,
    numbers_of,
    parts_by,
    sample_fields,
    score_of,
    settled,
    text_of,
)
from mmeval.errors import MetadataError
from mmeval.stats import UNIT, mean, of_mean
from mmeval.types import Reduced, Row


@dataclass(frozen=True)
class Checklist:
    """Answers that a judge ticks off item by item (MM-BrowseComp).

    With `items` of a row's evidence as 1 (met) and 0: `overall` = rows whose verdict is right / rows;
    `strict` = rows that are right and meet every item / rows; `items` = the mean over rows of the share of
    items that are met; fractions 0..1. A row without a verdict, or that was wrong without being put to the
    judge, meets nothing; a row without any item is never strict, and where no judge was asked for items,
    `strict` and `items` are undefined. `value` chooses the headline, all three are parts; `by` adds one part
    per group. Interval as in `mean`.

    Source: MMBrowseComp/MM-BrowseComp src/eval.py@af221ef8 (overall and strict accuracy, average checklist
    score).
    """

    reduce: ClassVar[str] = "checklist"
    version: ClassVar[int] = 1
    value: Literal["overall", "strict", "items"] = "overall"
    items: str = "evidence.items"
    by: Keys = ()

    def __post_init__(self) -> None:
        if not self.items.startswith(EVIDENCE):
            raise MetadataError(
                f"aggregate {self.reduce}: items must be 'evidence.<key>', not {self.items!r}"
            )

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(*keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The figures of these rows."""
        notes = measured_note(rows)
        if notes or not rows:
            return Reduced(None, 0, notes=notes)
        found = [numbers_of(row, self.items.removeprefix(EVIDENCE)) or () for row in rows]
        columns = {
            "overall": [float(is_right(row)) for row in rows],
            "strict": [
                float(is_right(row) and bool(met) and min(met) >= 1.0)
                for row, met in zip(rows, found, strict=True)
            ],
            "items": [mean(met) or 0.0 for met in found],
        }
        parts: dict[str, float | None] = {name: mean(values) for name, values in columns.items()}
        values = columns[self.value]
        parts |= parts_by(rows, self.by, self.reduce, lambda at: mean([values[i] for i in at]))
        if self.value != "overall" and not any(self._listed(row) for row in rows):
            return Reduced(None, len(rows), notes=("no row has a list of items: no judge was asked for one",))
        bare = sum(not met for met in found)
        told = (f"{bare} of {len(rows)} rows have no list of items; they meet none",) if bare else ()
        return Reduced(parts[self.value], len(rows), *of_mean(values, UNIT), parts, told)

    def _listed(self, row: Row) -> bool:
        return isinstance(row.evidence, dict) and self.items.removeprefix(EVIDENCE) in row.evidence


@dataclass(frozen=True)
class LabelMean:
    """The mean of the numbers that labels stand for (WildVision: reward 100, 50, 0, -50, -100; win rate).

    `values` says which label is worth what, compared without regard to case; `source` where the label lies:
    `label` (what was read), `evidence.<key>` or a sample field. A row with another label, or without a
    verdict, is worth `otherwise` (0) and is told. value = sum / rows, in the unit of `values`. `by` adds one
    part per group. Interval: Wilson where all are 0 or 1, else Student's t.

    Source: WildVision-AI/WildVision-Bench show_results.py (reward and win rate over a baseline).
    """

    reduce: ClassVar[str] = "label-mean"
    version: ClassVar[int] = 1
    values: dict[str, float]
    source: str = "label"
    otherwise: float = 0.0
    by: Keys = ()

    def __post_init__(self) -> None:
        if not self.values or not all(map(math.isfinite, self.values.values())):
            raise MetadataError(f"aggregate {self.reduce}: 'values' must give finite numbers to labels")

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.source, *keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The mean of these rows."""
        worth = {label.strip().casefold(): value for label, value in self.values.items()}
        found = [self._worth(row, worth) for row in rows]
        values = [self.otherwise if value is None else value for value in found]
        parts = parts_by(rows, self.by, self.reduce, lambda at: mean([values[i] for i in at]))
        odd = found.count(None)
        notes = (
            (f"{odd} of {len(rows)} rows carry none of the labels; they are worth {self.otherwise:g}",)
            if odd
            else ()
        )
        shares = UNIT if {*self.values.values(), self.otherwise} <= {0.0, 1.0} else None
        return Reduced(mean(values), len(values), *of_mean(values, shares), parts, notes)

    def _worth(self, row: Row, worth: dict[str, float]) -> float | None:
        text = text_of(row, self.source) if settled(row) else None
        return worth.get(text.strip().casefold()) if isinstance(text, str) else None


@dataclass(frozen=True)
class ReplicateSpread:
    """How much a mean moves when the judge is asked again (MM-Vet: std over runs).

    `source` names the evidence that lists a row's score at each time; a row without such a list has its score
    at every time. Per run the mean over all rows; value = their standard deviation (over R, as the authors
    compute it), or with `value` their `mean`, `min` or `max`, in the unit of the ratings. Parts: `run:1`,
    `run:2`, ... Undefined where the judge was asked once, or rows were judged a different number of times.
    No interval.

    Source: yuweihao/MM-Vet mm-vet_evaluator.py@acde843e (export_result).
    """

    reduce: ClassVar[str] = "replicate-spread"
    version: ClassVar[int] = 1
    source: str = "evidence.ratings"
    value: Literal["std", "mean", "min", "max"] = "std"

    def __post_init__(self) -> None:
        if not self.source.startswith(EVIDENCE):
            raise MetadataError(
                f"aggregate {self.reduce}: source must be 'evidence.<key>', not {self.source!r}"
            )

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The spread over the runs of these rows."""
        found = [numbers_of(row, self.source.removeprefix(EVIDENCE)) for row in rows]
        counts = {len(runs) for runs in found if runs is not None}
        if len(counts) != 1 or counts == {1}:
            why = "rows were judged a different number of times" if len(counts) > 1 else "judged once"
            return Reduced(None, len(rows), notes=(f"{why}: there is no spread",))
        times = counts.pop()
        each = [runs or ((score_of(row) or 0.0),) * times for row, runs in zip(rows, found, strict=True)]
        totals = [math.fsum(run) / len(rows) for run in zip(*each, strict=True)]
        parts: dict[str, float | None] = {f"run:{turn}": total for turn, total in enumerate(totals, 1)}
        return Reduced(self._figure(totals), len(rows), parts=parts)

    def _figure(self, totals: Sequence[float]) -> float:
        centre = math.fsum(totals) / len(totals)
        if self.value == "mean":
            return centre
        if self.value == "std":
            return math.sqrt(math.fsum((total - centre) ** 2 for total in totals) / len(totals))
        return min(totals) if self.value == "min" else max(totals)
