"""Reduced benchmarks hold the rows that everybody else's hold."""

from __future__ import annotations

import hashlib

import pytest

from mmeval.benchmarks.sampling import drawn
from mmeval.errors import UsageError

# pandas 3.1.1 with numpy 2.4.6: DataFrame(range(total)).sample(n=n, random_state=seed).index
PANDAS = [
    pytest.param(10, 4, 7, [8, 5, 0, 2], [8, 5, 0, 2], id="10-rows"),
    pytest.param(300, 300, 42, [203, 266, 152, 9, 233, 226, 196, 109], [106, 270, 102], id="all-rows"),
    pytest.param(951, 300, 42, [199, 420, 694, 750, 507, 625, 825, 529], [522, 578, 394], id="951-rows"),
    pytest.param(1000, 300, 42, [521, 737, 740, 660, 411, 678, 626, 513], [428, 7, 155], id="1000-rows"),
    pytest.param(
        4938, 300, 42, [1972, 4567, 151, 2423, 1412, 4210, 4200, 626], [290, 3225, 252], id="4938-rows"
    ),
    pytest.param(10000, 300, 42, [6252, 4684, 1731, 4742, 4521, 6340, 576, 5202], [7695], id="10000-rows"),
]


@pytest.mark.parametrize(("total", "n", "seed", "first", "last"), PANDAS)
def test_rows_are_drawn_as_pandas_draws_them(
    total: int, n: int, seed: int, first: list[int], last: list[int]
) -> None:
    positions = drawn(total, n, seed)
    assert positions[: len(first)] == first
    assert positions[-len(last) :] == last
    assert len(set(positions)) == n


def test_the_whole_draw_of_a_thousand_rows() -> None:
    text = ",".join(map(str, drawn(1000, 300, 42)))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "bca7ad087279f3df"


@pytest.mark.parametrize(
    ("n", "seed", "said"),
    [
        pytest.param(11, 42, "ask for 1 to 10", id="too-many"),
        pytest.param(0, 42, "ask for 1 to 10", id="none"),
        pytest.param(3, -1, "whole number from 0", id="negative-seed"),
    ],
)
def test_what_cannot_be_drawn(n: int, seed: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        drawn(10, n, seed)
