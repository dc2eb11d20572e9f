"""Boxes of a sample in words."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports.box_report import SHOWN, drawn, has_boxes, lines


def box(x: float, category: str = "cat", score: float = 1.0) -> dict[str, Any]:
    return {"box": [x, 0, 10, 10], "category": category, "score": score}


def gold(x: float, category: str = "cat", crowd: bool = False) -> dict[str, Any]:
    return {"box": [x, 0, 10, 10], "category": category, "area": 100, "crowd": crowd}


MEASURED: dict[str, Any] = {
    "image": "a.jpg",
    "width": 200,
    "height": 100,
    "boxes": [box(1), box(50, score=0.25), box(80), box(120, "dog")],
    "golds": [gold(0), gold(45), gold(0, "bird"), gold(80, crowd=True), gold(180, "fish")],
    "matches": [[0, 0, 0.818]],
    "absorbed": [2],
    "unjudged": [3],
    "tp": 1,
    "fp": 1,
    "fn": 3,
    "mean_iou": 0.818,
    "f1": 1 / 3,
    "dropped": {"three-numbers": 2},
    "notes": ["look twice"],
}
FOUND: dict[str, Any] = {
    "iou": 0.25,
    "width": None,
    "height": None,
    "boxes": [{"box": [0, 0, 5, 5]}],
    "golds": [{"box": [0, 0, 10, 10]}],
    "dropped": {},
    "notes": [],
}


def test_every_box_is_told_by_what_became_of_it() -> None:
    assert lines(MEASURED) == [
        "image a.jpg, 200 x 100 pixels: 1 found, 3 missed, 1 without a gold at IoU 0.5; F1 0.333, "
        "mean IoU 0.818",
        "found: cat  [1.0, 0.0, 10.0, 10.0]  IoU 0.818, score 1",
        "missed: cat  [45.0, 0.0, 10.0, 10.0]  nearest box: IoU 0.333, cat",
        "missed: bird  [0.0, 0.0, 10.0, 10.0]  nearest box: IoU 0.818, cat",
        "missed: fish  [180.0, 0.0, 10.0, 10.0]  no box overlaps it",
        "no gold: cat  [50.0, 0.0, 10.0, 10.0]  score 0.25",
        "counts neither way: cat  [80.0, 0.0, 10.0, 10.0]  a crowd",
        "counts neither way: cat  [80.0, 0.0, 10.0, 10.0]  score 1",
        "counts neither way: dog  [120.0, 0.0, 10.0, 10.0]  score 1",
        "dropped: 2 three-numbers",
        "note: look twice",
    ]


def test_one_box_and_its_gold() -> None:
    assert lines(FOUND) == [
        "image",
        "gold: [0.0, 0.0, 10.0, 10.0]",
        "read: [0.0, 0.0, 5.0, 5.0]  IoU 0.250",
    ]
    pointed = {**FOUND, "boxes": [], "point": [3, 4.5], "width": 20, "height": 10}
    assert lines(pointed)[0] == "image of 20 x 10 pixels"
    assert lines(pointed)[-1] == "point: 3, 4.5"


def test_a_long_list_is_cut() -> None:
    many = {**MEASURED, "boxes": [box(500 + x) for x in range(SHOWN + 7)], "matches": [], "absorbed": []}
    said = lines({**many, "unjudged": []})
    assert len([text for text in said if text.startswith("no gold: cat")]) == SHOWN
    assert "no gold: 7 more" in said


def test_a_gold_that_was_found_is_drawn_too() -> None:
    assert [each.kind for each in drawn(MEASURED)] == [
        *("found", "missed", "missed", "aside", "missed"),
        *("matched", "false", "aside", "aside"),
    ]


@pytest.mark.parametrize("evidence", [None, "3 of 10", {"k": 1}, {"golds": 3, "width": 1}, {"golds": []}])
def test_other_evidence_is_none(evidence: Any) -> None:
    assert not has_boxes(evidence)
    assert has_boxes(MEASURED)
    assert has_boxes(FOUND)


def test_a_category_is_called_by_its_label_and_a_tool_s_score_is_told() -> None:
    said = {
        **MEASURED,
        "labels": {"cat": "Cat", "bird": "Bird"},
        "modes": {"constant": [1.0] * 4, "original": {"scores": [0.9, 0.5, 0.5, 0.5], "boxes": []}},
    }
    told = lines(said)
    assert "found: Cat (cat)  [1.0, 0.0, 10.0, 10.0]  IoU 0.818, score 1, 0.9 by the tool" in told
    assert "missed: Bird (bird)  [0.0, 0.0, 10.0, 10.0]  nearest box: IoU 0.818, Cat (cat)" in told
    assert "missed: fish  [180.0, 0.0, 10.0, 10.0]  no box overlaps it" in told
