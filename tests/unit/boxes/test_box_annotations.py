"""Files of annotations, and the names of their categories."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from mmeval.boxes.annotations import Category, read_annotations, read_categories
from mmeval.boxes.categories import Names, NamesOf
from mmeval.errors import MetadataError

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
        {"annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, -3, 4]}]},
        {"annotations": [{"image_id": 1, "category_id": 1, "bbox": [1e308, 2, 1e308, 4]}]},
        {"annotations": [{"image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4], "area": -5}]},
        {**FILE, "annotations": [{"image_id": 42, "category_id": 99, "bbox": [1, 2, 3, 4]}]},
        {"images": [{"id": 1, "file_name": "a.jpg"}, {"id": 1, "file_name": "b.jpg"}]},
        [],
    ],
)
def test_a_file_of_another_form_is_refused(broken: Any) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_annotations(json.dumps(broken).encode())


def test_the_culprit_is_named() -> None:
    broken = {"annotations": [{"id": 31, "image_id": 1, "category_id": 1, "bbox": [1, 2, -3, 4]}]}
    with pytest.raises(msgspec.ValidationError, match="annotation with the id 31 has a negative width"):
        read_annotations(json.dumps(broken).encode())


def test_a_byte_order_mark_is_no_part_of_a_file() -> None:
    assert read_annotations(b"\xef\xbb\xbf" + json.dumps(FILE).encode()).image("42") is not None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("/data/a/x.jpg", 1),
        ("b/x.jpg", 2),
        ("x.jpg", None),
        ("/data/c/x.jpg", None),
        ("/data/c/y.jpg", 3),
        ("2", 2),
    ],
)
def test_an_end_of_a_path_that_two_images_share_is_neither_s(name: str, expected: int | None) -> None:
    images = [
        {"id": 1, "file_name": "a/x.jpg"},
        {"id": 2, "file_name": "b/x.jpg"},
        {"id": 3, "file_name": "y.jpg"},
    ]
    image = read_annotations(json.dumps({"images": images}).encode()).image(name)
    assert (image.id if image else None) == expected


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


@pytest.mark.parametrize(
    ("label", "expected"), [("dog", "1"), ("Dog", "2"), ("DOG", None), ("cat", None), ("cow", "5")]
)
def test_a_label_that_two_categories_share_is_that_of_the_same_spelling(
    label: str, expected: str | None
) -> None:
    """Never guessed: another spelling of both, or one name twice, is neither."""
    listed = ((1, "dog"), (2, "Dog"), (3, "cat"), (4, "cat"), (5, "cow"), (5, "cow"))
    assert Names([Category(*each) for each in listed], True).of(label, None) == expected


@pytest.mark.parametrize("fold", [True, False])
def test_an_accent_is_the_same_as_a_letter_that_has_it(fold: bool) -> None:
    assert Names((Category(1, "caf\u00e9"),), fold).of("cafe\u0301", None) == "1"
    assert Names((), fold).of("cafe\u0301", None) == Names((), fold).of("caf\u00e9", None)


@pytest.mark.parametrize("value", [[1], "x", [{"name": "a"}], {"a": "dog"}, [{"id": 1, "name": 5}]])
def test_what_lists_no_categories_is_named(value: Any) -> None:
    with pytest.raises(MetadataError, match="resource 'categories' lists no categories"):
        NamesOf()(value, True)


def test_groups_alone_are_no_names() -> None:
    names = Names(read_categories({"1": "f", "2": "r"}), True)
    assert (names.of("f", None), names.of(None, 1), names.of(None, 3)) == (None, "1", None)
    assert Names(read_categories({"dog": "f"}), True).of("dog", None) == "dog"


def test_names_are_made_once_for_a_resource() -> None:
    names_of, value = NamesOf(), {"1": "dog"}
    assert names_of(value, True) is names_of(value, True)
    assert names_of(value, False) is not names_of(value, True)
    assert names_of({"1": "dog"}, True) is not names_of(value, True)
