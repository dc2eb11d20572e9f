"""The extract-option contract: which option an answer means, without grading it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import Field as Limits
from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._choices import Choices
from mmeval.judge.contracts._field import Field
from mmeval.judge.contracts._making import (
    CONFIG,
    Flag,
    Key,
    Slot,
    Word,
    instruct,
    majority,
    one_of,
    strict_schema,
    with_reason,
)
from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.types import Ruling

KEYS = ("answer", "final answer", "extracted answer", "option", "choice", "答案", "选项")


@dataclass(frozen=True, config=CONFIG)
class ExtractOption:
    """A label of the question's, or the word for none of them; the score is left to the stage (None).

    A reply may be the label, the label with the option's text, the text alone, or JSON. Label and text of
    different options are `contradictory`.

    Parameters: `labels` (required; letters, numbers, or words as `yes` and `no`); `texts`, the options'
    texts in the same order; `none`, the word for none of them (`Z`; `none` where an option is called Z);
    `several`, whether several may be right (label "A,C", in the options' order); `marked`, whether a reply
    that marks several options as a list does ("A. red, B. blue"), or none or all of them, means none of them;
    `key` (`answer`); `reason`.

    >>> ExtractOption(labels=["A", "B"], texts=["red", "blue"]).parse("B. blue").ruling.label
    'B'
    """

    name: ClassVar[str] = "extract-option"

    labels: Annotated[list[Word], Limits(min_length=1)]
    texts: list[str] | None = None
    none: Word = "Z"
    several: Flag = False
    marked: Flag = False
    key: Key = "answer"
    reason: Flag = False

    def __post_init__(self) -> None:
        """Refuse labels that are the same, and texts that do not match them in number."""
        if len({label.casefold() for label in self.labels}) < len(self.labels):
            raise ValueError(f"labels must differ, not {self.labels}")
        if self.texts and len(self.texts) != len(self.labels):
            raise ValueError(f"texts must be as many as labels: {len(self.texts)} for {len(self.labels)}")
        if self.key == "reason":
            raise ValueError("key cannot be 'reason', which names another field")

    @cached_property
    def nothing(self) -> str:
        """The word, and the label, for none of the options."""
        taken = {label.casefold() for label in self.labels}
        return next(word for word in (self.none, "none", "none-of-these") if word.casefold() not in taken)

    @cached_property
    def field(self) -> Field[str]:
        """Where the option stands and how it is read."""
        reads = Choices(self.labels, self.texts or [], self.nothing, self.several, self.marked)
        return Field((self.key, *(key for key in KEYS if key != self.key)), reads, repeats=True)

    def instruction(self) -> str:
        """How the reply must look, in words."""
        return instruct(self._slots())

    def schema(self) -> dict[str, Any]:
        """The same as a strict JSON Schema."""
        return strict_schema(self._slots())

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one option, or set of options, in a reply."""
        found = self.field.decide(reply, quoted)
        return found if isinstance(found, Unreadable) else Parsed(Ruling(found.value), found.span)

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """What more than half of the rulings say; None where no label has more than half."""
        return majority(rulings)

    def _slots(self) -> list[Slot]:
        slot = one_of(self.key, {**{label: label for label in self.labels}, self.nothing: "none of them"})
        if self.several:
            says = f"lists every option that is meant; each {slot.says}"
            slot = Slot(self.key, '["...", ...]', says, {"type": "array", "items": slot.schema})
        return with_reason([slot], self.reason)
