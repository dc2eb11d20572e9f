"""A tool's detections, which lend their scores and boxes to those of a reply."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.boxes._collect import Collector
from mmeval.boxes.categories import Names
from mmeval.boxes.geometry import Frame, to_xywh
from mmeval.boxes.matching import overlaps
from mmeval.boxes.model import XYWH, Box, Placed
from mmeval.types import Json

THRESHOLD = 0.5
UNLENT = 0.5
_LISTS = ("boxes", "bboxes")


def read_detections(value: Json, frame: Frame, names: Names) -> tuple[tuple[Placed, ...], int]:
    """The detections of one row, as pixels; and how many there are that cannot be used.

    They are a list of objects as a reply would hold it, or an object of lists that run side by side: `boxes`,
    `scores` and `labels`. What is no box is not used, and neither is one without a score. A category that is
    not told is empty.
    """
    collector = Collector(False)
    collector.walk(_objects(value))
    found = []
    unusable = sum(collector.dropped.values())
    for box in collector.marks:
        xywh = to_xywh(box.values, frame) if isinstance(box, Box) else ""
        if isinstance(box, Box) and not isinstance(xywh, str) and box.score is not None:
            category = names.of(box.label, box.category_id)
            told = box.label is not None or box.category_id is not None
            found.append(Placed(xywh, (category or "?") if told else "", box.score))
        else:
            unusable += 1
    return tuple(found), unusable


def _objects(value: Json) -> Json:
    """Lists that run side by side as a list of objects; anything else as it is."""
    if not isinstance(value, dict):
        return value
    boxes = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
    if boxes is None or not all(isinstance(box, list) for box in boxes):
        return value
    scores, labels = value.get("scores"), value.get("labels")
    made: list[Json] = []
    for place, box in enumerate(boxes):
        item: dict[str, Json] = {"bbox": box}
        for key, column in (("score", scores), ("label", labels)):
            if isinstance(column, list) and place < len(column):
                item[key] = column[place]
        made.append(item)
    return made


def lend(boxes: Sequence[Placed], tools: Sequence[Placed]) -> tuple[list[float], list[XYWH]]:
    """The scores and boxes that a tool's detections lend, in the order of `boxes`.

    Each box takes score and place of the detection that overlaps it most, at IoU 0.5 or more, of the same
    category where the tool tells one; of two that overlap it alike, the better scored. One detection may lend
    to many. A box that none overlaps keeps its place and scores 0.5.
    """
    scores, places = [UNLENT] * len(boxes), [box.xywh for box in boxes]
    best: dict[int, tuple[float, float]] = {}
    for category in {box.category for box in boxes}:
        mine = [place for place, box in enumerate(boxes) if box.category == category]
        theirs = [place for place, tool in enumerate(tools) if tool.category in ("", category)]
        for negative, _, place, box, tool in overlaps(boxes, tools, mine, theirs, THRESHOLD):
            found = (-negative, tools[tool].score)
            if box not in best or found > best[box]:
                best[box], scores[box], places[box] = found, tools[tool].score, place
    return scores, places
