"""The change of view: both official readings, and what neither reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.errors import UsageError
from mmeval.stages.view_change import ViewChange
from mmeval.types import Case, Invalid, Score

GOLD = "move_right:0.3,move_up:0.0,move_forward:1.0,rotate_left:30,rotate_up:0"
OFFICIAL = ViewChange(reasoning="keep")
AUTHORS = ViewChange(normalise_by="prediction", items="strict", reasoning="keep")

VALUES = [
    # prediction; VLMEvalKit sparbench.py @ e8e78f05f308, run; fudan-zvg/spar utils.py @ 167988589c2d, run
    (GOLD, 1.0, 1.0),
    ("move_right:0.33,move_forward:0.9,rotate_left:33", 0.94, 0.92),
    ("move_right:0.2,move_forward:1.0,rotate_left:30", 0.88, 0.82),
    ("move_right:0.6,move_forward:2.0,rotate_left:60", 0.40, 0.46),
    ("I do not know", 0.40, 0.0),
    ("", 0.40, 0.0),
    ("move_right: 0.3, move_forward: 1.0, rotate_left: 30", 1.0, 0.6),
    ("move_left:-0.3,move_forward:1.0,rotate_right:-30", 1.0, 1.0),
    ("move_right:0.3,move_forward:1.0,rotate_left:30,", 1.0, 0.0),
    ("move_right:0.3:1,move_forward:1.0,rotate_left:30", 0.8, 0.0),
    ("move_right:9,move_right:0.3,move_forward:1.0,rotate_left:30", 1.0, 1.0),
    ("move_right:nan,move_forward:1.0,rotate_left:inf", 0.6, 0.6),
    ("Move_right:0.3,move_forward:1.0,rotate_left:30", 0.8, 0.9),
    ("<think>move_right:0.3</think>move_forward:1.0,rotate_left:30", 0.6, 0.0),
]


@pytest.mark.parametrize(("prediction", "kit", "authors"), VALUES, ids=[repr(row[0][:30]) for row in VALUES])
def test_value(case: Callable[..., Case], prediction: str, kit: float, authors: float) -> None:
    assert OFFICIAL(case(GOLD, prediction)).value == kit
    assert AUTHORS(case(GOLD, prediction)).value == authors


def test_each_parameter_alone(case: Callable[..., Case]) -> None:
    near = "move_right: 0.2,move_forward:1.0,rotate_left:30"
    assert OFFICIAL(case(GOLD, near)).value == 0.88
    assert ViewChange(normalise_by="prediction")(case(GOLD, near)).value == 0.82
    assert ViewChange(items="strict")(case(GOLD, near)).value == 0.88
    assert ViewChange(items="strict")(case(GOLD, near.replace(",", ", "))).value == 0.48
    thought = "<think>move_up:3</think>" + GOLD
    assert ViewChange()(case(GOLD, thought)).value == 1.0
    assert OFFICIAL(case(GOLD, "<think>,move_up:3,</think>," + GOLD[:-1] + "9")).value == 0.8
    assert ViewChange()(case(["move_up:2", GOLD], GOLD)).value == 1.0


def test_what_was_read(case: Callable[..., Case]) -> None:
    read = "move_right:-1.5,move_up:0,move_forward:0,rotate_right:0,rotate_up:0"
    assert OFFICIAL(case("move_left:1.5", "move_left:1.5")) == Score(1.0, read, None, "read")


@pytest.mark.parametrize("prediction", ["", "I do not know", "move right 3", "move_up:much"])
def test_a_reply_without_an_item(case: Callable[..., Case], prediction: str) -> None:
    assert OFFICIAL(case(GOLD, prediction)) == Score(0.4, None, None, "read-as-no-change")
    assert ViewChange(unread="wrong")(case(GOLD, prediction)) == Score(0.0, None, None, "no-item-found")
    assert AUTHORS(case(GOLD, prediction)) == Score(0.0, None, None, "item-without-a-value")


@pytest.mark.parametrize(
    ("gold", "reason"), [(" ", "blank-reference"), ("B", "unparsable-gold"), ("left:far", "unparsable-gold")]
)
@pytest.mark.parametrize("stage", [OFFICIAL, AUTHORS], ids=["kit", "authors"])
def test_unusable_golds(case: Callable[..., Case], stage: ViewChange, gold: str, reason: str) -> None:
    assert stage(case(gold, gold)) == Invalid(reason)


@pytest.mark.parametrize(
    "params", [{"normalise_by": "pred"}, {"items": "lax"}, {"unread": "zero"}, {"reasoning": "drop"}]
)
def test_refused_parameters(params: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="choose one of"):
        ViewChange(**params)  # type: ignore[arg-type]
