"""LVIS: one row for each category that an image is asked about.

Source of the lists: lvis-dataset/lvis-api lvis/lvis.py @ 7d7f07d. A category is positive in an image where
it has boxes, negative where it is in the image's `neg_category_ids`: somebody looked, and there is none.
Other categories may be there without a box, so nothing is asked about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from mmeval.benchmarks.annotated.coco import File, read_file
from mmeval.benchmarks.annotated.rows import Benched, Pictures, Row, asked_of, golds, picture_in, sized
from mmeval.boxes.annotations import Annotation, Image
from mmeval.types import Json

Queries: TypeAlias = Literal["federated", "positive"]
NAME = "LVIS_bbox_val_federated"


def open_lvis(path: Path, images: Path | None, queries: Queries) -> Benched:
    """The queries of an annotation file.

    Args:
        path: `lvis_v1_val.json` or one like it.
        images: the folder that holds `val2017/`; the file's own folder without it.
        queries: `federated` asks about positive and negative categories, `positive` about the former alone.

    Raises:
        ResultError: the file cannot be used.
    """
    found = read_file(path)
    place = picture_in(images or path.parent)
    subset = None if queries == "federated" else queries
    return Benched(
        NAME, subset, "val", {path.name: found.sha256}, lambda: _rows(found, place, queries == "federated")
    )


def _rows(found: File, place: Pictures, federated: bool) -> Iterator[Row]:
    """Images in the order of the file; of each its categories by number."""
    for image in found.images:
        boxes = _by_category(found.boxes(image))
        absent = set(image.neg_category_ids) & found.names.keys() if federated else set()
        for category in sorted({*boxes, *absent}):
            yield _row(image, category, boxes, found.names, place(image))


def _by_category(boxes: Sequence[Annotation]) -> dict[int, list[Annotation]]:
    found: dict[int, list[Annotation]] = {}
    for each in boxes:
        found.setdefault(each.category_id, []).append(each)
    return found


def _row(
    image: Image,
    category: int,
    boxes: Mapping[int, Sequence[Annotation]],
    names: Mapping[int, str],
    picture: str,
) -> Row:
    name = names[category]
    fields: dict[str, Json] = {
        **sized(image),
        "category_id": category,
        "category": name,
        "query": "positive" if category in boxes else "negative",
        "neg_category_ids": [] if category in boxes else [category],
        "not_exhaustive_category_ids": [category] if category in image.not_exhaustive_category_ids else [],
    }
    return Row(
        f"{image.id}-{category}",
        golds(boxes.get(category, ())),
        fields,
        asked_of([name.replace("_", " ")]),
        picture,
    )
