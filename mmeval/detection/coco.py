"""Columns from what COCO and LVIS tools exchange: an annotation file and a list of results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from mmeval.detection.columns import Columns, Pool
from mmeval.detection.evidence import TrueBox
from mmeval.errors import StageError


def from_coco(truth: dict[str, Any], results: Sequence[dict[str, Any]]) -> Columns:
    """The golds of an annotation file and the detections of a list of results.

    Every image of the file counts, whether or not anything was found or is to be found in it. An annotation
    without `area` has that of its box, one without `iscrowd` is no crowd.

    Raises:
        StageError: two images, categories or annotations share an id; a detection or an annotation names an
            image or a category that the file does not list; a number is not finite.
    """
    images = _ids(truth["images"], "image")
    categories = _ids(truth["categories"], "category")
    _ids(truth["annotations"], "annotation")
    golds = _by_image(truth["annotations"], images, "annotation")
    found = _by_image(results, images, "detection")
    named = {each["id"]: str(each["id"]) for each in truth["categories"]}
    pool = Pool()
    for image in truth["images"]:
        name = str(image["id"])
        pool.add_image(
            name,
            [_gold(each, categories) for each in golds[name]],
            map(str, image.get("neg_category_ids", ())),
            map(str, image.get("not_exhaustive_category_ids", ())),
        )
    for name, each in found.items():
        pool.add_columns(
            name,
            _categories(each, named, categories),
            [said["score"] for said in each],
            [_box(said) for said in each],
        )
    return pool.columns()


def _ids(entries: Iterable[dict[str, Any]], what: str) -> frozenset[str]:
    seen: set[Hashable] = set()
    for each in entries:
        if each["id"] in seen:
            raise StageError(f"two entries have the {what} id {each['id']!r}")
        seen.add(each["id"])
    return frozenset(map(str, seen))


def _by_image(
    entries: Iterable[dict[str, Any]], images: frozenset[str], what: str
) -> defaultdict[str, list[dict[str, Any]]]:
    grouped: defaultdict[int | str, list[dict[str, Any]]] = defaultdict(list)
    for each in entries:
        grouped[each["image_id"]].append(each)
    strange = [image for image in grouped if str(image) not in images]
    if strange:
        raise StageError(f"{what} of image {strange[0]}, which is not among the images")
    return defaultdict(list, {str(image): each for image, each in grouped.items()})


def _gold(said: dict[str, Any], categories: frozenset[str]) -> TrueBox:
    x, y, width, height = _box(said)
    area = said.get("area", width * height)
    crowd = bool(said.get("iscrowd", 0))
    return TrueBox((x, y, width, height), _category(said, categories), area, crowd, said["id"])


def _box(said: dict[str, Any]) -> Sequence[float]:
    box: Sequence[float] = said["bbox"]
    if len(box) != 4:
        raise StageError(f"image {said['image_id']}: a box has {len(box)} numbers, not 4")
    return box


def _categories(
    entries: Sequence[dict[str, Any]], named: dict[Hashable, str], categories: frozenset[str]
) -> list[str]:
    """The names of many boxes' categories; one that is written otherwise than listed is looked at alone."""
    try:
        return [named[said["category_id"]] for said in entries]
    except KeyError:
        return [_category(said, categories) for said in entries]


def _category(said: dict[str, Any], categories: frozenset[str]) -> str:
    name = str(said["category_id"])
    if name not in categories:
        raise StageError(f"image {said['image_id']}: category {name} is not among the categories")
    return name
