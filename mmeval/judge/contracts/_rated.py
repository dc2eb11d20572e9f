"""A rating: what the scale and the partial-credit contract share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._field import Field
from mmeval.judge.contracts._making import (
    CONFIG,
    Flag,
    Key,
    Number,
    Slot,
    instruct,
    mean,
    numbers,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts._numbers import Rating, spell
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Ruling

KEYS = (
    *("rating", "score", "final rating", "final score", "overall rating", "overall score", "grade"),
    *("评分", "得分", "分数"),
)


@dataclass(frozen=True, config=CONFIG)
class Rated:
    """One number from `lo` to `hi`; the label is the number."""

    name: ClassVar[str]

    lo: Number
    hi: Number
    key: Key = "rating"
    integer: Flag = False
    raw: Flag = False
    reason: Flag = False

    def __post_init__(self) -> None:
        """Refuse a scale that has no length."""
        if not self.lo < self.hi:
            raise ValueError(f"lo must be below hi, not {spell(self.lo)} and {spell(self.hi)}")
        if self.key == "reason":
            raise ValueError("key cannot be 'reason', which names another field")

    @cached_property
    def field(self) -> Field[float]:
        """Where the number stands and how it is read."""
        keys = (self.key, *(key for key in KEYS if key != self.key))
        return Field(keys, Rating(self.lo, self.hi, self.integer))

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots())

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots())

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one rating in a reply."""
        found = self.field.decide(reply, quoted)
        if isinstance(found, Unreadable):
            return found
        return Parsed(self.ruling([found.value]), found.span)

    def ruling(self, ratings: Sequence[float]) -> Ruling:
        """What ratings are worth together: their mean."""
        rating = mean(ratings)
        score = None if self.raw else (rating - self.lo) / (self.hi - self.lo)
        evidence: dict[str, Any] = {"rating": rating}
        if len(ratings) > 1:
            evidence["ratings"] = list(ratings)
        return Ruling(spell(rating), score, evidence)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """The mean of all ratings; the evidence keeps each under `ratings`."""
        ratings = [each for ruling in rulings for each in _ratings(ruling)]
        return self.ruling(ratings)

    def _slots(self) -> list[Slot]:
        kind = "whole number" if self.integer else "number"
        says = f"is one {kind} from {spell(self.lo)} to {spell(self.hi)}"
        limits = {"minimum": _plain(self.lo), "maximum": _plain(self.hi)}
        schema = {"type": "integer" if self.integer else "number", **limits}
        return with_reason([Slot(self.key, "...", says, schema)], self.reason)


def _ratings(ruling: Ruling) -> list[float]:
    merged = isinstance(ruling.evidence, dict) and "ratings" in ruling.evidence
    return numbers([ruling], "ratings" if merged else "rating")


def _plain(number: float) -> int | float:
    return int(number) if number == int(number) else number
