"""Files of annotations that samples are made of: read, hashed, checked for what no evaluator would see."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mmeval.boxes.annotations import Annotation, Annotations, Image, read_annotations
from mmeval.errors import ResultError
from mmeval.types import Json


class File(NamedTuple):
    """One file, read: its images in its order, and the names of its categories by their numbers, in order."""

    path: Path
    sha256: str
    annotations: Annotations
    names: Mapping[int, str]

    @property
    def images(self) -> Sequence[Image]:
        """The images, in the order of the file."""
        return list(self.annotations.images.values())

    def boxes(self, image: Image) -> Sequence[Annotation]:
        """The boxes of an image, in the order of the file."""
        return self.annotations.golds(image)


def read_file(path: Path) -> File:
    """Read a file of annotations.

    Raises:
        ResultError: it cannot be read or is no such file; an image has no size; a box has no category that
            the file names, or a negative size.
    """
    data = read_bytes(path)
    try:
        found = read_annotations(data)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ResultError(
            f"{path}: is no file of annotations as COCO and LVIS have them ({error}); fetch it again"
        ) from None
    named = {each.id: each.name for each in sorted(found.categories, key=lambda each: each.id)}
    file = File(
        path,
        hashlib.sha256(data).hexdigest(),
        found,
        {number: name or str(number) for number, name in named.items()},
    )
    _check(file, len(found.categories))
    return file


def read_bytes(path: Path) -> bytes:
    """A file whole.

    Raises:
        ResultError: it is not there or cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ResultError(f"{path}: cannot be read ({error.strerror}); check --annotations") from None


def said(box: Annotation, category: str | None = None) -> dict[str, Json]:
    """A box as a gold of a sample, with the `area` and `id` that it has here."""
    gold: dict[str, Json] = {} if box.id is None else {"id": box.id}
    gold |= {"category_id": box.category_id} if category is None else {"category": category}
    gold["bbox"] = list[Json](box.bbox)
    if box.area is not None:
        gold["area"] = box.area
    return {**gold, "iscrowd": 1} if box.iscrowd else gold


def _check(file: File, categories: int) -> None:
    if not file.annotations.images:
        raise ResultError(f"{file.path}: holds no images; is the file complete?")
    if len(file.names) < categories:
        raise ResultError(f"{file.path}: two categories have one id; mend the file")
    for image in file.images:
        if image.width is None or image.height is None:
            raise ResultError(f"{file.path}: image {image.id} has no width and height; add them")
        for box in file.boxes(image):
            flaw = _flaw(box, file.names)
            if flaw is not None:
                raise ResultError(
                    f"{file.path}: annotation {box.id} of image {image.id} {flaw}; mend the file"
                )


def _flaw(box: Annotation, names: Mapping[int, str]) -> str | None:
    """What is wrong with a box; None if nothing is."""
    if box.category_id not in names:
        return f"has the category {box.category_id}, which the file does not name"
    sound = all(math.isfinite(each) for each in (*box.bbox, box.area or 0)) and min(box.bbox[2:]) >= 0
    return None if sound else f"is no box: {list(box.bbox)}"
