"""The binary contract: correct, or incorrect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec.structs import replace
from pydantic.dataclasses import dataclass

from mmeval.judge.contracts._confidence import slot, stated
from mmeval.judge.contracts._making import CONFIG, Key, Slot
from mmeval.judge.contracts._verdicts import Verdicts
from mmeval.judge.contracts.base import Parsed, Unreadable


@dataclass(frozen=True, config=CONFIG)
class Binary(Verdicts):
    """One word of two: label `correct` (score 1) or `incorrect` (score 0).

    Parameters: `key`, the name of the verdict field; `words`, label to accepted words, of which the first is
    asked for, by default the labels themselves; `reason`, whether a sentence of explanation is asked for;
    `confidence`, the name of a field in which the judge says how sure the response is, 0 to 100 (evidence
    `confidence`; a reply without it is read all the same, and has none).

    >>> Binary(key="correct", words={"correct": ["yes"], "incorrect": ["no"]}).parse("**correct:** [yes]")
    Parsed(ruling=Ruling(label='correct', score=1.0, evidence=None), span=(14, 17))
    """

    name: ClassVar[str] = "binary"
    sizes: ClassVar[tuple[int, ...]] = (2,)

    confidence: Key | None = None

    def __post_init__(self) -> None:
        """Refuse a confidence that has the name of another field."""
        super().__post_init__()
        if self.confidence is not None and self.confidence in (self.key, "reason", "extracted"):
            raise ValueError(f"confidence cannot be {self.confidence!r}, which names another field")

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one verdict in a reply, and the confidence beside it."""
        found = super().parse(reply, quoted)
        if self.confidence is None or isinstance(found, Unreadable):
            return found
        said = stated(self.confidence, reply, quoted)
        if said is None:
            return found
        return found._replace(ruling=replace(found.ruling, evidence={"confidence": said}))

    def _default(self) -> dict[str, list[str]]:
        return {"correct": ["correct"], "incorrect": ["incorrect"]}

    def _slots(self) -> list[Slot]:
        own = super()._slots()
        return own if self.confidence is None else [*own, slot(self.confidence)]
