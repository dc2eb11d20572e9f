"""Boxes against the peers' own code: overlaps to the last bit, hits, centres, and what is read of replies."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from mmeval.boxes.geometry import corner_iou, frame, to_corners
from mmeval.boxes.reading import read_boxes
from mmeval.stages.box_iou import BoxIou
from mmeval.stages.point_in_box import PointInBox
from mmeval.types import Case, Options, Sample, Score

Ask = Callable[[str, list[list[Any]]], list[Any]]
Corners = tuple[float, float, float, float]
SHARES: dict[str, Any] = {"grid": 1, "gold_grid": 1, "gold_form": "xyxy"}


def pairs() -> list[tuple[Corners, Corners]]:
    """Gold and prediction as shares, two decimals and many, from far apart to equal."""
    dice = random.Random(11)
    found = []
    for number in range(1000):
        digits = 2 if number % 2 else 6
        gold = corners(dice, digits)
        near: Corners = tuple(round(min(max(v + dice.gauss(0, 0.05), 0), 1), digits) for v in gold)  # type: ignore[assignment]
        found.append((gold, near if near[0] < near[2] and near[1] < near[3] else gold))
        found.append((gold, corners(dice, digits)))
    return [
        *found,
        ((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 1.0)),
        ((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 0.5, 0.5)),
    ]


def corners(dice: random.Random, digits: int) -> Corners:
    """A box that is not empty, of which the peer's overlap is no number."""
    x, y = round(dice.uniform(0, 0.9), digits), round(dice.uniform(0, 0.9), digits)
    return x, y, round(dice.uniform(x + 0.02, 1), digits), round(dice.uniform(y + 0.02, 1), digits)


def case(gold: Corners, reply: str) -> Case:
    return Case(Sample("1", "Where?", Options(()), list(gold), (), (reply,), "open"), reply)


@pytest.mark.parametrize("function", ["lmms.box_iou", "vlmeval.box_iou"])
def test_overlap_is_theirs_to_the_last_bit(ask_peer: Ask, function: str) -> None:
    cases = pairs()
    theirs = ask_peer(function, [[list(gold), list(box)] for gold, box in cases])
    assert len({round(each, 1) for each in theirs}) > 8
    assert theirs == [corner_iou(box, gold) for gold, box in cases]


def test_hits_are_theirs(ask_peer: Ask) -> None:
    asked = [(threshold, *pair) for pair in pairs() for threshold in (0.1, 0.3, 0.5, 0.7, 0.9)]
    theirs = ask_peer("lmms.box_hit", [[list(gold), list(box), threshold] for threshold, gold, box in asked])
    stages = {threshold: BoxIou(threshold=threshold, **SHARES) for threshold, _, _ in asked}
    ours = [stages[threshold](case(gold, json.dumps(box))) for threshold, gold, box in asked]
    assert [each.value for each in ours if isinstance(each, Score)] == [float(each) for each in theirs]


def test_centres_are_theirs(ask_peer: Ask) -> None:
    cases = pairs()
    theirs = ask_peer("lmms.box_centre", [[list(gold), list(box)] for gold, box in cases])
    stage = PointInBox(**SHARES)
    ours = [stage(case(gold, json.dumps(box))) for gold, box in cases]
    assert [each.value for each in ours if isinstance(each, Score)] == [float(each) for each in theirs]


WRITTEN = [
    "[0.1, 0.2, 0.3, 0.4]",
    "The box is [0.1,0.2,0.3,0.4].",
    "[[1, 2, 3, 4], [5, 6, 7, 8]]",
    '[{"bbox_2d": [1, 2, 3, 4], "label": "dog"}, {"bbox_2d": [5, 6, 7, 8], "label": "cat"}]',
    '```json\n[{"bbox_2d": [1, 2, 3, 4], "label": "dog"}]\n```',
    'Sure: {"bbox": [1, 2, 3, 4]}',
    '{"objects": [{"bbox": [1, 2, 3, 4]}, {"bbox": [5, 6, 7, 8]}]}',
    "I cannot find it.",
    "",
]


@pytest.mark.parametrize(("function", "first"), [("lmms.first_box", True), ("lmms.boxes", False)])
def test_plain_replies_are_read_as_theirs(ask_peer: Ask, function: str, first: bool) -> None:
    theirs = ask_peer(function, [[text] for text in WRITTEN])
    ours = [[list(box.values) for box in read_boxes(text).boxes] for text in WRITTEN]
    assert theirs == ([(each or [[0, 0, 0, 0]])[0] for each in ours] if first else ours)


# Where ours differ on purpose: the reply, what lmms-eval's readers make of it, and what ours does.
DIFFERENT = [
    pytest.param("<think>[9, 9, 9, 9]</think>[1, 2, 3, 4]", "lmms.first_box", [9, 9, 9, 9], id="reasoning"),
    pytest.param("(1,2),(3,4)", "lmms.first_box", [0, 0, 0, 0], id="pairs"),
    pytest.param('[{"bbox": [1, 2, 3, 4]}, {"bbox": [5, 6', "lmms.boxes", [[1, 2, 3, 4]], id="truncated"),
    pytest.param("[1, 2, 3, 4.5e0]", "lmms.first_box", [0, 0, 0, 0], id="exponent"),
]


@pytest.mark.parametrize(("reply", "function", "theirs"), DIFFERENT)
def test_where_ours_differs(ask_peer: Ask, reply: str, function: str, theirs: list[Any]) -> None:
    assert ask_peer(function, [[reply]]) == [theirs]
    (box,) = read_boxes(reply).boxes
    assert box.values[:3] == (1, 2, 3)


def test_two_empty_boxes_do_not_overlap(ask_peer: Ask) -> None:
    empty = [0.5, 0.5, 0.5, 0.5]
    assert ask_peer("lmms.box_iou", [[empty, empty]]) == [{"raised": "ZeroDivisionError"}]
    assert corner_iou((0.5, 0.5, 0.5, 0.5), (0.5, 0.5, 0.5, 0.5)) == 0


def test_an_inverted_box_is_none_though_theirs_has_a_negative_area(ask_peer: Ask) -> None:
    gold, inverted = [0.0, 0.0, 1.0, 1.0], [0.5, 0.0, 0.0, 1.0]
    assert ask_peer("lmms.box_iou", [[gold, inverted]]) == [0.0]
    assert to_corners(inverted, frame("1", "xyxy", 1, 1)) == "inverted"
