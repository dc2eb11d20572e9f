"""A verdict in words: what the binary and the three-way contract share."""

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
    Vocabulary,
    instruct,
    majority,
    one_of,
    spell_once,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts._words import Words
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Ruling

KEYS = (
    *("verdict", "final verdict", "grade", "final grade", "judgement", "judgment", "final judgement"),
    *("final judgment", "conclusion", "结论", "判定"),
)
"""What judges call their verdict, whatever they were told to call it."""


@dataclass(frozen=True, config=CONFIG)
class Verdicts:
    """One word of a vocabulary; `correct` scores 1, every other label 0."""

    sizes: ClassVar[tuple[int, ...]] = ()

    key: Key = "verdict"
    words: Vocabulary | None = None
    reason: Flag = False

    def __post_init__(self) -> None:
        """Refuse a vocabulary that does not say what is correct, or says one word twice."""
        labels = list(self.vocabulary)
        if not {"correct", "incorrect"} <= set(labels) or len(labels) not in self.sizes:
            count = " or ".join(map(str, self.sizes))
            raise ValueError(
                f"words must have {count} labels, correct and incorrect among them; not {labels}"
            )
        spell_once(self.vocabulary)
        if self.key in ("reason", "extracted"):
            raise ValueError(f"key cannot be {self.key!r}, which names another field")

    @cached_property
    def vocabulary(self) -> dict[str, list[str]]:
        """Label to the words that mean it, the first of which the judge is asked for."""
        return self.words if self.words is not None else self._default()

    @cached_property
    def field(self) -> Field[str]:
        """Where the verdict stands and how it is read."""
        return Field((self.key, *(key for key in KEYS if key != self.key)), self.reads)

    @cached_property
    def reads(self) -> Words:
        """Reads the vocabulary."""
        return Words(self.vocabulary)

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots())

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots())

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one verdict in a reply."""
        found = self.field.decide(reply, quoted)
        if isinstance(found, Unreadable):
            return found
        return Parsed(self.ruling(found.value), found.span)

    def ruling(self, label: str) -> Ruling:
        """What a label is worth."""
        return Ruling(label, 1.0 if label == "correct" else 0.0)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """What more than half of the rulings say; None where no label has more than half."""
        return majority(rulings)

    def _default(self) -> dict[str, list[str]]:
        return {}

    def _slots(self) -> list[Slot]:
        meanings = {words[0]: label.replace("-", " ") for label, words in self.vocabulary.items()}
        return with_reason([one_of(self.key, meanings)], self.reason)
