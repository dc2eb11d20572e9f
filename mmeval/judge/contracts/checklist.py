"""The checklist contract: a list of points, each met or not, and an overall verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._field import NO_VERDICT, Field
from mmeval.judge.contracts._making import (
    CONFIG,
    Count,
    Flag,
    Slot,
    instruct,
    majority,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts._quotes import Quoted
from mmeval.judge.contracts._reply import body
from mmeval.judge.contracts._words import CONTRADICTORY, OFF_MENU, Words
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Json, Ruling

WRONG_LENGTH = Unreadable("wrong-length")

_LIST = re.compile(
    r"[\s*_`]*\[([01 \t,]{0,4000})\]|[\s*_`]*([01](?:[ \t]{0,4},[ \t]{0,4}[01]){0,1000})[\s*_`.]*\Z"
)
_SHARE = re.compile(r"[\s*_`\[(]{0,12}(\d{1,4})\s{0,4}/\s{0,4}(\d{1,4})(?![\d/.])")


class Items:
    """Reads a list of zeros and ones, or of truth values."""

    def at_start(self, text: str) -> tuple[bool, ...] | Unreadable:
        """The list that a text begins with."""
        found = _LIST.match(text)
        if found is None:
            return OFF_MENU
        inside = (found[1] if found[1] is not None else found[2]).replace(",", " ").split()
        if any(each not in ("0", "1") for each in inside):
            return OFF_MENU
        return tuple(each == "1" for each in inside)

    def whole(self, text: str) -> tuple[bool, ...] | Unreadable:
        """Never: a list without a key could be of anything."""
        return OFF_MENU

    def scalar(self, value: Json) -> tuple[bool, ...] | Unreadable:
        """A list in JSON."""
        if isinstance(value, str):
            return self.at_start(value)
        if not isinstance(value, list) or any(each not in (0, 1) for each in value):
            return OFF_MENU
        return tuple(bool(each) for each in value)

    def opens(self, text: str) -> set[tuple[bool, ...]]:
        """The list that a text begins with."""
        value = self.at_start(text)
        return set() if isinstance(value, Unreadable) else {value}

    def length(self, text: str) -> int:
        """As far as the line goes."""
        return len(text.rstrip())


class Share:
    """Reads "c/t": how many points are met, of how many."""

    def at_start(self, text: str) -> tuple[int, int] | Unreadable:
        """The fraction that a text begins with."""
        found = _SHARE.match(text)
        return (int(found[1]), int(found[2])) if found else OFF_MENU

    def whole(self, text: str) -> tuple[int, int] | Unreadable:
        """Never: a fraction without a key could be of anything."""
        return OFF_MENU

    def scalar(self, value: Json) -> tuple[int, int] | Unreadable:
        """A fraction in JSON, as text."""
        return self.at_start(value) if isinstance(value, str) else OFF_MENU

    def opens(self, text: str) -> set[tuple[int, int]]:
        """The fraction that a text begins with."""
        value = self.at_start(text)
        return set() if isinstance(value, Unreadable) else {value}

    def length(self, text: str) -> int:
        """As far as the line goes."""
        return len(text.rstrip())


OVERALL = Field(
    ("overall", "overall_correctness", "overall verdict"),
    Words({"correct": ["YES"], "incorrect": ["NO"]}),
    alone=False,
)
RESULT = Field(("items", "checklist_result"), Items(), alone=False)
SCORE = Field(("checklist_score",), Share(), alone=False)


@dataclass(frozen=True, config=CONFIG)
class Checklist:
    """Whether each point of a list is met, and whether the answer is right overall.

    Label `correct` (score 1) or `incorrect` (0) by the overall verdict; evidence `{"items": [...], "met": c,
    "strict": bool}`, strict where the verdict is YES and all of at least one point are met.

    A reply is JSON, or the lines CHECKLIST_SCORE c/t, CHECKLIST_RESULT [0/1, ...] and OVERALL_CORRECTNESS
    YES|NO. A count that contradicts the list is `contradictory`, a list of another length `wrong-length`.

    Parameters: `items`, how many points there are (any number by default); `reason`.

    Source: MMBrowseComp src/eval.py, whose expressions need the lines bare; brackets and emphasis are read
    here.

    >>> Checklist(items=2).parse('{"items": [true, false], "overall": "NO"}').ruling.evidence
    {'items': [True, False], 'met': 1, 'strict': False}
    """

    name: ClassVar[str] = "checklist"

    items: Count | None = None
    reason: Flag = False

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots)

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots)

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The points and the verdict of a reply."""
        answer, shown = body(reply, quoted), Quoted(quoted)
        if isinstance(answer, Unreadable):
            return answer
        overall = OVERALL.within(answer, shown)
        if isinstance(overall, Unreadable):
            return overall
        points = RESULT.within(answer, shown)
        if isinstance(points, Unreadable):
            return points
        if self.items is not None and len(points.value) != self.items:
            return WRONG_LENGTH
        share = SCORE.within(answer, shown)
        if isinstance(share, Unreadable):
            if share != NO_VERDICT:
                return share
        elif share.value != (sum(points.value), len(points.value)):
            return CONTRADICTORY
        return Parsed(_ruling(overall.value, points.value), overall.span)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """The verdict of more than half of the rulings, with the points of the first of them."""
        return majority(rulings)

    @cached_property
    def _slots(self) -> list[Slot]:
        listed: dict[str, Any] = {"type": "array", "items": {"type": "boolean"}}
        many = "for each point of the list"
        if self.items is not None:
            listed |= {"minItems": self.items, "maxItems": self.items}
            many = f"for each of the {self.items} points of the list"
        items = Slot("items", "[...]", f"says true or false {many}, in its order: whether it is met", listed)
        says = 'is "YES" if the final answer of the response is the right one, else "NO"'
        overall = Slot("overall", '"..."', says, {"type": "string", "enum": ["YES", "NO"]})
        return with_reason([items, overall], self.reason)


def _ruling(label: str, items: Sequence[bool]) -> Ruling:
    right = label == "correct"
    strict = right and bool(items) and all(items)
    evidence = {"items": list(items), "met": sum(items), "strict": strict}
    return Ruling(label, 1.0 if right else 0.0, evidence)
