"""What was found, missed and made up on an image, per category: counts that no order of boxes changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from mmeval.boxes.golds import Gold
from mmeval.boxes.matching import match
from mmeval.boxes.model import Placed

Evidence: TypeAlias = Mapping[str, Any]
Pairs: TypeAlias = Sequence[tuple[int, int, float]]


class Tally(NamedTuple):
    """One category on one image: matches at IoU 0.5, boxes without a gold, golds without a box."""

    image: str
    category: str
    tp: int
    fp: int
    fn: int
    ious: float

    @property
    def mean_iou(self) -> float | None:
        """The mean IoU of the matches, 0.5..1; None without one."""
        return self.ious / self.tp if self.tp else None

    @property
    def precision(self) -> float | None:
        """Share of the boxes that match, tp / (tp + fp), 0..1; None without a box."""
        return self.tp / (self.tp + self.fp) if self.tp + self.fp else None

    @property
    def recall(self) -> float | None:
        """Share of the golds that match, tp / (tp + fn), 0..1; None without a gold."""
        return self.tp / (self.tp + self.fn) if self.tp + self.fn else None

    @property
    def f1(self) -> float:
        """2 tp / (2 tp + fp + fn), 0..1."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn)

    def plus(self, other: Tally) -> Tally:
        """The same image and category in two rows."""
        return self._replace(
            tp=self.tp + other.tp,
            fp=self.fp + other.fp,
            fn=self.fn + other.fn,
            ious=self.ious + other.ious,
        )


def has_lent(evidence: Evidence) -> bool:
    """Whether a tool lent scores and boxes to this row."""
    return "original" in (evidence.get("modes") or {})


def tallies(evidence: Evidence, lent: bool) -> Iterator[Tally]:
    """The counts of a row's evidence, one per category that has a box or a gold to find.

    Args:
        evidence: what stage box-ap says of the row.
        lent: count the boxes that a tool lent in place of the reply's own.
    """
    pairs, absorbed = _met(evidence, lent and has_lent(evidence))
    boxes = [str(box["category"]) for box in evidence["boxes"]]
    golds = [str(gold["category"]) for gold in evidence["golds"]]
    found: dict[str, list[float]] = {}
    for place, category in enumerate(boxes):
        found.setdefault(category, [0, 0, 0, 0.0])[1] += place not in absorbed
    for gold, category in zip(evidence["golds"], golds, strict=True):
        found.setdefault(category, [0, 0, 0, 0.0])[2] += not gold["crowd"]
    for box, _, overlap in pairs:
        counts = found[boxes[box]]
        counts[0] += 1
        counts[1] -= 1
        counts[2] -= 1
        counts[3] += overlap
    for category, (tp, fp, fn, ious) in sorted(found.items()):
        if tp or fp or fn:
            yield Tally(str(evidence["image"]), category, int(tp), int(fp), int(fn), ious)


def _met(evidence: Evidence, lent: bool) -> tuple[Pairs, frozenset[int]]:
    """Who met whom, and which boxes are neither found nor false."""
    if not lent:
        return [(box, gold, iou) for box, gold, iou in evidence["matches"]], frozenset(
            evidence["absorbed"] + evidence["unjudged"]
        )
    places = evidence["modes"]["original"]["boxes"]
    boxes = [
        Placed((x, y, w, h), box["category"])
        for box, (x, y, w, h) in zip(evidence["boxes"], places, strict=True)
    ]
    golds = [
        Gold(tuple(gold["box"]), gold["area"], gold["category"], None, gold["crowd"])
        for gold in evidence["golds"]
    ]
    met = match(boxes, golds)
    partly, unjudged = set(evidence.get("not_exhaustive", ())), set(evidence["unjudged"])
    left = [place for place in met.unmatched_preds if place in unjudged or boxes[place].category in partly]
    return met.pairs, frozenset((*met.absorbed, *left))
