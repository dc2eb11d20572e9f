"""The extract-value contract: the answer that a response gives, word for word, without grading it."""

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
    Slot,
    Word,
    instruct,
    majority,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts._words import OFF_MENU
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Json, Ruling

KEYS = ("answer", "final answer", "extracted answer", "extracted final answer", "value", "答案")
_PAIRS = (
    ("**", "**"),
    ("`", "`"),
    ('"', '"'),
    ("'", "'"),
    ("\u201c", "\u201d"),
    ("\\boxed{", "}"),
)


class Value:
    """Reads a text as it is, without the emphasis, quotation marks or box around all of it."""

    def __init__(self, none: str) -> None:
        self._none = none.casefold()

    def at_start(self, text: str) -> str | Unreadable:
        """After a key: the rest of the line. Nothing there, or dots, is nothing said, not "none"."""
        bare = _inside(text)
        if not bare.strip(".…"):
            return OFF_MENU
        return "" if bare.casefold().rstrip(".") == self._none else bare

    def whole(self, text: str) -> str | Unreadable:
        """Without a key: the text, if it is one line."""
        return OFF_MENU if "\n" in text.strip() else self.at_start(text)

    def scalar(self, value: Json) -> str | Unreadable:
        """In JSON: a text or a number."""
        if isinstance(value, str):
            return self.at_start(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        return OFF_MENU

    def opens(self, text: str) -> tuple[()]:
        """Nothing: who reads a value out of an answer repeats it."""
        return ()

    def length(self, text: str) -> int:
        """All of it."""
        bare = text.rstrip(" \t\r\n*`\"'”")
        return len(bare) - (bare.endswith("}") and bare.count("}") > bare.count("{"))


@dataclass(frozen=True, config=CONFIG)
class ExtractValue:
    """The extracted answer as label, as the judge wrote it, trimmed; `""` where it says that there is none.

    The score is left to a later stage (None).

    Parameters: `key`, the name of the field (`answer`); `none`, the word for no answer (`NONE`, any case);
    `reason`.

    >>> ExtractValue().parse("Extracted answer: **12.5 cm**").ruling.label
    '12.5 cm'
    """

    name: ClassVar[str] = "extract-value"

    key: Key = "answer"
    none: Word = "NONE"
    reason: Flag = False

    def __post_init__(self) -> None:
        """Refuse a name that another field has."""
        if self.key == "reason":
            raise ValueError("key cannot be 'reason', which names another field")

    @cached_property
    def field(self) -> Field[str]:
        """Where the value stands and how it is read."""
        keys = (self.key, *(key for key in KEYS if key != self.key))
        return Field(keys, Value(self.none), repeats=True, verbatim=True)

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots())

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots())

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one value in a reply."""
        found = self.field.decide(reply, quoted)
        return found if isinstance(found, Unreadable) else Parsed(Ruling(found.value), found.span)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """What more than half of the rulings say, word for word; None where nothing has more than half."""
        return majority(rulings)

    def _slots(self) -> list[Slot]:
        says = (
            f'is the final answer that the response gives, word for word, or "{self.none}" if it gives none'
        )
        return with_reason([Slot(self.key, '"..."', says, {"type": "string"})], self.reason)


def _inside(text: str) -> str:
    """The text without what wraps all of it."""
    text = text.strip()
    for _ in range(4):
        for opening, closing in _PAIRS:
            inner = text[len(opening) : len(text) - len(closing)]
            if text.startswith(opening) and text.endswith(closing) and _once(text, opening, closing, inner):
                text = inner.strip()
                break
        else:
            break
    return text


def _once(text: str, opening: str, closing: str, inner: str) -> bool:
    """Whether the first mark and the last one belong together."""
    if len(text) < len(opening) + len(closing):
        return False
    return opening not in inner and (opening == closing or inner.count("{") == inner.count("}"))
