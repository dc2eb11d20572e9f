"""The boxes of a gold, from the forms that datasets write them in."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import TypeVar

import msgspec

from mmeval.boxes._collect import BOX_KEYS, category_of, label_of
from mmeval.boxes.geometry import Corners, Frame, to_corners, to_xywh
from mmeval.boxes.model import XYWH
from mmeval.types import Json

COCO = Frame("pixels", "xywh")

_T = TypeVar("_T")


class Gold(msgspec.Struct, frozen=True, gc=False):
    """A gold box: `xywh` in pixels, `area` in square pixels (the annotation's own where it has one).

    `crowd` marks a region of many objects, which takes up any number of predictions and is none to find.
    """

    xywh: XYWH
    area: float
    label: str | None = None
    category_id: int | None = None
    crowd: bool = False
    id: int | str | None = None

    @property
    def category(self) -> str:
        """The category as a text: its number if it has one, else its label as written, else nothing."""
        return str(self.category_id) if self.category_id is not None else self.label or ""


def read_golds(answer: Json, frame: Frame = COCO) -> tuple[Gold, ...] | str:
    """The gold boxes of an answer, or why it cannot be used.

    Args:
        answer: a box (four numbers, or an object with `bbox_2d`, `bbox`, `box_2d` or `box`), a list of boxes,
            or a text that holds one of these as JSON. An empty list is an image without objects.
        frame: how its numbers are to be read; the COCO form unless declared otherwise.

    Returns:
        The boxes in order. Else `unparsable-gold: ` with the place: nothing of a gold is passed over.
    """
    return _each(answer, frame, _gold)


def read_corners(answer: Json, frame: Frame) -> tuple[Corners, ...] | str:
    """The gold boxes of an answer as left, top, right and bottom edge; else as `read_golds`."""
    return _each(answer, frame, _corners)


def _each(answer: Json, frame: Frame, make: Callable[[Json, Frame], _T | str]) -> tuple[_T, ...] | str:
    """What is made of every box of an answer, or why the first bad one is bad."""
    items = _items(answer)
    if isinstance(items, str):
        return f"unparsable-gold: {items}"
    if not frame.sized:
        return "no-image-size"
    golds: list[_T] = []
    for place, item in enumerate(_spread(items)):
        gold = make(item, frame)
        if isinstance(gold, str):
            return f"unparsable-gold: box {place} {gold}"
        golds.append(gold)
    return tuple(golds)


def _items(answer: Json) -> list[Json] | str:
    """The boxes of an answer, decoded, as a list."""
    if isinstance(answer, str):
        try:
            answer = json.loads(answer)
        except (ValueError, RecursionError):
            return "a text that is no JSON"
    if isinstance(answer, dict) or (isinstance(answer, list) and answer and _number(answer[0])):
        return [answer]
    return answer if isinstance(answer, list) else "no list of boxes"


def _spread(items: list[Json]) -> list[Json]:
    """Objects that hold several boxes as objects that hold one each."""
    spread: list[Json] = []
    for item in items:
        key = _box_key(item) if isinstance(item, dict) else ""
        inside = item[key] if isinstance(item, dict) and key else None
        if isinstance(item, dict) and isinstance(inside, list) and inside and isinstance(inside[0], list):
            spread.extend({**item, key: each} for each in inside)
        else:
            spread.append(item)
    return spread


def _box_key(item: dict[str, Json]) -> str:
    return next((key for key in BOX_KEYS if key in item), "")


def _values(item: Json) -> list[float] | None:
    """The four numbers of a box."""
    values = item.get(_box_key(item)) if isinstance(item, dict) else item
    usable = isinstance(values, list) and len(values) == 4 and all(map(_number, values))
    return values if usable and isinstance(values, list) else None


def _corners(item: Json, frame: Frame) -> Corners | str:
    values = _values(item)
    if values is None:
        return "has no four numbers"
    box = to_corners(values, frame)
    return f"is {box}" if isinstance(box, str) else box


def _gold(item: Json, frame: Frame) -> Gold | str:
    """One gold box, or what is wrong with it."""
    more = item if isinstance(item, dict) else {}
    values = _values(item)
    if values is None:
        return "has no four numbers"
    box = to_xywh(values, frame)
    if isinstance(box, str):
        return f"is {box}"
    odd = next((key for key, usable in _USABLE.items() if not usable(more)), None)
    if odd is not None:
        return f"has a strange {odd}"
    area, name = more.get("area"), more.get("id")
    return Gold(
        box,
        float(area) if isinstance(area, int | float) else box[2] * box[3],
        label_of(more),
        category_of(more),
        more.get("iscrowd") in (1, True),
        name if type(name) in (str, int) and isinstance(name, str | int) else None,
    )


def _area_is_usable(item: dict[str, Json]) -> bool:
    area = item.get("area")
    return area is None or (_number(area) and isinstance(area, int | float) and area >= 0)


# What a gold says beside its box has to be understood too: to pass over it would change who counts.
_USABLE: dict[str, Callable[[dict[str, Json]], bool]] = {
    "area": _area_is_usable,
    "iscrowd": lambda item: item.get("iscrowd") in (None, 0, 1),
    "category_id": lambda item: item.get("category_id") is None or category_of(item) is not None,
}


def _number(value: Json) -> bool:
    """Whether a value is a finite number that a float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
