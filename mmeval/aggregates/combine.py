"""Aggregates made of other aggregates by name: mean-of, weighted-mean, sum-of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from mmeval.errors import MetadataError
from mmeval.stats import around, combined_stderr
from mmeval.types import Reduced


class Piece(NamedTuple):
    """One named figure: an aggregate, or a part of one (then without an error or count of its own)."""

    name: str
    value: float | None
    stderr: float | None
    n: int
    whole: bool


@dataclass(frozen=True)
class MeanOf:
    """The unweighted mean of named aggregates or parts (HallusionBench: aAcc, fAcc, qAcc).

    value = sum / count, in the unit of what it is made of; undefined if one of them is. `of` names aggregates
    declared before, or `name.part`. `disjoint: true` says that they are made of different rows; only then is
    there an SE, sqrt(sum SE^2) / count. n is the largest n among them. Parts: the figures, by name.

    Source: open-compass/VLMEvalKit@e8e78f05 leaderboard (HallusionBench); AMBER_rating in utils/yorn.py.
    """

    reduce: ClassVar[str] = "mean-of"
    version: ClassVar[int] = 1
    combines: ClassVar[bool] = True
    of: tuple[str, ...]
    disjoint: bool = False

    def __post_init__(self) -> None:
        _need_names(self.of, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, parts: Mapping[str, Reduced]) -> Reduced:
        """The mean of the named figures."""
        return _combined(
            _pieces(parts, self.of, self.reduce), [1.0] * len(self.of), len(self.of), self.disjoint
        )


@dataclass(frozen=True)
class SumOf:
    """The sum of named aggregates or parts (MME: perception plus cognition).

    value = sum, in the unit of what it is made of. `of` and `disjoint` as in `mean-of`; SE sqrt(sum SE^2).

    Source: MME, arXiv 2306.13394 (total score).
    """

    reduce: ClassVar[str] = "sum-of"
    version: ClassVar[int] = 1
    combines: ClassVar[bool] = True
    of: tuple[str, ...]
    disjoint: bool = False

    def __post_init__(self) -> None:
        _need_names(self.of, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, parts: Mapping[str, Reduced]) -> Reduced:
        """The sum of the named figures."""
        return _combined(_pieces(parts, self.of, self.reduce), [1.0] * len(self.of), 1.0, self.disjoint)


@dataclass(frozen=True)
class WeightedMean:
    """The weighted mean of named aggregates or parts.

    value = sum(w * figure) / sum(w). `weights` has one number per name in `of`; without it each weighs its n,
    which only whole aggregates have, so that the mean is that of all their units pooled. `disjoint` as in
    `mean-of`; SE sqrt(sum (w SE)^2) / sum(w).

    Source: TIGER-AI-Lab/MEGA-Bench (overall weighted by task count), arXiv 2410.10563.
    """

    reduce: ClassVar[str] = "weighted-mean"
    version: ClassVar[int] = 1
    combines: ClassVar[bool] = True
    of: tuple[str, ...]
    weights: dict[str, float] | None = None
    disjoint: bool = False

    def __post_init__(self) -> None:
        _need_names(self.of, self.reduce)
        if self.weights is None:
            return
        if set(self.weights) != set(self.of):
            odd = sorted(set(self.weights) ^ set(self.of))
            raise MetadataError(
                f"aggregate {self.reduce}: 'of' and 'weights' must name the same; see {', '.join(odd)}"
            )
        usable = all(math.isfinite(weight) and weight >= 0 for weight in self.weights.values())
        if not usable or not any(self.weights.values()):
            raise MetadataError(
                f"aggregate {self.reduce}: weights must be finite, not negative, and not all 0"
            )

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, parts: Mapping[str, Reduced]) -> Reduced:
        """The weighted mean of the named figures."""
        pieces = _pieces(parts, self.of, self.reduce)
        weights = self._counts(pieces) if self.weights is None else [self.weights[name] for name in self.of]
        return _combined(pieces, weights, math.fsum(weights), self.disjoint)

    def _counts(self, pieces: Sequence[Piece]) -> list[float]:
        for piece in pieces:
            if not piece.whole:
                raise MetadataError(
                    f"aggregate {self.reduce}: {piece.name!r} is a part, without an n; give 'weights'"
                )
        return [float(piece.n) for piece in pieces]


def _need_names(of: Sequence[str], who: str) -> None:
    if not of:
        raise MetadataError(f"aggregate {who}: 'of' must name at least one aggregate")
    twice = sorted({name for name in of if of.count(name) > 1})
    if twice:
        raise MetadataError(f"aggregate {who}: 'of' names {twice[0]!r} twice")


def _pieces(parts: Mapping[str, Reduced], of: Sequence[str], who: str) -> list[Piece]:
    return [_piece(parts, name, who) for name in of]


def _piece(parts: Mapping[str, Reduced], name: str, who: str) -> Piece:
    """The figure `name`; the longest aggregate name wins, since names and parts may themselves hold dots."""
    if name in parts:
        whole = parts[name]
        return Piece(name, whole.value, whole.stderr, whole.n, True)
    for dot in (i for i in range(len(name) - 1, 0, -1) if name[i] == "."):
        owner, part = name[:dot], name[dot + 1 :]
        if owner in parts and part in parts[owner].parts:
            return Piece(name, parts[owner].parts[part], None, parts[owner].n, False)
    known = [*parts, *(f"{owner}.{part}" for owner, each in parts.items() for part in each.parts)]
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    raise MetadataError(
        f"aggregate {who}: 'of' names {name!r}, which these rows do not give; there are: {shown or 'none'}"
    )


def _combined(pieces: Sequence[Piece], weights: Sequence[float], whole: float, disjoint: bool) -> Reduced:
    """Sum of w * figure / whole, undefined if one figure (or the whole) is."""
    named = {piece.name: piece.value for piece in pieces}
    n = max(piece.n for piece in pieces)
    undefined = [name for name, value in named.items() if value is None]
    if undefined or not whole:
        notes = (f"undefined, since {', '.join(undefined) or 'the sum of weights'} is",)
        return Reduced(None, n, parts=named, notes=notes)
    terms = [
        weight * piece.value for piece, weight in zip(pieces, weights, strict=True) if piece.value is not None
    ]
    value = math.fsum(terms) / whole
    stderr = None
    if disjoint:
        n = sum(piece.n for piece in pieces)
        stderr = combined_stderr([piece.stderr for piece in pieces], [weight / whole for weight in weights])
    return Reduced(value, n, *around(value, stderr, "disjoint"), named)
