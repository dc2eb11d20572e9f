"""Counts that belong together, aggregates by name, and a headline that admits what is not known."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mmeval.errors import MetadataError
from mmeval.metadata import Aggregate
from mmeval.summary import Counts, Reducer, aggregate_summary, needed_fields, reduce_all, reducers, scaled
from mmeval.types import Attempt, Reduced, Row, Status


def row(number: int, score: float | None, status: Status = "ok", decided: bool = True, **fields: Any) -> Row:
    subset = fields.pop("subset", None)
    return Row(str(number), score, status, decided, "B" if decided else None, "B", subset, fields)


def made(*specs: dict[str, Any]) -> tuple[Reducer, ...]:
    return reducers([Aggregate(**spec) for spec in specs], "protocol X")


ACC = {"name": "acc", "reduce": "mean", "headline": True}
RIGHT, WRONG, OPEN = row(1, 1.0), row(2, 0.0), row(3, 0.0, decided=False)
BAD, FAILED, UNASKED = (
    row(4, 0.0, "invalid", False),
    row(5, 0.0, "error", False),
    row(6, 0.0, "llm_error", False),
)
PART, MEASURED = row(7, 0.5), row(8, None)


def count(*rows: Row) -> dict[str, Any]:
    counts = Counts()
    for each in rows:
        counts.add(each, "rule-match" if each.decided else None, "mcq", "why")
    return counts.summary()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        pytest.param(
            [RIGHT, WRONG],
            {
                "total": 2,
                "valid": 2,
                "correct": 1,
                "decided": 2,
                "undecided": 0,
                "accuracy": 0.5,
                "coverage": 1,
            },
            id="decided",
        ),
        pytest.param(
            [RIGHT, WRONG, OPEN, BAD],
            {
                "total": 4,
                "valid": 3,
                "invalid": 1,
                "decided": 2,
                "undecided": 1,
                "accuracy": 0.25,
                "accuracy_valid": 1 / 3,
                "accuracy_decided": 0.5,
                "coverage": 0.5,
                "accuracy_bounds": [0.25, 0.25],
            },
            id="open-and-invalid",
        ),
        pytest.param(
            [RIGHT, FAILED, UNASKED, WRONG],
            {"errors": 1, "llm_errors": 1, "accuracy": 0.25, "accuracy_bounds": [0.25, 0.75], "undecided": 0},
            id="failed",
        ),
        pytest.param(
            [RIGHT, PART],
            {"correct": 1, "mean_score": 0.75, "accuracy": 0.5, "accuracy_decided": 0.5},
            id="part",
        ),
        pytest.param(
            [RIGHT, MEASURED],
            {
                "correct": None,
                "accuracy": None,
                "accuracy_valid": None,
                "accuracy_decided": None,
                "accuracy_bounds": None,
                "mean_score": None,
                "coverage": 1.0,
            },
            id="measured",
        ),
        pytest.param(
            [BAD, BAD], {"accuracy": 0.0, "accuracy_valid": None, "accuracy_decided": None}, id="all-invalid"
        ),
        pytest.param([], {"accuracy": None, "coverage": None, "mean_score": None}, id="no-rows"),
    ],
)
def test_counts(rows: list[Row], expected: dict[str, Any]) -> None:
    summary = count(*rows)
    assert {name: summary[name] for name in expected} == expected


def test_a_condition_holds_for_a_list_that_has_the_value() -> None:
    rows = [
        Row(str(at), score, "ok", True, None, None, None, {"skills": skills})
        for at, (score, skills) in enumerate([(1.0, ("algebra", "geometry")), (0.0, "geometry"), (1.0, None)])
    ]
    declared = Aggregate.model_validate({"name": "x", "reduce": "mean", "where": {"skills": ["geometry"]}})
    reduced = reduce_all(reducers((declared,), "test"), rows)["x"]
    assert (reduced.value, reduced.n) == (0.5, 2)


@pytest.mark.parametrize("rows", [[RIGHT], [RIGHT, OPEN, BAD, FAILED, UNASKED, PART, MEASURED], [FAILED]])
def test_every_row_is_counted_once(rows: list[Row]) -> None:
    summary = count(*rows)
    states = ("invalid", "decided", "undecided", "llm_errors", "errors")
    assert sum(summary[name] for name in states) == summary["total"] == len(rows)
    for table in ("by_stage", "by_question_type"):
        assert sum(cell["total"] for cell in summary[table].values()) == len(rows)


def test_a_row_is_read_where_any_prediction_was() -> None:
    several = Row("1", 0.5, "ok", False, None, "B", None, {}, None, (Attempt(1.0, "B"), Attempt(0.0, None)))
    silent = Row("2", 0.0, "ok", False, None, "B", None, {}, None, (Attempt(0.0, None),))
    assert count(several, silent, RIGHT, OPEN)["read"] == 2


def test_reasons_are_of_undecided_rows_only_and_sorted() -> None:
    counts = Counts()
    for reason in ("b", "a", "b"):
        counts.add(OPEN, None, "mcq", reason)
    counts.add(RIGHT, "exact-match", "mcq", "boxed")
    invalid = Row("3", 0.0, "invalid", False, None, None, None, {})
    for reason in ("b: at 1", "b: at 2"):
        counts.add(invalid, None, None, reason)
    told: Any = counts.summary()
    assert list(told["by_reason"].items()) == [("a", 1), ("b", 2), ("b: at 1", 1), ("b: at 2", 1)]
    assert told["invalid_by_reason"] == {"b": 2}


def test_without_failed_rows_the_bounds_are_the_value() -> None:
    summary: Any = aggregate_summary(made(ACC), [RIGHT, WRONG], 0.0)
    headline = summary["headline"]
    assert (headline["name"], headline["value"], headline["bounds"]) == ("acc", 0.5, [0.5, 0.5])
    assert headline["n"] == 2
    assert headline["ci95"][0] < 0.5 < headline["ci95"][1]


@pytest.mark.parametrize(
    ("max_failed", "value"),
    [(0.0, None), (0.24, None), (0.25, 0.5), (1.0, 0.5)],
)
def test_failed_rows_take_the_headline_away(max_failed: float, value: float | None) -> None:
    summary: Any = aggregate_summary(made(ACC), [RIGHT, WRONG, RIGHT, FAILED], max_failed)
    for figure in (summary["headline"], summary["aggregates"]["acc"]):
        assert figure["value"] == value
        assert figure["bounds"] == [0.5, 0.75]
        assert (figure["ci95"] is None) is (value is None)
        assert (figure["stderr"] is None) is (value is None)


@pytest.mark.parametrize(("max_failed", "parts"), [(0.0, {"x": None, "y": 0.5}), (0.5, {"x": 0.5, "y": 0.5})])
def test_failed_rows_take_the_parts_away_that_they_can_change(
    max_failed: float, parts: dict[str, float | None]
) -> None:
    rows = [
        row(1, 1.0, c="x"),
        row(2, 0.0, "llm_error", False, c="x"),
        row(3, 1.0, c="y"),
        row(4, 0.0, c="y"),
    ]
    summary: Any = aggregate_summary(made({**ACC, "by": "c"}), rows, max_failed)
    assert summary["groups"] == {"acc": parts}


def test_scale_is_the_unit_of_everything() -> None:
    summary: Any = aggregate_summary(
        made({**ACC, "scale": 100, "by": "c"}), [row(1, 1.0, c="x"), row(2, 0.0, c="y")], 0
    )
    assert summary["headline"]["value"] == 50
    assert summary["headline"]["scale"] == 100
    assert summary["headline"]["bounds"] == [50, 50]
    assert summary["groups"] == {"acc": {"x": 100.0, "y": 0.0}}
    assert 0 <= summary["headline"]["ci95"][0] < 50 < summary["headline"]["ci95"][1] <= 100


def test_scaling_leaves_null_null() -> None:
    nothing = Reduced(None, 0)
    assert scaled(nothing, 100).value is None
    assert scaled(nothing, 1.0) is nothing


def test_an_aggregate_sees_only_its_rows() -> None:
    rows = [row(1, 1.0, subset="a", k="1"), row(2, 0.0, subset="b", k="1"), row(3, 0.0, subset="a", k="2")]
    done = reduce_all(
        made(
            {"name": "all", "reduce": "mean"},
            {"name": "a", "reduce": "mean", "over": ["a"]},
            {"name": "one", "reduce": "mean", "where": {"k": ["1"]}},
            {"name": "a1", "reduce": "mean", "over": ["a"], "where": {"k": ["1"]}},
            {"name": "none", "reduce": "mean", "over": ["c"], "headline": True},
        ),
        rows,
    )
    assert {name: (each.value, each.n) for name, each in done.items()} == {
        "all": (1 / 3, 3),
        "a": (0.5, 2),
        "one": (0.5, 2),
        "a1": (1.0, 1),
        "none": (None, 0),
    }


def test_combined_aggregates_see_those_before_them() -> None:
    built = made(
        {"name": "a", "reduce": "mean", "where": {"k": ["1"]}},
        {"name": "b", "reduce": "mean", "where": {"k": ["2"]}},
        {"name": "m", "reduce": "mean-of", "of": ["a", "b"], "headline": True},
    )
    summary: Any = aggregate_summary(built, [row(1, 1.0, k="1"), row(2, 0.0, k="2"), row(3, 0.0, k="2")], 0.0)
    assert summary["headline"]["value"] == 0.5
    assert needed_fields(built) == ("k",)
    assert needed_fields(made({"name": "a", "reduce": "mean", "over": ["s"], "headline": True})) == (
        "subset",
    )


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        pytest.param({"name": "a", "reduce": "maen"}, "did you mean 'mean'?", id="reducer"),
        pytest.param({"name": "a", "reduce": "mean", "bye": "x"}, "unknown parameter 'bye'", id="parameter"),
        pytest.param({"name": "a", "reduce": "mean", "field": 3}, "field", id="type"),
        pytest.param(
            {"name": "a", "reduce": "mean-of", "of": ["later"]}, "not declared before it", id="order"
        ),
        pytest.param({"name": "a", "reduce": "mean-of"}, "of", id="missing-parameter"),
    ],
)
def test_an_aggregate_that_cannot_be_built(spec: dict[str, Any], says: str) -> None:
    with pytest.raises(MetadataError, match="protocol X: aggregate a") as caught:
        made(spec)
    assert says in str(caught.value)


def test_bounds_settle_the_attempts_of_a_failed_row() -> None:
    failed = msgspec.structs.replace(FAILED, attempts=(Attempt(1.0, "B"), Attempt(0.0, None)))
    whole = msgspec.structs.replace(RIGHT, attempts=(Attempt(1.0, "B"), Attempt(1.0, "B")))
    spec = {"name": "pass@1", "reduce": "pass@k", "k": 1, "headline": True}
    headline = aggregate_summary(made(spec), [whole, failed], 0.0)["headline"]
    assert headline["value"] is None
    assert headline["bounds"] == [0.5, 1.0]
