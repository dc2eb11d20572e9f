"""Files of annotations, and the names of their categories."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from mmeval.boxes.annotations import Category, read_annotations, read_categories
from mmeval.boxes.categories import Names, NamesOf

FILE: dict[str, Any] = {
    "info": {"year": 2014},
    "images": [
        {"id": 42, "file_name": "val/000042.jpg", "width": 640, "height": 478, "license": 1},
        {"id": "x7", "coco_url": "http://images.example/val2017/7.jpg", "neg_category_ids": [3]},
    ],
    "annotations": [
        {"id": 0, "image_id": 42, "category_id": 18, "bbox": [1, 2, 3.5, 4], "segmentation": [[1, 2]]},
        {"id": 2, "image_id": 42, "category_id": 18, "bbox": [0, 0, 1, 1], "iscrowd": 1, "area": 0.5},
        {"id": 3, "image_id": "x7", "category_id": 1, "bbox": [0, 0, 1, 1]},
    ],
    "categories": [{"id": 18, "name": "dog", "frequency": "f"}, {"id": 1}],
}


@pytest.mark.parametrize("name", ["42", "val/000042.jpg", "000042.jpg", "/data/coco/000042.jpg"])
def test_an_image_is_found_by_id_or_name(name: str) -> None:
    found = read_annotations(json.dumps(FILE).encode())
    image = found.image("nobody", name)
    assert image is not None
    assert [gold.id for gold in found.golds(image)] == [0, 2]


def test_an_image_of_lvis_is_found_by_its_address() -> None:
    found = read_annotations(json.dumps(FILE).encode())
    image = found.image("7.jpg")
    assert image is not None
    assert (image.id, image.neg_category_ids, len(found.golds(image))) == ("x7", (3,), 1)
    assert found.image("8.jpg") is None


@pytest.mark.parametrize(
    "broken",
    [
        {"images": [{}]},
        {"annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3]}]},
        {"annotations": [{"image_id": 1, "category_id": "dog", "bbox": [1, 2, 3, 4]}]},
        {"categories": [{"name": "dog"}]},
        [],
    ],
)
def test_a_file_of_another_form_is_refused(broken: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_annotations(json.dumps(broken).encode())


TWO = (Category(1, "dog", "f"), Category(2, "cat", None))
LISTED: list[Any] = [{"id": 1, "name": "dog", "frequency": "f"}, {"id": 2, "name": "cat"}]
FORMS = [
    pytest.param(LISTED, id="list"),
    pytest.param({"categories": LISTED}, id="inside-a-file"),
    pytest.param({"1": {"name": "dog", "frequency": "f"}, "2": {"name": "cat"}}, id="by-number"),
    pytest.param(read_annotations(json.dumps({"categories": LISTED}).encode()), id="annotations"),
]


@pytest.mark.parametrize("value", FORMS)
def test_the_forms_of_categories(value: Any) -> None:
    assert read_categories(value) == TWO


def test_numbers_to_names_alone() -> None:
    assert read_categories({"1": "dog"}) == (Category(1, "dog"),)
    assert read_categories(None) == ()


NAMED = [
    # label, number, folded, category
    ("Dog", None, True, "1"),
    ("Dog", None, False, None),
    ("baby  buggy", None, True, "2"),
    ("BABY_BUGGY", None, True, "2"),
    ("baby_buggy", None, False, "2"),
    (None, 2, True, "2"),
    (None, 7, True, None),
    ("dog", 7, True, "1"),
    ("2", None, True, "2"),
    ("unicorn", None, True, None),
    (None, None, True, None),
]


@pytest.mark.parametrize(("label", "number", "fold", "expected"), NAMED)
def test_one_name_for_a_category(
    label: str | None, number: int | None, fold: bool, expected: str | None
) -> None:
    names = Names((Category(1, "dog"), Category(2, "baby_buggy")), fold)
    assert names.of(label, number) == expected


@pytest.mark.parametrize(
    ("label", "number", "expected"),
    [("Dog", None, "dog"), ("Dog", 3, "dog"), (None, 3, "3"), (None, None, None)],
)
def test_without_a_list_a_label_is_its_own_name(
    label: str | None, number: int | None, expected: str | None
) -> None:
    assert Names((), True).of(label, number) == expected


def test_the_only_category_needs_no_label() -> None:
    only = Names((Category(1, "Cottontail-Rabbit"),), True)
    assert only.of(None, None) == "1"
    assert only.of(None, 5) is None
    assert only.of("hare", None) is None


def test_two_categories_of_one_name_are_the_first() -> None:
    assert Names((Category(1, "dog"), Category(2, "Dog")), True).of("dog", None) == "1"


def test_names_are_made_once_for_a_resource() -> None:
    names_of, value = NamesOf(), {"1": "dog"}
    assert names_of(value, True) is names_of(value, True)
    assert names_of(value, False) is not names_of(value, True)
    assert names_of({"1": "dog"}, True) is not names_of(value, True)
