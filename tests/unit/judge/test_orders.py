"""Two answers the other way round."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_judge import case

from mmeval.judge import templates
from mmeval.judge.orders import swapped
from mmeval.types import Json


@pytest.mark.parametrize(
    ("prompt", "params", "fields", "other"),
    [
        pytest.param("wildvision", {}, {"baseline": "theirs"}, "theirs", id="baseline"),
        pytest.param(
            "wildvision", {"inputs": {"baseline": "claude"}}, {"claude": "theirs"}, "theirs", id="named"
        ),
        pytest.param("llava-bench", {}, {"caption": "c"}, "gold", id="reference"),
    ],
)
def test_each_answer_takes_the_others_place(
    prompt: str, params: dict[str, Json], fields: dict[str, Any], other: str
) -> None:
    before = case("mine", "gold", "open", **fields)
    turned = swapped(before, templates.prompt(prompt), params)
    assert turned is not None and turned.prediction == other
    again = swapped(turned, templates.prompt(prompt), params)
    assert again == before


def test_without_another_answer_there_is_nothing_to_swap() -> None:
    assert swapped(case("mine", "gold", "open"), templates.prompt("wildvision"), {}) is None
    assert swapped(case("mine", [], "open"), templates.prompt("llava-bench"), {}) is None
