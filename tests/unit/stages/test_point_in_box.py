"""Stage point-in-box: the first point of a reply against the gold box."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.stages.point_in_box import PointInBox
from mmeval.types import Case, Invalid, Json, Options, Sample, Score

GOLD: Json = [10, 10, 20, 20]


def case(reply: str, gold: Json = GOLD, **fields: Json) -> Case:
    return Case(Sample("1", "Where?", Options(()), gold, (), (reply,), "open", fields=fields), reply)


def score(reply: str, gold: Json = GOLD, **params: Any) -> Score:
    outcome = PointInBox(**{"grid": "pixels", **params})(case(reply, gold, width=200, height=100))
    assert isinstance(outcome, Score)
    return outcome


@pytest.mark.parametrize(
    ("reply", "value", "extracted", "reason"),
    [
        pytest.param("(20, 20)", 1.0, "20, 20", "point-inside", id="inside"),
        pytest.param("(10, 30)", 1.0, "10, 30", "point-inside", id="corner"),
        pytest.param("(30.1, 20)", 0.0, "30.1, 20", "point-outside", id="outside"),
        pytest.param('{"point_2d": [20, 20]}', 1.0, "20, 20", "point-inside", id="json"),
        pytest.param("[10, 10, 30, 30]", 1.0, "20, 20", "point-inside", id="centre-of-a-box"),
        pytest.param("[[50, 50], [20, 20]]", 0.0, "50, 50", "point-outside", id="first-of-two"),
        pytest.param("[[30, 30, 10, 10], [20, 20]]", 1.0, "20, 20", "point-inside", id="no-box-then-point"),
        pytest.param("It is not there.", 0.0, None, "no-point-found", id="none"),
        pytest.param("", 0.0, None, "no-point-found", id="empty"),
        pytest.param("[1, 2, 3]", 0.0, None, "no-usable-point", id="three-numbers"),
    ],
)
def test_reply(reply: str, value: float, extracted: str | None, reason: str) -> None:
    said = score(reply)
    assert (said.value, said.extracted, said.reason) == (value, extracted, reason)


def test_points_only() -> None:
    said = score("[10, 10, 30, 30] or (50, 50)", boxes="refuse")
    assert (said.value, said.extracted) == (0.0, "50, 50")
    assert isinstance(said.evidence, dict)
    assert said.evidence["dropped"] == {"box-for-point": 1}
    assert said.evidence["notes"] == ["2 points or boxes in the reply; the first that can be used counts"]


def test_any_of_several_golds() -> None:
    assert score("(55, 55)", [GOLD, [50, 50, 10, 10]]).value == 1.0


@pytest.mark.parametrize(("grid", "reply"), [(1000, "(100, 200)"), (100, "(10, 20)"), (1, "(0.1, 0.2)")])
def test_grids(grid: int, reply: str) -> None:
    assert score(reply, grid=grid).extracted == "20, 20"


@pytest.mark.parametrize(
    ("gold", "fields", "reason"),
    [
        ("somewhere", {"width": 9, "height": 9}, "unparsable-gold: a text that is no JSON"),
        ("[]", {"width": 9, "height": 9}, "unparsable-gold"),
        (GOLD, {}, "missing-image-size"),
    ],
)
def test_rows_that_cannot_be_graded(gold: Json, fields: dict[str, Json], reason: str) -> None:
    assert PointInBox()(case("(1, 2)", gold, **fields)) == Invalid(reason)


@pytest.mark.parametrize("params", [{"boxes": "corner"}, {"grid": "pixel"}, {"gold_grid": 7}])
def test_refused_parameters(params: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        PointInBox(**params)
