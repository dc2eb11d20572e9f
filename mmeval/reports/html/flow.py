"""How samples flow through the stages: who came to each, and what became of them there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from mmeval.types import Json

START, OPEN = "", "undecided"
KINDS = ("right", "partly", "wrong", "measured", "invalid", "failed", "passed")


class Flow:
    """The flow of one run. Where several predictions of a sample count, each of them flows."""

    def __init__(self) -> None:
        self._nodes: dict[str, Counter[str]] = {}
        self._links: Counter[tuple[str, str]] = Counter()
        self._several = False
        self._total = 0
        self._unseen: Counter[str] = Counter()

    def add(self, row: Mapping[str, Any]) -> None:
        """Follow a row."""
        several = row.get("predictions")
        self._several = self._several or bool(several)
        for each in several or (row,):
            self._follow(each["trace"], each["score"], each["status"])

    def _follow(self, trace: Sequence[Mapping[str, Any]], score: float | None, status: str) -> None:
        self._total += 1
        if not trace:
            self._unseen[status] += 1
        before = START
        for step in trace:
            name = step["stage"]
            self._links[before, name] += 1
            self._nodes.setdefault(name, Counter())[_kind(step["outcome"], score)] += 1
            before = name
        if trace and trace[-1]["outcome"] == "pass":
            self._links[before, OPEN] += 1

    def told(self) -> dict[str, Json]:
        """The flow as the page takes it: stages in order, and how many went from one to the next."""
        names = self._ordered()
        return {
            "unit": "predictions" if self._several else "samples",
            "total": self._total,
            "unseen": dict(sorted(self._unseen.items())),
            "nodes": [{"stage": name, **{kind: self._nodes[name][kind] for kind in KINDS}} for name in names],
            "links": [[start, end, count] for (start, end), count in sorted(self._links.items())],
        }

    def _ordered(self) -> list[str]:
        """Stages so that each stands after those that samples come from."""
        left = list(self._nodes)
        done: list[str] = []
        while left:
            before = {end for start, end in self._links if start in left and start != end}
            name = next((each for each in left if each not in before), left[0])
            left.remove(name)
            done.append(name)
        return done


def _kind(outcome: str, score: float | None) -> str:
    if outcome != "score":
        return {"pass": "passed"}.get(outcome, outcome)
    return "right" if (score or 0.0) >= 1 else "partly" if score else "wrong"
