"""rule-match: reads the committed answer out of prose, by named rules, and compares it with the gold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mmeval.matching import Matching, read
from mmeval.types import Case, Outcome


@dataclass(frozen=True)
class RuleMatch(Matching):
    """Decides 1 where the answer that the rules read is the gold.

    Formula:
        read = rules(prediction); score = 1 if read is the gold. What was read and is not the gold passes on
        with `extracted`, or scores 0 with `settle_misses`. Nothing read, or two different answers: passes on.

    Range:
        0 or 1.

    Source:
        Stage contract of simple-mmeval, mmeval/scoring/stages/rule_match.py at b10e70b; each rule set names
        its own. Parameters: see `mmeval.matching.Matching`.
    """

    version: ClassVar[int] = 1

    def __call__(self, case: Case) -> Outcome:
        """Read the prediction as prose and compare it with the gold."""
        return read(self, case, "rule")
