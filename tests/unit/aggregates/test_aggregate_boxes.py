"""box-counts and box-f1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval.aggregates.boxes import BoxCounts, BoxF1
from mmeval.aggregates.counts import CountErrors
from mmeval.errors import MetadataError, StageError
from mmeval.types import Row

Table = Callable[..., list[Row]]


def of(predicted: int, golds: int, crowds: int = 0, image: str = "a", **more: Any) -> dict[str, Any]:
    box = {"box": [0.0, 0.0, 1.0, 1.0], "category": "1"}
    return {
        "image": image,
        "boxes": [box] * predicted,
        "golds": [{**box, "area": 1.0, "crowd": n < crowds} for n in range(golds + crowds)],
        **more,
    }


def test_the_errors_are_those_of_counts(table: Table) -> None:
    """facts 4, worked example 1, and the same table through count-errors."""
    said, golds = [10, 21, 44, 0], [10, 20, 40, 100]
    rows = table([None] * 4, evidence=[of(*pair) for pair in zip(said, golds, strict=True)])
    made = BoxCounts()(rows)
    assert made.parts == pytest.approx(
        {"mae": 26.25, "rmse": 50.0425, "nae": 0.2875, "exact": 0.25, "within5": 0.5, "within10": 0.75},
        abs=5e-5,
    )
    texts = table([0.0] * 4, label=[str(n) for n in said], gold=[str(n) for n in golds])
    assert made == CountErrors()(texts)


def test_crowds_are_not_counted_and_nothing_of_nothing_is_exact(table: Table) -> None:
    made = BoxCounts(value="exact")(table([None] * 2, evidence=[of(2, 2, crowds=3), of(0, 0)]))
    assert (made.value, made.parts["nae"], made.method) == (1.0, 0.0, "wilson")
    assert made.notes == ("1 of 2 rows without a gold box are left out of NAE",)


def test_rows_without_a_reply_count_nothing_and_are_never_exact(table: Table) -> None:
    rows = table(
        [None, 0.0, 0.0, 0.0],
        status=["ok", "invalid", "invalid", "error"],
        evidence=[of(2, 2), of(0, 0), None, None],
    )
    made = BoxCounts(value="exact")(rows)
    assert made.value == pytest.approx(1 / 3)
    assert made.parts["mae"] == 0.0
    assert BoxCounts()(table([0.0], decided=[False])).value is None


def test_f1_is_made_of_summed_matches(table: Table) -> None:
    rows = table(
        [None] * 3,
        evidence=[
            of(3, 2, tp=2, fp=1, fn=0),
            of(1, 3, image="b", tp=0, fp=1, fn=3),
            of(0, 0, tp=0, fp=0, fn=0),
        ],
        domain=["x", "y", "y"],
    )
    made = BoxF1(by="domain")(rows)
    assert made.parts == pytest.approx({"f1": 4 / 9, "precision": 0.5, "recall": 0.4, "x": 0.8, "y": 0.0})
    assert (made.value, made.n, made.method) == (pytest.approx(4 / 9), 2, "ratio-t")
    assert made.ci95 is not None
    assert 0 <= made.ci95[0] <= 4 / 9 <= made.ci95[1] <= 1


def test_nothing_to_match_is_no_number(table: Table) -> None:
    made = BoxF1(value="precision")(table([None], evidence=[of(0, 2, tp=0, fp=0, fn=2)]))
    assert (made.value, made.parts) == (None, {"f1": 0.0, "precision": None, "recall": 0.0})
    assert BoxF1()([]).value is None
    assert BoxF1()(table([0.0])).value is None


def test_no_order_changes_f1(table: Table) -> None:
    all_of = [of(3, 2, image=str(n % 2), tp=n, fp=1, fn=2) for n in range(4)]
    made = [BoxF1()(table([None] * 4, evidence=each)) for each in (all_of, all_of[::-1])]
    assert made[0].parts == made[1].parts
    assert made[0].ci95 == pytest.approx(made[1].ci95)


def test_evidence_without_matches_is_named(table: Table) -> None:
    with pytest.raises(StageError, match="sample 0: its evidence lacks tp, fp or fn"):
        BoxF1()(table([None], evidence=[of(1, 1)]))


@pytest.mark.parametrize("make", [BoxCounts, BoxF1])
def test_an_unknown_figure_is_refused(make: Any) -> None:
    with pytest.raises(MetadataError, match="value 'f2' must be one of"):
        make(value="f2")
    assert make().fields() == ()
