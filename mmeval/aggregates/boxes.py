"""Boxes without their scores: box-counts and box-f1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias, get_args

from mmeval.aggregates._boxes import boxed
from mmeval.aggregates._table import Keys, keys, parts_by, sample_fields
from mmeval.aggregates.counts import FIGURES, Count, CountFigure, count_figures
from mmeval.detection.evidence import BoxEvidence
from mmeval.errors import MetadataError, StageError
from mmeval.stats import Interval, of_ratio
from mmeval.types import Reduced, Row

BoxFigure: TypeAlias = Literal["f1", "precision", "recall"]
BOX_FIGURES: tuple[BoxFigure, ...] = get_args(BoxFigure)


@dataclass(frozen=True)
class BoxCounts:
    """How far the number of predicted boxes is from that of gold boxes (FSCD-147, FSCD-LVIS).

    Per row e = |predicted - gold|, crowds not counted; MAE = mean e, RMSE = sqrt(mean e^2), NAE = mean
    e / gold over rows with gold boxes, `exact`, `within5`, `within10` as in count-errors. A reply without a
    box counts 0, and is exact where there is no gold box either; a row without a reply counts 0, and is never
    exact nor within. `value` chooses the headline, all six are parts. Rows without a usable gold are left out
    of the errors and are misses in the shares; failed rows are left out. Interval: t for MAE and NAE, Wilson
    for shares, None for RMSE.

    Source: FSC-147, arXiv 2104.08391 (MAE, RMSE); Counting-DETR eval_all.py@9cbc19ed (NAE).
    """

    reduce: ClassVar[str] = "box-counts"
    version: ClassVar[int] = 1
    value: CountFigure = "mae"

    def __post_init__(self) -> None:
        _require_figure(self.value, FIGURES, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read: none."""
        return ()

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The errors of these rows."""
        found = boxed(rows)
        if not found.complete:
            return Reduced(None, 0, notes=found.notes)
        pairs = zip(found.rows, found.evidence, strict=True)
        counts = [_count(said, row.status == "ok") for row, said in pairs]
        zero = sum(not each.gold for each in counts)
        left = sum(row.status == "invalid" and row.evidence is None for row in rows)
        told = (f"{zero} of {len(rows)} rows without a gold box are left out of NAE",) if zero else ()
        return count_figures(counts, left, self.value, (*found.notes, *told))


def _count(said: BoxEvidence, answered: bool) -> Count:
    golds = sum(not gold.crowd for gold in said.golds)
    return Count(golds, abs(len(said.boxes) - golds), answered)


class Matched(NamedTuple):
    """Predicted boxes that are right, predicted boxes that are not, and gold boxes that nobody found."""

    tp: int
    fp: int
    fn: int

    def share(self, name: BoxFigure) -> tuple[int, int]:
        """A figure as hits out of a number (F1 = 2 TP / (2 TP + FP + FN))."""
        shares: dict[BoxFigure, tuple[int, int]] = {
            "f1": (2 * self.tp, 2 * self.tp + self.fp + self.fn),
            "precision": (self.tp, self.tp + self.fp),
            "recall": (self.tp, self.tp + self.fn),
        }
        return shares[name]


@dataclass(frozen=True)
class BoxF1:
    """Precision, recall and F1 of boxes at IoU 0.5, whatever their scores and their order.

    Predicted and gold boxes of one category are matched one to one by IoU, 0.5 at least; over all rows
    P = TP / (TP + FP), R = TP / (TP + FN), F1 = 2 TP / (2 TP + FP + FN), fractions 0..1, None for 0/0. What
    a crowd takes up is neither right nor wrong. `value` chooses the headline, all three are parts, and so is
    the chosen one per group of `by`. A row without a reply finds nothing; failed rows, and those without a
    usable gold, are left out and named. Interval: that of a ratio of sums, images as units, t with n - 1.

    Source: Cochran, Sampling Techniques, chapter 6 (interval); the matching is the stage's.
    """

    reduce: ClassVar[str] = "box-f1"
    version: ClassVar[int] = 1
    value: BoxFigure = "f1"
    by: Keys = ()

    def __post_init__(self) -> None:
        _require_figure(self.value, BOX_FIGURES, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """The sample fields that are read."""
        return sample_fields(*keys(self.by))

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The figures of these rows."""
        found = boxed(rows)
        if not found.complete or not found.rows:
            return Reduced(None, 0, notes=found.notes)
        pairs = zip(found.rows, found.evidence, strict=True)
        matched = [_matched(said, row.id) for row, said in pairs]
        whole = _summed(matched)
        parts: dict[str, float | None] = {name: _ratio(whole.share(name)) for name in BOX_FIGURES}
        parts |= parts_by(
            found.rows,
            self.by,
            self.reduce,
            lambda where: _ratio(_summed(matched[place] for place in where).share(self.value)),
        )
        images = _by_image(found.evidence, matched)
        return Reduced(parts[self.value], len(images), *self._interval(images), parts, found.notes)

    def _interval(self, images: Sequence[Matched]) -> Interval:
        shares = [each.share(self.value) for each in images]
        found = of_ratio([hits for hits, _ in shares], [of for _, of in shares])
        if found.ci95 is None:
            return found
        return found._replace(ci95=(max(0.0, found.ci95[0]), min(1.0, found.ci95[1])))


def _matched(said: BoxEvidence, row: str) -> Matched:
    if said.tp is None or said.fp is None or said.fn is None:
        raise StageError(f"sample {row}: its evidence lacks tp, fp or fn, of which box-f1 is made")
    return Matched(said.tp, said.fp, said.fn)


def _summed(matched: Iterable[Matched]) -> Matched:
    tp = fp = fn = 0
    for each in matched:
        tp, fp, fn = tp + each.tp, fp + each.fp, fn + each.fn
    return Matched(tp, fp, fn)


def _by_image(evidence: Sequence[BoxEvidence], matched: Sequence[Matched]) -> list[Matched]:
    """The counts of each image, summed over the rows about it."""
    images: dict[str, list[Matched]] = {}
    for said, each in zip(evidence, matched, strict=True):
        images.setdefault(said.image, []).append(each)
    return [_summed(each) for each in images.values()]


def _ratio(share: tuple[int, int]) -> float | None:
    hits, of = share
    return hits / of if of else None


def _require_figure(value: str, known: Sequence[str], who: str) -> None:
    if value not in known:
        raise MetadataError(f"aggregate {who}: value {value!r} must be one of {', '.join(known)}")
