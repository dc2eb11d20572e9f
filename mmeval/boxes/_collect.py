"""The boxes and points in decoded data, whatever it is nested in."""

from __future__ import annotations

import re
from collections import Counter
from math import isfinite, isnan
from typing import TypeAlias, cast

from mmeval.boxes.model import Box, Point
from mmeval.types import Json

BOX_KEYS = ("bbox_2d", "bbox", "box_2d", "box")
POINT_KEYS = ("point_2d", "point", "coordinate", "coordinates")
LABEL_KEYS = ("label", "class", "category", "name")
SCORE_KEYS = ("score", "confidence")

# Something to look at, and the object whose box it is.
_Found: TypeAlias = tuple[Json, dict[str, Json] | None]
_NESTED = {list, dict}
_SIZE_KEYS = {"width", "height", "w", "h"}
# No float is farther from 0.
_HUGE = 2**1024 - 2**970
_NUMBERS = {int, float}
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)


class Collector:
    """Gathers marks in order, and counts by reason what looks like one and is none.

    Points count only where they are asked for; else they are dropped as `point`.
    """

    def __init__(self, points: bool) -> None:
        """Start with nothing."""
        self.points = points
        self.keys = (*BOX_KEYS, *POINT_KEYS) if points else BOX_KEYS
        self.marks: list[Box | Point] = []
        self.dropped: Counter[str] = Counter()

    def drop(self, reason: str) -> None:
        """Count one thing that is no box."""
        self.dropped[reason] += 1

    def walk(self, value: Json) -> None:
        """Gather from data of any depth, in its own order."""
        stack: list[_Found] = [(value, None)]
        while stack:
            item, owner = stack.pop()
            if isinstance(item, dict):
                stack.extend(self._object(item))
            elif isinstance(item, list):
                types = set(map(type, item))
                if types & _NESTED:
                    stack.extend([(each, owner) for each in reversed(item)])
                elif item or owner:
                    self.numbers(item, owner)
            else:
                self._scalar(item, owner)

    def _object(self, item: dict[str, Json]) -> list[_Found]:
        """What is to be looked at in an object, last first: its box, else what lists and objects it holds."""
        for key in self.keys:
            if key in item:
                return [(item[key], item)]
        if self.points and "x" in item and "y" in item and not _SIZE_KEYS & item.keys():
            return [([item["x"], item["y"]], item)]
        nested: list[_Found] = [(each, None) for each in item.values() if isinstance(each, list | dict)]
        if not nested and item:
            self.drop("no-box")
        return nested[::-1]

    def _scalar(self, value: Json, owner: dict[str, Json] | None) -> None:
        """Something that stands where a box should be; a text or number that no box key holds is nothing."""
        if value is None:
            self.drop("null")
        elif owner is not None:
            self.drop(_flaw(value) or "no-list")

    def numbers(self, values: list[Json], owner: dict[str, Json] | None = None) -> None:
        """Take a list of scalars for a box or a point, or say why it is none."""
        if owner is None and all(isinstance(each, str) for each in values):
            return
        if len(values) != 4 and not (self.points and len(values) == 2):
            self.drop(_SIZES.get(len(values), "not-four-numbers"))
            return
        floats = _floats(values)
        if floats and all(map(isfinite, floats)):
            self._add(floats, owner)
        else:
            self.drop(next(why for why in map(_flaw, values) if why is not None))

    def _add(self, values: tuple[float, ...], owner: dict[str, Json] | None) -> None:
        place = len(self.marks)
        if len(values) == 2:
            label = label_of(owner) if owner else None
            self.marks.append(Point((values[0], values[1]), label, place))
            return
        box = (values[0], values[1], values[2], values[3])
        if owner:
            self.marks.append(Box(box, label_of(owner), category_of(owner), _score(owner), place))
        else:
            self.marks.append(Box(box, index=place))


_SIZES = {0: "no-box", 2: "point", 3: "three-numbers"}


def _floats(values: list[Json]) -> tuple[float, ...]:
    """Plain numbers as floats; nothing where one is none, or too large."""
    if not _NUMBERS.issuperset(map(type, values)):
        return ()
    try:
        return tuple(map(float, cast("list[float]", values)))
    except OverflowError:
        return ()


def _flaw(value: Json) -> str | None:
    """Why a value is no coordinate; None where it is one."""
    if isinstance(value, float):
        if isfinite(value):
            return None
        return "not-a-number" if isnan(value) else "infinite"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return None if -_HUGE < value < _HUGE else "infinite"
    if value is None:
        return "null"
    return "text" if isinstance(value, str) else "no-list"


def label_of(owner: dict[str, Json]) -> str | None:
    """The first usable label of an object; a number is one too, blank is none. Half a character is `?`."""
    for key in LABEL_KEYS:
        if key not in owner:
            continue
        value = owner[key]
        if isinstance(value, str) and value.strip():
            return value.strip().encode("utf-8", "replace").decode()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
    return None


def category_of(owner: dict[str, Json]) -> int | None:
    """The category's number of an object, which may be written as a text (`"18"`) or a fraction (`18.0`)."""
    value = owner.get("category_id")
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return value if type(value) is int else None


def _score(owner: dict[str, Json]) -> float | None:
    for key in SCORE_KEYS:
        value = owner.get(key)
        if isinstance(value, int | float) and _flaw(value) is None:
            return float(value)
    return None
