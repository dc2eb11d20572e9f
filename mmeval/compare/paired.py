"""The paired difference of two lists of numbers: how large, how sure, and what could have been seen.

Sources: Miller 2024 (arXiv 2411.00640) for paired and clustered differences and their power; Dietterich 1998
for McNemar; Holm 1979; Benjamini and Hochberg 1995. Undefined is None, never 0: one pair says nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence

import msgspec

from mmeval.stats import Z95, Interval, Range, mcnemar, mean, of_clustered_mean, of_mean

# Quantile 0.8 of the standard normal distribution.
Z80 = 0.8416212335729143
# The seed of every random number in a comparison, and how many draws a permutation test takes.
SEED = 20240611
DRAWS = 9999
# Numbers held at once while signs are drawn.
BLOCK = 1_000_000


class Square(msgspec.Struct, frozen=True):
    """The 2x2 of two lists of 0 and 1: how many pairs are right on both sides, on one, on none."""

    both: int
    only_a: int
    only_b: int
    neither: int


class Paired(msgspec.Struct, frozen=True):
    """The difference B - A of paired numbers.

    All but `n`, `units` and `square` are in the unit of the numbers times the scale that was given. `stderr`
    and `ci95` (95 %) are None for fewer than two units or without any spread. `p` is two-sided; `test` names
    how it was found. `p_rows` is McNemar's where rows are dependent, so that it must not be believed.
    `detectable` is the difference that such a comparison finds in 8 of 10 cases at the 5 % level. `rho` is
    the correlation of both sides, None where one never varies.
    """

    n: int
    units: int
    a: float | None
    b: float | None
    difference: float | None
    stderr: float | None = None
    ci95: Range | None = None
    method: str | None = None
    p: float | None = None
    test: str | None = None
    detectable: float | None = None
    rho: float | None = None
    square: Square | None = None
    p_rows: float | None = None


def paired(
    a: Sequence[float], b: Sequence[float], units: Sequence[Hashable] | None = None, scale: float = 1.0
) -> Paired:
    """The difference of two lists of numbers, pair by pair.

    The interval is clustered where several pairs share a unit, Student's t otherwise. The p-value is the
    exact McNemar test where all numbers are 0 or 1 and every pair is a unit by itself, else a permutation
    test that flips the sign of whole units (`sign_flip`).

    Args:
        a: the numbers of the first side.
        b: those of the second, in the same order.
        units: what each pair belongs to (an image, a group); every pair by itself without it.
        scale: what the numbers are multiplied with in the end.
    """
    n = len(a)
    names = list(range(n)) if units is None else list(units)
    differences = [second - first for first, second in zip(a, b, strict=True)]
    square = square_of(a, b)
    count = len(set(names))
    told = Paired(n, count, _times(mean(a), scale), _times(mean(b), scale), _times(mean(differences), scale))
    if n < 2:
        return msgspec.structs.replace(told, square=square)
    found = (of_mean(differences) if count == n else of_clustered_mean(differences, names)).times(scale)
    p, test, p_rows = _tested(differences, names, square, count == n)
    return Paired(
        n,
        count,
        told.a,
        told.b,
        told.difference,
        *found,
        p=p,
        test=test,
        detectable=detectable(found),
        rho=correlation(a, b),
        square=square,
        p_rows=p_rows,
    )


def _times(value: float | None, scale: float) -> float | None:
    return None if value is None else value * scale


def _tested(
    differences: Sequence[float], units: Sequence[Hashable], square: Square | None, single: bool
) -> tuple[float | None, str, float | None]:
    """The p-value, its test, and McNemar's where rows of 0 and 1 are dependent."""
    exact = None if square is None else mcnemar(square.only_a, square.only_b)
    if single and exact is not None:
        return exact, "exact McNemar", None
    return sign_flip(differences, units), "sign-flip permutation", exact


def square_of(a: Sequence[float], b: Sequence[float]) -> Square | None:
    """The 2x2 of two lists; None where they hold anything but 0 and 1, or nothing."""
    if not a or not all(value in (0.0, 1.0) for value in (*a, *b)):
        return None
    cells = [0, 0, 0, 0]
    for first, second in zip(a, b, strict=True):
        cells[2 * (first == 0) + (second == 0)] += 1
    return Square(*cells)


def sign_flip(differences: Sequence[float], units: Sequence[Hashable]) -> float | None:
    """Two-sided p of the sum of the differences under random signs of whole units.

    Exact where all signs can be tried (13 units that differ), else 9,999 draws from the fixed seed 20240611,
    so that the same numbers give the same p. None for fewer than two units; 1 where no unit differs.
    """
    pools: dict[Hashable, list[float]] = defaultdict(list)
    for value, unit in zip(differences, units, strict=True):
        pools[unit].append(value)
    sums = sorted(total for pool in pools.values() if (total := math.fsum(pool)))
    if len(pools) < 2:
        return None
    return _flipped(sums) if len(sums) > 1 else 1.0


def _flipped(sums: Sequence[float]) -> float:
    import numpy as np
    from scipy.stats import permutation_test  # type: ignore[import-untyped]

    # The seed counts for one direction; the order of the runs must not change the p-value.
    turned = sums if math.fsum(sums) > 0 else sorted(-value for value in sums)
    found = permutation_test(
        (np.array(turned),),
        lambda x, axis: x.sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=DRAWS,
        batch=max(1, BLOCK // len(sums)),
        random_state=np.random.default_rng(SEED),
    )
    return min(1.0, float(found.pvalue))


def detectable(found: Interval) -> float | None:
    """The minimum detectable difference (5 % level, two-sided, 80 % power): (z.975 + z.8) SE.

    SE is that of the paired difference as observed (Miller 2024, section 5): with a variance of 1/9 per pair,
    969 pairs tell 3 points apart.
    """
    return None if found.stderr is None else (Z95 + Z80) * found.stderr


def correlation(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Pearson's correlation of two lists; None for fewer than two pairs or a side that never varies."""
    if len(a) < 2 or min(a) == max(a) or min(b) == max(b):
        return None
    mid_a, mid_b = math.fsum(a) / len(a), math.fsum(b) / len(b)
    both = math.fsum((x - mid_a) * (y - mid_b) for x, y in zip(a, b, strict=True))
    spread = math.sqrt(math.fsum((x - mid_a) ** 2 for x in a) * math.fsum((y - mid_b) ** 2 for y in b))
    return max(-1.0, min(1.0, both / spread)) if spread else None


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values: what to claim over several benchmarks with 5 % error in the whole family.

    The i-th smallest of m is max over j <= i of min(1, (m - j + 1) p_j). Unknown ones stay so and are not
    counted.
    """
    known = sorted((p, at) for at, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (p, at) in enumerate(known):
        highest = max(highest, min(1.0, (len(known) - rank) * p))
        adjusted[at] = highest
    return adjusted


def false_discovery(values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's adjusted p-values, for screening.

    The i-th smallest of m is min over j >= i of m p_j / j. Unknown ones stay so and are not counted.
    """
    known = sorted((p, at) for at, p in enumerate(values) if p is not None)
    adjusted: list[float | None] = [None] * len(values)
    lowest = 1.0
    for rank in range(len(known), 0, -1):
        p, at = known[rank - 1]
        lowest = min(lowest, p * len(known) / rank)
        adjusted[at] = lowest
    return adjusted
