"""What varies independently: single rows, or rows that share an image or stand and fall as one group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mmeval.types import Row

# The parameters of aggregates that name what makes rows dependent.
TYING = {"mean": ("cluster",), "all-correct": ("by",), "pair-plus": ("category", "pair")}
# Boxes are matched image by image, and several rows may be about one image.
IMAGE = "evidence.image"


def ties(specs: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, ...], ...]:
    """The sets of fields by which the declared aggregates tie rows together."""
    found = []
    for spec in specs:
        names: list[str] = []
        for key in TYING.get(spec["reduce"], ()):
            value = spec.get(key) or ()
            names += [value] if isinstance(value, str) else list(value)
        if spec["reduce"].startswith("box-"):
            by = spec.get("by") or ()
            names = [*([by] if isinstance(by, str) else by), IMAGE]
        if names:
            found.append(tuple(names))
    return tuple(dict.fromkeys(found))


def said(row: Row, name: str) -> object:
    """What a row says of a field, of its subset, or of the image of its boxes."""
    if name == IMAGE:
        return row.evidence.get("image") if isinstance(row.evidence, dict) else None
    return row.subset if name == "subset" else row.fields.get(name)


def units(rows: Sequence[Row], tied_by: Sequence[Sequence[str]]) -> dict[str, int]:
    """The unit of every row by its id: rows with the same values of a tie are one unit, and so are chains.

    A row that lacks a field of a tie is not tied by it.
    """
    parent = list(range(len(rows)))
    for names in tied_by:
        first: dict[tuple[object, ...], int] = {}
        for at, row in enumerate(rows):
            key = tuple(said(row, name) for name in names)
            if None not in key:
                other = first.setdefault(key, at)
                parent[_root(parent, at)] = _root(parent, other)
    return {row.id: _root(parent, at) for at, row in enumerate(rows)}


def _root(parent: list[int], at: int) -> int:
    while parent[at] != at:
        parent[at] = parent[parent[at]]
        at = parent[at]
    return at
