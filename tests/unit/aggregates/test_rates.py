"""mean, sum, threshold-rate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval import stats
from mmeval.aggregates.rates import Mean, Sum, ThresholdRate
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]


@pytest.mark.parametrize(
    ("scores", "status", "decided", "expected"),
    [
        ([1.0, 1.0, 1.0, 0.0], ["ok"] * 4, [True] * 4, 0.75),
        # A row without a verdict is wrong, whatever number it carries.
        ([1.0, 1.0, 1.0, 1.0], ["ok", "invalid", "llm_error", "error"], [True] * 4, 0.25),
        ([1.0, 0.0, 0.0], ["ok"] * 3, [True, False, False], 1 / 3),
        # Several predictions of a sample, one of them undecided: the sample's score is their mean.
        ([1.0, 0.5], ["ok"] * 2, [True, False], 0.75),
        # EleutherAI/lm-evaluation-harness#4062: over all six rows, not over the four decided.
        ([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], ["ok"] * 6, [True] * 4 + [False] * 2, 0.5),
        ([0.3, 0.6], ["ok"] * 2, [True] * 2, 0.45),
    ],
    ids=["plain", "not-ok-is-wrong", "undecided-is-wrong", "undecided-attempt", "all-rows", "graded"],
)
def test_mean(
    table: Table, scores: list[float], status: list[str], decided: list[bool], expected: float
) -> None:
    reduced = Mean()(table(scores, status=status, decided=decided))
    assert reduced.value == pytest.approx(expected, rel=1e-15)
    assert reduced.n == len(scores)


def test_mean_of_binary_scores_is_wilson(table: Table) -> None:
    reduced = Mean()(table([1.0] * 3 + [0.0]))
    assert (reduced.ci95, reduced.method) == (stats.wilson(3, 4), "wilson")


def test_mean_of_graded_scores_is_t(table: Table) -> None:
    assert Mean()(table([0.1, 0.5, 0.6])).method == "t"


@pytest.mark.parametrize("scores", [[], [1.0]], ids=["none", "one"])
def test_mean_of_fewer_than_two_has_no_interval(table: Table, scores: list[float]) -> None:
    reduced = Mean()(table(scores))
    assert (reduced.stderr, reduced.ci95, reduced.method) == (None, None, None)
    assert reduced.value == (scores[0] if scores else None)


def test_mean_of_measured_rows_is_undefined_and_says_why(table: Table) -> None:
    reduced = Mean()(table([None, 1.0]))
    assert reduced.value is None
    assert reduced.notes == ("1 of 2 rows are measured over the whole run and carry no score of their own",)


def test_mean_by_field_and_by_joint_fields(table: Table) -> None:
    rows = table([1.0, 0.0, 1.0], a=["x", "y", "x"], b=["1", "1", "2"])
    assert Mean(by="a")(rows).parts == {"x": 1.0, "y": 0.0}
    assert list(Mean(by=("a", "b"))(rows).parts.items()) == [("x/1", 1.0), ("x/2", 1.0), ("y/1", 0.0)]


def test_a_hyphen_in_a_category_loses_no_row(table: Table) -> None:
    """EvolvingLMMs-Lab/lmms-eval#945: the rows of 'Pos-Cam' vanished."""
    assert Mean(by="c")(table([1.0, 0.0], c=["Pos-Cam", "Attr"])).parts == {"Attr": 0.0, "Pos-Cam": 1.0}


@pytest.mark.parametrize(
    ("values", "expected"),
    [(["1", "2.5", "-3"], 0.5 / 3), (["true", "false", "true"], 2 / 3)],
    ids=["numbers", "booleans"],
)
def test_mean_of_a_field(table: Table, values: list[str], expected: float) -> None:
    reduced = Mean(field="f")(table([0.0] * 3, f=values))
    assert reduced.value == pytest.approx(expected)
    assert Mean(field="f").fields() == ("f",)


