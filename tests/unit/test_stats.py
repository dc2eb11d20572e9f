"""Closed forms against scipy, and the values that the literature gives."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys

import pytest
from scipy import special
from scipy import stats as oracle

from mmeval import stats

PAIRS = [(0, 20), (20, 20), (1, 2), (3, 4), (5, 10), (97, 100), (1, 1000), (4999, 5000)]
GRADED = [0.0, 0.5, 1.0, 0.25, 0.9, 0.9]


def test_the_normal_quantile() -> None:
    assert pytest.approx(statistics.NormalDist().inv_cdf(0.975), rel=1e-15) == stats.Z95


@pytest.mark.parametrize(("hits", "n"), PAIRS)
def test_wilson_is_scipys(hits: int, n: int) -> None:
    theirs = oracle.binomtest(hits, n).proportion_ci(method="wilson")
    assert stats.wilson(hits, n) == pytest.approx((theirs.low, theirs.high), rel=1e-12, abs=1e-15)


def test_zero_of_twenty_is_not_certainty() -> None:
    """EvolvingLMMs-Lab/lmms-eval#945: the interval is [0, 0.1611], and an SE of 0 would mislead."""
    interval = stats.proportion(0, 20)
    assert interval.stderr is None and interval.method == "wilson"
    assert interval.ci95 == (0.0, pytest.approx(0.1611, abs=5e-5))


@pytest.mark.parametrize("df", [1, 2, 5, 29, 100, 999, 1000, 1001, 5000, 10**6])
def test_t_quantile_is_scipys(df: int) -> None:
    assert stats.t_quantile(df) == pytest.approx(float(special.stdtrit(df, 0.975)), rel=1e-12)


def test_graded_values_get_a_t_interval() -> None:
    interval = stats.of_mean(GRADED)
    theirs = oracle.ttest_1samp(GRADED, 0).confidence_interval(0.95)
    assert interval.stderr == pytest.approx(oracle.sem(GRADED), rel=1e-12)
    assert interval.ci95 == pytest.approx((theirs.low, theirs.high), rel=1e-12)
    assert interval.method == "t"


def test_binary_scores_get_wilson_and_the_sample_error() -> None:
    interval = stats.of_mean([1.0, 1.0, 1.0, 0.0], stats.UNIT)
    assert interval.stderr == pytest.approx(oracle.sem([1, 1, 1, 0]), rel=1e-12)
    assert (interval.ci95, interval.method) == (stats.wilson(3, 4), "wilson")


def test_a_score_interval_stays_in_its_range() -> None:
    interval = stats.of_mean([1.0, 1.0, 0.5], stats.UNIT)
    assert interval.ci95 is not None and interval.ci95[1] == 1.0


@pytest.mark.parametrize(
    "interval",
    [
        stats.of_mean([]),
        stats.of_mean([0.4]),
        stats.of_mean([1.0], stats.UNIT),
        stats.of_mean([0.4, 0.4, 0.4]),
        stats.of_clustered_mean([], []),
        stats.of_clustered_mean([1.0, 0.0], ["a", "a"]),
        stats.of_clustered_mean([0.1, 0.2, 0.3, 0.2, 0.3, 0.1], ["a", "a", "a", "b", "b", "b"]),
        stats.of_clustered_mean([1.0, 0.0, 1.0, 0.0], ["a", "a", "b", "b"]),
        stats.of_ratio([1.0], [1.0]),
        stats.of_ratio([1.0, 2.0], [1.0, -1.0]),
        stats.of_ratio([2.0, 4.0], [1.0, 2.0]),
        stats.of_f1(1, 0),
        stats.around(0.5, None, "x"),
    ],
    ids=lambda _: "undefined",
)
def test_undefined_is_unknown_and_never_zero(interval: stats.Interval) -> None:
    assert interval == stats.UNKNOWN


def test_clustered_error_by_hand() -> None:
    """Two images with two questions each: deviations sum to 0.5 and -0.5, SE^2 = 2/1 * (0.25 + 0.25) / 16."""
    interval = stats.of_clustered_mean([1.0, 1.0, 1.0, 0.0], ["a", "a", "b", "b"])
    assert interval.stderr == pytest.approx(math.sqrt(2 * 0.5 / 16))
    half = float(special.stdtrit(1, 0.975)) * math.sqrt(2 * 0.5 / 16)
    assert interval.ci95 == pytest.approx((0.75 - half, 0.75 + half))
    assert interval.method == "clustered-t"


def test_clusters_of_one_are_no_clusters() -> None:
    assert stats.of_clustered_mean(GRADED, range(6)).stderr == pytest.approx(oracle.sem(GRADED), rel=1e-12)


def test_ratio_error_by_hand() -> None:
    """R = 6/4; residuals 0.5 and -0.5: SE^2 = 0.5 / 2 / 4."""
    assert stats.of_ratio([2.0, 4.0], [1.0, 3.0]).stderr == pytest.approx(math.sqrt(0.5 / 2) / 2)


def test_f1_interval_is_wilson_of_the_overlap() -> None:
    low, high = stats.wilson(6, 10)
    interval = stats.of_f1(6, 4)
    assert interval.ci95 == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)))
    assert interval.stderr == pytest.approx(math.sqrt(0.6 * 0.4 / 9) * 2 / 1.6**2)


@pytest.mark.parametrize(
    ("errors", "weights", "expected"),
    [([3.0, 4.0], [1.0, 1.0], 5.0), ([1.0, None], [1.0, 1.0], None), ([0.0, 0.0], [1.0, 1.0], None)],
)
def test_combined_error(errors: list[float | None], weights: list[float], expected: float | None) -> None:
    assert stats.combined_stderr(errors, weights) == expected


@pytest.mark.parametrize("pair", [(10, 2), (2, 10), (0, 0), (5, 5), (1, 0), (300, 200), (1, 2000)])
def test_mcnemar_is_the_binomial_test(pair: tuple[int, int]) -> None:
    a, b = pair
    expected = oracle.binomtest(a, a + b, 0.5).pvalue if a + b else 1.0
    assert stats.mcnemar(a, b) == pytest.approx(expected, rel=1e-9)


def test_mcnemar_of_the_reported_case() -> None:
    """EleutherAI/lm-evaluation-harness#3831, #3868."""
    assert round(stats.mcnemar(10, 2), 4) == 0.0386


def test_wilson_covers_where_the_normal_interval_fails() -> None:
    """At p = 0.97 and n = 30 the normal interval covers 59 %, Wilson about 94 % (arXiv 2503.01747)."""

    def coverage(interval: dict[int, tuple[float, float]]) -> float:
        inside = [k for k, (low, high) in interval.items() if low <= 0.97 <= high]
        return float(sum(oracle.binom.pmf(k, 30, 0.97) for k in inside))

    wilson = {k: stats.wilson(k, 30) for k in range(31)}
    error = {k: stats.Z95 * math.sqrt(k * (30 - k) / 30**3) for k in range(31)}
    normal = {k: (k / 30 - error[k], k / 30 + error[k]) for k in range(31)}
    assert coverage(wilson) > 0.93
    assert coverage(normal) < 0.62


def test_a_binary_or_a_large_graded_run_imports_no_numpy() -> None:
    code = (
        "import sys; from mmeval import stats; stats.of_mean([0.0, 1.0] * 2500, stats.UNIT); "
        "stats.of_mean([0.0, 0.5] * 2500, stats.UNIT); print('numpy' in sys.modules, 'scipy' in sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["False", "False"]
