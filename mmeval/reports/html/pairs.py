"""Numbers that were said beside those that are right: counts, and answers graded by relative error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mmeval.types import Json

DOTS = 3000
TOLERANCES = tuple(round(1 - step / 100, 2) for step in range(50, 100, 5))
"""The ten tolerances of mean relative accuracy, 0.5 to 0.05 (arXiv:2412.14171)."""


class Pairs:
    """Gold and answer of every numeric row of which both are numbers.

    `within` is the share of numeric rows with a gold whose relative error |p - g| / |g| (|p - g| where g is
    0) is at most each tolerance; a row in which no number was read is within none. Its mean is the mean
    relative accuracy. Failed rows are left out.
    """

    def __init__(self) -> None:
        self._dots: Counter[tuple[float, float]] = Counter()
        self._rows = 0
        self._unread = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        if row["question_type"] != "numeric" or row["status"] not in ("ok", "invalid"):
            return
        gold = number(row["gt"])
        if gold is None:
            return
        self._rows += 1
        said = number(row["extracted"])
        if said is None:
            self._unread += 1
        else:
            self._dots[gold, said] += 1

    def told(self) -> Json:
        """Dots with how many rows each stands for; None where fewer than two rows have numbers."""
        if sum(self._dots.values()) < 2:
            return None
        kept = sorted(self._dots.items(), key=lambda dot: (-dot[1], dot[0]))[:DOTS]
        return {
            "dots": [[gold, said, count] for (gold, said), count in sorted(kept)],
            "left_out": sum(self._dots.values()) - sum(count for _, count in kept),
            "rows": self._rows,
            "unread": self._unread,
            "within": [[tolerance, self._share(tolerance)] for tolerance in TOLERANCES],
        }

    def _share(self, tolerance: float) -> float:
        return sum(count for dot, count in self._dots.items() if _error(*dot) <= tolerance) / self._rows


def _error(gold: float, said: float) -> float:
    return abs(said - gold) / (abs(gold) or 1.0)


def number(value: Json) -> float | None:
    """A finite number, as written or as a text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        told = float(value)
    except (ValueError, OverflowError):
        return None
    return told if math.isfinite(told) else None
