"""The pairwise contract: two answers side by side, of which one is the reference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._field import NO_VERDICT, Field
from mmeval.judge.contracts._making import (
    CONFIG,
    Flag,
    Key,
    Number,
    Slot,
    instruct,
    majority,
    mean,
    numbers,
    one_of,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts._numbers import Rating, spell
from mmeval.judge.contracts._quotes import Quoted
from mmeval.judge.contracts._reply import Body, body, lines
from mmeval.judge.contracts._verdicts import KEYS
from mmeval.judge.contracts._words import CONTRADICTORY, Words
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Ruling, Span

Side: TypeAlias = Literal["reference", "model"]

REWARDS = {"A>>B": 2.0, "A>B": 1.0, "A=B": 0.0, "B>A": -1.0, "B>>A": -2.0}
"""How much better the answer that stood first is."""

_MEANS = {
    "A>>B": "A is much better",
    "A>B": "A is better",
    "A=B": "they are equally good",
    "B>A": "B is better",
    "B>>A": "B is much better",
}
_MIRROR = str.maketrans("AB", "BA")
_TWO = re.compile(r"([^\s,;]{1,12})[ \t]*[,;\s][ \t]*([^\s,;]{1,12})")
_PREFERENCES = {label: [label, re.sub("[>=]+", r" \g<0> ", label)] for label in REWARDS}


@dataclass(frozen=True, config=CONFIG)
class Pairwise:
    r"""Two scores, or a preference; the number is made over the whole run (score None).

    With `kind` `scores` the reply is a first line of two numbers ("8 10", "8, 10") or JSON; evidence
    `{"reference": r, "model": m}`, label "8:10" in the order of the prompt. With `preference` it is one of
    A>>B, A>B, A=B, B>A, B>>A (`[[A>>B]]`, or JSON), where A stood first; evidence `{"reward": -2..2}`,
    positive where the model's answer is the better one.

    Parameters: `kind`; `lo` and `hi` of scores (1 and 10); `first`, whose answer stood first (`reference`);
    `key`, the name of the preference (`verdict`); `reason`. To undo the influence of the order, ask in both,
    read each reply by its own contract (`first` the other way round) and merge; or `swap` what a contract
    with the wrong order read.

    Source: LLaVA-Bench (haotian-liu/LLaVA llava/eval/eval_gpt_review_bench.py) and WildVision-Bench
    (show_results.py), which keep failures as -1 or as a tie; here they are unreadable.

    >>> Pairwise(kind="scores").parse("8 10\nBoth are good.").ruling
    Ruling(label='8:10', score=None, evidence={'reference': 8.0, 'model': 10.0})
    """

    name: ClassVar[str] = "pairwise"

    kind: Literal["scores", "preference"] = "scores"
    lo: Number = 1.0
    hi: Number = 10.0
    first: Side = "reference"
    key: Key = "verdict"
    reason: Flag = False

    def __post_init__(self) -> None:
        """Refuse a scale that has no length."""
        if not self.lo < self.hi:
            raise ValueError(f"lo must be below hi, not {spell(self.lo)} and {spell(self.hi)}")
        if self.key == "reason":
            raise ValueError("key cannot be 'reason', which names another field")

    @cached_property
    def fields(self) -> tuple[Field[float], Field[float]]:
        """The two scores, by key."""
        rating = Rating(self.lo, self.hi, False)
        return Field(("first",), rating, alone=False), Field(("second",), rating, alone=False)

    @cached_property
    def preference(self) -> Field[str]:
        """Where the preference stands and how it is read."""
        return Field((self.key, *(key for key in KEYS if key != self.key)), Words(_PREFERENCES))

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots())

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots())

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The two scores, or the preference, in a reply."""
        if self.kind == "scores":
            return self._scores(reply, quoted)
        found = self.preference.decide(reply, quoted)
        if isinstance(found, Unreadable):
            return found
        reward = REWARDS[found.value] * self._sign + 0.0
        return Parsed(Ruling(found.value, None, {"reward": reward}), found.span)

    def swap(self, ruling: Ruling) -> Ruling:
        """A ruling as if the two answers had changed places."""
        evidence = ruling.evidence if isinstance(ruling.evidence, dict) else {}
        if self.kind == "scores":
            swapped = {"reference": evidence["model"], "model": evidence["reference"]}
            return Ruling(":".join(reversed(ruling.label.split(":"))), None, swapped)
        rewards = {name: _negated(value) for name, value in evidence.items()}
        return Ruling(ruling.label.translate(_MIRROR), None, rewards)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """All of the scores as lists; or the mean reward, with all rewards under `rewards`.

        Both orders count alike. The label is that of more than half, else the means of the scores, or the
        mean reward.
        """
        if len(rulings) == 1:
            return rulings[0]
        agreed = majority(rulings)
        if self.kind == "scores":
            sides = {side: numbers(rulings, side) for side in ("reference", "model")}
            means = [mean(sides[side]) for side in (self.first, _other(self.first))]
            return Ruling(agreed.label if agreed else ":".join(map(spell, means)), None, sides)
        rewards = [each for ruling in rulings for each in _rewards(ruling)]
        evidence = {"reward": mean(rewards), "rewards": rewards}
        return Ruling(agreed.label if agreed else spell(mean(rewards)), None, evidence)

    @property
    def _sign(self) -> float:
        return -1.0 if self.first == "reference" else 1.0

    def _scores(self, reply: str, quoted: Sequence[str]) -> Parsed | Unreadable:
        answer, shown = body(reply, quoted), Quoted(quoted)
        if isinstance(answer, Unreadable):
            return answer
        one, two = (field.within(answer, shown) for field in self.fields)
        if not isinstance(one, Unreadable) and not isinstance(two, Unreadable):
            return Parsed(self._two(one.value, two.value))
        for found in (one, two):
            if isinstance(found, Unreadable) and found.reason != "no-verdict":
                return found
        return NO_VERDICT if answer.raw[:1] == "{" else self._first_line(answer, shown)

    def _first_line(self, answer: Body, quoted: Quoted) -> Parsed | Unreadable:
        """Two numbers that are all of the first line, and of no other line unless they are the same."""
        rows = lines(answer.plain)
        pairs = [(at, row, pair) for at, row in rows if (pair := self._pair(row)) is not None]
        if not pairs or answer.raw[: pairs[0][0]].strip():
            return NO_VERDICT
        at, row, pair = pairs[0]
        if isinstance(pair, Unreadable):
            return pair
        if any(other != pair for _, _, other in pairs):
            return CONTRADICTORY
        span = at, at + len(row)
        if (len(rows) > 1 or not answer.trusted) and self._foreign(answer, span, quoted):
            return NO_VERDICT
        return Parsed(self._two(*pair), answer.place(*span))

    def _foreign(self, answer: Body, span: Span, quoted: Quoted) -> bool:
        row, shift = answer.plain[slice(*span)], answer.start
        return quoted.has(row) or quoted.repeats(answer.text, (span[0] + shift, span[1] + shift))

    def _pair(self, row: str) -> tuple[float, float] | Unreadable | None:
        """The two numbers that a line is; unreadable where one is off the scale, None for prose."""
        found = _TWO.fullmatch(row.strip(" \t*_`[]()\"'.")) if len(row) <= 40 else None
        if found is None:
            return None
        reads = self.fields[0].reads
        one, two = reads.whole(found[1]), reads.whole(found[2])
        for number in (one, two):
            if isinstance(number, Unreadable) and number.reason != "off-menu":
                return number
        if isinstance(one, Unreadable) or isinstance(two, Unreadable):
            return None
        return one, two

    def _two(self, one: float, two: float) -> Ruling:
        sides = {self.first: one, _other(self.first): two}
        evidence: dict[str, Any] = {"reference": sides["reference"], "model": sides["model"]}
        return Ruling(f"{spell(one)}:{spell(two)}", None, evidence)

    def _slots(self) -> list[Slot]:
        if self.kind == "preference":
            return with_reason([one_of(self.key, _MEANS)], self.reason)
        limits = {"type": "number", "minimum": self.lo, "maximum": self.hi}
        span = f"from {spell(self.lo)} to {spell(self.hi)}"
        slots = [
            Slot("first", "...", f"is the score of the answer that stands first, {span}", limits),
            Slot("second", "...", f"is the score of the answer that stands second, {span}", limits),
        ]
        return with_reason(slots, self.reason)


def _other(side: Side) -> Side:
    return "model" if side == "reference" else "reference"


def _negated(value: float | list[float]) -> float | list[float]:
    return [0.0 - each for each in value] if isinstance(value, list) else 0.0 - value


def _rewards(ruling: Ruling) -> list[float]:
    merged = isinstance(ruling.evidence, dict) and "rewards" in ruling.evidence
    return numbers([ruling], "rewards" if merged else "reward")
