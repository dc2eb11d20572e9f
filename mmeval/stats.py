"""How sure a number is: standard errors, 95 % intervals and the paired test, in closed form.

Sources: Miller 2024 (arXiv 2411.00640) for clustered errors; Bowyer, Aitchison and Ivanova 2025 (arXiv
2503.01747) for Wilson instead of the normal approximation; Wilson 1927. Undefined is None, never 0: one
sample, one cluster, or a sample without any spread says nothing about the error.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

# What float sums of equal numbers leave over, relative to the largest of them: no spread, only rounding.
NOISE = 1e-14
# Quantile 0.975 of the standard normal distribution; statistics.NormalDist gives it too, but costs an import.
Z95 = 1.959963984540054

Range = tuple[float, float]
UNIT: Range = (0.0, 1.0)


class Interval(NamedTuple):
    """A standard error and a 95 % interval in the unit of the value, and the name of the method."""

    stderr: float | None = None
    ci95: Range | None = None
    method: str | None = None

    def times(self, factor: float) -> Interval:
        """The interval of `factor` times the value, for a positive factor."""
        stderr = None if self.stderr is None else self.stderr * factor
        ci95 = None if self.ci95 is None else (self.ci95[0] * factor, self.ci95[1] * factor)
        return Interval(stderr, ci95, self.method)


UNKNOWN = Interval()


def mean(values: Sequence[float]) -> float | None:
    """The mean, with a correctly rounded sum, so that no order of rows changes a digit; None of nothing."""
    return math.fsum(values) / len(values) if values else None


def stderr_of_mean(values: Sequence[float]) -> float | None:
    """SE = s / sqrt(n), with n - 1 degrees of freedom; None for n < 2, 0.0 where all values are equal."""
    n = len(values)
    if n < 2:
        return None
    if min(values) == max(values):
        return 0.0
    centre = math.fsum(values) / n
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (n - 1) / n)


def t_quantile(df: int) -> float:
    """Quantile 0.975 of Student's t.

    From 1,000 degrees of freedom on the asymptotic series (Abramowitz and Stegun 26.7.5) is exact to 12
    digits and spares a run of graded samples the import of scipy; below, `scipy.special.stdtrit`.
    """
    if df < 1000:
        from scipy.special import stdtrit  # type: ignore[import-untyped]

        return float(stdtrit(df, 0.975))
    z, z2 = Z95, Z95 * Z95
    g1 = z * (z2 + 1) / 4
    g2 = z * ((5 * z2 + 16) * z2 + 3) / 96
    g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384
    g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160
    return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df


def wilson(hits: float, n: float) -> Range:
    """Wilson's score interval (95 %) of `hits` out of `n` > 0; stays in 0..1 and is honest at 0 and n."""
    z2 = Z95 * Z95
    centre = (hits + z2 / 2) / (n + z2)
    half = Z95 * math.sqrt(hits * (n - hits) / n + z2 / 4) / (n + z2)
    low = 0.0 if hits == 0 else max(0.0, centre - half)
    high = 1.0 if hits == n else min(1.0, centre + half)
    return low, high


def proportion(hits: int, n: int) -> Interval:
    """Of a share: SE sqrt(p (1 - p) / (n - 1)), Wilson interval.

    The SE of 0 or n hits would be 0, which misleads; it is None, and the interval speaks. All None for n < 2.
    """
    if n < 2:
        return UNKNOWN
    share = hits / n
    stderr = math.sqrt(share * (1 - share) / (n - 1)) if 0 < hits < n else None
    return Interval(stderr, wilson(hits, n), "wilson")


def of_mean(values: Sequence[float], limits: Range | None = None) -> Interval:
    """Of a mean of independent values: Wilson where all are 0 or 1, else Student's t with n - 1.

    `limits` are those of the value (0..1 for scores); the interval is cut there. All None for n < 2, or where
    graded values show no spread.
    """
    if limits == UNIT and all(value in (0.0, 1.0) for value in values):
        return proportion(sum(map(int, values)), len(values))
    stderr = stderr_of_mean(values)
    if not stderr:
        return UNKNOWN
    return around(math.fsum(values) / len(values), stderr, "t", t_quantile(len(values) - 1), limits)


