"""What one row counts: its score, or for boxes the F1 of what it found, which its evidence tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mmeval.compare.rows import Line

SCORES = "mean score of the rows"
BOXES = "mean F1 of the rows at IoU 0.5"


def measure(line: Line) -> float | None:
    """The score of a row; of boxes 2 TP / (2 TP + FP + FN) at IoU 0.5, 1 where nothing is there or said.

    A row without a verdict counts 0. None where a row carries neither a score nor counts of boxes.
    """
    if line.status != "ok":
        return 0.0
    if line.score is not None:
        return line.score
    counts = counts_of(line)
    if counts is None:
        return None
    whole = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / whole if whole else 1.0


def counts_of(line: Line) -> Mapping[str, int] | None:
    """How many boxes of a row were found (`tp`), too many (`fp`) and missed (`fn`); None without boxes."""
    said: Any = line.evidence if isinstance(line.evidence, dict) else {}
    counts = {name: said.get(name) for name in ("tp", "fp", "fn")}
    known = all(isinstance(each, int) and not isinstance(each, bool) for each in counts.values())
    return counts if known else None
