"""The mean score by the fields of a run's rows, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mmeval.reports.html.columns import group_text
from mmeval.stats import UNIT, of_mean
from mmeval.types import Json

TYPE = "question_type"
BARS = 60
"""Groups up to which a field is drawn."""


class Spread:
    """Mean scores by question type and by every field that the score keeps.

    Rows that failed on our side have no verdict and are left out; invalid ones count with 0, as in the score.
    The interval is Wilson's where all scores are 0 or 1, else Student's t (`mmeval.stats.of_mean`), cut to
    0..1; it takes rows for independent.
    """

    def __init__(self) -> None:
        self._fields: dict[str, dict[str, list[float]]] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Count a row."""
        if row["score"] is None or row["status"] not in ("ok", "invalid"):
            return
        for name, value in ((TYPE, row["question_type"]), *(row.get("group") or {}).items()):
            groups = self._fields.setdefault(name, {})
            if len(groups) <= BARS:
                groups.setdefault(group_text(value) or "(none)", []).append(row["score"])

    def told(self) -> dict[str, Json]:
        """A list of groups per field, fields with one group or too many left out."""
        return {
            name: [_bar(group, groups[group]) for group in sorted(groups)]
            for name, groups in self._fields.items()
            if 1 < len(groups) <= BARS
        }


def _bar(name: str, scores: list[float]) -> Json:
    ci95 = of_mean(scores, UNIT).ci95
    return {
        "name": name,
        "n": len(scores),
        "value": math.fsum(scores) / len(scores),
        "ci95": None if ci95 is None else [*ci95],
    }
