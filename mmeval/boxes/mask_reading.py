"""Masks in the replies of models, and in golds: objects that hold run lengths or polygons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec

from mmeval.boxes._collect import category_of, label_of
from mmeval.boxes._decode import blocks, decode, objects
from mmeval.boxes.reading import answer_part
from mmeval.types import Json

MASK_KEYS = ("segmentation", "mask", "rle", "polygon", "polygons")


class SaidMask(msgspec.Struct, frozen=True, gc=False):
    """A mask as written (`said`), and the object's own words about it. `index` is its place."""

    said: Json
    label: str | None = None
    category_id: int | None = None
    crowd: bool = False
    index: int = 0


class ReadMasks(msgspec.Struct, frozen=True):
    """The masks of a reply in its own order; `dropped` counts what could not be read, by reason."""

    masks: tuple[SaidMask, ...]
    dropped: dict[str, int]


def read_masks(text: str) -> ReadMasks:
    """The masks of a reply: of data as a whole (or of its fenced blocks), else of each closed object in it.

    >>> read_masks('[{"polygon": [1, 1, 9, 1, 9, 9], "label": "cat"}]').masks[0].label
    'cat'
    """
    body = answer_part(text)
    decoded = [decode(block) for block in blocks(body)] if body else []
    whole = [each.value for each in decoded if each is not None]
    dropped: Counter[str] = Counter()
    if not body or len(whole) < len(decoded):
        whole, unreadable, cut = objects(body)
        dropped.update({"unreadable": unreadable, "truncated": int(cut)})
    return ReadMasks(masks_of(whole), dict(+dropped))


def masks_of(data: Json) -> tuple[SaidMask, ...]:
    """The masks in decoded data of any depth, in its own order."""
    return tuple(_taken(each, place) for place, each in enumerate(_objects(data)))


def _objects(data: Json) -> Iterator[dict[str, Json]]:
    """Every object that holds a mask or is one, in order."""
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(each for each in reversed(item) if isinstance(each, list | dict))
        elif isinstance(item, dict):
            if _holds(item):
                yield item
            else:
                stack.extend(each for each in reversed(item.values()) if isinstance(each, list | dict))


def _holds(item: dict[str, Json]) -> bool:
    return "counts" in item or any(key in item for key in MASK_KEYS)


def _taken(item: dict[str, Json], place: int) -> SaidMask:
    said: Json = item if "counts" in item else next(item[key] for key in MASK_KEYS if key in item)
    return SaidMask(said, label_of(item), category_of(item), bool(item.get("iscrowd")), place)
