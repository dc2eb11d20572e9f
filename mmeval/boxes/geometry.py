"""Where four numbers lie on an image, as declared, and how much two boxes overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from mmeval.boxes.model import XYWH, Box
from mmeval.errors import UsageError

Grid: TypeAlias = Literal["1000", "1024", "999", "100", "1", "pixels"]
Form: TypeAlias = Literal["xyxy", "yxyx", "xywh", "cxcywh"]
_CORNERS = ("xyxy", "yxyx")
Corners: TypeAlias = tuple[float, float, float, float]


class Frame(msgspec.Struct, frozen=True, gc=False):
    """How coordinates are to be read; declared, never found out by looking at a gold.

    `grid`: the number that stands for the far edge of the image, or `pixels`. `1000` is Qwen3-VL's and
    InternVL's, `999` that of the first Qwen-VL (QwenLM/Qwen-VL eval_mm/evaluate_grounding.py @ 10cb904198d4),
    `1024` PaliGemma's (arXiv:2407.07726, `<loc0000>` to `<loc1023>`), `100` Molmo's, `1` shares of
    width and height.
    `form`: two opposite corners (`xyxy`), the same with y before x, in points too (`yxyx`, Gemini and
    PaliGemma), corner and size (`xywh`), or centre and size (`cxcywh`).
    `width` and `height` are those of the image in pixels, None where they are not known.
    """

    grid: Grid = "pixels"
    form: Form = "xywh"
    width: float | None = None
    height: float | None = None

    @property
    def sized(self) -> bool:
        """Whether pixels can be told: the grid is pixels, or the size of the image is known."""
        return self.grid == "pixels" or (self.width is not None and self.height is not None)


def frame(grid: str | float, form: str, width: float | None = None, height: float | None = None) -> Frame:
    """The frame that parameters declare.

    Raises:
        UsageError: no such grid or form; the message names the known ones.
    """
    for name, value, known in (("grid", grid, get_args(Grid)), ("form", form, get_args(Form))):
        if str(value) not in known:
            raise UsageError(f"{name} is {value!r}; choose one of {', '.join(known)}")
    return Frame(msgspec.convert(str(grid), Grid), msgspec.convert(form, Form), width, height)


def frame_pair(
    mine: tuple[str | float, str], theirs: tuple[str | float, str], width: float | None, height: float | None
) -> tuple[Frame, Frame]:
    """The frames of a reply and of its gold, each from grid and form, in one unit.

    Pixels where either grid is pixels; else shares of the image, whatever its size, so that none is needed.
    """
    if str(mine[0]) != "pixels" and str(theirs[0]) != "pixels":
        width = height = 1.0
    return frame(*mine, width, height), frame(*theirs, width, height)


def scale(frame: Frame) -> tuple[float, float, float]:
    """What a coordinate is divided by, and then multiplied with along x and along y, to be pixels.

    Raises:
        ValueError: the size of the image is needed and not known; ask `frame.sized` first.
    """
    if frame.grid == "pixels":
        return 1.0, 1.0, 1.0
    if frame.width is None or frame.height is None:
        raise ValueError("a grid needs the image's width and height")
    return float(frame.grid), frame.width, frame.height


def _across_first(values: Sequence[float], frame: Frame) -> Sequence[float]:
    """Numbers with x before y, whichever comes first in the reply."""
    if frame.form != "yxyx":
        return values
    return [values[place ^ 1] for place in range(len(values))]


def to_xywh(values: Sequence[float], frame: Frame) -> XYWH | str:
    """Left edge, top edge, width and height in pixels; or why there is no such box.

    Formula: a coordinate v on a grid is v / grid * size of the image. Nothing is clipped and nothing is put
    in order: a box without width or height is one, a box with a negative one is `inverted` (corners in the
    wrong order) or has a `negative-size`. Numbers too large to multiply are `infinite`.
    """
    grid, across, down = scale(frame)
    values = _across_first(values, frame)
    a, b = values[0] / grid * across, values[1] / grid * down
    c, d = values[2] / grid * across, values[3] / grid * down
    if frame.form in _CORNERS:
        c, d = c - a, d - b
    elif frame.form == "cxcywh":
        a, b = a - c / 2, b - d / 2
    if not (math.isfinite(a + c) and math.isfinite(b + d) and math.isfinite(c * d)):
        return "infinite"
    if c < 0 or d < 0:
        return "inverted" if frame.form in _CORNERS else "negative-size"
    return a, b, c, d


def to_corners(values: Sequence[float], frame: Frame) -> Corners | str:
    """Left, top, right and bottom edge in pixels; or why there is no such box, as `to_xywh` says it.

    Corners stay the numbers that were written: nothing is subtracted and added again.
    """
    box = to_xywh(values, frame)
    if isinstance(box, str):
        return box
    if frame.form in _CORNERS:
        grid, across, down = scale(frame)
        left, top, right, bottom = _across_first(values, frame)
        return left / grid * across, top / grid * down, right / grid * across, bottom / grid * down
    return box[0], box[1], box[0] + box[2], box[1] + box[3]


def to_point(values: Sequence[float], frame: Frame) -> tuple[float, float] | str:
    """A point in pixels, or the centre of a box; or why there is none, as `to_xywh` says it."""
    if len(values) == 2:
        grid, across, down = scale(frame)
        first, second = _across_first(values, frame)
        x, y = first / grid * across, second / grid * down
        return (x, y) if math.isfinite(x) and math.isfinite(y) else "infinite"
    box = to_corners(values, frame)
    return box if isinstance(box, str) else ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)


def iou(predicted: XYWH, gold: XYWH, crowd: bool = False) -> float:
    """Intersection over union of two boxes, 0..1; over the prediction's own area for a crowd.

    Formula: i / (p + g - i), or i / p where the gold is a crowd region; 0 where the boxes do not overlap.
    Source: cocoapi common/maskApi.c (bbIou) @ 8c9bcc3cf640, its order of operations.
    """
    px, py, pw, ph = predicted
    gx, gy, gw, gh = gold
    across = min(pw + px, gw + gx) - max(px, gx)
    down = min(ph + py, gh + gy) - max(py, gy)
    if across <= 0 or down <= 0:
        return 0.0
    both = across * down
    union = pw * ph if crowd else pw * ph + gw * gh - both
    return both / union if union > 0 else 0.0


def corner_iou(predicted: Corners, gold: Corners) -> float:
    """Intersection over union of two boxes given by corners, 0..1; 0 where both are empty.

    Formula: max(0, dx) * max(0, dy) / (g + p - that). Source: lmms-eval
    lmms_eval/tasks/refcoco/utils_rec.py (compute_iou) @ 75571cfe0fa3, its order of operations; it divides
    by 0 where both boxes are empty.
    """
    across = max(0.0, min(gold[2], predicted[2]) - max(gold[0], predicted[0]))
    down = max(0.0, min(gold[3], predicted[3]) - max(gold[1], predicted[1]))
    both = across * down
    areas = (
        (gold[2] - gold[0]) * (gold[3] - gold[1]),
        (predicted[2] - predicted[0]) * (predicted[3] - predicted[1]),
    )
    union = areas[0] + areas[1] - both
    return both / union if union > 0 else 0.0


def strange(boxes: Sequence[Box], frame: Frame) -> tuple[str, ...]:
    """What makes the declared reading look wrong; for people to read, never to choose another by."""
    placed = [to_xywh(box.values, frame) for box in boxes] if frame.sized else []
    notes = []
    bad = sum(box in ("inverted", "negative-size") for box in placed)
    if bad:
        notes.append(f"{bad} of {len(placed)} boxes have a negative width or height as {frame.form}")
    usable = [box for box in placed if not isinstance(box, str)]
    if usable and all(_outside(box, frame) for box in usable):
        notes.append(f"every box lies outside the image; is the grid {frame.grid}, the form {frame.form}?")
    if boxes and frame.grid != "1" and all(_fractions(box.values) for box in boxes):
        notes.append(f"every coordinate lies in 0..1; is the grid {frame.grid}?")
    return tuple(notes)


def _outside(box: XYWH, frame: Frame) -> bool:
    x, y, width, height = box
    before = x + width < 0 or y + height < 0
    beyond = (frame.width is not None and x > frame.width) or (frame.height is not None and y > frame.height)
    return before or beyond


def _fractions(values: Sequence[float]) -> bool:
    return max(values) <= 1 and min(values) >= 0 and any(value != int(value) for value in values)
