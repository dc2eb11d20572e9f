"""checklist, label-mean and replicate-spread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from mmeval import stats
from mmeval.aggregates.judged import Checklist, LabelMean, ReplicateSpread
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]
LISTS = [{"items": [True, True]}, {"items": [1, 0]}, {"items": [True, False, False, True]}, None]


def test_a_checklist_has_three_figures(table: Table) -> None:
    """facts 8.3, mmbrowsecomp: overall = YES, strict = YES and every item, average of met / items."""
    reduced = Checklist(by="f")(table([1.0, 1.0, 0.0, 0.0], evidence=LISTS, f=list("aabb")))
    assert reduced.parts == {"overall": 0.5, "strict": 0.25, "items": 0.5, "a": 1.0, "b": 0.0}
    assert (reduced.value, reduced.ci95) == (0.5, stats.wilson(2, 4))
    assert reduced.notes == ("1 of 4 rows have no list of items; they meet none",)


@pytest.mark.parametrize(("value", "expected", "method"), [("strict", 0.25, "wilson"), ("items", 0.5, "t")])
def test_the_figure_of_a_checklist_is_chosen(table: Table, value: Any, expected: float, method: str) -> None:
    reduced = Checklist(value=value)(table([1.0, 1.0, 0.0, 0.0], evidence=LISTS))
    assert (reduced.value, reduced.method) == (expected, method)


def test_a_row_without_items_is_never_strict(table: Table) -> None:
    reduced = Checklist(value="strict")(table([1.0, 1.0], evidence=[{"items": []}, {"items": ["?"]}]))
    assert (reduced.value, reduced.parts["overall"]) == (0.0, 1.0)


@pytest.mark.parametrize("value", ["strict", "items"])
def test_figures_of_items_are_undefined_where_no_judge_was_asked_for_them(
    value: Literal["strict", "items"], table: Table
) -> None:
    reduced = Checklist(value=value)(table([1.0, 0.0], evidence=[None, {"rating": 3}]))
    assert (reduced.value, reduced.n) == (None, 2)
    assert reduced.notes == ("no row has a list of items: no judge was asked for one",)


def test_a_checklist_without_a_verdict_counts_nothing(table: Table) -> None:
    rows = table([0.0] * 2, evidence=LISTS[:2], status=["invalid", "ok"], decided=[False, False])
    assert Checklist()(rows).parts == {"overall": 0.0, "strict": 0.0, "items": 0.0}
    assert Checklist()([]).value is None
    assert Checklist()(table([None])).notes != ()


REWARD = {"B>>A": 100.0, "B>A": 50.0, "A=B": 0.0, "A>B": -50.0, "A>>B": -100.0}


def test_labels_stand_for_numbers(table: Table) -> None:
    rows = table([None] * 5, label=["B>>A", "b>a", "A>>B ", "?", None], g=list("xxyyy"))
    reduced = LabelMean(REWARD, by="g")(rows)
    assert (reduced.value, reduced.parts) == (10.0, {"x": 75.0, "y": pytest.approx(-100 / 3)})
    assert reduced.notes == ("2 of 5 rows carry none of the labels; they are worth 0",)
    assert reduced.method == "t"


def test_a_win_rate_is_a_share(table: Table) -> None:
    reduced = LabelMean({"B>>A": 1.0, "B>A": 1.0, "A>B": 0.0})(table([None] * 3, label=["B>A", "A>B", "B>A"]))
    assert (reduced.value, reduced.ci95) == (2 / 3, stats.wilson(2, 3))


def test_labels_from_elsewhere_and_rows_without_a_verdict(table: Table) -> None:
    rows = table([None] * 2, evidence=[{"w": "B"}, {"w": "B"}], decided=[True, False], g=["A", "A"])
    assert LabelMean({"B": 2.0}, source="evidence.w", otherwise=-1.0)(rows).value == 0.5
    assert LabelMean({"B": 2.0}, source="g", by="h").fields() == ("g", "h")


# MM-Vet: three runs over two rows, and one row that was settled without the judge.
RUNS = [{"ratings": [0.0, 0.3, 0.6]}, {"ratings": [1, 1.0, 0.9]}, None]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("mean", 3.8 / 9), ("min", 1 / 3), ("max", 0.5), ("std", 0.0685)],
)
def test_spread_over_runs(table: Table, value: Any, expected: float) -> None:
    reduced = ReplicateSpread(value=value)(table([0.3, 0.9667, 0.0], evidence=RUNS))
    assert reduced.value == pytest.approx(expected, abs=5e-5)
    assert reduced.parts == pytest.approx({"run:1": 1 / 3, "run:2": 1.3 / 3, "run:3": 0.5})
    assert (reduced.ci95, reduced.n, ReplicateSpread().fields()) == (None, 3, ())


@pytest.mark.parametrize(
    ("evidence", "note"),
    [
        ([None, None], "judged once: there is no spread"),
        ([{"ratings": [1]}, {"ratings": [0]}], "judged once: there is no spread"),
        (
            [{"ratings": [1, 1]}, {"ratings": [0]}],
            "rows were judged a different number of times: there is no spread",
        ),
    ],
)
def test_no_spread(table: Table, evidence: list[Any], note: str) -> None:
    reduced = ReplicateSpread()(table([1.0, 0.0], evidence=evidence))
    assert (reduced.value, reduced.parts, reduced.notes) == (None, {}, (note,))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Checklist(items="score"), "items must be 'evidence.<key>', not 'score'"),
        (lambda: ReplicateSpread(source="x"), "source must be 'evidence.<key>', not 'x'"),
        (lambda: LabelMean({}), "'values' must give finite numbers"),
        (lambda: LabelMean({"a": float("inf")}), "'values' must give finite numbers"),
    ],
)
def test_unusable_parameters_are_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        make()
