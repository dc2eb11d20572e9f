"""Rates over several predictions per sample: pass@k, maj@k."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.errors import MetadataError
from mmeval.stats import UNIT, mean, of_mean
from mmeval.types import Attempt, Reduced, Row


@dataclass(frozen=True)
class PassAtK:
    """The chance that k of a sample's attempts hold a right one, estimated without bias.

    Per sample with n attempts, c of them right (score 1): 1 - C(n - c, k) / C(n, k); `need: "all"` instead
    asks that all k are right (pass^k): C(c, k) / C(n, k). value = mean over samples, a fraction 0..1. Rows
    without attempts that are invalid or failed count as 0 and are reported. Interval: Wilson where every
    sample gives 0 or 1, else t.

    Source: Chen et al. 2021, arXiv 2107.03374 (unbiased estimator); ZeroBench (pass^k).
    """

    reduce: ClassVar[str] = "pass@k"
    version: ClassVar[int] = 1
    k: int = 1
    need: Literal["any", "all"] = "any"

    def __post_init__(self) -> None:
        _need_k(self.k, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The mean over these samples."""
        values = [self._chance(attempts) for attempts in _attempts(rows, self.k, self.reduce)]
        notes = _notes(rows)
        return Reduced(mean(values), len(values), *of_mean(values, UNIT), notes=notes)

    def _chance(self, attempts: Sequence[Attempt]) -> float:
        if not attempts:
            return 0.0
        n, right = len(attempts), sum(_right(each) for each in attempts)
        ways = math.comb(n, self.k)
        if self.need == "all":
            return math.comb(right, self.k) / ways
        return (ways - math.comb(n - right, self.k)) / ways


@dataclass(frozen=True)
class MajAtK:
    """The score of the answer that most of the first k attempts give.

    Attempts vote with the label that was read from them; those without one do not vote. value = mean over
    samples of the winning label's own score, a fraction 0..1. A tie is not guessed: it counts as wrong and is
    reported, like a sample without any vote. `k` is all attempts unless given. Interval as in `mean`.

    Source: Wang et al. 2022, arXiv 2203.11171 (self-consistency).
    """

    reduce: ClassVar[str] = "maj@k"
    version: ClassVar[int] = 1
    k: int | None = None

    def __post_init__(self) -> None:
        if self.k is not None:
            _need_k(self.k, self.reduce)

    def fields(self) -> tuple[str, ...]:
        """No sample field is read."""
        return ()

    def __call__(self, rows: Sequence[Row]) -> Reduced:
        """The mean over these samples."""
        votes = [_vote(attempts[: self.k]) for attempts in _attempts(rows, self.k or 1, self.reduce)]
        values = [vote if isinstance(vote, float) else 0.0 for vote in votes]
        ties, silent = votes.count("tie"), votes.count("none")
        notes = list(_notes(rows))
        if ties:
            notes.append(f"{ties} of {len(rows)} samples have a tie, which counts as wrong")
        if silent:
            notes.append(
                f"{silent} of {len(rows)} samples have no attempt that could be read; they count as wrong"
            )
        return Reduced(mean(values), len(values), *of_mean(values, UNIT), notes=tuple(notes))


def _vote(attempts: Sequence[Attempt]) -> float | Literal["tie", "none"]:
    ranking = Counter(each.label for each in attempts if each.label is not None).most_common(2)
    if not ranking:
        return "none"
    if len(ranking) == 2 and ranking[0][1] == ranking[1][1]:
        return "tie"
    # A grader that looks only at the label scores equal labels alike; where one looks further, their mean.
    return mean([each.score or 0.0 for each in attempts if each.label == ranking[0][0]]) or 0.0


def _right(attempt: Attempt) -> bool:
    return attempt.score is not None and attempt.score >= 1.0


def _need_k(k: int, who: str) -> None:
    if k < 1:
        raise MetadataError(f"aggregate {who}: k must be at least 1, not {k}")


def _attempts(rows: Sequence[Row], k: int, who: str) -> list[tuple[Attempt, ...]]:
    """The attempts of every sample, none for a row that could not be graded at all."""
    for row in rows:
        if len(row.attempts) < k and not (row.status != "ok" and not row.attempts):
            raise MetadataError(
                f"aggregate {who}: sample {row.id} has {len(row.attempts)} attempts, fewer than k = {k}; "
                'record more responses, lower k, or declare "score_predictions": "all"'
            )
    return [row.attempts for row in rows]


def _notes(rows: Sequence[Row]) -> tuple[str, ...]:
    bare = sum(not row.attempts for row in rows)
    blank = sum(each.score is None for row in rows for each in row.attempts)
    notes = []
    if bare:
        notes.append(f"{bare} of {len(rows)} samples could not be graded and count as wrong")
    if blank:
        notes.append(f"{blank} attempts carry no score of their own and count as not right")
    return tuple(notes)
