"""What every contract of a judge's reply has in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple, Protocol

from mmeval.types import Ruling, Span


class Parsed(NamedTuple):
    """Exactly one verdict, and where in the reply its word stands (None: spread over the reply)."""

    ruling: Ruling
    span: Span | None = None


class Unreadable(NamedTuple):
    """Why a reply holds no verdict, as a short code: `empty`, `no-verdict`, `contradictory` ..."""

    reason: str


class Contract(Protocol):
    """One kind of answer: the only place that says how it is asked for and how it is read."""

    name: ClassVar[str]

    def instruction(self) -> str:
        """How the reply must look, in words, for the end of a prompt."""
        ...

    def schema(self) -> dict[str, Any]:
        """The same as a JSON Schema, strict (no additional properties, everything required)."""
        ...

    def parse(self, reply: str, quoted: Sequence[str] = ()) -> Parsed | Unreadable:
        """The one verdict in a reply.

        Args:
            reply: what the judge wrote, as it came.
            quoted: texts that the prompt showed to the judge as data (the prediction first). A verdict that
                stands only inside a quotation of them is not the judge's.
        """
        ...

    def merge(self, rulings: Sequence[Ruling]) -> Ruling | None:
        """One ruling of several on one question: the majority's, or the mean; None where they are tied."""
        ...
