"""prf1."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from mmeval import stats
from mmeval.aggregates.classification import FIGURES, Prf1
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]


def labelled(table: Table, gold: str, said: str, **fields: Any) -> list[Row]:
    """Rows from letters: Y, N, and U for nothing read."""
    words = {"Y": "yes", "N": "no", "U": None}
    scores = [float(g == s) for g, s in zip(gold, said, strict=True)]
    decided = [s != "U" for s in said]
    return table(
        scores, gold=[words[g] for g in gold], label=[words[s] for s in said], decided=decided, **fields
    )


def test_the_pope_example_of_the_facts(table: Table) -> None:
    """facts 8.6: GT Y,Y,N,N,Y,N, pred Y,N,N,Y,U,U, row 0 in two categories: 42.857, 66.667, 50, 57.143."""
    rows = labelled(table, "YYNNYN", "YNNYUU", c=["random,popular", *["random"] * 5])
    reduced = Prf1(by="c", explode=",", explode_overall=True)(rows)
    assert reduced.value == pytest.approx(0.57142857, abs=1e-8)
    expected = {"accuracy": 3 / 7, "precision": 2 / 3, "recall": 0.5, "f1": 4 / 7, "yes_ratio": 3 / 7}
    assert {name: reduced.parts[name] for name in FIGURES} == pytest.approx(expected)
    assert reduced.parts["popular.f1"] == 1.0
    assert reduced.parts["random.f1"] == pytest.approx(0.4)
    # A row that enters twice is not two independent rows.
    assert (reduced.n, reduced.ci95) == (6, None)
    assert reduced.notes == ("2 of 6 rows are undecided: not positive for P, R and F1, wrong for accuracy",)


def test_an_unknown_answer_is_a_miss(table: Table) -> None:
    """AoiDragon/POPE#19: acc 0.5, precision 1, recall 0.5, f1 0.6667, undecided 2."""
    reduced = Prf1()(labelled(table, "YYNN", "YUNU"))
    assert {name: reduced.parts[name] for name in FIGURES} == pytest.approx(
        {"accuracy": 0.5, "precision": 1.0, "recall": 0.5, "f1": 2 / 3, "yes_ratio": 0.25}
    )
    assert reduced.notes and reduced.notes[0].startswith("2 of 4 rows are undecided")


def test_without_explode_overall_each_row_counts_once(table: Table) -> None:
    rows = labelled(table, "YN", "YY", c=["a,b", "b"])
    reduced = Prf1(by="c", explode=",")(rows)
    assert (reduced.parts["precision"], reduced.parts["a.precision"], reduced.parts["b.precision"]) == (
        0.5,
        1,
        0.5,
    )
    assert reduced.method == "wilson-f1"


def test_a_list_needs_no_splitting(table: Table) -> None:
    rows = labelled(table, "YN", "YY", c=[("a", "b"), ("b",)])
    assert Prf1(by="c")(rows).parts["b.recall"] == 1.0


def test_nothing_positive_gives_zero_and_no_crash(table: Table) -> None:
    reduced = Prf1()(labelled(table, "NN", "NN"))
    assert {name: reduced.parts[name] for name in FIGURES} == {
        "accuracy": 1.0,
        "precision": 0.0,
        "recall": 0.0,
        "f1": 0.0,
        "yes_ratio": 0.0,
    }
    assert reduced.ci95 is None


def test_the_positive_label_is_a_parameter_and_case_does_not_count(table: Table) -> None:
    rows = table([1.0, 0.0], gold=["No", "YES"], label=["NO", "no "])
    assert Prf1(positive="no")(rows).parts["precision"] == 0.5


@pytest.mark.parametrize(
    ("figure", "expected"),
    [
        ("accuracy", stats.wilson(3, 5)),
        ("precision", stats.wilson(2, 3)),
        ("recall", stats.wilson(2, 3)),
        ("yes_ratio", stats.wilson(3, 5)),
    ],
)
def test_shares_have_wilson_intervals(table: Table, figure: Any, expected: tuple[float, float]) -> None:
    assert Prf1(value=figure)(labelled(table, "YYNNY", "YYYNN")).ci95 == expected


def test_macro_is_the_mean_over_categories(table: Table) -> None:
    rows = labelled(table, "YNYN", "YNNN", c=list("aabb"))
    reduced = Prf1(by="c", macro=True)(rows)
    assert (reduced.value, reduced.parts["f1"], reduced.ci95) == (0.5, pytest.approx(2 / 3), None)


def test_bootstrap_is_seeded_ordered_and_near_the_closed_form(table: Table) -> None:
    rows = labelled(table, "YYYYNNNN" * 25, "YYYNNNYU" * 25, c=list("ab") * 100)
    closed, drawn = Prf1()(rows), Prf1(interval="bootstrap")(rows)
    assert drawn == Prf1(interval="bootstrap")(rows[::-1])
    assert drawn.method == "bootstrap" and drawn.ci95 is not None and closed.ci95 is not None
    assert all(math.isclose(a, b, abs_tol=0.02) for a, b in zip(drawn.ci95, closed.ci95, strict=True))
    macro = Prf1(interval="bootstrap", by="c", macro=True)(rows)
    assert macro.ci95 is not None and macro.ci95[0] < (macro.value or 0) < macro.ci95[1]


@pytest.mark.parametrize("count", [1, 3], ids=["one-row", "no-spread"])
def test_bootstrap_without_spread_is_unknown(table: Table, count: int) -> None:
    assert Prf1(interval="bootstrap")(labelled(table, "Y" * count, "Y" * count)).ci95 is None


def test_an_invalid_row_is_wrong_and_not_positive(table: Table) -> None:
    rows = table([1.0, 0.0], gold=["yes", None], label=["yes", "yes"], status=["ok", "invalid"])
    assert Prf1()(rows).parts == pytest.approx(
        {"accuracy": 0.5, "precision": 1.0, "recall": 1.0, "f1": 1.0, "yes_ratio": 0.5}
    )


def test_no_rows_and_measured_rows_have_no_value(table: Table) -> None:
    assert Prf1()([]).value is None
    assert Prf1()(table([None])).value is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Prf1(value="f2"), "value 'f2' must be one of accuracy"),  # type: ignore[arg-type]
        (lambda: Prf1(macro=True), "'macro' needs 'by'"),
        (lambda: Prf1(explode=","), "'explode' needs 'by'"),
        (lambda: Prf1(explode_overall=True), "'explode_overall' needs 'by'"),
    ],
)
def test_unusable_parameters_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        make()


def test_missing_gold_or_category_is_refused(table: Table) -> None:
    with pytest.raises(MetadataError, match=r"1 of 1 rows have no gold label \(first: sample 0\)"):
        Prf1()(table([1.0], label=["yes"]))
    with pytest.raises(MetadataError, match="1 of 1 rows lack a value in field 'c'"):
        Prf1(by="c")(labelled(table, "Y", "Y", c=[None]))
    assert (Prf1().fields(), Prf1(by="c").fields()) == ((), ("c",))
