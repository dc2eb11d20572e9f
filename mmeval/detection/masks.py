"""Masks as COCO and LVIS write them, run lengths and polygons, and how much they overlap.

What models write is checked before the libraries see it: they trust run lengths and coordinates, and would
read beyond their memory where these are wrong.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from mmeval.detection.backends import REMEDY
from mmeval.errors import UsageError
from mmeval.types import Json

LARGEST_SIDE = 1 << 15
LARGEST_NUMBER = 1e100
# An outline is walked pixel by pixel. No real one is longer than this many times height and width together.
LONGEST_OUTLINE = 200
_CHUNK, _MORE, _SIGN = 0x1F, 0x20, 0x10
_LONGEST_NUMBER = 7


class Size(NamedTuple):
    """Height and width of an image in pixels."""

    height: int
    width: int


class Mask(NamedTuple):
    """A mask as compressed run lengths, on an image of a size."""

    size: Size
    counts: bytes

    def as_rle(self) -> dict[str, Any]:
        """The object that the libraries take."""
        return {"size": [*self.size], "counts": self.counts}


def read_mask(said: Json, size: Size, scale: tuple[float, float] = (1.0, 1.0)) -> Mask | str:
    """A mask from run lengths (compressed or not), or from polygons, or why it is none.

    Args:
        said: `{"size": [h, w], "counts": text or list}`, one polygon `[x, y, x, y, ...]` or `[[x, y], ...]`,
            or a list of polygons, whose union counts.
        size: of the image.
        scale: what polygon coordinates are multiplied with along x and along y to be pixels.

    Raises:
        UsageError: no library for masks is installed.
    """
    if not all(0 < side <= LARGEST_SIDE for side in size):
        return "image-too-large" if max(size) > LARGEST_SIDE else "no-image-size"
    if isinstance(said, dict):
        return _of_runs(said, size)
    if isinstance(said, list):
        return _of_polygons(said, size, scale)
    return "no-mask"


def _of_runs(said: dict[str, Json], size: Size) -> Mask | str:
    counts = said.get("counts")
    if said.get("size") != [*size]:
        return "other-size"
    if isinstance(counts, str):
        counts = runs_of(counts)
    if not isinstance(counts, list) or not all(type(each) is int and each >= 0 for each in counts):
        return "unreadable-runs"
    if sum(counts) != size.height * size.width:
        return "other-size"
    return _made([{"size": [*size], "counts": counts}], size)


def runs_of(text: str) -> list[Json] | None:
    """The run lengths that COCO's compressed text stands for; None where it stands for none.

    Each number is written in groups of five bits from character 48 on, the lowest first, with a bit for more;
    from the third on it is the difference to the one two places before. Source: cocoapi common/maskApi.c
    @ 8c9bcc3c (`rleFrString`).

    >>> runs_of("52203")
    [5, 2, 2, 2, 5]
    """
    numbers: list[int] = []
    value = place = 0
    for letter in text:
        chunk = ord(letter) - 48
        if not 0 <= chunk <= _CHUNK | _MORE or place == _LONGEST_NUMBER:
            return None
        value |= (chunk & _CHUNK) << 5 * place
        place += 1
        if chunk & _MORE:
            continue
        if chunk & _SIGN:
            value -= 1 << 5 * place
        numbers.append(value + (numbers[-2] if len(numbers) > 2 else 0))
        value = place = 0
    return None if place or any(number < 0 for number in numbers) else [*numbers]


def _of_polygons(said: list[Json], size: Size, scale: tuple[float, float]) -> Mask | str:
    polygons = _polygons(said)
    if polygons is None or not polygons:
        return "no-polygon"
    scaled = [[value * scale[place % 2] for place, value in enumerate(each)] for each in polygons]
    far = max(size)
    if not all(-far <= value <= 2 * far for each in scaled for value in each):
        return "far-outside"
    if sum(map(_outline, scaled)) > LONGEST_OUTLINE * sum(size):
        return "endless-outline"
    return _made(scaled, size)


def _outline(polygon: Sequence[float]) -> float:
    """The length of a closed polygon, along x plus along y."""
    return sum(abs(value - polygon[place - 2]) for place, value in enumerate(polygon))


def _polygons(said: list[Json]) -> list[list[float]] | None:
    """The polygons of one or several, each flat or in pairs; None where something else is among them."""
    if not said:
        return None
    flat = _flat(said)
    if flat is not None:
        return [flat]
    found = [_flat(each) if isinstance(each, list) else None for each in said]
    return None if None in found else [each for each in found if each is not None]


def _flat(said: list[Json]) -> list[float] | None:
    """At least three points as one list of numbers."""
    if said and all(isinstance(each, list) and len(each) == 2 for each in said):
        said = [value for each in said if isinstance(each, list) for value in each]
    numbers = [
        float(each)
        for each in said
        if isinstance(each, int | float) and not isinstance(each, bool) and abs(each) < LARGEST_NUMBER
    ]
    usable = len(numbers) == len(said) and len(numbers) >= 6 and len(numbers) % 2 == 0
    return numbers if usable else None


def _made(parts: list[Any], size: Size) -> Mask | str:
    """The union of parts that are known to be sound."""
    library = _library()
    made = library.merge(library.frPyObjects(parts, *size))
    return Mask(size, made["counts"]) if library.area(made) else "empty-mask"


def overlaps(preds: Sequence[Mask], golds: Sequence[Mask], crowds: Sequence[bool]) -> list[list[float]]:
    """IoU of every predicted mask (a row) with every gold; with a crowd, the share that lies in it, 0..1."""
    if not preds or not golds:
        return [[] for _ in preds]
    rles = ([each.as_rle() for each in masks] for masks in (preds, golds))
    found: list[list[float]] = _library().iou(*rles, [int(each) for each in crowds]).tolist()
    return found


@cache
def _library() -> Any:
    """The mask functions of pycocotools, else the same of hotcoco."""
    for module in ("pycocotools.mask", "hotcoco.mask"):
        if importlib.util.find_spec(module.partition(".")[0]) is not None:
            importlib.import_module(module.partition(".")[0])
            return importlib.import_module(module)
    raise UsageError(f"masks need pycocotools or hotcoco, and neither is installed: {REMEDY}")
