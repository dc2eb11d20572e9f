"""Masks of a reply matched with those of the gold by their overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from mmeval.boxes.categories import ONE, NamesOf
from mmeval.boxes.geometry import frame, scale
from mmeval.boxes.mask_reading import SaidMask, masks_of, read_masks
from mmeval.boxes.truth import size_of
from mmeval.detection.masks import Mask, Size, overlaps, read_mask
from mmeval.errors import UsageError
from mmeval.types import Case, Invalid, Json, Measured, Outcome

_names_of = NamesOf()


class _Placed(NamedTuple):
    """A usable mask, its category, and whether it is a region of many objects."""

    mask: Mask
    category: str
    crowd: bool = False


class _Pair(NamedTuple):
    """A prediction and a gold by place, and their IoU."""

    pred: int
    gold: int
    iou: float


@dataclass(frozen=True)
class MaskIou:
    """Which gold masks the masks of a reply found; precision, recall and F1 are made over the run.

    Formula: masks of one category are paired one to one, highest IoU first, at least `threshold`; IoU = area
    of the intersection / area of the union in pixels. Evidence: tp, fp and fn (aggregate box-f1 sums them),
    `mean_iou` of the pairs, `f1` = 2 tp / (2 tp + fp + fn), and `iou`, the mean over golds of the IoU of
    their pair, 0 for those not found (1 where there is nothing to find and nothing was predicted). All 0..1.
    A prediction left over of which `threshold` of its own area lies in a crowd region counts nowhere.

    Masks are COCO's run lengths (compressed or not, on the size of the image) or polygons, in the reply and
    in the gold, under `segmentation`, `mask`, `rle` or `polygon`; `grid` says how the polygons of a reply are
    to be read (1000, 100, 1, or pixels), those of the gold are pixels. The row needs width and height. A mask
    that is none is dropped and counted. Categories as in box-ap: `single_class` takes all for one, else a
    number or a label, compared by `label_match`, with the resource `categories` where there is one.

    No benchmark's code is known to match masks just so: a score made of this is never official. Source:
    cocodataset/cocoapi common/maskApi.c @ 8c9bcc3c (run lengths, polygons, IoU).
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True
    own_gold: ClassVar[bool] = True
    resources: ClassVar[tuple[str, ...]] = ("categories",)

    threshold: float = 0.5
    grid: str | int = "pixels"
    single_class: bool = False
    label_match: Literal["case_insensitive", "exact"] = "case_insensitive"

    def __post_init__(self) -> None:
        """Refuse values outside the declared ones."""
        if not 0 < self.threshold <= 1:
            raise UsageError(f"threshold is {self.threshold}; give an IoU above 0, at most 1")
        if self.label_match not in ("case_insensitive", "exact"):
            raise UsageError(f"label_match is {self.label_match!r}; choose one of case_insensitive, exact")
        frame(self.grid, "xyxy")

    def __call__(self, case: Case) -> Outcome:
        """Read the masks of one reply and match them with its gold's."""
        if case.sample.answer is None:
            return Invalid("missing-reference")
        width, height = size_of(case.sample.fields)
        if width is None or height is None:
            return Invalid("missing-image-size")
        size = Size(round(height), round(width))
        said = masks_of(case.sample.answer)
        golds, odd = self._placed(said, case, size, (1.0, 1.0))
        if odd or (not said and case.sample.answer):
            return Invalid("unparsable-gold")
        read = read_masks(case.prediction)
        grid, across, down = scale(frame(self.grid, "xyxy", width, height))
        preds, dropped = self._placed(read.masks, case, size, (across / grid, down / grid))
        evidence = self._evidence(preds, golds)
        dropped.update(read.dropped)
        evidence |= {"image": str(case.sample.id), "width": width, "height": height}
        evidence["dropped"] = dict(sorted(dropped.items()))
        return Measured(evidence, f"{len(preds)} masks" if preds else None)

    def _placed(
        self, said: Sequence[SaidMask], case: Case, size: Size, scales: tuple[float, float]
    ) -> tuple[list[_Placed], Counter[str]]:
        """The masks that can be used, and why the others cannot."""
        names = _names_of(case.resources.get("categories"), self.label_match == "case_insensitive")
        placed: list[_Placed] = []
        dropped: Counter[str] = Counter()
        for each in said:
            mask = read_mask(each.said, size, scales)
            named = each.label is not None or each.category_id is not None
            category = ONE if self.single_class else names.of(each.label, each.category_id)
            if isinstance(mask, str):
                dropped[mask] += 1
            elif category is None and named:
                dropped["unknown-label"] += 1
            else:
                placed.append(_Placed(mask, category or "", each.crowd))
        return placed, dropped

    def _evidence(self, preds: Sequence[_Placed], golds: Sequence[_Placed]) -> dict[str, Json]:
        pairs, absorbed = _matched(preds, golds, self.threshold)
        single = sum(not gold.crowd for gold in golds)
        tp, fp, fn = len(pairs), len(preds) - len(pairs) - absorbed, single - len(pairs)
        total = sum(pair.iou for pair in pairs)
        nothing = float(not fp)
        return {
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "mean_iou": total / tp if tp else None,
            "iou": total / single if single else nothing,
            "f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0,
            "matches": [[pair.pred, pair.gold, pair.iou] for pair in pairs],
        }


def _matched(preds: Sequence[_Placed], golds: Sequence[_Placed], threshold: float) -> tuple[list[_Pair], int]:
    """The pairs by place of the prediction, and how many of the others lie in a crowd."""
    crowds = [gold.crowd for gold in golds]
    table = overlaps([each.mask for each in preds], [each.mask for each in golds], crowds)
    candidates: list[_Pair] = []
    in_crowd: defaultdict[int, bool] = defaultdict(bool)
    for mine, row in enumerate(table):
        for theirs, overlap in enumerate(row):
            if overlap < threshold or preds[mine].category != golds[theirs].category:
                continue
            if crowds[theirs]:
                in_crowd[mine] = True
            else:
                candidates.append(_Pair(mine, theirs, overlap))
    pairs = _greedy(candidates)
    free = in_crowd.keys() - {pair.pred for pair in pairs}
    return sorted(pairs), len(free)


def _greedy(candidates: list[_Pair]) -> list[_Pair]:
    """The best pair first, then the best of those whose masks are both free; ties by place."""
    taken: set[int] = set()
    met: set[int] = set()
    pairs = []
    for pair in sorted(candidates, key=lambda each: (-each.iou, each.pred, each.gold)):
        if pair.pred not in taken and pair.gold not in met:
            taken.add(pair.pred)
            met.add(pair.gold)
            pairs.append(pair)
    return pairs
