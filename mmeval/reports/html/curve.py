"""Precision against recall of boxes at IoU 0.5, pooled over a run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec

from mmeval.boxes.geometry import iou
from mmeval.detection.evidence import BoxEvidence, Corners, TrueBox
from mmeval.types import Json

THRESHOLD = 0.5
POINTS = 200


class Curve:
    """One curve of a run: all categories and rows pooled, boxes by falling score.

    A box is right if it meets a free gold box of its category with IoU >= 0.5, the best overlap taken, the
    best scored box first (Everingham 2010; cocodataset/cocoapi PythonAPI/pycocotools/cocoeval.py @ 8c9bcc3c).
    Boxes in a crowd region, and under LVIS those of categories that nobody checked, are neither right nor
    wrong. Boxes with equal scores enter together, so that no order among them shows; precision is not
    interpolated. It is a picture of the run, and no part of its score.
    """

    def __init__(self, federated: bool) -> None:
        self._federated = federated
        self._hits: list[tuple[float, bool]] = []
        self._golds = 0
        self._rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row's boxes, if it has any evidence of boxes."""
        evidence = row.get("evidence")
        if (
            row["status"] not in ("ok", "invalid")
            or not isinstance(evidence, dict)
            or "image" not in evidence
        ):
            return
        try:
            said = msgspec.convert(evidence, BoxEvidence)
        except msgspec.ValidationError:
            return
        self._rows += 1
        self._golds += sum(not gold.crowd for gold in said.golds)
        self._match(said)

    def _match(self, said: BoxEvidence) -> None:
        lent = said.modes.original if said.modes is not None else None
        golds: dict[str, list[TrueBox]] = defaultdict(list)
        for gold in said.golds:
            golds[gold.category].append(gold)
        mine: dict[str, list[tuple[float, Corners]]] = defaultdict(list)
        for place, box in enumerate(said.boxes):
            shown = (box.score, box.box) if lent is None else (lent.scores[place], lent.boxes[place])
            mine[box.category].append(shown)
        for category, boxes in mine.items():
            self._hits += _matched(boxes, golds[category], self._unjudged(said, category, golds[category]))

    def _unjudged(self, said: BoxEvidence, category: str, golds: Sequence[TrueBox]) -> bool:
        """Whether nobody checked that there is no other object of this category."""
        if not self._federated:
            return False
        return category in said.not_exhaustive or not (golds or category in said.negative)

    def told(self) -> Json:
        """Points of recall and precision with the score they stand for; None without boxes."""
        if not self._rows or not self._golds:
            return None
        right = 0
        points: list[Json] = []
        ranked = sorted(self._hits, key=lambda hit: -hit[0])
        entered = 0
        for score, group in groupby(ranked, key=lambda hit: hit[0]):
            told = [hit for _, hit in group]
            entered, right = entered + len(told), right + sum(told)
            points.append([round(right / self._golds, 5), round(right / entered, 5), score])
        return {"points": _thinned(points), "golds": self._golds, "boxes": entered, "right": right}


def _matched(
    boxes: Sequence[tuple[float, Corners]], golds: Sequence[TrueBox], unjudged: bool
) -> list[tuple[float, bool]]:
    """The boxes of one image and category that count, with whether each is right."""
    free = [gold for gold in golds if not gold.crowd]
    crowds = [gold for gold in golds if gold.crowd]
    told = []
    for score, box in sorted(boxes, key=lambda each: -each[0]):
        overlaps = [iou(box, gold.box) for gold in free]
        best = max(overlaps, default=0.0)
        if best >= THRESHOLD:
            free.pop(overlaps.index(best))
            told.append((score, True))
        elif not unjudged and not any(iou(box, crowd.box, True) >= THRESHOLD for crowd in crowds):
            told.append((score, False))
    return told


def _thinned(points: list[Json]) -> list[Json]:
    """At most some hundred points, evenly chosen, the last among them."""
    if len(points) <= POINTS:
        return points
    step = (len(points) - 1) / (POINTS - 1)
    return [points[round(place * step)] for place in range(POINTS)]
