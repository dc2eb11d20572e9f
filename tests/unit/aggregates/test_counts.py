"""count-errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval import stats
from mmeval.aggregates.counts import FIGURES, CountErrors
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]
GOLD = ["10", "20", "40", "100"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["10", "21", "44", None], (26.25, 50.0425, 0.2875, 0.25, 0.5, 0.75)),
        (["11", "22", "30", "106"], (4.75, 5.9372, 0.1275, 0.0, 0.0, 0.75)),
    ],
    ids=["worked-1", "worked-2"],
)
def test_the_worked_examples(table: Table, said: list[str | None], expected: tuple[float, ...]) -> None:
    """facts 4: g = [10, 20, 40, 100]."""
    parts = CountErrors()(table([0.0] * 4, label=said, gold=GOLD)).parts
    assert tuple(parts[name] for name in FIGURES) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("gold", "said", "hits"),
    [
        ("100", "105", (0, 1, 1)),
        ("100", "110", (0, 0, 1)),
        ("100", "111", (0, 0, 0)),
        ("20", "21", (0, 1, 1)),
        ("0", "0", (1, 1, 1)),
        ("0", "1", (0, 0, 0)),
        ("0", None, (0, 0, 0)),
        ("3", "3.0", (1, 1, 1)),
        ("60", "57", (0, 1, 1)),
    ],
)
def test_within_is_inclusive_and_exact_for_gold_zero(
    table: Table, gold: str, said: str | None, hits: tuple[int, int, int]
) -> None:
    parts = CountErrors()(table([0.0], label=[said], gold=[gold])).parts
    assert (parts["exact"], parts["within5"], parts["within10"]) == hits


def test_gold_zero_is_left_out_of_nae_and_told(table: Table) -> None:
    reduced = CountErrors(value="nae")(table([0.0] * 2, label=["1", "3"], gold=["0", "2"]))
    assert (reduced.value, reduced.n) == (0.5, 1)
    assert reduced.notes == ("1 of 2 rows with gold 0 are left out of NAE",)
    assert CountErrors(value="nae")(table([0.0], label=["1"], gold=["0"])).value is None


def test_unread_counts_enter_as_zero_and_are_told(table: Table) -> None:
    reduced = CountErrors()(table([0.0] * 2, label=[None, "many"], gold=["4", "6"]))
    assert reduced.value == 5.0
    assert reduced.notes == ("2 of 2 rows without a count enter the errors as 0",)


def test_an_undecided_label_is_not_a_count(table: Table) -> None:
    assert CountErrors()(table([0.0], label=["4"], gold=["4"], decided=[False])).parts["exact"] == 0.0


def test_invalid_rows_are_left_out_of_errors_and_missed_in_shares(table: Table) -> None:
    rows = table([1.0, 0.0], label=["4", "4"], gold=["4", None], status=["ok", "invalid"])
    reduced = CountErrors()(rows)
    assert (reduced.value, reduced.n, reduced.parts["exact"]) == (0.0, 1, 0.5)
    assert "1 of 2 rows without a usable gold" in reduced.notes[0]


@pytest.mark.parametrize(
    ("value", "method"),
    [
        ("mae", "t"),
        ("nae", "t"),
        ("rmse", None),
        ("exact", "wilson"),
        ("within5", "wilson"),
        ("within10", "wilson"),
    ],
)
def test_interval_of_each_figure(table: Table, value: Any, method: str | None) -> None:
    reduced = CountErrors(value=value)(table([0.0] * 4, label=["10", "21", "44", None], gold=GOLD))
    assert reduced.method == method
    if value == "exact":
        assert reduced.ci95 == stats.wilson(1, 4)


def test_counts_from_evidence(table: Table) -> None:
    rows = table([None] * 2, evidence=[{"n": 3, "g": 4}, {"n": 2, "g": 2}])
    made = CountErrors(prediction="evidence.n", gold="evidence.g")
    assert made(rows).value == 0.5
    assert made.fields() == () and CountErrors(prediction="p", gold="g").fields() == ("p", "g")


def test_absurd_counts_leave_no_infinity(table: Table) -> None:
    parts = CountErrors()(table([0.0] * 2, label=["1" + "0" * 400, "9" * 90], gold=["4", "4"])).parts
    assert all(value is not None and value < float("inf") for value in parts.values())


def test_no_rows() -> None:
    reduced = CountErrors()([])
    assert reduced.value is None and set(reduced.parts.values()) == {None}


def test_unusable_gold_or_parameter_is_refused(table: Table) -> None:
    with pytest.raises(MetadataError, match=r"1 of 1 rows have no number as 'gold' \(first: sample 0\)"):
        CountErrors()(table([0.0], label=["4"], gold=["many"]))
    with pytest.raises(MetadataError, match="value 'mse'"):
        CountErrors(value="mse")  # type: ignore[arg-type]
