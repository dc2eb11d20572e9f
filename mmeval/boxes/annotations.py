"""Files of annotations as COCO and LVIS publish them: images, their golds, and the categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from mmeval.types import Json

ImageId: TypeAlias = int | str


class Image(msgspec.Struct, frozen=True, gc=False):
    """One image. The two lists are LVIS's: categories verified as absent, and those not labelled in full."""

    id: ImageId
    file_name: str | None = None
    width: float | None = None
    height: float | None = None
    neg_category_ids: tuple[int, ...] = ()
    not_exhaustive_category_ids: tuple[int, ...] = ()
    coco_url: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Its file name as written, and without folders; LVIS tells it in the address alone."""
        written = [name for name in (self.file_name, self.coco_url) if name]
        return tuple(dict.fromkeys(each for name in written for each in (name, name.rpartition("/")[2])))


class Annotation(msgspec.Struct, frozen=True, gc=False):
    """One gold box, `[x, y, width, height]` in pixels. `area` is the file's own, which may be a mask's."""

    image_id: ImageId
    category_id: int
    bbox: tuple[float, float, float, float]
    area: float | None = None
    iscrowd: int | bool = 0
    id: int | str | None = None


class Category(msgspec.Struct, frozen=True, gc=False):
    """One category. `frequency` is LVIS's: r, c or f."""

    id: int
    name: str | None = None
    frequency: str | None = None


class _File(msgspec.Struct, frozen=True):
    images: tuple[Image, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    categories: tuple[Category, ...] = ()


class Annotations:
    """The golds of many images, found by an image's id or by its file name."""

    def __init__(self, file: _File) -> None:
        self.images: dict[str, Image] = {str(image.id): image for image in file.images}
        self.categories: tuple[Category, ...] = file.categories
        self._named = {name: image for image in file.images for name in image.names}
        self._golds: dict[str, list[Annotation]] = {}
        for gold in file.annotations:
            self._golds.setdefault(str(gold.image_id), []).append(gold)

    def image(self, *names: str) -> Image | None:
        """The image that has the first of these ids or file names that is known."""
        for name in names:
            found = self.images.get(name) or self._named.get(name) or self._named.get(name.rpartition("/")[2])
            if found is not None:
                return found
        return None

    def golds(self, image: Image) -> list[Annotation]:
        """The golds of an image, in the file's order."""
        return self._golds.get(str(image.id), [])


class AnnotationSets:
    """Several such files: which one counts for a row, one of its fields says."""

    def __init__(self, by: str, sets: Mapping[str, Annotations]) -> None:
        self.by = by
        self.sets = sets

    def of(self, value: str | None) -> Annotations | None:
        """The file for a value of the field `by`."""
        return None if value is None else self.sets.get(value)


def read_annotations(data: bytes) -> Annotations:
    """Read a file of annotations.

    Raises:
        msgspec.MsgspecError: it is no JSON, or not of this form; the message names the place.
    """
    return Annotations(msgspec.json.decode(data, type=_File))


def read_categories(value: Json | Annotations | None) -> tuple[Category, ...]:
    """The categories of a list of them, of an object id to category or to name, or of an annotation file.

    Raises:
        msgspec.ValidationError: it is none of these.
    """
    if isinstance(value, Annotations):
        return value.categories
    if isinstance(value, dict) and isinstance(value.get("categories"), list | dict):
        value = value["categories"]
    if isinstance(value, dict):
        value = [_keyed(key, each) for key, each in value.items()]
    return msgspec.convert(value or [], tuple[Category, ...], strict=False)


def _keyed(key: str, category: Json) -> Json:
    return {"id": key, **category} if isinstance(category, dict) else {"id": key, "name": category}
