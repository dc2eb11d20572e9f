"""Who met whom: one to one, best overlap first, crowds take the rest."""

from __future__ import annotations

import random
import time

import pytest
from timing import room

from mmeval.boxes.golds import Gold
from mmeval.boxes.matching import match
from mmeval.boxes.model import Placed

A, NEAR_A, B = (0.0, 0.0, 10.0, 10.0), (1.0, 0.0, 10.0, 10.0), (50.0, 50.0, 10.0, 10.0)


def dog(box: tuple[float, float, float, float], crowd: bool = False) -> Gold:
    return Gold(box, box[2] * box[3], "dog", None, crowd)


def said(box: tuple[float, float, float, float], category: str = "dog") -> Placed:
    return Placed(box, category)


def test_the_better_box_wins_whatever_the_order() -> None:
    for preds in ([said(NEAR_A), said(A)], [said(A), said(NEAR_A)]):
        found = match(preds, [dog(A), dog(B)])
        ((mine, theirs, overlap),) = found.pairs
        assert (preds[mine].xywh, theirs, overlap) == (A, 0, 1.0)
        assert [preds[place].xywh for place in found.unmatched_preds] == [NEAR_A]
        assert found.unmatched_golds == (1,)
        assert found.f1 == 0.5
        assert found.mean_iou == 1.0


def test_categories_do_not_meet() -> None:
    found = match([said(A, "cat")], [dog(A)])
    assert (found.pairs, found.unmatched_preds, found.unmatched_golds) == ((), (0,), (0,))
    assert (found.f1, found.mean_iou) == (0.0, None)


def test_a_crowd_takes_any_number_and_is_never_missed() -> None:
    crowd = dog((0, 0, 40, 40), crowd=True)
    found = match([said(A), said(NEAR_A), said((20, 20, 5, 5)), said(B)], [dog(A), crowd])
    assert [pair[:2] for pair in found.pairs] == [(0, 0)]
    assert (found.absorbed, found.unmatched_preds, found.unmatched_golds) == ((1, 2), (3,), ())


@pytest.mark.parametrize(("width", "hit"), [(5.0, True), (4.999, False)])
def test_the_threshold_is_inclusive(width: float, hit: bool) -> None:
    assert bool(match([said((0, 0, width, 10))], [dog(A)]).pairs) is hit


def test_boxes_of_very_different_size_do_not_meet() -> None:
    assert match([said((0, 0, 5, 10))], [dog(A)]).pairs == ((0, 0, 0.5),)
    assert match([said((0, 0, 4.9, 10))], [dog(A)]).pairs == ()
    assert match([said((0, 0, 20.1, 10))], [dog(A)]).pairs == ()
    assert match([said((0, 0, 1, 1))], [dog(A)], 0.0).pairs == ((0, 0, 0.01),)


def test_nothing_to_find_and_nothing_said() -> None:
    assert match([], []).f1 == 1.0
    assert match([said(A)], []).f1 == 0.0
    assert match([], [dog(A)]).unmatched_golds == (0,)


def test_a_thousand_against_a_thousand() -> None:
    dice = random.Random(5)
    boxes = [(dice.uniform(0, 100), dice.uniform(0, 100), 20.0, 20.0) for _ in range(1000)]
    before = time.process_time()
    found = match([said(box) for box in boxes], [dog(box) for box in boxes])
    assert time.process_time() - before < room()
    assert len(found.pairs) == 1000
    assert all(mine == theirs for mine, theirs, _ in found.pairs)


def test_a_box_that_is_said_over_and_over_does_not_stall() -> None:
    """A hundred thousand times one box on a thousand times one gold: a thousand find one."""
    before = time.process_time()
    found = match([said(A)] * 100_000, [dog(A)] * 1000)
    assert time.process_time() - before < 4 * room()
    assert (len(found.pairs), len(found.unmatched_preds), found.unmatched_golds) == (1000, 99_000, ())
    assert [pair[:2] for pair in found.pairs[:2]] == [(0, 0), (1, 1)]
