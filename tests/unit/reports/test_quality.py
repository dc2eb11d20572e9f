"""Which figures are better the larger they are, and which parts are groups of the headline."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.reports import quality


@pytest.mark.parametrize(
    ("spec", "better"),
    [
        pytest.param({"reduce": "mean"}, 1, id="mean"),
        pytest.param({"reduce": "count-errors"}, -1, id="the-default-is-an-error"),
        pytest.param({"reduce": "count-errors", "value": "rmse"}, -1, id="an-error"),
        pytest.param({"reduce": "count-errors", "value": "within5"}, 1, id="a-share"),
        pytest.param({"reduce": "prf1"}, 1, id="f1"),
        pytest.param({"reduce": "prf1", "value": "yes_ratio"}, 0, id="no-quality"),
        pytest.param({"reduce": "calibration-error"}, -1, id="calibration"),
        pytest.param({"reduce": "replicate-spread"}, 0, id="a-spread-by-default"),
        pytest.param({"reduce": "label-rates"}, 1, id="correct-by-default"),
        pytest.param({"reduce": "label-rates", "value": "incorrect"}, 0, id="a-rate-of-what-is-wrong"),
        pytest.param({"reduce": "label-rates", "correct": "yes", "value": "yes"}, 1, id="called-otherwise"),
        pytest.param({"reduce": "of-a-plug-in"}, 0, id="nobody-has-said"),
        pytest.param({}, 0, id="no-headline"),
    ],
)
def test_the_direction_of_a_figure(spec: dict[str, Any], better: int) -> None:
    assert quality.better(spec) == better


@pytest.mark.parametrize(
    ("spec", "parts", "kept"),
    [
        pytest.param({"reduce": "macro-mean"}, ["a", "b.c"], ["a", "b.c"], id="groups"),
        pytest.param(
            {"reduce": "prf1"},
            ["f1", "yes_ratio", "popular.f1", "popular.yes_ratio"],
            ["popular.f1"],
            id="f1",
        ),
        pytest.param({"reduce": "prf1", "value": "recall"}, ["a.f1", "a.recall"], ["a.recall"], id="recall"),
        pytest.param(
            {"reduce": "box-ap"},
            ["AP", "AR1", "ARs@300", "AP:cat", "g.AP", "g.AP50"],
            ["AP:cat", "g.AP"],
            id="ap",
        ),
        pytest.param(
            {"reduce": "pair-plus"}, ["count", "count.acc", "count.acc_plus"], ["count"], id="pairs"
        ),
        pytest.param({"reduce": "label-rates"}, ["correct", "incorrect"], [], id="no-groups"),
        pytest.param({"reduce": "checklist"}, ["overall", "items", "maths"], ["maths"], id="checklist"),
    ],
)
def test_the_groups_of_a_headline(spec: dict[str, Any], parts: list[str], kept: list[str]) -> None:
    assert list(quality.groups(spec, dict.fromkeys(parts, 0.5))) == kept


def test_a_part_without_a_value_is_no_group() -> None:
    assert quality.groups({"reduce": "macro-mean"}, {"a": None}) == {}
