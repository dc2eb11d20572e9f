"""ratio-of-means."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.aggregates.ratios import RatioOfMeans
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]


def test_ratio_of_means_is_not_the_mean_of_ratios(table: Table) -> None:
    rows = table(
        [None] * 3, evidence=[{"m": 8, "r": 8}, {"m": 2, "r": 8}, {"m": -1, "r": -1}], c=["a", "a", "b"]
    )
    reduced = RatioOfMeans("evidence.m", "evidence.r", by="c")(rows)
    assert reduced.value == 9 / 15
    assert reduced.parts == {"numerator": 3.0, "denominator": 5.0, "a": 10 / 16, "b": 1.0}
    assert reduced.method == "ratio-t"


def test_ratio_with_nothing_below_is_undefined(table: Table) -> None:
    reduced = RatioOfMeans("x", "y")(table([0.0, 0.0], x=["1", "2"], y=["1", "-1"]))
    assert (reduced.value, reduced.ci95) == (None, None)


def test_ratio_over_unequal_columns_is_refused(table: Table) -> None:
    rows = table([1.0, 0.0], evidence=[{"r": 1}, None], decided=[True, False])
    with pytest.raises(MetadataError, match=r"'score' has 2 values and 'evidence\.r' 1"):
        RatioOfMeans("score", "evidence.r")(rows)


# Two rows, judged three times each.
RUNS = [{"m": [6, 7, 8], "r": [8, 8, 9]}, {"m": [2, 3.5, 2], "r": [9, 9, 9]}]


def test_every_run_of_the_judge_has_a_ratio_and_their_mean_is_the_value(table: Table) -> None:
    reduced = RatioOfMeans("evidence.m", "evidence.r", by="c")(table([None] * 2, evidence=RUNS, c=["a", "b"]))
    ratios = [8 / 17, 10.5 / 17, 10 / 18]
    assert reduced.value == pytest.approx(sum(ratios) / 3)
    assert [reduced.parts[f"run:{turn}"] for turn in (1, 2, 3)] == ratios
    assert reduced.parts["a"] == pytest.approx((6 / 8 + 7 / 8 + 8 / 9) / 3)
    assert reduced.parts["run:2/b"] == 3.5 / 9
    assert list(reduced.parts)[:4] == ["numerator", "denominator", "a", "b"]
    assert (reduced.n, reduced.method) == (2, "ratio-t")


def test_one_run_has_no_runs_among_its_parts(table: Table) -> None:
    rows = table([None] * 2, evidence=[{"m": [6], "r": [8]}, {"m": [2], "r": [9]}])
    reduced = RatioOfMeans("evidence.m", "evidence.r")(rows)
    assert (reduced.value, set(reduced.parts)) == (8 / 17, {"numerator", "denominator"})


def test_means_and_ratios_are_rounded_as_llava_bench_prints_them(table: Table) -> None:
    """summarize_gpt_review.py@c121f043: means to three digits, the per cent to one decimal."""
    rows = table([None] * 3, evidence=[{"m": m, "r": r} for m, r in ((1, 2), (1, 2), (2, 3))])
    rounded = RatioOfMeans("evidence.m", "evidence.r", mean_digits=3, digits=3)(rows)
    assert rounded.value == round(1.333 / 2.333, 3) == 0.571
    assert RatioOfMeans("evidence.m", "evidence.r")(rows).value == pytest.approx(4 / 7)


def test_rows_without_a_verdict_are_left_out_and_told(table: Table) -> None:
    rows = table([None] * 3, evidence=[*RUNS, None], decided=[True, True, False])
    reduced = RatioOfMeans("evidence.m", "evidence.r")(rows)
    assert reduced.n == 2
    assert reduced.notes == (
        "1 of 3 rows without a verdict carry no evidence.m and are left out",
        "1 of 3 rows without a verdict carry no evidence.r and are left out",
    )


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        ([{"m": [1, 2], "r": [1, 2]}, {"m": [1], "r": [1]}], "rows hold 1 or 2 numbers in 'evidence.m'"),
        ([{"m": [1], "r": [1]}, {"m": ["x"], "r": [1]}], "1 of 2 rows lack a list of numbers"),
        ([{"m": [1], "r": [1]}, {"m": [], "r": [1]}], "1 of 2 rows lack a list of numbers"),
    ],
)
def test_uneven_evidence_is_refused(table: Table, evidence: list[object], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        RatioOfMeans("evidence.m", "evidence.r")(table([None] * 2, evidence=evidence))


def test_fields_name_everything_that_is_read() -> None:
    assert RatioOfMeans("x", "evidence.y", by="c").fields() == ("x", "c")
