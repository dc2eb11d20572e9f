"""Pointing: whether the point of a reply lies in the gold box."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.boxes.geometry import Corners, Form, Frame, frame, to_point
from mmeval.boxes.model import ReadMarks
from mmeval.boxes.reading import read_marks
from mmeval.boxes.truth import framed
from mmeval.errors import UsageError
from mmeval.types import Case, Invalid, Json, Outcome, Score


@dataclass(frozen=True)
class PointInBox:
    """Whether the first point of a reply lies in a gold box, its edges included; always decides.

    Formula: 1 if left <= x <= right and top <= y <= bottom for any of the gold boxes, else 0. Unit: share, 0
    or 1. A box in the reply counts by its centre (`boxes: refuse` takes points only). The first usable point
    counts, however many follow. What cannot be used is dropped and counted.
    Source: lmms-eval lmms_eval/tasks/refcoco/utils_rec.py (centre accuracy) @ 75571cfe0fa3; VLMEvalKit
    vlmeval/dataset/GUI/screenspot.py, whose golds for points end one pixel earlier and whose points are read
    as pixels or shares by their size; here both are declared.

    `grid` and `form` say how the reply's numbers are to be read, `gold_grid` and `gold_form` the gold's. A
    grid against pixels needs the row's `width` and `height`; two grids are compared as shares.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    boxes: Literal["centre", "refuse"] = "centre"
    grid: str | int = "1000"
    form: Form = "xyxy"
    gold_grid: str | int = "pixels"
    gold_form: Form = "xywh"

    def __post_init__(self) -> None:
        """Refuse values outside the declared ones."""
        if self.boxes not in ("centre", "refuse"):
            raise UsageError(f"boxes is {self.boxes!r}; choose one of centre, refuse")
        frame(self.grid, self.form)
        frame(self.gold_grid, self.gold_form)

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the gold boxes of its sample."""
        found = framed(case.sample, (self.grid, self.form), (self.gold_grid, self.gold_form))
        if isinstance(found, Invalid):
            return found
        there, golds = found
        read = read_marks(case.prediction)
        dropped = Counter(read.dropped)
        point = self._first(read, there, dropped)
        evidence = _evidence(point, golds, read, there, dropped)
        if point is None:
            return Score(0.0, None, None, "no-usable-point" if dropped else "no-point-found", evidence)
        inside = any(_holds(gold, *point) for gold in golds)
        reason = "point-inside" if inside else "point-outside"
        return Score(float(inside), f"{point[0]:g}, {point[1]:g}", None, reason, evidence)

    def _first(self, read: ReadMarks, there: Frame, dropped: Counter[str]) -> tuple[float, float] | None:
        """The first point, or centre of a box, that is one as declared; those before it are counted."""
        for mark in read.marks:
            if len(mark.values) == 4 and self.boxes == "refuse":
                dropped["box-for-point"] += 1
                continue
            point = to_point(mark.values, there)
            if not isinstance(point, str):
                return point
            dropped[point] += 1
        return None


def _holds(box: Corners, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _evidence(
    point: tuple[float, float] | None,
    golds: tuple[Corners, ...],
    read: ReadMarks,
    there: Frame,
    dropped: Counter[str],
) -> Json:
    """Point and boxes (x, y, width, height) on an image of `width` and `height`, and what to know of them."""
    several = f"{len(read.marks)} points or boxes in the reply; the first that can be used counts"
    return {
        "point": list(point) if point else None,
        "width": there.width,
        "height": there.height,
        "golds": [{"box": [box[0], box[1], box[2] - box[0], box[3] - box[1]]} for box in golds],
        "dropped": dict(sorted(dropped.items())),
        "notes": [several] if len(read.marks) > 1 else [],
    }
