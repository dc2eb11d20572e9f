"""Columns from what COCO and LVIS tools exchange: an annotation file and a list of results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from mmeval.detection.columns import Columns, Pool
from mmeval.detection.evidence import SaidBox, TrueBox
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
        pool.add_boxes(name, [_said(detection, categories) for detection in each])
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
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in entries:
        name = str(each["image_id"])
        if name not in images:
            raise StageError(f"{what} of image {name}, which is not among the images")
        found[name].append(each)
    return found


def _gold(said: dict[str, Any], categories: frozenset[str]) -> TrueBox:
    x, y, width, height = map(float, said["bbox"])
    area = float(said.get("area", width * height))
    crowd = bool(said.get("iscrowd", 0))
    return TrueBox((x, y, width, height), _category(said, categories), area, crowd, said["id"])


def _said(said: dict[str, Any], categories: frozenset[str]) -> SaidBox:
    x, y, width, height = map(float, said["bbox"])
    return SaidBox((x, y, width, height), _category(said, categories), float(said["score"]))


def _category(said: dict[str, Any], categories: frozenset[str]) -> str:
    name = str(said["category_id"])
    if name not in categories:
        raise StageError(f"image {said['image_id']}: category {name} is not among the categories")
    return name
