"""AP of boxes equals COCOeval's and LVISEval's: worked examples by hand, and whole runs.

Sources: facts 7 (values from pycocotools 2.0.11 and lvis 0.5.3); the runs' `official.json`.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

import pytest

from mmeval.detection.backends import Backend, backend
from mmeval.detection.coco import from_coco
from mmeval.detection.columns import Columns
from mmeval.detection.frequencies import frequencies_of
from mmeval.detection.measure import Numbers, measure
from mmeval.detection.protocol import caps

Run = Callable[[str], tuple[list[dict[str, Any]], dict[str, Any]]]
Box = tuple[float, float, float, float]

SAME = 1e-12
GOLD: Box = (100, 100, 100, 100)
AWAY: Box = (400, 300, 50, 50)


@pytest.fixture(params=["hotcoco", "reference"])
def coco(request: pytest.FixtureRequest) -> Backend:
    pytest.importorskip("hotcoco" if request.param == "hotcoco" else "pycocotools")
    return backend(request.param, "coco")


@pytest.fixture(params=["hotcoco", "reference"])
def lvis(request: pytest.FixtureRequest) -> Backend:
    """LVISEval needs the package lvis here; else test_box_evaluators asks it among the peers."""
    needed = "hotcoco" if request.param == "hotcoco" else "lvis"
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    return backend(request.param, "lvis")


def columns(
    golds: list[tuple[int, Box]], found: list[tuple[int, Box]], images: int = 2, first: int = 1
) -> Columns:
    """One category; every score is 1.0, so the order decides. Ids of golds start at `first`."""
    truth = {
        "images": [{"id": number} for number in range(1, images + 1)],
        "categories": [{"id": 7}],
        "annotations": [
            {"id": number, "image_id": image, "category_id": 7, "bbox": box, "area": box[2] * box[3]}
            for number, (image, box) in enumerate(golds, first)
        ],
    }
    results = [{"image_id": image, "category_id": 7, "bbox": box, "score": 1.0} for image, box in found]
    return from_coco(truth, results)


def shifted(iou: float) -> Box:
    """The gold box moved to the right until it overlaps itself by `iou`."""
    return (100 + 100 * (1 - iou) / (1 + iou), 100, 100, 100)


# Shift of a 100 x 100 box by d: IoU = (100 - d) / (100 + d).
SHIFTS = [
    (1 / 2, 0.1),
    (0.6, 0.3),
    (2 / 3, 0.4),
    (0.75, 0.6),
    (9 / 11, 0.7),
    (19 / 21, 0.9),
    (0.951, 1.0),
    (0.97, 1.0),
]


@pytest.mark.parametrize(("iou", "expected"), SHIFTS, ids=[f"iou-{iou:.4f}" for iou, _ in SHIFTS])
def test_a_shifted_box(coco: Backend, iou: float, expected: float) -> None:
    # A hair more, so that the threshold is met in floats as it is on paper.
    made = columns([(1, GOLD)], [(1, shifted(iou + 1e-9))])
    assert measure(made, caps("coco", 100), coco).official["AP"] == pytest.approx(expected, abs=SAME)


OTHER: Box = (300, 100, 100, 100)
WORKED = [
    ("exact", [(1, GOLD)], [(1, GOLD)], 1.0),
    ("fp-before-tp", [(1, GOLD)], [(1, AWAY), (1, GOLD)], 0.5),
    ("tp-before-fp", [(1, GOLD)], [(1, GOLD), (1, AWAY)], 1.0),
    ("fp-in-empty-image-1", [(2, GOLD)], [(1, AWAY), (2, GOLD)], 0.5),
    ("fp-in-empty-image-2", [(1, GOLD)], [(2, AWAY), (1, GOLD)], 1.0),
    ("duplicate-after-tp", [(1, GOLD)], [(1, GOLD), (1, GOLD)], 1.0),
    ("one-of-two", [(1, GOLD), (1, OTHER)], [(1, GOLD)], 51 / 101),
    ("tp-fp-tp", [(1, GOLD), (1, OTHER)], [(1, GOLD), (1, AWAY), (1, OTHER)], 0.834983498349835),
    ("zero-size-before-tp", [(1, GOLD)], [(1, (120, 120, 0, 0)), (1, GOLD)], 0.5),
    ("negative-size-before-tp", [(1, GOLD)], [(1, (200, 200, -100, -100)), (1, GOLD)], 0.5),
    ("nothing-found", [(1, GOLD)], [], 0.0),
]


@pytest.mark.parametrize(
    ("golds", "found", "expected"), [each[1:] for each in WORKED], ids=[each[0] for each in WORKED]
)
def test_worked_by_hand(
    coco: Backend, golds: list[tuple[int, Box]], found: list[tuple[int, Box]], expected: float
) -> None:
    assert measure(columns(golds, found), caps("coco", 100), coco).official["AP"] == pytest.approx(
        expected, abs=SAME
    )


def test_sizes_without_golds_are_not_measured(coco: Backend) -> None:
    numbers = measure(columns([(1, GOLD)], [(1, GOLD)]), caps("coco", 100), coco).official
    assert numbers == {
        **dict.fromkeys(["AP", "AP50", "AP75", "APl", "AR1", "AR10", "AR100", "ARl"], pytest.approx(1.0)),
        **dict.fromkeys(["APs", "APm", "ARs", "ARm"]),
    }


def test_an_annotation_with_id_0_counts_like_any_other(coco: Backend) -> None:
    """COCOeval itself reads id 0 as unmatched and prints 0.0; numbered from 1, the box is found."""
    assert measure(columns([(1, GOLD)], [(1, GOLD)], first=0), caps("coco", 100), coco).official[
        "AP"
    ] == pytest.approx(1.0)


MANY: list[tuple[int, Box]] = [(1, (20.0 * (n % 15), 20.0 * (n // 15), 10.0, 10.0)) for n in range(150)]
CAPS = [
    ("100", 100, {"AP": 67 / 101, "AP50": 67 / 101, "AR100": 100 / 150}),
    ("qwen3-vl", (100, 300, 1000), {"AP": 67 / 101, "AP50": 1.0, "AP75": 1.0, "AR300": 1.0, "AR1000": 1.0}),
    ("without-100", (1, 10, 300), {"AP": 1.0, "AP50": 1.0, "AR300": 1.0}),
    ("300", 300, {"AP": 1.0, "AP50": 1.0, "AR1": 1 / 150, "AR10": 10 / 150}),
    ("counting-detr", (900, 1000, 1100), {"AP": 1.0, "AP50": 1.0, "AR1100": 1.0}),
]


@pytest.mark.parametrize(
    ("declared", "expected"), [each[1:] for each in CAPS], ids=[each[0] for each in CAPS]
)
def test_150_golds_all_found(
    coco: Backend, declared: int | tuple[int, ...], expected: dict[str, float]
) -> None:
    made = measure(columns(MANY, MANY, images=1), caps("coco", declared), coco)
    assert {name: made.official[name] for name in expected} == pytest.approx(expected, abs=SAME)
    without = declared not in (100, (100, 300, 1000))
    assert (["would print -1" in note for note in made.notes] == [True]) is without


def federated(
    golds: list[tuple[int, int]], found: list[tuple[int, int, float]], **lists: dict[int, list[int]]
) -> Columns:
    """Golds as (image, category), detections as (image, category, score), all the same box."""
    truth = {
        "images": [
            {"id": number, **{f"{name}_category_ids": each.get(number, []) for name, each in lists.items()}}
            for number in (1, 2)
        ],
        "categories": [{"id": number} for number in (1, 2, 3)],
        "annotations": [
            {"id": number, "image_id": image, "category_id": category, "bbox": GOLD, "area": 1e4}
            for number, (image, category) in enumerate(golds, 1)
        ],
    }
    results = [
        {"image_id": image, "category_id": category, "bbox": GOLD, "score": score}
        for image, category, score in found
    ]
    return from_coco(truth, results)


FOUND = [(1, 1, 0.5), (2, 1, 0.9)]
FEDERATED = [
    ("neither-positive-nor-negative", {}, 1.0),
    ("verified-absent", {"neg": {2: [1]}}, 0.5),
    ("negative-but-not-exhaustive", {"neg": {2: [1]}, "not_exhaustive": {2: [1]}}, 1.0),
]


@pytest.mark.parametrize(
    ("lists", "expected"), [each[1:] for each in FEDERATED], ids=[each[0] for each in FEDERATED]
)
def test_a_false_positive_of_a_federated_set(
    lvis: Backend, lists: dict[str, dict[int, list[int]]], expected: float
) -> None:
    made = federated([(1, 1)], FOUND, **lists)
    assert measure(made, caps("lvis", None), lvis).official["AP"] == pytest.approx(expected, abs=SAME)


def test_frequency_groups(lvis: Backend) -> None:
    made = federated([(1, 1), (1, 2), (1, 3)], [(1, 1, 0.5), (1, 2, 0.5)])
    numbers = measure(made, caps("lvis", None), lvis, {"1": "f", "2": "c", "3": "r"}).official
    assert {name: numbers[name] for name in ("AP", "APr", "APc", "APf")} == pytest.approx(
        {"AP": 2 / 3, "APr": 0.0, "APc": 1.0, "APf": 1.0}, abs=SAME
    )


def test_the_cap_of_lvis_is_over_all_categories(lvis: Backend) -> None:
    made = federated([(1, 1), (1, 2)], [(1, 1, 0.9), (1, 2, 0.5)])
    assert measure(made, caps("lvis", 1), lvis).official["AP"] == pytest.approx(0.5, abs=SAME)
    assert measure(made, caps("lvis", 2), lvis).official["AP"] == pytest.approx(1.0, abs=SAME)


def test_nothing_found_in_a_federated_set(lvis: Backend) -> None:
    assert measure(federated([(1, 1)], []), caps("lvis", None), lvis).official["AP"] == 0.0


def of_run(rows: list[dict[str, Any]]) -> Columns:
    """A run whose replies are COCO's own result entries."""
    golds = [{**gold, "image_id": row["image_id"]} for row in rows for gold in row["answer"]]
    found = [
        {**each, "image_id": row["image_id"]}
        for row in rows
        for each in json.loads(row["messages"][1]["response"][0])
    ]
    images = [{**row, "id": row["image_id"]} for row in rows]
    categories = {each["category_id"] for each in (*golds, *found)}
    truth = {"images": images, "annotations": golds, "categories": [{"id": each} for each in categories]}
    return from_coco(truth, found)


