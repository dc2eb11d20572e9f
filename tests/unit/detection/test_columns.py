"""Golds and detections as columns: the order that decides ties, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.detection.coco import from_coco
from mmeval.detection.columns import Columns, Pool
from mmeval.detection.evidence import SaidBox, TrueBox
from mmeval.errors import StageError

BOX = (1.0, 2.0, 3.0, 4.0)


def gold(category: str = "1", **more: Any) -> TrueBox:
    return TrueBox(BOX, category, 12.0, **more)


def pooled(*images: str, category: str = "1") -> Columns:
    pool = Pool()
    for image in images:
        pool.add_image(image, [gold(category)])
        pool.add_boxes(image, [SaidBox(BOX, category, 0.5)])
    return pool.columns()


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        (("10", "9", "-1"), ("-1", "9", "10")),
        (("b", "a", "10"), ("b", "a", "10")),
        (("10", "9", "9.5"), ("10", "9", "9.5")),
        (("²", "1"), ("²", "1")),
        (("9" * 30, "1"), ("9" * 30, "1")),
    ],
    ids=["numbers", "names", "a-float-is-a-name", "a-power-is-a-name", "too-long"],
)
def test_images_are_ordered_by_number_or_as_they_came(
    came: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    made = pooled(*came)
    assert made.images == expected
    places = [expected.index(name) + 1 for name in came]
    assert made.detections.image.tolist() == made.golds.image.tolist() == places


def test_categories_are_ordered_by_number_or_by_name() -> None:
    pool = Pool()
    pool.add_image("a", [gold("10"), gold("9")])
    assert pool.columns().categories == ("9", "10")
    pool.add_image("a", [gold("dog"), gold("cat")])
    assert pool.columns().categories == ("10", "9", "cat", "dog")


def test_a_category_without_golds_is_0_and_stays_in_place() -> None:
    pool = Pool()
    pool.add_boxes("a", [SaidBox(BOX, "7", 0.5), SaidBox(BOX, "1", 0.4)])
    pool.add_image("a", [gold()], negative=("7", "1"), not_exhaustive=("1", "8"))
    made = pool.columns()
    assert (made.categories, made.stray, made.detections.category.tolist()) == (("1",), 1, [0, 1])
    assert made.federated == (((1,), (1,)),)


def test_nothing_at_all_makes_empty_columns() -> None:
    made = Pool().columns()
    assert (made.images, made.categories, made.stray) == ((), (), 0)
    assert made.golds.box.shape == made.detections.box.shape == (0, 4)


def test_drawn_images_keep_their_boxes() -> None:
    import numpy as np

    made = pooled("1", "2", "3")
    drawn = made.drawn(np.array([2, 0, 2]))
    assert drawn.images == ("3", "1", "3")
    assert drawn.golds.image.tolist() == drawn.detections.image.tolist() == [1, 2, 3]
    assert drawn.detections.score.tolist() == [0.5] * 3


TRUTH: dict[str, Any] = {
    "images": [{"id": 1}],
    "categories": [{"id": 1}],
    "annotations": [{"id": 0, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]}],
}
RESULT: dict[str, Any] = {"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}
WRONG: list[tuple[str, dict[str, Any], dict[str, Any], str]] = [
    ("unknown-image", {}, {"image_id": 2}, "detection of image 2, which is not among the images"),
    ("unknown-category", {}, {"category_id": 9}, "image 1: category 9 is not among the categories"),
    ("two-images", {"images": [{"id": 1}, {"id": 1}]}, {}, "two entries have the image id 1"),
    ("two-categories", {"categories": [{"id": 1}, {"id": 1}]}, {}, "two entries have the category id 1"),
    ("two-golds", {"annotations": TRUTH["annotations"] * 2}, {}, "two entries have the annotation id 0"),
    ("nan", {}, {"score": float("nan")}, "image 1: the score of a predicted box is not a finite number"),
    ("inf", {}, {"bbox": [0, 0, float("inf"), 1]}, "image 1: a predicted box is not a finite number"),
]


@pytest.mark.parametrize(
    ("truth", "result", "message"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG]
)
def test_what_backends_would_take_in_silence_is_refused(
    truth: dict[str, Any], result: dict[str, Any], message: str
) -> None:
    with pytest.raises(StageError, match=message):
        from_coco({**TRUTH, **truth}, [{**RESULT, **result}])


def test_an_annotation_without_area_or_crowd_has_those_of_its_box() -> None:
    made = from_coco(TRUTH, [RESULT])
    assert (made.golds.area.tolist(), made.golds.crowd.tolist()) == ([12.0], [0])
