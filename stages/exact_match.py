"""exact-match: the prediction is the answer and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mmeval.matching import Matching, read
from mmeval.types import Case, Outcome


@dataclass(frozen=True)
class ExactMatch(Matching):
    """Decides 1 where the whole prediction is the gold: a letter, yes or no, a number, or a text.

    Formula:
        score = 1 if strict(prediction) is the gold, where `strict` takes off wrappers (reasoning tags,
        brackets, quotes, a final period) and reads no prose. Everything else passes on.

    Range:
        0 or 1.

    Source:
        Stage contract of simple-mmeval, mmeval/scoring/stages/exact_match.py at b10e70b; each rule set names
        its own. Parameters: see `mmeval.matching.Matching`.
    """

    version: ClassVar[int] = 1

    def __call__(self, case: Case) -> Outcome:
        """Read the prediction strictly and compare it with the gold."""
        return read(self, case, "exact")
