"""Rows of a benchmark of boxes, and what is asked of a model; in our own words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

from mmeval.benchmarks.annotated.coco import said
from mmeval.boxes.annotations import Annotation, Image
from mmeval.errors import ResultError
from mmeval.types import Json

FORM = (
    'Reply with a JSON list that holds {{"bbox_2d": [x1, y1, x2, y2], "label": {label}}} for each of them, '
    "where x runs from 0 at the left to 1000 at the right edge of the image and y from 0 at the top to 1000 "
    "at the bottom. Reply with [] if there is none."
)


class Row(NamedTuple):
    """One question: its name, the gold boxes, the flat fields, what is asked, and where the picture lies."""

    name: str | int
    answer: list[Json]
    fields: dict[str, Json]
    question: str
    picture: str


class Benched(NamedTuple):
    """A benchmark as its annotations make it.

    Attributes:
        name: the protocol's name.
        subset: the protocol's subset, where it has several.
        split: the split.
        files: SHA-256 of every file that was read, by its name.
        rows: every row, from the first.
    """

    name: str
    subset: str | None
    split: str
    files: Mapping[str, str]
    rows: Callable[[], Iterator[Row]]


Pictures: TypeAlias = Callable[[Image], str]


def asked_of(names: Sequence[str]) -> str:
    """What is asked about one kind of things, or about several."""
    if len(names) == 1:
        return f"Find every {names[0]} in the image. " + FORM.format(label=f'"{names[0]}"')
    listed = ", ".join(names)
    return f"Find everything in the image that is one of: {listed}. " + FORM.format(label="which of these")


def sized(image: Image) -> dict[str, Json]:
    """The fields that every row has of its image."""
    return {"image_id": image.id, "width": image.width, "height": image.height}


def golds(boxes: Sequence[Annotation], names: Mapping[int, str] | None = None) -> list[Json]:
    """Boxes as golds of a sample: by the number of their category, or by its name."""
    return [said(each, names[each.category_id] if names else None) for each in boxes]


def picture_in(folder: Path) -> Pictures:
    """Where an image lies below a folder: by its file name, else by the end of its address at COCO."""

    def place(image: Image) -> str:
        if image.file_name is not None:
            return str(folder / image.file_name)
        if image.coco_url is None:
            raise ResultError(f"image {image.id} has neither file_name nor coco_url; mend the annotations")
        return str(folder.joinpath(*PurePosixPath(urlsplit(image.coco_url).path).parts[-2:]))

    return place
