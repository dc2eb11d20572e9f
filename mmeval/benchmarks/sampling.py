"""The same rows as everybody's: a reduced benchmark is drawn as pandas draws it."""

from __future__ import annotations

from mmeval.errors import UsageError

_SEEDS = 2**32


def drawn(total: int, n: int, seed: int) -> list[int]:
    """The positions that `DataFrame.sample(n=n, random_state=seed)` takes of `total` rows, in its order.

    The reduced benchmarks whose names end in `_300` are `sample(n=300, random_state=42)` of the full split.
    Formula: the first `n` of `numpy.random.RandomState(seed).permutation(total)`; NumPy keeps that stream the
    same across versions. Source: pandas 3.1.1 `core/sample.py`, compared on 300 to 10,000 rows.

    Raises:
        UsageError: more rows are asked for than there are, or a seed that NumPy does not take.
    """
    if not 0 < n <= total:
        raise UsageError(f"--sample {n}: the data has {total} rows; ask for 1 to {total}")
    if not 0 <= seed < _SEEDS:
        raise UsageError(f"--seed {seed}: give a whole number from 0 to {_SEEDS - 1}")
    from numpy.random import RandomState

    positions: list[int] = RandomState(seed).permutation(total)[:n].tolist()
    return positions