def official(numbers: dict[str, float]) -> dict[str, Any]:
    """The numbers of `official.json`: -1 is nothing to measure, and names lose the cap that they repeat."""
    return {
        name if name.startswith("AR@") else name.partition("@")[0]: None
        if value == -1
        else pytest.approx(value, abs=SAME)
        for name, value in numbers.items()
    }


@pytest.mark.parametrize("folder", ["coco_val2014_100__fakebbox", "coco_crowd_one_image__detector"])
def test_a_coco_run(coco: Backend, official_run: Run, folder: str) -> None:
    rows, known = official_run(folder)
    made = measure(of_run(rows), caps("coco", 100), coco)
    assert made.official == official(known["aggregate"]["pycocotools"])
    _same_per_category(made, known["aggregate"])


def _same_per_category(made: Numbers, known: dict[str, Any]) -> None:
    numbers = {name: number for number, name in known.get("categories", {}).items()}
    expected = {
        numbers[name]: each["AP"]
        for name, each in known.get("per_category_AP", {}).items()
        if each["AP"] != -1
    }
    assert {name: made.categories[name] for name in expected} == pytest.approx(expected, abs=SAME)


def test_the_lvis_run(lvis: Backend, official_run: Run) -> None:
    rows, known = official_run("lvis_val_100__synthetic")
    frequencies = frequencies_of(known["aggregate"]["categories"], "categories")
    made = measure(of_run(rows), caps("lvis", 300), lvis, frequencies)
    assert made.official == official(known["aggregate"]["lvis_api"])
    assert made.notes == ()
