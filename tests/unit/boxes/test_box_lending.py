"""A tool's detections: how they are read, and to which boxes they lend."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mmeval.boxes.categories import Names
from mmeval.boxes.geometry import Frame, iou
from mmeval.boxes.lending import lend, read_detections
from mmeval.boxes.model import Placed

NAMES = Names((), True)
CORNERS = Frame("pixels", "xyxy")
ONE = (Placed((1, 2, 10, 20), "cat", 0.9),)
READ = [
    pytest.param([{"bbox": [1, 2, 11, 22], "label": "Cat", "score": 0.9}], ONE, id="objects"),
    pytest.param(
        {"detections": [{"box": [1, 2, 11, 22], "class": "cat", "confidence": 0.9}]}, ONE, id="nested"
    ),
    pytest.param({"boxes": [[1, 2, 11, 22]], "scores": [0.9], "labels": ["cat"]}, ONE, id="side-by-side"),
    pytest.param(
        {"boxes": [[1, 2, 11, 22]], "scores": [0.9]}, (Placed((1, 2, 10, 20), "", 0.9),), id="no-label"
    ),
    pytest.param({"boxes": [[1, 2, 11, 22]]}, (), id="no-score"),
    pytest.param([{"bbox": [9, 2, 1, 22], "score": 0.9}], (), id="inverted"),
    pytest.param({"bboxes": []}, (), id="none"),
    pytest.param(None, (), id="null"),
]


@pytest.mark.parametrize(("value", "expected"), READ)
def test_detections_are_read(value: Any, expected: tuple[Placed, ...]) -> None:
    found, unusable = read_detections(value, CORNERS, NAMES)
    assert (found, unusable > 0) == (expected, not expected and value not in ({"bboxes": []}, []))


@pytest.mark.parametrize(
    ("value", "unusable"),
    [
        ([[1, 2, 11, 22, 0.9]], 1),
        ([{"bbox": [1, 2, 11, 22], "score": "0.9"}, {"bbox": [1, 2, 11, 22], "score": 0.9}], 1),
        ([{"bbox": [9, 2, 1, 22], "score": 0.9}, {"bbox": [1, 2, 3]}], 2),
        ([], 0),
    ],
    ids=["five-numbers", "score-as-text", "no-boxes", "none"],
)
def test_detections_that_lend_nothing_are_counted(value: Any, unusable: int) -> None:
    assert read_detections(value, CORNERS, NAMES)[1] == unusable


def placed(x: float, category: str = "cat", score: float = 1.0) -> Placed:
    return Placed((x, 0, 10, 10), category, score)


LENT = [
    pytest.param([placed(0)], [], ([0.5], [0]), id="nothing-lends"),
    pytest.param([placed(0)], [placed(2, score=0.7)], ([0.7], [2]), id="score-and-box"),
    pytest.param([placed(0)], [placed(8, score=0.7)], ([0.5], [0]), id="too-far"),
    pytest.param([placed(0)], [Placed((0, 0, 20, 10), "cat", 0.7)], ([0.7], [0]), id="exactly-half"),
    pytest.param([placed(0)], [placed(0, "dog", 0.7)], ([0.5], [0]), id="another-label"),
    pytest.param([placed(0)], [placed(0, "", 0.7)], ([0.7], [0]), id="tool-without-labels"),
    pytest.param([placed(0)], [placed(2, score=0.9), placed(1, score=0.2)], ([0.2], [1]), id="best-overlap"),
    pytest.param([placed(0)], [placed(1, score=0.2), placed(1, score=0.9)], ([0.9], [1]), id="alike"),
    pytest.param([placed(0), placed(1)], [placed(0, score=0.3)], ([0.3, 0.3], [0, 0]), id="to-many"),
]


@pytest.mark.parametrize(("boxes", "tools", "expected"), LENT)
def test_what_is_lent(
    boxes: list[Placed], tools: list[Placed], expected: tuple[list[float], list[float]]
) -> None:
    scores, places = lend(boxes, tools)
    assert (scores, [place[0] for place in places]) == expected


def test_the_same_as_comparing_every_pair() -> None:
    draw = random.Random(5)

    def some(count: int) -> list[Placed]:
        return [
            Placed(
                (draw.uniform(0, 30), draw.uniform(0, 30), draw.uniform(0, 20), draw.uniform(0, 20)),
                draw.choice("ab"),
                draw.random(),
            )
            for _ in range(count)
        ]

    for _ in range(50):
        boxes, tools = some(12), some(12)
        for box, score in zip(boxes, lend(boxes, tools)[0], strict=True):
            near = [(iou(box.xywh, tool.xywh), tool.score) for tool in tools if tool.category == box.category]
            best = max((each for each in near if each[0] >= 0.5), default=(0.0, 0.5))
            assert score == best[1]