def test_mean_of_evidence_leaves_out_rows_without_a_verdict(table: Table) -> None:
    rows = table([None, None, 0.0], evidence=[{"r": 4}, {"r": True}, None], status=["ok", "ok", "llm_error"])
    reduced = Mean(field="evidence.r")(rows)
    assert (reduced.value, reduced.n) == (2.5, 2)
    assert reduced.notes == ("1 of 3 rows without a verdict carry no evidence.r and are left out",)
    assert Mean(field="evidence.r").fields() == ()


@pytest.mark.parametrize("bad", [None, "x", "nan", "inf", "1e400", ("1",)], ids=str)
def test_a_field_that_is_no_number_is_refused(table: Table, bad: Any) -> None:
    with pytest.raises(
        MetadataError, match=r"mean: 1 of 2 rows lack a number in field 'f' \(first: sample 1\)"
    ):
        Mean(field="f")(table([0.0, 0.0], f=["1", bad]))


@pytest.mark.parametrize("bad", [None, ("a", "b")], ids=["missing", "several"])
def test_a_group_that_is_no_single_value_is_refused(table: Table, bad: Any) -> None:
    with pytest.raises(MetadataError, match=r"1 of 2 rows lack one value in field 'g' .* 'where'"):
        Mean(by="g")(table([0.0, 0.0], g=["a", bad]))


def test_groups_that_would_share_a_name_are_refused(table: Table) -> None:
    with pytest.raises(MetadataError, match="same name"):
        Mean(by=("a", "b"))(table([0.0, 0.0], a=["x/y", "x"], b=["z", "y/z"]))


def test_subset_is_a_field(table: Table) -> None:
    assert Mean(by="subset")(table([1.0, 0.0], subset="main")).parts == {"main": 0.5}


def test_clustered_mean_and_its_warning(table: Table) -> None:
    reduced = Mean(cluster=("image",))(table([1.0, 1.0, 1.0, 0.0], image=["a", "a", "b", "b"]))
    assert (reduced.stderr, reduced.method) == (0.25, "clustered-t")
    assert reduced.notes == ("only 2 clusters: the interval is rough below 30",)
    many = Mean(cluster="image")(table([0.0, 1.0] * 30, image=[str(i // 2) for i in range(60)]))
    assert many.notes == ()
    one = Mean(cluster="image")(table([1.0, 0.0], image=["a", "a"]))
    assert (one.value, one.stderr, one.ci95, one.method) == (0.5, None, None, None)


def test_evidence_that_lists_numbers_is_their_mean(table: Table) -> None:
    rows = table([None] * 2, evidence=[{"r": [1, 2, 6]}, {"r": 4}])
    assert Mean("evidence.r")(rows).value == 3.5


def test_sum_counts_hits(table: Table) -> None:
    reduced = Sum(by="c")(table([1.0, 0.0, 1.0], c=["x", "x", "y"]))
    low, high = stats.wilson(2, 3)
    assert (reduced.value, reduced.parts) == (2.0, {"x": 1.0, "y": 1.0})
    assert reduced.ci95 == pytest.approx((3 * low, 3 * high))
    assert Sum()([]).value is None


@pytest.mark.parametrize(("op", "expected"), [("<", 0.25), ("<=", 0.5), (">", 0.5), (">=", 0.75)])
def test_threshold_rate(table: Table, op: Any, expected: float) -> None:
    reduced = ThresholdRate(op, 3, field="r", by="c")(
        table([0.0] * 4, r=["2", "3", "4", "5"], c=list("aabb"))
    )
    assert reduced.value == expected
    assert reduced.method == "wilson"
    assert set(reduced.parts) == {"a", "b"}


def test_threshold_rate_refuses_an_unknown_comparison() -> None:
    with pytest.raises(MetadataError, match="op '=='"):
        ThresholdRate("==", 3)  # type: ignore[arg-type]


def test_fields_name_everything_that_is_read() -> None:
    assert Mean(by=("a", "b"), cluster="a").fields() == ("a", "b")
    assert (Sum(by="c").fields(), ThresholdRate("<", 1, field="f", by="c").fields()) == (("c",), ("f", "c"))
