"""What there is to find on the image of a row: its gold boxes, from a file of annotations or from the row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from mmeval.boxes.annotations import Annotations, AnnotationSets, Image
from mmeval.boxes.categories import Names
from mmeval.boxes.geometry import Corners, Frame, frame_pair
from mmeval.boxes.golds import Gold, read_corners, read_golds
from mmeval.fingerprint import canonical
from mmeval.types import Invalid, Json, Sample

Fields: TypeAlias = Mapping[str, Json]
IMAGE_FIELDS = ("image_id", "file_name", "image_path", "image")
_LONGEST_NAME = 512


class Truth(msgspec.Struct, frozen=True):
    """The golds of a row's image, its size where that is known, and what LVIS says of its categories."""

    golds: tuple[Gold, ...]
    width: float | None
    height: float | None
    negative: tuple[int, ...] = ()
    not_exhaustive: tuple[int, ...] = ()


def image_names(sample: Sample, field: str | None) -> tuple[str, ...]:
    """What an image may be called in a file of annotations, best first; pictures in the data are no names.

    The row's own id is a name only where no field names an image: rows are often counted as images are, and
    an unknown image must not become another one.
    """
    fields = (field, *IMAGE_FIELDS) if field else IMAGE_FIELDS
    texts = [canonical(sample.fields.get(name)) for name in fields]
    names = [text for text in texts if isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME]
    return tuple(names) or (str(sample.id),)


def size_of(fields: Fields, image: Image | None = None) -> tuple[float | None, float | None]:
    """Width and height of the image in pixels: the annotation's, of which its golds are; else the row's."""
    for width, height in (
        (image.width, image.height) if image is not None else (None, None),
        (fields.get("width"), fields.get("height")),
    ):
        size = _length(width), _length(height)
        if None not in size:
            return size
    return None, None


def framed(
    sample: Sample, mine: tuple[str | float, str], theirs: tuple[str | float, str]
) -> tuple[Frame, tuple[Corners, ...]] | Invalid:
    """The frame of a reply's boxes and the gold boxes of its sample, in one unit.

    Args:
        sample: with its golds in `answer`, and its size in `width` and `height` where that is needed.
        mine: grid and form of the reply.
        theirs: grid and form of the golds.

    Returns:
        The frame, and one gold at least; or why the sample cannot be graded.
    """
    there, golden = frame_pair(mine, theirs, *size_of(sample.fields))
    if not (there.sized and golden.sized):
        return Invalid("missing-image-size")
    golds = read_corners(sample.answer, golden)
    if isinstance(golds, str):
        return Invalid(golds)
    return (there, golds) if golds else Invalid("unparsable-gold")


def _length(value: Json) -> float | None:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9
    return value if usable and isinstance(value, int | float) else None


def from_row(sample: Sample, frame: Callable[[float | None, float | None], Frame]) -> Truth | str:
    """The golds that the row itself holds, or why they cannot be used."""
    if sample.answer is None:
        return "missing-reference"
    width, height = size_of(sample.fields)
    golds = read_golds(sample.answer, frame(width, height))
    if isinstance(golds, str):
        return "missing-image-size" if golds == "no-image-size" else golds
    return Truth(
        golds,
        width,
        height,
        _numbers(sample.fields.get("neg_category_ids")),
        _numbers(sample.fields.get("not_exhaustive_category_ids")),
    )


def _numbers(value: Json) -> tuple[int, ...]:
    return tuple(each for each in value if type(each) is int) if isinstance(value, list) else ()


def file_of(source: Annotations | AnnotationSets, fields: Fields) -> Annotations | None:
    """The file of annotations that a row's image is in."""
    if isinstance(source, Annotations):
        return source
    value = canonical(fields.get(source.by))
    return source.of(value if isinstance(value, str) else None)


def from_file(found: Annotations, sample: Sample, names: Sequence[str]) -> Truth | str:
    """The golds that a file of annotations holds for the row's image."""
    image = found.image(*names)
    if image is None:
        return "unknown-image"
    golds = tuple(
        Gold(
            each.bbox,
            each.bbox[2] * each.bbox[3] if each.area is None else each.area,
            None,
            each.category_id,
            bool(each.iscrowd),
            each.id,
        )
        for each in found.golds(image)
    )
    width, height = size_of(sample.fields, image)
    return Truth(golds, width, height, image.neg_category_ids, image.not_exhaustive_category_ids)


def of_category(golds: Sequence[Gold], names: Names, category: str) -> tuple[Gold, ...]:
    """The golds of one category; one without a category of its own is of the one that is asked for."""
    return tuple(
        each
        for each in golds
        if (each.label is None and each.category_id is None)
        or names.of(each.label, each.category_id) == category
    )
