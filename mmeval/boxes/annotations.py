"""Files of annotations as COCO and LVIS publish them: images, their golds, and the categories."""

from __future__ import annotations

import codecs
import math
from collections.abc import Collection, Mapping
from typing import TypeAlias

import msgspec

from mmeval.types import Json

ImageId: TypeAlias = int | str


GROUPS = ("r", "c", "f")
"""How frequent a category is in LVIS's training images: rare, common, frequent."""


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
    """The golds of many images, found by an image's id or by its file name.

    Raises:
        msgspec.ValidationError: two images have one id, or a gold box is none; the message names it.
    """

    def __init__(self, file: _File) -> None:
        self.images: dict[str, Image] = {}
        self.categories: tuple[Category, ...] = file.categories
        self._named: dict[str, Image | None] = {}
        self._golds: dict[str, list[Annotation]] = {}
        for image in file.images:
            if self.images.setdefault(str(image.id), image) != image:
                raise msgspec.ValidationError(f"two different images have the id {image.id!r}")
            for name in image.names:
                self._named[name] = image if self._named.get(name, image) == image else None
        known = {each.id for each in file.categories}
        for gold in file.annotations:
            if why := _flaw(gold, known):
                raise msgspec.ValidationError(f"the annotation with the id {gold.id!r} {why}")
            self._golds.setdefault(str(gold.image_id), []).append(gold)

    def image(self, *names: str) -> Image | None:
        """The image that has the first of these ids or file names that is known.

        Of a path its end is enough, with as many folders as there are; an end that two images share is
        neither's.
        """
        for name in names:
            found = self.images.get(name) or self._by_path(name)
            if found is not None:
                return found
        return None

    def _by_path(self, path: str) -> Image | None:
        while path:
            if path in self._named:
                return self._named[path]
            path = path.partition("/")[2]
        return None

    def golds(self, image: Image) -> list[Annotation]:
        """The golds of an image, in the file's order."""
        return self._golds.get(str(image.id), [])


def _flaw(gold: Annotation, known: Collection[int]) -> str | None:
    """What is wrong with a gold box of a file, if anything is."""
    x, y, width, height = gold.bbox
    if width < 0 or height < 0 or (gold.area is not None and gold.area < 0):
        return "has a negative width, height or area"
    if not (math.isfinite(x + width) and math.isfinite(y + height) and math.isfinite(width * height)):
        return "is too large"
    if known and gold.category_id not in known:
        return f"is of category {gold.category_id}, which the file does not list"
    return None


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
    return Annotations(msgspec.json.decode(data.removeprefix(codecs.BOM_UTF8), type=_File))


def read_categories(value: Json | Annotations | None) -> tuple[Category, ...]:
    """The categories of a list of them, of an object id to category or to name, or of an annotation file.

    An object that tells nothing but the group of each (r, c, f) names no category by a label; those that it
    names by number are known.

    Raises:
        msgspec.ValidationError: it is none of these.
    """
    if isinstance(value, Annotations):
        return value.categories
    if isinstance(value, dict) and isinstance(value.get("categories"), list | dict):
        value = value["categories"]
    if isinstance(value, dict):
        groups = bool(value) and all(each in GROUPS for each in value.values())
        value = [_keyed(key, each) for key, each in value.items()] if not groups else _grouped(value)
    return msgspec.convert(value or [], tuple[Category, ...], strict=False)


def _keyed(key: str, category: Json) -> Json:
    return {"id": key, **category} if isinstance(category, dict) else {"id": key, "name": category}


def _grouped(value: dict[str, Json]) -> Json:
    return [{"id": key, "frequency": each} for key, each in value.items() if key.isascii() and key.isdigit()]
