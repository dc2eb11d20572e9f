"""Single-box grounding: whether the box of a reply overlaps the gold box enough."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.boxes.geometry import Corners, Form, Frame, corner_iou, frame, strange, to_corners
from mmeval.boxes.model import ReadBoxes
from mmeval.boxes.reading import read_boxes
from mmeval.boxes.truth import framed
from mmeval.errors import UsageError
from mmeval.types import Case, Invalid, Json, Outcome, Score


@dataclass(frozen=True)
class BoxIou:
    """Whether a reply's first box and the gold box overlap by at least `threshold`; always decides.

    Formula: 1 if IoU >= threshold, else 0; IoU = intersection / (a + b - intersection) of the two boxes as
    areas. Unit: share, 0 or 1. With several gold boxes the best IoU counts. The evidence holds `iou`, so that
    the mean of `evidence.iou` is the mean IoU; 0 where the reply holds no box.

    The first usable box of the reply counts, however many follow: choosing the best would be choosing by the
    gold. Malformed boxes and those whose corners are the wrong way round are dropped and counted.
    `at_threshold`: an IoU of exactly the threshold is a `hit` in every official code that was read (MAttNet,
    which the RefCOCO splits come with, lib/models/eval_dets_utils.py @ 3447adb56a95; QwenLM/Qwen-VL
    eval_mm/evaluate_grounding.py @ 10cb904198d4; lmms-eval lmms_eval/tasks/refcoco/utils_rec.py
    @ 75571cfe0fa3; VLMEvalKit vlmeval/dataset/refcoco.py); `miss` is for papers that say "greater than".

    `grid` and `form` say how the reply's numbers are to be read, `gold_grid` and `gold_form` the gold's. A
    grid against pixels needs the row's `width` and `height`; two grids are compared as shares.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    threshold: float = 0.5
    at_threshold: Literal["hit", "miss"] = "hit"
    grid: str | int = "1000"
    form: Form = "xyxy"
    gold_grid: str | int = "pixels"
    gold_form: Form = "xywh"

    def __post_init__(self) -> None:
        """Refuse values outside the declared ones."""
        if not 0 < self.threshold <= 1:
            raise UsageError(f"threshold is {self.threshold}; give an IoU above 0, at most 1")
        if self.at_threshold not in ("hit", "miss"):
            raise UsageError(f"at_threshold is {self.at_threshold!r}; choose one of hit, miss")
        frame(self.grid, self.form)
        frame(self.gold_grid, self.gold_form)

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the gold box of its sample."""
        found = framed(case.sample, (self.grid, self.form), (self.gold_grid, self.gold_form))
        if isinstance(found, Invalid):
            return found
        there, golds = found
        read = read_boxes(case.prediction)
        dropped = Counter(read.dropped)
        box = _first(read, there, dropped)
        overlaps = [corner_iou(box, gold) for gold in golds] if box else [0.0]
        best = max(overlaps)
        shown = [golds[overlaps.index(best)]] if box else list(golds)
        evidence = _evidence(best, box, shown, read, there, dropped)
        if box is None:
            return Score(0.0, None, None, "no-usable-box" if dropped else "no-box-found", evidence)
        hit = best > self.threshold or (best == self.threshold and self.at_threshold == "hit")
        written = ", ".join(f"{value:g}" for value in box)
        return Score(float(hit), written, None, "overlaps" if hit else "overlaps-too-little", evidence)


def _first(read: ReadBoxes, there: Frame, dropped: Counter[str]) -> Corners | None:
    """The first box that is one as declared; those before it are counted."""
    for box in read.boxes:
        corners = to_corners(box.values, there)
        if not isinstance(corners, str):
            return corners
        dropped[corners] += 1
    return None


def _evidence(
    best: float,
    box: Corners | None,
    golds: list[Corners],
    read: ReadBoxes,
    there: Frame,
    dropped: Counter[str],
) -> Json:
    """The boxes as x, y, width, height on an image of `width` and `height`, and what a reader must know."""
    notes = list(strange(read.boxes, there))
    if len(read.boxes) > 1:
        notes.append(f"{len(read.boxes)} boxes in the reply; the first that can be used counts")
    return {
        "iou": best,
        "width": there.width,
        "height": there.height,
        "boxes": [{"box": _sized(box)}] if box else [],
        "golds": [{"box": _sized(gold)} for gold in golds],
        "dropped": dict(sorted(dropped.items())),
        "notes": notes,
    }


def _sized(box: Corners) -> list[Json]:
    return [box[0], box[1], box[2] - box[0], box[3] - box[1]]
