"""A headline made again from rows: as a mean where it is one, as a whole where it is none."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.compare.headline import Headline, compared, exchanged, headline_of, jackknife, t_test
from mmeval.compare.paired import paired
from mmeval.compare.units import ties, units
from mmeval.stats import stderr_of_mean
from mmeval.types import Row


def row(name: int, score: float, **fields: Any) -> Row:
    label = "yes" if score else "no"
    return Row(str(name), score, "ok", True, label, "yes", None, fields)


def headline(**spec: Any) -> Headline:
    found = headline_of({"score_aggregates": [{"name": "x", "headline": True, **spec}]})
    assert isinstance(found, Headline), found
    return found


A = [row(n, float(n % 3 != 0), group=str(n // 2), image=str(n // 4)) for n in range(24)]
B = [row(n, float(n % 4 != 0), group=str(n // 2), image=str(n // 4)) for n in range(24)]


def test_a_mean_of_rows() -> None:
    found = compared(headline(reduce="mean", scale=100), A, B)
    assert found == paired([each.score or 0.0 for each in A], [each.score or 0.0 for each in B], None, 100)


def test_a_mean_of_clustered_rows() -> None:
    found = compared(headline(reduce="mean", cluster="image"), A, B)
    assert not isinstance(found, str)
    assert (found.n, found.units, found.method) == (24, 6, "clustered-t")


def test_a_mean_of_groups_counts_groups() -> None:
    found = compared(headline(reduce="all-correct", by=["group"]), A, B)
    assert not isinstance(found, str)
    assert (found.n, found.units, found.test) == (12, 12, "exact McNemar")
    assert found.square is not None
    assert (found.a, found.b) == (pytest.approx(4 / 12), pytest.approx(6 / 12))


def test_any_other_is_compared_as_a_whole() -> None:
    found = compared(headline(reduce="prf1", positive="yes", scale=100), A, B)
    assert not isinstance(found, str)
    assert found.test == "999 exchanges of units"
    assert (found.method, found.square) == ("jackknife-24", None)
    assert found == compared(headline(reduce="prf1", positive="yes", scale=100), A, B)
    assert compared(headline(reduce="prf1", positive="yes", interval="bootstrap", scale=100), A, B) == found


def value(rows: Any) -> float:
    return sum(each.score for each in rows) / len(rows)


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    found = jackknife(value, A, B, list(range(24)))
    differences = [(y.score or 0.0) - (x.score or 0.0) for x, y in zip(A, B, strict=True)]
    assert found.stderr == pytest.approx(stderr_of_mean(differences))
    assert found.method == "jackknife-24"


def test_exchanges_agree_with_the_exact_test() -> None:
    p = exchanged(value, A, B, list(range(24)), 999)
    exact = paired([each.score or 0.0 for each in A], [each.score or 0.0 for each in B]).p
    assert exact is not None
    assert p == pytest.approx(exact, abs=0.05)
    assert exchanged(value, A, A, list(range(24)), 999) == 1.0


def test_t() -> None:
    assert t_test(2.262157, 1.0, 9) == pytest.approx(0.05, abs=1e-6)  # the 0.975 quantile of t with 9


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({}, "no headline"),
        ({"score_aggregates": [{"name": "x", "reduce": "mean", "headline": True, "over": ["a"]}]}, "subset"),
        (
            {"score_aggregates": [{"name": "x", "reduce": "nothing", "headline": True}]},
            "cannot be made again",
        ),
    ],
)
def test_a_headline_that_rows_do_not_give(config: dict[str, Any], says: str) -> None:
    found = headline_of(config)
    assert isinstance(found, str)
    assert says in found


def test_what_a_headline_is_made_of_comes_along() -> None:
    told = [
        {"name": "unused", "reduce": "mean"},
        {"name": "a", "reduce": "mean"},
        {"name": "b", "reduce": "all-correct", "by": ["group"]},
        {"name": "x", "reduce": "mean-of", "of": ["a", "b"], "headline": True},
    ]
    found = headline_of({"score_aggregates": told})
    assert isinstance(found, Headline)
    assert [each.spec.name for each in found.made] == ["a", "b", "x"]
    made = compared(found, A, B)
    assert not isinstance(made, str)
    assert made.units == 12


def test_chains_of_ties_are_one_unit() -> None:
    rows = [
        row(0, 1, a="x", b="1"),
        row(1, 1, a="x", b="2"),
        row(2, 1, a="y", b="2"),
        row(3, 1, a="z", b=None),
    ]
    found = units(rows, [("a",), ("b",)])
    assert found["0"] == found["1"] == found["2"] != found["3"]
    specs = [{"reduce": "mean", "cluster": "a"}, {"reduce": "all-correct", "by": ["b"]}, {"reduce": "prf1"}]
    assert ties(specs) == (("a",), ("b",))
