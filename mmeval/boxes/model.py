"""What readers of boxes hand on: boxes and points as written, and what could not be used."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

How: TypeAlias = Literal["json", "python", "objects", "numbers", "none"]
XYWH: TypeAlias = tuple[float, float, float, float]


class Box(msgspec.Struct, frozen=True, gc=False):
    """A box as a reply writes it: four finite numbers whose meaning is declared elsewhere.

    `index` is its place among the boxes of the reply, from 0. `label`, `category_id` and `score` are None
    where the reply gives none that can be used.
    """

    values: XYWH
    label: str | None = None
    category_id: int | None = None
    score: float | None = None
    index: int = 0


class Point(msgspec.Struct, frozen=True, gc=False):
    """A point as a reply writes it: two finite numbers."""

    values: tuple[float, float]
    label: str | None = None
    index: int = 0


class ReadBoxes(msgspec.Struct, frozen=True):
    """The boxes of a reply in its own order.

    `dropped` counts by reason what looked like a box and is none: `three-numbers`, `not-four-numbers`,
    `not-a-number` (NaN), `infinite`, `null`, `boolean`, `text`, `point`, `no-box` (an object without one),
    `no-list`, `truncated`, `unreadable`. `how` says which way of reading gave the boxes; `none` where there
    is none.
    """

    boxes: tuple[Box, ...]
    dropped: dict[str, int]
    how: How


class ReadMarks(msgspec.Struct, frozen=True):
    """The points and boxes of a reply in its own order; else as `ReadBoxes`."""

    marks: tuple[Box | Point, ...]
    dropped: dict[str, int]
    how: How


class Placed(msgspec.Struct, frozen=True, gc=False):
    """A predicted box on its image: `xywh` in pixels, and its category as a text."""

    xywh: XYWH
    category: str = ""
    score: float = 1.0