def of_clustered_mean(
    values: Sequence[float], clusters: Sequence[Hashable], limits: Range | None = None
) -> Interval:
    """Of a mean of values that come in clusters (several questions of one image).

    SE^2 = C / (C - 1) * sum over clusters of (sum of deviations in it)^2 / n^2, t with C - 1 degrees of
    freedom. All None for fewer than two clusters, or no spread between them.
    """
    deviations: dict[Hashable, list[float]] = {}
    if not values:
        return UNKNOWN
    n, centre = len(values), math.fsum(values) / len(values)
    for value, cluster in zip(values, clusters, strict=True):
        deviations.setdefault(cluster, []).append(value - centre)
    count = len(deviations)
    if count < 2:
        return UNKNOWN
    spread = math.fsum(math.fsum(part) ** 2 for part in deviations.values())
    stderr = math.sqrt(count / (count - 1) * spread) / n
    if stderr <= NOISE * max(map(abs, values)):
        return UNKNOWN
    return around(centre, stderr, "clustered-t", t_quantile(count - 1), limits)


def of_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Interval:
    """Of mean(x) / mean(y) = R over pairs: SE^2 = sum (x - R y)^2 / (n (n - 1)) / mean(y)^2, t with n - 1.

    The linearised ratio estimator (Cochran, Sampling Techniques, chapter 6). All None for n < 2, mean(y) = 0,
    or no spread.
    """
    n, below = len(numerators), math.fsum(denominators)
    if n < 2 or not below:
        return UNKNOWN
    ratio = math.fsum(numerators) / below
    pairs = zip(numerators, denominators, strict=True)
    spread = math.fsum((x - ratio * y) ** 2 for x, y in pairs)
    if math.sqrt(spread) <= NOISE * max(map(abs, numerators)):
        return UNKNOWN
    stderr = math.sqrt(spread / (n * (n - 1))) / abs(below / n)
    return around(ratio, stderr, "ratio-t", t_quantile(n - 1), None)


def of_f1(hits: int, misses: int) -> Interval:
    """Of F1 = 2 J / (1 + J), where J = TP / (TP + FP + FN), `hits` are TP and `misses` are FP + FN.

    F1 grows with J, and given the TP + FP + FN rows J is a share, so its Wilson interval carries over; the SE
    follows by the derivative 2 / (1 + J)^2.
    """
    n = hits + misses
    share = proportion(hits, n)
    if share.ci95 is None:
        return UNKNOWN
    low, high = (2 * end / (1 + end) for end in share.ci95)
    stderr = None if share.stderr is None else share.stderr * 2 / (1 + hits / n) ** 2
    return Interval(stderr, (low, high), "wilson-f1")


def combined_stderr(errors: Iterable[float | None], weights: Sequence[float]) -> float | None:
    """SE of a weighted sum of independent figures, sqrt(sum (w SE)^2); None if one is unknown or all 0."""
    squares = []
    for error, weight in zip(errors, weights, strict=True):
        if error is None:
            return None
        squares.append((error * weight) ** 2)
    return math.sqrt(math.fsum(squares)) or None


def around(
    value: float, stderr: float | None, method: str, quantile: float = Z95, limits: Range | None = None
) -> Interval:
    """The interval `value` +- `quantile` * `stderr`, cut at the limits; unknown without an SE."""
    if stderr is None:
        return UNKNOWN
    low, high = value - quantile * stderr, value + quantile * stderr
    if limits is not None:
        low, high = max(low, limits[0]), min(high, limits[1])
    return Interval(stderr, (low, high), method)


def mcnemar(only_a: int, only_b: int) -> float:
    """Exact two-sided McNemar p-value: the binomial test of `only_a` against `only_b` at 1/2."""
    n, k = only_a + only_b, min(only_a, only_b)
    tail = sum(math.comb(n, i) for i in range(k + 1))
    # Integers throughout: neither side underflows, however many rows there are.
    return min(1.0, 2 * tail / (1 << n))
