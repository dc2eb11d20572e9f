"""Counts per image and category."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.boxes.diagnostics import Tally, has_lent, tallies


def box(x: float, category: str = "a") -> dict[str, Any]:
    return {"box": [x, 0, 10, 10], "category": category, "score": 1.0}


def gold(x: float, category: str = "a", crowd: bool = False) -> dict[str, Any]:
    return {"box": [x, 0, 10, 10], "category": category, "area": 100, "crowd": crowd}


def evidence(boxes: list[Any], golds: list[Any], matches: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "image": "7",
        "boxes": boxes,
        "golds": golds,
        "matches": matches,
        "absorbed": [],
        "unjudged": [],
        **more,
    }


CASES = [
    pytest.param(evidence([], [], []), [], id="nothing"),
    pytest.param(evidence([box(0)], [gold(0)], [[0, 0, 1.0]]), [("a", 1, 0, 0, 1.0)], id="found"),
    pytest.param(evidence([box(50)], [gold(0)], []), [("a", 0, 1, 1, 0.0)], id="missed-and-made-up"),
    pytest.param(
        evidence([box(0), box(0, "b")], [gold(0)], [[0, 0, 1.0]]),
        [("a", 1, 0, 0, 1.0), ("b", 0, 1, 0, 0.0)],
        id="two-categories",
    ),
    pytest.param(evidence([box(0)], [gold(0, crowd=True)], [], absorbed=[0]), [], id="crowd"),
    pytest.param(evidence([box(0)], [], [], unjudged=[0]), [], id="not-judged"),
]


@pytest.mark.parametrize(("said", "expected"), CASES)
def test_counts(said: dict[str, Any], expected: list[tuple[Any, ...]]) -> None:
    assert [each[1:] for each in tallies(said, False)] == expected


def test_what_a_tool_lent_is_counted_where_asked_for() -> None:
    lent = {"original": {"scores": [0.9], "boxes": [[0, 0, 10, 10]]}}
    said = evidence([box(50)], [gold(0)], [], modes=lent)
    assert has_lent(said)
    assert [each[2:5] for each in tallies(said, True)] == [(1, 0, 0)]
    assert [each[2:5] for each in tallies(said, False)] == [(0, 1, 1)]
    assert not has_lent(evidence([], [], []))


PARTLY = [
    # the reply's box misses and is unjudged; the tool's hits
    pytest.param(50, 0, [0], (1, 0, 0), id="lent-finds"),
    pytest.param(0, 50, [], (0, 0, 1), id="lent-misses"),
    pytest.param(50, 60, [0], (0, 0, 1), id="neither"),
]


@pytest.mark.parametrize(("own", "lent", "unjudged", "counts"), PARTLY)
def test_a_lent_box_of_a_category_that_is_not_labelled_in_full(
    own: float, lent: float, unjudged: list[int], counts: tuple[int, int, int]
) -> None:
    """LVIS: what has no gold there is not false; and none is ever counted twice."""
    modes = {"original": {"scores": [0.9], "boxes": [[lent, 0, 10, 10]]}}
    matches = [] if unjudged else [[0, 0, 1.0]]
    more: dict[str, Any] = {"modes": modes, "not_exhaustive": ["a"]}
    said = evidence([box(own)], [gold(0)], matches, **{**more, "unjudged": unjudged})
    assert [each[2:5] for each in tallies(said, True)] == [counts]


@pytest.mark.parametrize(
    ("counts", "rates"),
    [
        # 2 TP / (2 TP + FP + FN), by hand
        ((1, 0, 0, 0.75), (0.75, 1.0, 1.0, 1.0)),
        ((0, 1, 0, 0.0), (None, 0.0, None, 0.0)),
        ((0, 0, 2, 0.0), (None, None, 0.0, 0.0)),
        ((2, 1, 1, 1.5), (0.75, 2 / 3, 2 / 3, 2 / 3)),
    ],
)
def test_rates(counts: tuple[int, int, int, float], rates: tuple[float | None, ...]) -> None:
    tally = Tally("7", "a", *counts)
    assert (tally.mean_iou, tally.precision, tally.recall, tally.f1) == rates


def test_two_rows_of_one_image_are_added() -> None:
    assert Tally("7", "a", 1, 2, 3, 0.5).plus(Tally("7", "a", 1, 0, 1, 1.0)) == Tally("7", "a", 2, 2, 4, 1.5)
