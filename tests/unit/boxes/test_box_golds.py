"""Golds in the forms that datasets write them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.boxes.geometry import frame
from mmeval.boxes.golds import Gold, read_corners, read_golds
from mmeval.types import Json

RUNS = Path(__file__).resolve().parents[4] / "shared" / "runs"
COCO: dict[str, Json] = {"id": 5, "category_id": 18, "bbox": [1, 2, 3, 4], "area": 7.5, "iscrowd": 1}

FORMS = [
    pytest.param([COCO], [Gold((1, 2, 3, 4), 7.5, None, 18, True, 5)], id="coco"),
    pytest.param(
        [{"id": 861, "category_id": 1057, "bbox": [1, 2, 3, 4], "area": 7}],
        [Gold((1, 2, 3, 4), 7.0, None, 1057, False, 861)],
        id="lvis",
    ),
    pytest.param([[1, 2, 3, 4], [5, 6, 7, 8]], [Gold((1, 2, 3, 4), 12), Gold((5, 6, 7, 8), 56)], id="lists"),
    pytest.param([1, 2, 3, 4], [Gold((1, 2, 3, 4), 12)], id="one-box"),
    pytest.param({"box_2d": [1, 2, 3, 4], "name": "dog"}, [Gold((1, 2, 3, 4), 12, "dog")], id="one-object"),
    pytest.param('[{"bbox":[1,2,3,4],"label":"dog"}]', [Gold((1, 2, 3, 4), 12, "dog")], id="text"),
    pytest.param(
        {"bbox": [[1, 2, 3, 4], [5, 6, 7, 8]], "class": "dog"},
        [Gold((1, 2, 3, 4), 12, "dog"), Gold((5, 6, 7, 8), 56, "dog")],
        id="several-of-a-label",
    ),
    pytest.param([], [], id="no-objects"),
    pytest.param([{**COCO, "category_id": "18"}], [Gold((1, 2, 3, 4), 7.5, None, 18, True, 5)], id="digits"),
    pytest.param([{**COCO, "category_id": 18.0}], [Gold((1, 2, 3, 4), 7.5, None, 18, True, 5)], id="float"),
    pytest.param([{**COCO, "category_id": 0}], [Gold((1, 2, 3, 4), 7.5, None, 0, True, 5)], id="category-0"),
    pytest.param([{**COCO, "id": True}], [Gold((1, 2, 3, 4), 7.5, None, 18, True, None)], id="no-id"),
    pytest.param([[1, 2, 0, 0]], [Gold((1, 2, 0, 0), 0)], id="no-extent"),
]


@pytest.mark.parametrize(("answer", "golds"), FORMS)
def test_form(answer: Json, golds: list[Gold]) -> None:
    assert read_golds(answer) == tuple(golds)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, "no list of boxes"),
        (7, "no list of boxes"),
        ("a dog", "a text that is no JSON"),
        ("[" * 100_000, "a text that is no JSON"),
        ("7", "no list of boxes"),
        ([[1, 2, 3, 4], [1, 2, 3]], "box 1 has no four numbers"),
        ([[1, 2, 3, None]], "box 0 has no four numbers"),
        ([[1, 2, 3, float("nan")]], "box 0 has no four numbers"),
        ([[1, 2, 3, 10**400]], "box 0 has no four numbers"),
        ([{"label": "dog"}], "box 0 has no four numbers"),
        ([{}], "box 0 has no four numbers"),
        ([{"bbox": {"x": 1}}], "box 0 has no four numbers"),
        ([None], "box 0 has no four numbers"),
        ([[1, 2, -3, 4]], "box 0 is negative-size"),
        ([{**COCO, "category_id": "dog"}], "box 0 has a strange category_id"),
        ([{**COCO, "category_id": True}], "box 0 has a strange category_id"),
        ([{**COCO, "category_id": [18]}], "box 0 has a strange category_id"),
        ([{**COCO, "area": "7.5"}], "box 0 has a strange area"),
        ([{**COCO, "area": -1}], "box 0 has a strange area"),
        ([{**COCO, "iscrowd": "1"}], "box 0 has a strange iscrowd"),
        ([COCO, {**COCO, "iscrowd": 2}], "box 1 has a strange iscrowd"),
    ],
)
def test_a_gold_that_cannot_be_used(answer: Any, reason: str) -> None:
    assert read_golds(answer) == f"unparsable-gold: {reason}"


def test_the_reading_of_golds_is_declared() -> None:
    assert read_golds([[1, 2, 4, 6]], frame("pixels", "xyxy")) == (Gold((1, 2, 3, 4), 12),)
    assert read_golds([[1, 2, 4, 6]], frame(1000, "xyxy")) == "no-image-size"
    assert read_corners([0.1, 0.2, 0.3, 0.4], frame(1, "xyxy", 1, 1)) == ((0.1, 0.2, 0.3, 0.4),)
    assert read_corners([4, 3, 2, 1], frame("pixels", "xyxy")) == "unparsable-gold: box 0 is inverted"
    assert read_corners([None], frame("pixels", "xyxy")) == "unparsable-gold: box 0 has no four numbers"


def test_the_category_is_a_text() -> None:
    assert [gold.category for gold in (Gold((0, 0, 1, 1), 1, "dog", 18), Gold((0, 0, 1, 1), 1, "dog"))] == [
        "18",
        "dog",
    ]
    assert Gold((0, 0, 1, 1), 1).category == ""


@pytest.mark.parametrize(
    ("run", "count"),
    [
        ("coco_crowd_one_image__detector", 13),
        ("coco_val2014_100__fakebbox", None),
        ("lvis_val_100__synthetic", None),
    ],
)
def test_golds_of_real_runs(run: str, count: int | None) -> None:
    path = RUNS / run / "result.json"
    if not path.is_file():
        pytest.skip(f"the run {run} is not beside the repository")
    rows = json.loads(path.read_text())
    golds = [read_golds(row["answer"]) for row in rows]
    assert all(isinstance(each, tuple) for each in golds)
    assert [len(each) for each in golds] == [len(row["answer"]) for row in rows]
    if count is not None:
        assert sum(not gold.crowd for each in golds if isinstance(each, tuple) for gold in each) == count
