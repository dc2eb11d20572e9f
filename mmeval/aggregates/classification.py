"""Precision, recall, F1, accuracy and yes-ratio of a two-class task: prf1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

from mmeval.aggregates._table import (
    is_right,
    measured_note,
    require_present,
    sample_fields,
    settled,
    several,
    text_of,
)
from mmeval.errors import MetadataError
from mmeval.stats import UNKNOWN, Interval, mean, of_f1, proportion
from mmeval.types import Reduced, Row

Figure: TypeAlias = Literal["accuracy", "precision", "recall", "f1", "yes_ratio"]
FIGURES: tuple[Figure, ...] = get_args(Figure)


class Cell(NamedTuple):
    """What one row adds: its categories, how often it enters the overall, and its three bits."""

    categories: tuple[str, ...]
    times: int
    said: bool
    true: bool
    right: bool


class Matrix(NamedTuple):
    """Counts of a two-class task. Undecided rows are among the not-positive ones, and never right."""

    n: int
    tp: int
    fp: int
    fn: int
    right: int

    def figure(self, name: Figure) -> float:
        """One figure; 0 where its denominator is."""
        hits, of = self.share(name)
        return hits / of if of else 0.0

    def share(self, name: Figure) -> tuple[int, int]:
        """The figure as hits out of a number (F1 = 2 TP / (2 TP + FP + FN))."""
        shares: dict[Figure, tuple[int, int]] = {
            "accuracy": (self.right, self.n),
            "precision": (self.tp, self.tp + self.fp),
            "recall": (self.tp, self.tp + self.fn),
            "f1": (2 * self.tp, 2 * self.tp + self.fp + self.fn),
            "yes_ratio": (self.tp + self.fp, self.n),
        }
        return shares[name]

    def interval(self, name: Figure) -> Interval:
        """The closed-form interval of one figure."""
        if name == "f1":
            return of_f1(self.tp, self.fp + self.fn)
        return proportion(*self.share(name))


@dataclass(frozen=True)
class Prf1:
    """Precision, recall, F1, accuracy and yes-ratio for one positive label (POPE, AMBER, VSR).

    P = TP / (TP + FP), R = TP / (TP + FN), F1 = 2 P R / (P + R), accuracy = right rows / rows, yes_ratio =
    rows read as positive / rows; fractions 0..1, and 0 for 0/0. The label is what was read, the gold the
    canonical reference, compared without regard to case. A row without a verdict is not positive for P, R and
    F1, wrong for accuracy, and counted in a note. `value` chooses the headline figure, all five are parts.

    `by` adds `<category>.<figure>` parts. A category field with several values (a list, or a text split at
    `explode`) puts the row into each; with `explode_overall` it also enters the overall once per category, as
    VLMEvalKit's POPE does. `macro: true` makes the value the mean over the categories. Interval: Wilson (for
    F1 through J = TP / (TP + FP + FN)); None where rows enter more than once or for `macro`; `interval:
    "bootstrap"` draws rows 2,000 times with a fixed seed and gives the percentile interval for every form. n
    counts rows.

    Source: AoiDragon/POPE evaluate.py@08d957b9; VLMEvalKit vlmeval/dataset/utils/yorn.py@e8e78f05
    (POPE_rating).
    """

    reduce: ClassVar[str] = "prf1"
    version: ClassVar[int] = 1
    positive: str = "yes"
    value: Figure = "f1"
    by: str | None = None
    explode: str | None = None
    explode_overall: bool = False
    macro: bool = False
    interval: Literal["closed", "bootstrap"] = "closed"

    def __post_init__(self) -> None:
        if self.value not in FIGURES:
            raise MetadataError(
                f"aggregate {self.reduce}: value {self.value!r} must be one of {', '.join(FIGURES)}"
            )
        needing = [name for name in ("explode", "explode_overall", "macro") if getattr(self, name)]
        if needing and self.by is None:
            raise MetadataError(
                f"aggregate {self.reduce}: {needing[0]!r} needs 'by', the field that holds the categories"
            )

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(self.by)

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The figures of these rows."""
        notes = measured_note(rows)
        if notes or not rows:
            return Reduced(None, 0, notes=notes)
        _need_gold(rows, self.reduce)
        cells = Counter(self._cells(rows))
        value, parts = self._figures(cells)
        interval = self._bootstrap(cells) if self.interval == "bootstrap" else self._closed(cells)
        return Reduced(value, len(rows), *interval, parts, _notes(rows))

    def _cells(self, rows: Sequence[Row]) -> Iterable[Cell]:
        positive = _plain(self.positive)
        categories = [() if self.by is None else several(row, self.by, self.explode) for row in rows]
        require_present(rows, categories, self.by or "", self.reduce)
        for row, of in zip(rows, categories, strict=True):
            times = len(of or ()) if self.explode_overall else 1
            said, true = _plain(text_of(row, "label")) == positive, _plain(row.gold) == positive
            yield Cell(of or (), times, said, true, is_right(row))

    def _figures(self, cells: Mapping[Cell, int]) -> tuple[float | None, dict[str, float | None]]:
        overall = _matrix((cell, cell.times * count) for cell, count in cells.items())
        parts: dict[str, float | None] = {name: overall.figure(name) for name in FIGURES}
        chosen = []
        for category in sorted({category for cell in cells for category in cell.categories}):
            matrix = _matrix((cell, count) for cell, count in cells.items() if category in cell.categories)
            parts |= {f"{category}.{name}": matrix.figure(name) for name in FIGURES}
            chosen.append(matrix.figure(self.value))
        return (mean(chosen) if self.macro else overall.figure(self.value)), parts

    def _closed(self, cells: Mapping[Cell, int]) -> Interval:
        if self.macro or any(cell.times != 1 for cell in cells):
            return UNKNOWN
        return _matrix(cells.items()).interval(self.value)

    def _bootstrap(self, cells: Mapping[Cell, int]) -> Interval:
        """Percentile interval over draws of rows, made as multinomial draws of the sorted distinct rows."""
        import numpy as np

        kinds, n = sorted(cells), sum(cells.values())
        if n < 2:
            return UNKNOWN
        generator = np.random.Generator(np.random.PCG64(0))
        draws = generator.multinomial(n, [cells[kind] / n for kind in kinds], size=2000).tolist()
        drawn = [self._figures({k: c for k, c in zip(kinds, draw, strict=True) if c})[0] for draw in draws]
        values = np.array([value for value in drawn if value is not None])
        stderr = float(values.std(ddof=1)) or None
        low, high = (float(end) for end in np.quantile(values, [0.025, 0.975]))
        return Interval(stderr, (low, high), "bootstrap") if stderr else UNKNOWN


def _matrix(counted: Iterable[tuple[Cell, int]]) -> Matrix:
    n = tp = fp = fn = right = 0
    for cell, count in counted:
        n += count
        tp += count * (cell.said and cell.true)
        fp += count * (cell.said and not cell.true)
        fn += count * (cell.true and not cell.said)
        right += count * cell.right
    return Matrix(n, tp, fp, fn, right)


def _plain(text: str | tuple[str, ...] | None) -> str | None:
    return text.strip().casefold() if isinstance(text, str) else None


def _need_gold(rows: Sequence[Row], who: str) -> None:
    lacking = [row.id for row in rows if row.gold is None and settled(row)]
    if lacking:
        raise MetadataError(
            f"aggregate {who}: {len(lacking)} of {len(rows)} rows have no gold label "
            f"(first: sample {lacking[0]}); precision and recall need one; leave those rows out with 'where'"
        )


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    unread = sum(text_of(row, "label") is None for row in rows)
    if not unread:
        return ()
    return (f"{unread} of {len(rows)} rows are undecided: not positive for P, R and F1, wrong for accuracy",)
