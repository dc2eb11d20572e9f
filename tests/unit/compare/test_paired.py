"""Paired differences: values of statsmodels, values by hand, and what is undefined."""

from __future__ import annotations

import math

import pytest

from mmeval.compare.paired import (
    correlation,
    detectable,
    false_discovery,
    holm,
    paired,
    sign_flip,
    square_of,
)
from mmeval.stats import Interval

STATSMODELS = "statsmodels 0.15.0"


def split(only_a: int, only_b: int, both: int = 10, neither: int = 10) -> tuple[list[float], list[float]]:
    a = [1.0] * only_a + [0.0] * only_b + [1.0] * both + [0.0] * neither
    b = [0.0] * only_a + [1.0] * only_b + [1.0] * both + [0.0] * neither
    return a, b


@pytest.mark.parametrize(
    ("only_a", "only_b", "p", "source"),
    [
        (0, 0, 1.0, f"{STATSMODELS} mcnemar(exact=True)"),
        (1, 0, 1.0, STATSMODELS),
        (5, 0, 0.0625, STATSMODELS),
        (6, 0, 0.03125, STATSMODELS),
        (9, 1, 0.021484375, STATSMODELS),
        (12, 5, 0.143463134765625, STATSMODELS),
        (25, 10, 0.016673847800120715, STATSMODELS),
        (40, 41, 1.0, STATSMODELS),
        (300, 240, 0.011050481081929898, STATSMODELS),
    ],
)
def test_verdicts_of_0_and_1_are_compared_by_mcnemar(only_a: int, only_b: int, p: float, source: str) -> None:
    a, b = split(only_a, only_b)
    for first, second in ((a, b), (b, a)):
        found = paired(first, second)
        assert found.p == pytest.approx(p, rel=1e-12), source
        assert found.test == "exact McNemar"
    assert square_of(a, b) == paired(a, b).square
    assert paired(a, b).square is not None


def test_a_clustered_interval_by_hand() -> None:
    """Four clusters with deviations 0.1, 1.4, -1.6 and 0.1: SE = sqrt(4/3 x 4.54) / 10.

    The same by statsmodels 0.15.0, OLS on a constant, cov_type="cluster", times sqrt(4/3).
    """
    a = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    b = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
    found = paired(a, b, [0, 0, 0, 1, 1, 2, 2, 3, 3, 3])
    assert found.difference == pytest.approx(0.3)
    assert found.stderr == pytest.approx(0.2460352278299457, rel=1e-12)
    assert found.ci95 == pytest.approx((0.3 - 3.182446305 * 0.24603523, 0.3 + 3.182446305 * 0.24603523))
    assert (found.units, found.method, found.test) == (4, "clustered-t", "sign-flip permutation")
    assert found.p_rows == pytest.approx(0.375)  # 4 against 1, as if they were independent


def test_dependent_rows_are_flipped_together() -> None:
    """Sums of the units 1, 1, 1, 1: of 16 ways to sign them 2 are as far out."""
    a, b = [0.0] * 8, [0.5] * 8
    assert sign_flip([0.5] * 8, [0, 0, 1, 1, 2, 2, 3, 3]) == pytest.approx(2 / 16)
    assert paired(a, b, [0, 0, 1, 1, 2, 2, 3, 3]).p == pytest.approx(2 / 16)
    assert paired(a, b).p == pytest.approx(2 / 256)


def test_a_permutation_is_seeded() -> None:
    differences = [((number * 37) % 101 - 45) / 100 for number in range(200)]
    first, second = (sign_flip(differences, range(200)) for _ in range(2))
    assert first == second
    assert first is not None
    assert 0 < first < 1
    assert sign_flip([-value for value in differences], range(200)) == first


@pytest.mark.parametrize(
    ("a", "b"), [([], []), ([1.0], [0.0]), ([0.5], [0.25])], ids=["nothing", "one-verdict", "one-grade"]
)
def test_one_pair_says_nothing(a: list[float], b: list[float]) -> None:
    found = paired(a, b)
    assert (found.stderr, found.ci95, found.p, found.detectable, found.rho) == (None,) * 5


def test_what_does_not_vary_has_no_error() -> None:
    found = paired([0.5, 0.25, 1.0], [0.5, 0.25, 1.0])
    assert (found.difference, found.stderr, found.ci95, found.detectable, found.p) == (
        0,
        None,
        None,
        None,
        1.0,
    )


def test_one_unit_says_nothing() -> None:
    found = paired([0.0, 1.0, 0.0], [1.0, 1.0, 1.0], ["x"] * 3)
    assert (found.units, found.stderr, found.p) == (1, None, None)


def test_the_scale_is_that_of_the_headline() -> None:
    one, hundred = (
        paired([0.2, 0.4, 0.9], [0.3, 0.9, 0.8]),
        paired([0.2, 0.4, 0.9], [0.3, 0.9, 0.8], None, 100),
    )
    for name in ("a", "b", "difference", "stderr", "detectable"):
        assert getattr(hundred, name) == pytest.approx(100 * getattr(one, name))
    assert (hundred.p, hundred.rho) == (one.p, one.rho)


def test_the_minimum_detectable_difference() -> None:
    """Miller 2024, section 5: a variance of 1/9, 3 points, 5 %, 80 % power need 969 pairs."""
    assert detectable(Interval(math.sqrt(1 / 9 / 969))) == pytest.approx(0.03, abs=1e-5)
    assert detectable(Interval()) is None


@pytest.mark.parametrize(
    ("a", "b", "rho"),
    [([0, 1], [0, 1], 1.0), ([0, 1], [1, 0], -1.0), ([1, 2, 3], [1, 3, 2], 0.5), ([1, 1], [0, 1], None)],
)
def test_correlation(a: list[float], b: list[float], rho: float | None) -> None:
    assert correlation(a, b) == (None if rho is None else pytest.approx(rho))


@pytest.mark.parametrize(
    ("values", "claims", "screens", "source"),
    [
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02], [0.02, 0.04, 0.04, 0.02], STATSMODELS),
        ([0.5, 0.5], [1.0, 1.0], [0.5, 0.5], STATSMODELS),
        (
            [0.001, 0.2, 0.04, 0.04, 0.9],
            [0.005, 0.4, 0.16, 0.16, 0.9],
            [0.005, 0.25, 0.06666666666666667, 0.06666666666666667, 0.9],
            STATSMODELS,
        ),
        ([None, 0.02], [None, 0.02], [None, 0.02], "an unknown p is not counted"),
        ([], [], [], "nothing"),
    ],
)
def test_several_benchmarks(
    values: list[float | None], claims: list[float | None], screens: list[float | None], source: str
) -> None:
    for found, wanted in ((holm(values), claims), (false_discovery(values), screens)):
        assert found == [None if p is None else pytest.approx(p) for p in wanted], source
