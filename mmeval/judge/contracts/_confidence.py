"""How sure a response says it is, where the judge copies that beside its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.judge.contracts._field import Field
from mmeval.judge.contracts._making import Slot
from mmeval.judge.contracts._numbers import Rating
from mmeval.judge.contracts.base import Unreadable
from mmeval.types import Json

_LOWEST, _HIGHEST = 0, 100


class Percent(Rating):
    """Reads whole numbers from 0 to 100, with a per cent sign or without."""

    def __init__(self) -> None:
        super().__init__(_LOWEST, _HIGHEST, True)

    def at_start(self, text: str) -> float | Unreadable:
        """The number that a text begins with: "85", "85%", "85/100"."""
        return super().at_start(text.replace("%", "", 1))


def slot(key: str) -> Slot:
    """The field as the judge is asked for it; what to write where nothing is stated is as in HLE."""
    says = (
        f"is how sure the response says it is, as a whole number from {_LOWEST} to {_HIGHEST}; "
        f"{_HIGHEST} if it does not say"
    )
    return Slot(key, "...", says, {"type": "integer", "minimum": _LOWEST, "maximum": _HIGHEST})


def stated(key: str, reply: str, quoted: Sequence[str]) -> Json:
    """The confidence that a reply states under a key, 0 to 100; None where it states none, or two."""
    field = Field((key,), Percent(), repeats=True, alone=False)
    found = field.decide(reply, quoted)
    return None if isinstance(found, Unreadable) else int(found.value)
