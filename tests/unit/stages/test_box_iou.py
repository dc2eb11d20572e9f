"""Stage box-iou: the first box of a reply against the gold."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.stages.box_iou import BoxIou
from mmeval.types import Case, Invalid, Json, Options, Sample, Score

PIXELS: dict[str, Any] = {"grid": "pixels", "form": "xyxy"}
GOLD: Json = [10, 10, 20, 20]


def case(reply: str, gold: Json = GOLD, **fields: Json) -> Case:
    return Case(Sample("1", "Where?", Options(()), gold, (), (reply,), "open", fields=fields), reply)


def score(reply: str, gold: Json = GOLD, **params: Any) -> Score:
    outcome = BoxIou(**{**PIXELS, **params})(case(reply, gold, width=200, height=100))
    assert isinstance(outcome, Score)
    return outcome


@pytest.mark.parametrize(
    ("reply", "iou", "hit", "reason"),
    [
        pytest.param("[10, 10, 30, 30]", 1.0, 1.0, "overlaps", id="the-gold"),
        pytest.param('[{"bbox_2d": [10, 10, 30, 20], "label": "dog"}]', 0.5, 1.0, "overlaps", id="half"),
        pytest.param("[10, 10, 30, 19]", 0.45, 0.0, "overlaps-too-little", id="less"),
        pytest.param("[50, 50, 60, 60]", 0.0, 0.0, "overlaps-too-little", id="beside"),
        pytest.param("I cannot see it.", 0.0, 0.0, "no-box-found", id="none"),
        pytest.param("", 0.0, 0.0, "no-box-found", id="empty"),
        pytest.param("[10, 10, 30]", 0.0, 0.0, "no-usable-box", id="three-numbers"),
        pytest.param("[30, 30, 10, 10]", 0.0, 0.0, "no-usable-box", id="inverted"),
        pytest.param("(20, 20)", 0.0, 0.0, "no-usable-box", id="point"),
        pytest.param("<think>[50, 50, 60, 60]</think>(10,10),(30,30)", 1.0, 1.0, "overlaps", id="reasoning"),
    ],
)
def test_reply(reply: str, iou: float, hit: float, reason: str) -> None:
    said = score(reply)
    assert said.value == hit
    assert said.reason == reason
    assert isinstance(said.evidence, dict)
    assert said.evidence["iou"] == pytest.approx(iou)


def test_the_first_box_counts_however_good_the_second_is() -> None:
    said = score("[[50, 50, 60, 60], [10, 10, 30, 30]]")
    assert said.value == 0.0
    assert isinstance(said.evidence, dict)
    assert said.evidence["notes"] == ["2 boxes in the reply; the first that can be used counts"]


def test_a_box_that_is_none_is_passed_over_and_counted() -> None:
    said = score("[[30, 30, 10, 10], [10, 10, 30, 30]]")
    assert (said.value, said.extracted) == (1.0, "10, 10, 30, 30")
    assert isinstance(said.evidence, dict)
    assert said.evidence["dropped"] == {"inverted": 1}
    assert said.evidence["boxes"] == [{"box": [10, 10, 20, 20]}]
    assert said.evidence["golds"] == [{"box": [10, 10, 20, 20]}]


def test_the_best_of_several_golds_counts() -> None:
    said = score("[50, 50, 60, 60]", [GOLD, [50, 50, 10, 10]])
    assert said.value == 1.0
    assert isinstance(said.evidence, dict)
    assert said.evidence["golds"] == [{"box": [50, 50, 10, 10]}]


def test_exactly_at_the_threshold() -> None:
    half = "[10, 10, 30, 20]"
    assert score(half, at_threshold="miss").value == 0.0
    assert score(half, threshold=0.51).value == 0.0
    assert score("[10, 10, 30, 30]", threshold=1.0).value == 1.0


@pytest.mark.parametrize(
    ("params", "reply", "gold"),
    [
        ({"grid": 1000}, "[50, 100, 150, 300]", GOLD),
        ({"grid": "1"}, "[0.05, 0.1, 0.15, 0.3]", GOLD),
        ({"form": "cxcywh"}, "[20, 20, 20, 20]", GOLD),
        ({"form": "yxyx", "grid": 1000}, '[{"box_2d": [100, 50, 300, 150], "label": "dog"}]', GOLD),
        (
            {"form": "yxyx", "grid": 1024, "gold_form": "yxyx", "gold_grid": "1024"},
            "<loc0102><loc0051><loc0307><loc0154> dog",
            [102, 51, 307, 154],
        ),
        ({"form": "xywh"}, "[10, 10, 20, 20]", GOLD),
        ({"gold_form": "xyxy"}, "[10, 10, 30, 30]", [10, 10, 30, 30]),
        ({"grid": 1000, "gold_grid": "1", "gold_form": "xyxy"}, "[50,100,150,300]", [0.05, 0.1, 0.15, 0.3]),
    ],
)
def test_the_reading_is_declared(params: dict[str, Any], reply: str, gold: Json) -> None:
    said = score(reply, gold, **params)
    assert isinstance(said.evidence, dict)
    assert said.evidence["iou"] == pytest.approx(1.0)


def test_a_wrong_declaration_scores_low_and_says_why() -> None:
    said = score("[0.05, 0.1, 0.15, 0.3]", grid=1000)
    assert said.value == 0.0
    assert isinstance(said.evidence, dict)
    assert said.evidence["notes"] == ["every coordinate lies in 0..1; is the grid 1000?"]


@pytest.mark.parametrize(
    ("gold", "fields", "params", "reason"),
    [
        ("somewhere", {}, PIXELS, "unparsable-gold: a text that is no JSON"),
        ([[1, 2, 3]], {}, PIXELS, "unparsable-gold: box 0 has no four numbers"),
        ("[]", {}, PIXELS, "unparsable-gold"),
        (GOLD, {}, {}, "missing-image-size"),
        (GOLD, {"width": 0, "height": 100}, {}, "missing-image-size"),
    ],
)
def test_rows_that_cannot_be_graded(
    gold: Json, fields: dict[str, Json], params: dict[str, Any], reason: str
) -> None:
    assert BoxIou(**params)(case("[1,2,3,4]", gold, **fields)) == Invalid(reason)


@pytest.mark.parametrize(
    "params",
    [
        {"threshold": 0.0},
        {"threshold": 1.5},
        {"at_threshold": "maybe"},
        {"grid": 512},
        {"gold_form": "xxyy"},
    ],
)
def test_refused_parameters(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        BoxIou(**params)
