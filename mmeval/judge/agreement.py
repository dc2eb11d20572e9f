"""How well two sides agree on the same samples: a judge and labels, two judges, a judge and itself.

Shares come with Wilson's interval. What is undefined is None: a coefficient of one side that never varies, an
interval of a single sample.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from mmeval.stats import Range, mean, proportion

# From this share of one label on, kappa is low even between sides that nearly always agree.
PREVALENT = 0.9


class Share(NamedTuple):
    """A share of `n`, with its 95 % interval (Wilson); both None where there are too few."""

    hits: int
    n: int
    value: float | None
    ci95: Range | None


class Categorical(NamedTuple):
    """Agreement on labels.

    Attributes:
        labels: every label that either side gives, sorted.
        table: how often the first side says one label and the second another, `table[first][second]`.
        agreement: rows on which both say the same.
        kappa: Cohen's, (po - pe) / (1 - pe), where po is the agreement and pe what two independent sides with
            these base rates would have, the sum over labels of the product of both rates; -1..1. None where a
            side never varies: the coefficient says nothing then.
        base_rates: share of each label, of the first and of the second side.
        recall: for each label of the first side, the share of its rows to which the second gives it too.
        notes: what a reader of kappa must know.
    """

    labels: tuple[str, ...]
    table: Mapping[str, Mapping[str, int]]
    agreement: Share
    kappa: float | None
    base_rates: Mapping[str, tuple[float, float]]
    recall: Mapping[str, float | None]
    notes: tuple[str, ...]


class Numeric(NamedTuple):
    """Agreement on numbers.

    Attributes:
        n: pairs.
        pearson: the linear correlation, -1..1; None where a side never varies.
        spearman: the same of the ranks, equal values share the mean of their ranks.
        mae: the mean absolute difference, in the unit of the numbers.
        bias: the mean of second minus first.
        weighted_kappa: Cohen's with quadratic weights of the values: 1 - mean of (a_i - b_i)^2 over the
            mean of (a_i - b_j)^2 of all i and j. On consecutive whole ratings that is the usual one on
            ranks; on any values it is Lin's concordance coefficient with population moments. None where both
            sides hold one and the same value.
    """

    n: int
    pearson: float | None
    spearman: float | None
    mae: float | None
    bias: float | None
    weighted_kappa: float | None


class Flips(NamedTuple):
    """How often a judge that was asked the same several times changes its mind.

    Attributes:
        samples: samples whose replicates do not all say the same, of those with at least two.
        pairs: pairs of replicates of one sample that differ, of all such pairs; None of no interval, since
            pairs of one sample are not independent.
        by_pair: for each two replicate numbers, the samples on which they differ.
    """

    samples: Share
    pairs: Share
    by_pair: Mapping[tuple[int, int], Share]


def share(hits: int, n: int, independent: bool = True) -> Share:
    """`hits` of `n`."""
    return Share(hits, n, hits / n if n else None, proportion(hits, n).ci95 if independent else None)


def categorical(pairs: Sequence[tuple[str, str]]) -> Categorical:
    """Agreement on labels of (first side, second side)."""
    counted = Counter(pairs)
    labels = tuple(sorted({label for pair in counted for label in pair}))
    table = {a: {b: counted[a, b] for b in labels} for a in labels}
    firsts = {a: sum(table[a].values()) for a in labels}
    seconds = {b: sum(table[a][b] for a in labels) for b in labels}
    n = len(pairs)
    rates = {label: (firsts[label] / n, seconds[label] / n) for label in labels}
    recall = {a: table[a][a] / firsts[a] if firsts[a] else None for a in labels}
    hits = sum(table[a][a] for a in labels)
    kappa = _kappa(hits, n, firsts, seconds)
    return Categorical(labels, table, share(hits, n), kappa, rates, recall, _notes(rates, kappa))


def _kappa(hits: int, n: int, firsts: Mapping[str, int], seconds: Mapping[str, int]) -> float | None:
    if n == 0 or n in firsts.values() or n in seconds.values():
        return None
    by_chance = sum(firsts[label] * seconds[label] for label in firsts)
    return (n * hits - by_chance) / (n * n - by_chance)


def _notes(rates: Mapping[str, tuple[float, float]], kappa: float | None) -> tuple[str, ...]:
    if not rates:
        return ()
    first, second = ([name for name in rates if rates[name][side]] for side in (0, 1))
    if min(len(first), len(second)) > 1 and not {*first} & {*second}:
        said = f"{', '.join(first)}; {', '.join(second)}"
        return (f"no label is one of both sides ({said}): are they in one vocabulary?",)
    label = max(rates, key=lambda name: max(rates[name]))
    most = max(rates[label])
    if kappa is None:
        return (f"one side always says {label}: kappa says nothing",)
    if most >= PREVALENT:
        return (f"{most:.0%} of one side is {label}: kappa is low there even for good agreement",)
    return ()


def numeric(pairs: Sequence[tuple[float, float]]) -> Numeric:
    """Agreement on numbers of (first side, second side)."""
    firsts, seconds = [a for a, _ in pairs], [b for _, b in pairs]
    return Numeric(
        len(pairs),
        pearson(firsts, seconds),
        pearson(ranks(firsts), ranks(seconds)),
        mean([abs(a - b) for a, b in pairs]),
        mean([b - a for a, b in pairs]),
        _weighted_kappa(pairs),
    )


def pearson(firsts: Sequence[float], seconds: Sequence[float]) -> float | None:
    """The sum of (a - mean a)(b - mean b), over the roots of both sums of squares; None without variation."""
    if len(firsts) < 2 or min(firsts) == max(firsts) or min(seconds) == max(seconds):
        return None
    a, b = _centred(firsts), _centred(seconds)
    below = math.sqrt(math.fsum(x * x for x in a)) * math.sqrt(math.fsum(y * y for y in b))
    if not below:
        return None
    return max(-1.0, min(1.0, math.fsum(x * y for x, y in zip(a, b, strict=True)) / below))


def _centred(values: Sequence[float]) -> list[float]:
    centre = math.fsum(values) / len(values)
    return [value - centre for value in values]


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share the mean of theirs.

    >>> ranks([10.0, 20.0, 20.0])
    [1.0, 2.5, 2.5]
    """
    counts = Counter(values)
    below = 0
    found: dict[float, float] = {}
    for value in sorted(counts):
        found[value] = below + (counts[value] + 1) / 2
        below += counts[value]
    return [found[value] for value in values]


