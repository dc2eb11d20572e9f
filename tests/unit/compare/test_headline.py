"""A headline made again from rows: as a mean where it is one, as a whole where it is none."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.compare.headline import Headline, block_count, compared, exchanged, headline_of, jackknife, t_test
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
        (
            {
                "score_aggregates": [
                    {"name": "AP", "reduce": "box-ap", "evaluator": "lvis"},
                    {"name": "APr", "reduce": "mean-of", "of": ["AP.APr"], "headline": True},
                ]
            },
            "files that a score does not hold",
        ),
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


def of_subset(name: int, score: float, subset: str | None) -> Row:
    return Row(str(name), score, "ok", True, "yes", "yes", subset, {})


def test_a_headline_over_some_subsets_counts_their_rows() -> None:
    a = [of_subset(n, float(n % 3 != 0), "xyz"[n % 3]) for n in range(24)]
    b = [of_subset(n, float(n % 4 != 0), "xyz"[n % 3]) for n in range(24)]
    found = compared(headline(reduce="mean", over=["x", "y"]), a, b)
    chosen = [(p.score or 0.0, q.score or 0.0) for p, q in zip(a, b, strict=True) if p.subset in ("x", "y")]
    assert found == paired([x for x, _ in chosen], [y for _, y in chosen])
    told = compared(headline(reduce="mean", over=["x"]), [of_subset(1, 1.0, None)], [of_subset(1, 0.0, None)])
    assert isinstance(told, str)
    assert "do not say of each row" in told


def boxes(name: int, shift: float, image: int | None = None) -> Row:
    """A row with one gold box and one predicted box, so far beside it."""
    said = {
        "image": str(name if image is None else image),
        "boxes": [{"box": [10 + shift, 10, 20, 20], "category": "dog"}],
        "golds": [{"box": [10, 10, 20, 20], "category": "dog", "area": 400, "id": name}],
    }
    return Row(str(name), None, "ok", True, None, None, None, {}, said)


def test_boxes_are_compared_as_a_whole() -> None:
    a = [boxes(n, 0.0 if n % 3 else 30.0) for n in range(30)]
    b = [boxes(n, 0.0 if n % 2 else 30.0) for n in range(30)]
    made = headline(reduce="box-ap", value="AP50")
    found = compared(made, a, b)
    assert not isinstance(found, str)
    assert (found.a, found.b) == (made.value(a), made.value(b))
    names = list(range(30))
    assert found.stderr == jackknife(made.value, a, b, names, 30).stderr
    assert (found.method, found.units) == ("jackknife-30", 30)
    assert found.p is not None


def test_rows_of_one_image_are_one_unit() -> None:
    rows = [boxes(n, 0.0, n // 3) for n in range(12)]
    tied = ties([{"name": "AP", "reduce": "box-ap", "by": "domain"}])
    assert tied == (("domain", "evidence.image"),)
    assert len(set(units(rows, ties([{"name": "AP", "reduce": "box-ap"}])).values())) == 4


@pytest.mark.parametrize(
    ("work", "blocks"),
    [
        pytest.param(2 * 30, 30, id="each-unit"),
        pytest.param(2 * 5_000, 100, id="a-hundred"),
        pytest.param(2 * 20_000, 25, id="as-many-as-take-seconds"),
        pytest.param(2 * 5_000 * 60, 20, id="the-fewest"),
        pytest.param(2 * 30_000 * 60, 0, id="more-than-two-minutes"),
    ],
)
def test_how_many_blocks_are_made(work: int, blocks: int) -> None:
    assert block_count(work, 30 if work == 60 else 5_000) == blocks
