"""mask-iou: which gold masks were found."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from timing import room

from mmeval.aggregates.boxes import BoxF1
from mmeval.errors import UsageError
from mmeval.stages.mask_iou import MaskIou
from mmeval.types import Case, Invalid, Measured, Options, Row, Sample

pytest.importorskip("pycocotools")

SQUARE = [10, 10, 20, 10, 20, 20, 10, 20]
AWAY = [50, 50, 60, 50, 60, 60, 50, 60]


def strip(height: float) -> list[float]:
    return [10, 10, 20, 10, 20, 10 + height, 10, 10 + height]


def sample(golds: Any, **fields: Any) -> Sample:
    fields = {"width": 100, "height": 80, **fields}
    return Sample("7", "", Options(()), golds, (), ("",), "open", fields=fields)


def measured(reply: Any, golds: Any, stage: MaskIou | None = None, **resources: Any) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    outcome = (stage or MaskIou())(Case(sample(golds), text, (), resources))
    assert isinstance(outcome, Measured)
    assert isinstance(outcome.evidence, dict)
    return outcome.evidence


def counts(evidence: dict[str, Any]) -> tuple[int, int, int]:
    return evidence["tp"], evidence["fp"], evidence["fn"]


GOLD = [{"segmentation": [SQUARE], "category_id": 1}]
CASES = [
    ("exact", [{"polygon": SQUARE, "category_id": 1}], (1, 0, 0), 1.0),
    ("pairs", [{"polygon": [[10, 10], [20, 10], [20, 20], [10, 20]], "category_id": 1}], (1, 0, 0), 1.0),
    ("0.6", [{"polygon": strip(6), "category_id": 1}], (1, 0, 0), 0.6),
    ("at-0.5", [{"polygon": strip(5), "category_id": 1}], (1, 0, 0), 0.5),
    ("0.4", [{"polygon": strip(4), "category_id": 1}], (0, 1, 1), 0.0),
    ("other-category", [{"polygon": SQUARE, "category_id": 2}], (0, 1, 1), 0.0),
    ("twice", [{"mask": SQUARE, "category_id": 1}] * 2, (1, 1, 0), 1.0),
    (
        "best-first",
        [{"mask": strip(6), "category_id": 1}, {"mask": SQUARE, "category_id": 1}],
        (1, 1, 0),
        1.0,
    ),
    ("fenced", f'Here:\n```json\n[{{"mask": {SQUARE}, "category_id": 1}}]\n```', (1, 0, 0), 1.0),
    ("cut", f'[{{"mask": {SQUARE}, "category_id": 1}}, {{"mask": [1, 2', (1, 0, 0), 1.0),
    ("refusal", "I see no cat.", (0, 0, 1), 0.0),
    ("empty", "", (0, 0, 1), 0.0),
]


@pytest.mark.parametrize(
    ("reply", "expected", "iou"), [each[1:] for each in CASES], ids=[each[0] for each in CASES]
)
def test_pairs(reply: Any, expected: tuple[int, int, int], iou: float) -> None:
    evidence = measured(reply, GOLD)
    assert counts(evidence) == expected
    assert evidence["iou"] == pytest.approx(iou)


def test_run_lengths_and_polygons_are_one() -> None:
    import numpy as np
    from pycocotools import mask as library

    pixels = np.zeros((80, 100), dtype=np.uint8, order="F")
    pixels[10:20, 10:20] = 1
    compressed = library.encode(pixels)["counts"].decode()
    runs = [810, *[10, 70] * 9, 10, 80 * 100 - 810 - 10 * 10 - 70 * 9]
    for said in ({"size": [80, 100], "counts": compressed}, {"size": [80, 100], "counts": runs}):
        assert counts(measured([{"rle": said, "category_id": 1}], GOLD)) == (1, 0, 0)
        assert measured([{**said, "category_id": 1}], GOLD)["iou"] == 1.0


def test_a_union_of_polygons_is_one_mask() -> None:
    golds = [{"segmentation": [strip(5), [10, 15, 20, 15, 20, 20, 10, 20]], "label": "cat"}]
    assert measured([{"mask": SQUARE, "label": "Cat"}], golds)["iou"] == pytest.approx(1.0)


def test_a_grid_is_declared() -> None:
    shares = [x / 100 * 1000 if n % 2 == 0 else x / 80 * 1000 for n, x in enumerate(SQUARE)]
    reply = [{"mask": shares, "category_id": 1}]
    assert measured(reply, GOLD, MaskIou(grid=1000))["iou"] == pytest.approx(1.0)
    assert measured(reply, GOLD)["dropped"] == {"far-outside": 1}


def test_what_lies_in_a_crowd_counts_nowhere() -> None:
    golds = [*GOLD, {"segmentation": [[40, 40, 80, 40, 80, 80, 40, 80]], "category_id": 1, "iscrowd": 1}]
    reply = [{"mask": each, "category_id": 1} for each in (SQUARE, AWAY, AWAY)]
    assert counts(measured(reply, golds)) == (1, 0, 0)


def test_nothing_to_find() -> None:
    assert measured("", [])["iou"] == measured("", [])["f1"] == 1.0
    assert measured([{"mask": SQUARE}], [])["iou"] == 0.0


def test_categories_come_from_a_resource_or_are_one() -> None:
    names = [{"id": 1, "name": "cat"}]
    assert counts(measured([{"mask": SQUARE, "label": "CAT"}], GOLD, categories=names)) == (1, 0, 0)
    lost = measured([{"mask": SQUARE, "label": "dog"}], GOLD, categories=names)
    assert lost["dropped"] == {"unknown-label": 1}
    assert counts(measured([{"mask": SQUARE, "label": "dog"}], GOLD, MaskIou(single_class=True))) == (1, 0, 0)


DROPPED = [
    ("no-mask", "a text"),
    ("no-polygon", [1, 2, 3, 4]),
    ("no-polygon", [1, 2, 3, 4, 5, "6"]),
    ("no-polygon", [1, 2, 3, 4, 5, 10**400]),
    ("no-polygon", []),
    ("no-polygon", [SQUARE, 5]),
    ("far-outside", [0, 0, 1e9, 0, 1e9, 1e9]),
    ("endless-outline", [0, 0, 100, 80] * 400),
    ("empty-mask", [1, 1, 1, 1, 1, 1]),
    ("other-size", {"size": [100, 80], "counts": [8000]}),
    ("other-size", {"size": [80, 100], "counts": [5]}),
    ("unreadable-runs", {"size": [80, 100], "counts": [9000, -1000]}),
    ("unreadable-runs", {"size": [80, 100], "counts": "~~~~"}),
    ("unreadable-runs", {"size": [80, 100], "counts": "o" * 40}),
    ("unreadable-runs", {"size": [80, 100]}),
]


@pytest.mark.parametrize(("why", "said"), DROPPED, ids=[f"{n}-{each[0]}" for n, each in enumerate(DROPPED)])
def test_what_is_no_mask_is_counted(why: str, said: Any) -> None:
    assert measured([{"mask": said, "category_id": 1}], GOLD)["dropped"] == {why: 1}


@pytest.mark.parametrize(
    ("answer", "fields", "reason"),
    [
        (GOLD, {"width": None}, "missing-image-size"),
        (None, {}, "missing-reference"),
        ([{"mask": [1, 2]}], {}, "unparsable-gold"),
        ("a cat", {}, "unparsable-gold"),
        (GOLD, {"width": 10**6}, "unparsable-gold"),
    ],
)
def test_rows_that_cannot_be_graded(answer: Any, fields: dict[str, Any], reason: str) -> None:
    assert MaskIou()(Case(sample(answer, **fields), "[]")) == Invalid(reason)


@pytest.mark.parametrize("params", [{"threshold": 0}, {"label_match": "fuzzy"}, {"grid": "12"}])
def test_what_cannot_be_declared(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        MaskIou(**params)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps([{"mask": [0, 0, 99, 79] * 500}]),
        json.dumps([{"mask": [0, 0, 99, 79, 0, 79]}] * 300),
        '[{"mask": ' * 1000,
        json.dumps([{"counts": "0" * 9000, "size": [80, 100]}]),
        '{"mask": {"counts": [' + "1," * 4000,
    ],
    ids=["zigzag", "many", "nested", "runs", "cut"],
)
def test_hostile_replies_cost_little(reply: str) -> None:
    measured("[]", GOLD)
    best = 1.0
    for _ in range(3):
        started = time.process_time()
        measured(reply, GOLD)
        best = min(best, time.process_time() - started)
    assert best < 0.006 * room()


def test_f1_over_a_run_is_made_of_its_evidence() -> None:
    found = measured([{"mask": SQUARE, "category_id": 1}], GOLD)
    missed = {**measured("", GOLD), "image": "8"}
    rows = [
        Row(str(n), None, "ok", True, None, None, None, {}, each) for n, each in enumerate((found, missed))
    ]
    assert BoxF1()(rows).parts == {"f1": pytest.approx(2 / 3), "precision": 1.0, "recall": 0.5}
