"""Rows made of annotation files: which, in which order, with which golds, fields, questions and pictures."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import annotation_files as made
import pytest

from mmeval.benchmarks.annotated.benchmark import Annotated, open_annotations
from mmeval.benchmarks.annotated.odinw import FILES
from mmeval.errors import ResultError, UsageError


def lvis(folder: Path, queries: str | None = None, content: Any = made.LVIS) -> Annotated:
    path = made.write(folder / "lvis_v1_val.json", content)
    return open_annotations(path, "lvis", queries, None)


def named(benchmark: Annotated) -> list[Any]:
    return [row["eval-id"] for row in benchmark.rows()]


QUERIES = [
    pytest.param(None, ["30-1", "30-2", "30-3", "30-4", "7-1", "7-2"], id="federated-by-default"),
    pytest.param("federated", ["30-1", "30-2", "30-3", "30-4", "7-1", "7-2"], id="federated"),
    pytest.param("positive", ["30-2", "30-3", "7-1"], id="positive"),
]


@pytest.mark.parametrize(("queries", "names"), QUERIES)
def test_lvis_asks_about_each_category_that_was_looked_for(
    queries: str | None, names: list[str], tmp_path: Path
) -> None:
    benchmark = lvis(tmp_path, queries)
    assert named(benchmark) == names
    assert benchmark.n_rows == len(names)
    assert benchmark.subset == (None if queries != "positive" else "positive")


def test_a_positive_query_holds_its_boxes_and_a_negative_one_says_that_there_are_none(tmp_path: Path) -> None:
    rows = {row["eval-id"]: row for row in lvis(tmp_path).rows()}
    cups, juice, zebra = rows["30-3"], rows["30-2"], rows["30-4"]
    assert [gold["id"] for gold in cups["answer"]] == [1, 3]
    assert cups["answer"][0] == {"id": 1, "category_id": 3, "bbox": [10, 20, 30, 40], "area": 900.5}
    assert (cups["query"], cups["neg_category_ids"], cups["not_exhaustive_category_ids"]) == (
        "positive",
        [],
        [],
    )
    assert (juice["category"], juice["not_exhaustive_category_ids"]) == ("apple_juice", [2])
    assert (zebra["answer"], zebra["query"], zebra["neg_category_ids"]) == ([], "negative", [4])
    assert (zebra["image_id"], zebra["width"], zebra["height"], zebra["category_id"]) == (30, 200, 100, 4)
    assert "Find every apple juice in the image." in juice["messages"][0]["question"]
    assert juice["dataset_meta"]["dataset_name"] == "LVIS_bbox_val_federated"


def test_the_pictures_of_lvis_lie_by_the_end_of_their_address(tmp_path: Path) -> None:
    cells = [row.media["image_path"] for row in lvis(tmp_path, "positive").with_media()]
    assert cells[0] == str(tmp_path / "val2017" / "000000000030.jpg")
    assert cells[2] == str(tmp_path / "train2017" / "000000000007.jpg")


def test_odinw_asks_each_image_for_all_categories_of_its_set(tmp_path: Path) -> None:
    rows = list(open_annotations(made.odinw(tmp_path), "odinw13", None, None).rows())
    assert [row["domain"] for row in rows] == list(FILES)
    aquarium = rows[1]
    assert (aquarium["eval-id"], aquarium["image_id"]) == (1, 1)
    assert aquarium["categories"] == ["Aquarium A", "CoW"]
    assert aquarium["answer"] == [{"id": 1, "category": "CoW", "bbox": [10, 10, 40, 40], "area": 99.0}]
    assert "is one of: Aquarium A, CoW." in aquarium["messages"][0]["question"]


def test_the_pictures_of_odinw_lie_beside_its_files_or_where_it_is_said(tmp_path: Path) -> None:
    root = made.odinw(tmp_path / "glip")
    for images in (None, tmp_path / "else"):
        rows = list(open_annotations(root, "odinw13", None, images).with_media())
        place = (images or root) / "odinw/Aquarium/Aquarium Combined.v2-raw-1024.coco/test/Aquarium.jpg"
        assert rows[1].media["image_path"] == str(place)


def test_fscd_147_takes_the_validation_images_in_the_order_of_the_split(tmp_path: Path) -> None:
    rows = list(open_annotations(made.fscd_147(tmp_path), "fscd147", None, None).with_media())
    first, second = (row.sample for row in rows)
    assert (first["eval-id"], second["eval-id"]) == (4, 2)
    assert second["answer"] == [{"bbox": [5, 6, 7, 8]}, {"bbox": [9, 6, 7, 8]}]
    assert (second["category"], second["width"], second["height"]) == ("sea shells", 502, 384)
    assert rows[1].media["image_path"] == str(tmp_path / "images_384_VarV2" / "2.jpg")


def test_fscd_lvis_names_every_kind_that_an_image_has_boxes_of(tmp_path: Path) -> None:
    rows = list(open_annotations(made.fscd_lvis(tmp_path), "fscd-lvis", None, None).rows())
    assert [row["category"] for row in rows] == ["egg or paper cup", "paper_cup or egg"]
    assert [len(row["answer"]) for row in rows] == [3, 0]


LAYOUTS = [
    ("odinw13", made.odinw),
    ("fscd147", made.fscd_147),
    ("fscd-lvis", made.fscd_lvis),
]


@pytest.mark.parametrize(("layout", "make"), LAYOUTS, ids=[name for name, _ in LAYOUTS])
def test_the_same_files_make_the_same_rows(layout: str, make: Callable[[Path], Path], tmp_path: Path) -> None:
    root = make(tmp_path)
    one, two = (open_annotations(root, layout, None, None) for _ in range(2))
    assert list(one.rows()) == list(two.rows())
    assert one.sha256 == two.sha256
    assert "--images" in one.warnings[0]
    file = next(
        path for path in sorted(root.rglob("*.json")) if "instances" in path.name or layout == "odinw13"
    )
    file.write_text(file.read_text() + " ")
    assert open_annotations(root, layout, None, None).sha256 != one.sha256


def test_a_picture_that_is_there_needs_no_warning(tmp_path: Path) -> None:
    made.write(tmp_path / "val2017" / "000000000030.jpg", "a picture")
    assert lvis(tmp_path).warnings == ()


def broken(**change: Any) -> Any:
    content = copy.deepcopy(made.LVIS)
    for key, (at, more) in change.items():
        content[key][at] = {**content[key][at], **more}
    return content


FLAWS = [
    pytest.param([], "is no file of annotations", id="no-object"),
    pytest.param({**made.LVIS, "images": []}, "holds no images", id="no-images"),
    pytest.param(broken(images=(0, {"width": None})), "image 30 has no width and height", id="no-size"),
    pytest.param(
        broken(annotations=(0, {"category_id": 9})),
        "annotation with the id 1 is of category 9",
        id="category",
    ),
    pytest.param(
        broken(annotations=(0, {"bbox": [1, 2, -3, 4]})), "the id 1 has a negative width", id="negative"
    ),
    pytest.param(
        broken(annotations=(0, {"bbox": [1, 2, 3]})), "is no file of annotations", id="three-numbers"
    ),
    pytest.param(
        {**made.LVIS, "categories": [*made.LVIS["categories"], {"id": 1, "name": "again", "frequency": "r"}]},
        "two categories have one id",
        id="category-twice",
    ),
    pytest.param(broken(images=(1, {"coco_url": None})), "image 7 has neither", id="no-address"),
]


@pytest.mark.parametrize(("content", "said"), FLAWS)
def test_a_file_that_an_evaluator_would_misread_is_refused(content: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=said):
        lvis(tmp_path, None, content)


FSCD_FLAWS = [
    pytest.param("Train_Test_Val_FSC_147.json", "[]", "is not the split file", id="split-list"),
    pytest.param("Train_Test_Val_FSC_147.json", '{"val": []}', "names no split val", id="empty-split"),
    pytest.param("Train_Test_Val_FSC_147.json", '{"val": ["1.jpg"]}', "not in instances_val", id="no-image"),
    pytest.param("ImageClasses_FSC147.txt", "4.jpg\tbeads\n", "not in ImageClasses.*2.jpg", id="no-kind"),
    pytest.param("ImageClasses_FSC147.txt", "4.jpg beads\n", "no list of image and kind", id="no-tab"),
]


@pytest.mark.parametrize(("name", "text", "said"), FSCD_FLAWS)
def test_files_of_fscd_147_that_do_not_belong_together(
    name: str, text: str, said: str, tmp_path: Path
) -> None:
    made.write(made.fscd_147(tmp_path) / name, text)
    with pytest.raises(ResultError, match=said):
        open_annotations(tmp_path, "fscd147", None, None)


MISUSED = [
    pytest.param(None, None, "--layout None: give one of lvis, odinw13", id="no-layout"),
    pytest.param("voc", None, "--layout voc", id="unknown-layout"),
    pytest.param("lvis", "all", "--queries all: give one of federated, positive", id="unknown-queries"),
    pytest.param("fscd147", "positive", "only --layout lvis has queries", id="queries-of-fscd"),
]


@pytest.mark.parametrize(("layout", "queries", "said"), MISUSED)
def test_what_cannot_be_asked_for(layout: str | None, queries: str | None, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        open_annotations(tmp_path, layout, queries, None)


def test_a_missing_file_is_one_sentence_with_its_path(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r"AerialMaritimeDrone/large/test/.*check --annotations"):
        open_annotations(tmp_path, "odinw13", None, None)


def test_golds_survive_json(tmp_path: Path) -> None:
    rows = list(lvis(tmp_path).rows())
    assert json.loads(json.dumps(rows)) == rows
