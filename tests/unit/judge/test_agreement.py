"""Agreement on labels and on numbers, and flips: every figure against a worked example or scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats  # type: ignore[import-untyped]

from mmeval.judge.agreement import categorical, flips, numeric, ranks, share


def pairs(table: dict[tuple[str, str], int]) -> list[tuple[str, str]]:
    return [pair for pair, count in table.items() for _ in range(count)]


# Kappa by hand, with exact fractions.
KAPPAS: list[Any] = [
    # po 35/50, pe (25 * 30 + 25 * 20) / 2500 = 1/2, kappa (7/10 - 1/2) / (1/2) = 2/5
    pytest.param({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}, 0.7, 0.4, id="textbook"),
    # the same agreement of 60/100, two distributions: pe 54/100 and 46/100 (Feinstein and Cicchetti's point)
    pytest.param({("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}, 0.6, 6 / 46, id="skewed"),
    pytest.param({("y", "y"): 25, ("y", "n"): 35, ("n", "y"): 5, ("n", "n"): 35}, 0.6, 14 / 54, id="even"),
    pytest.param({("y", "y"): 3, ("n", "n"): 2}, 1.0, 1.0, id="all-the-same"),
    pytest.param({("y", "n"): 2, ("n", "y"): 2}, 0.0, -1.0, id="all-opposite"),
    # three labels: po 6/9, rates 4 2 3 and 3 3 3, pe 27/81 = 1/3, kappa 1/2
    pytest.param(
        {("a", "a"): 3, ("a", "b"): 1, ("b", "b"): 1, ("b", "c"): 1, ("c", "c"): 2, ("c", "b"): 1},
        6 / 9,
        0.5,
        id="three-labels",
    ),
    pytest.param({("y", "y"): 5}, 1.0, None, id="both-constant"),
    pytest.param({("y", "y"): 5, ("n", "y"): 2}, 5 / 7, None, id="one-constant"),
]


@pytest.mark.parametrize(("table", "agreement", "kappa"), KAPPAS)
def test_kappa(table: dict[tuple[str, str], int], agreement: float, kappa: float | None) -> None:
    made = categorical(pairs(table))
    assert made.agreement.value == pytest.approx(agreement)
    assert made.kappa == (None if kappa is None else pytest.approx(kappa))


def test_the_table_and_its_margins() -> None:
    made = categorical(pairs({("y", "y"): 3, ("y", "n"): 1, ("n", "n"): 4}))
    assert made.labels == ("n", "y")
    assert made.table == {"n": {"n": 4, "y": 0}, "y": {"n": 1, "y": 3}}
    assert made.base_rates == {"n": (0.5, 0.625), "y": (0.5, 0.375)}
    assert made.recall == {"n": 1.0, "y": 0.75}
    low, high = made.agreement.ci95 or (0, 0)
    wanted = stats.binomtest(7, 8).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((wanted.low, wanted.high))


def test_a_label_that_only_one_side_knows_has_no_recall() -> None:
    assert categorical([("a", "b"), ("b", "b")]).recall == {"a": 0.0, "b": 1.0}
    assert categorical([("a", "b"), ("a", "a")]).recall == {"a": 0.5, "b": None}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        pytest.param(
            {("y", "y"): 5, ("n", "y"): 2}, "one side always says y: kappa says nothing", id="constant"
        ),
        pytest.param({("y", "y"): 95, ("n", "n"): 2, ("y", "n"): 3}, "98% of one side is y", id="prevalent"),
        pytest.param({("y", "y"): 5, ("n", "n"): 5}, None, id="balanced"),
        pytest.param(
            {("good", "right"): 3, ("bad", "wrong"): 3},
            "no label is one of both sides (bad, good; right, wrong)",
            id="two-vocabularies",
        ),
    ],
)
def test_what_a_reader_of_kappa_must_know(table: dict[tuple[str, str], int], says: str | None) -> None:
    notes = categorical(pairs(table)).notes
    assert (says is None and notes == ()) or (says is not None and says in notes[0])


def test_nothing_in_common_is_undefined_everywhere() -> None:
    made = categorical([])
    assert (made.agreement, made.kappa, made.notes) == (share(0, 0), None, ())
    assert numeric([]) == (0, None, None, None, None, None)


NUMBERS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=3, max_size=40)


@settings(deadline=None)
@given(NUMBERS)
def test_correlations_are_scipys(given_pairs: list[tuple[int, int]]) -> None:
    made = numeric([(float(a), float(b)) for a, b in given_pairs])
    a, b = np.array(given_pairs, dtype=float).T
    if a.std() == 0 or b.std() == 0:
        assert (made.pearson, made.spearman) == (None, None)
        return
    assert made.pearson == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-9)
    assert made.spearman == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-9)
    assert ranks(list(a)) == list(stats.rankdata(a))
    assert made.mae == pytest.approx(np.abs(a - b).mean())
    assert made.bias == pytest.approx((b - a).mean())


def by_table(rated: list[tuple[int, int]]) -> float | None:
    """The textbook form: 1 - sum w o / sum w e over the table of ratings, w = (i - j)^2."""
    n, values = len(rated), range(7)
    firsts = {i: sum(a == i for a, _ in rated) for i in values}
    seconds = {j: sum(b == j for _, b in rated) for j in values}
    observed = sum((a - b) ** 2 for a, b in rated) / n
    expected = sum((i - j) ** 2 * firsts[i] * seconds[j] for i in values for j in values) / n**2
    return 1 - observed / expected if expected else None


@settings(deadline=None)
@given(NUMBERS)
def test_weighted_kappa_is_the_one_of_the_table(rated: list[tuple[int, int]]) -> None:
    made = numeric([(float(a), float(b)) for a, b in rated]).weighted_kappa
    wanted = by_table(rated)
    assert made == (None if wanted is None else pytest.approx(wanted, abs=1e-9))


@pytest.mark.parametrize(
    ("rated", "kappa"),
    [
        pytest.param([(1, 1), (2, 2), (3, 3)], 1.0, id="same"),
        pytest.param([(1, 3), (3, 1)], -1.0, id="opposite"),
        # a = 1 2 3 4, b = 1 1 4 4: observed 2/4; variances 5/4 and 9/4, same mean: 1 - 0.5 / 3.5
        pytest.param([(1, 1), (2, 1), (3, 4), (4, 4)], 1 - 0.5 / 3.5, id="by-hand"),
        pytest.param([(2, 2), (2, 2)], None, id="one-value"),
        pytest.param([(2, 3), (2, 3)], 0.0, id="constant-and-apart"),
    ],
)
def test_weighted_kappa_by_hand(rated: list[tuple[float, float]], kappa: float | None) -> None:
    assert numeric(rated).weighted_kappa == (None if kappa is None else pytest.approx(kappa))


def test_flips() -> None:
    made = flips([{0: "a", 1: "a", 2: "a"}, {0: "a", 1: "b", 2: "a"}, {0: "b", 2: "a"}, {0: "a"}, {}])
    assert made.samples[:2] == (2, 3)
    assert made.pairs[:2] == (3, 7)
    assert {pair: found[:2] for pair, found in made.by_pair.items()} == {
        (0, 1): (1, 2),
        (0, 2): (1, 3),
        (1, 2): (1, 2),
    }
    assert made.samples.ci95 is not None
    assert made.pairs.ci95 is None


def test_no_repeats_no_flips() -> None:
    made = flips([{0: "a"}, {1: "b"}])
    assert (made.samples, made.pairs, made.by_pair) == (share(0, 0), share(0, 0), {})
