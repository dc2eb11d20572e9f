"""Recorded verdicts beside ours of several answers: the first against the first, or mean against mean."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mmeval.compare.recorded import agreement
from mmeval.compare.recorded_text import agreement_text
from mmeval.compare.rows import Line, Side


def line(score: float, recorded: dict[str, Any], predictions: int = 0) -> Line:
    given = {"eval-id": 1, "score": score, "gt": "A", "recorded": {"by": "inspect", **recorded}}
    return msgspec.convert({**given, "predictions": [{"score": score}] * predictions}, Line)


# Our score, what was recorded, how many predictions were graded here; their score, is it of the first.
CASES = [
    ("one", 1.0, {"score": 1}, 0, 1.0, False),
    ("first-of-two", 1.0, {"score": 0.5, "scores": [1, 0]}, 0, 1.0, True),
    ("first-of-two-was-wrong", 0.0, {"score": 0.5, "scores": [0, 1]}, 0, 0.0, True),
    ("mean-of-two", 0.5, {"score": 0.5, "scores": [1, 0]}, 2, 0.5, False),
    ("second-was-not-scored", 1.0, {"score": None, "scores": [1, None]}, 0, 1.0, True),
]


@pytest.mark.parametrize(
    ("ours", "recorded", "graded", "theirs", "first"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_what_is_held_to_what(
    ours: float, recorded: dict[str, Any], graded: int, theirs: float, first: bool
) -> None:
    row = line(ours, recorded, graded)
    assert (row.theirs, row.first_of_several) == (theirs, first)
    made = agreement(Side(None, {"1": row}, ()))  # type: ignore[arg-type]
    assert (made.agreeing, made.compared, made.firsts) == (1, 1, int(first))
    assert ("the first was graded here" in agreement_text("x", made, 5)) == first


def test_the_first_was_not_scored_by_them() -> None:
    row = line(1.0, {"score": None, "scores": [None, 1]})
    assert row.theirs is None