def _weighted_kappa(pairs: Sequence[tuple[float, float]]) -> float | None:
    if not pairs:
        return None
    n = len(pairs)
    a, b = _centred([x for x, _ in pairs]), _centred([y for _, y in pairs])
    between = (math.fsum(x for x, _ in pairs) - math.fsum(y for _, y in pairs)) / n
    expected = (math.fsum(x * x for x in a) + math.fsum(y * y for y in b)) / n + between**2
    observed = math.fsum((x - y) ** 2 for x, y in pairs) / n
    return 1 - observed / expected if expected else None


def flips(samples: Sequence[Mapping[int, str]]) -> Flips:
    """How often replicates differ.

    Args:
        samples: what the judge said of each sample, by the number of the replicate; a replicate that gave no
            verdict is absent.
    """
    repeated = [sample for sample in samples if len(sample) > 1]
    changed = sum(len(set(sample.values())) > 1 for sample in repeated)
    differ: Counter[tuple[int, int]] = Counter()
    asked: Counter[tuple[int, int]] = Counter()
    for sample in repeated:
        for pair in combinations(sorted(sample), 2):
            asked[pair] += 1
            differ[pair] += sample[pair[0]] != sample[pair[1]]
    by_pair = {pair: share(differ[pair], asked[pair]) for pair in sorted(asked)}
    pairs = share(differ.total(), asked.total(), independent=False)
    return Flips(share(changed, len(repeated)), pairs, by_pair)
