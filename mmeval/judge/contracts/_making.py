"""How contracts are declared, validated, asked for in words and put into a JSON Schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

from pydantic import ConfigDict, Field, Strict, StrictBool, StrictStr

from mmeval.types import Ruling

CONFIG = ConfigDict(extra="forbid")

Key: TypeAlias = Annotated[StrictStr, Field(pattern=r"^\p{L}[\p{L}\p{N}_]{0,63}$")]
Word: TypeAlias = Annotated[StrictStr, Field(pattern=r"\S")]
Vocabulary: TypeAlias = dict[StrictStr, Annotated[list[Word], Field(min_length=1)]]
Number: TypeAlias = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Count: TypeAlias = Annotated[int, Strict(), Field(ge=0, le=1_000)]
Flag: TypeAlias = StrictBool


class Slot(NamedTuple):
    """One field of a reply: its name, a sketch of its value, what it means, and its JSON Schema."""

    key: str
    sketch: str
    says: str
    schema: dict[str, Any]


REASON = Slot("reason", '"..."', "is one sentence that says why", {"type": "string"})


def instruct(slots: Sequence[Slot]) -> str:
    """How the reply must look, in words."""
    form = ", ".join(f'"{slot.key}": {slot.sketch}' for slot in slots)
    meanings = " ".join(f'"{slot.key}" {slot.says}.' for slot in slots)
    return f"Reply with exactly one JSON object, and with nothing before or after it:\n{{{form}}}\n{meanings}"


def strict_schema(slots: Sequence[Slot]) -> dict[str, Any]:
    """The JSON Schema of a reply: every field required, no other allowed."""
    return {
        "type": "object",
        "properties": {slot.key: dict(slot.schema) for slot in slots},
        "required": [slot.key for slot in slots],
        "additionalProperties": False,
    }


def with_reason(slots: Sequence[Slot], reason: bool) -> list[Slot]:
    """The fields, after the explanation where one is asked for: a judge that explains first judges better."""
    return [REASON, *slots] if reason else list(slots)


def one_of(key: str, meanings: Mapping[str, str]) -> Slot:
    """A field that is one of several words; `meanings` maps each to what it means."""
    words = list(meanings)
    spelled = (f'"{word}"' + (f" ({says})" if says != word else "") for word, says in meanings.items())
    schema: dict[str, Any] = {"type": "string", "enum": words}
    if set(words) <= {"0", "1"}:
        schema = {"type": "integer", "enum": [int(word) for word in words]}
    elif {word.lower() for word in words} <= {"true", "false"}:
        schema = {"type": "boolean"}
    return Slot(
        key, '"..."' if schema["type"] == "string" else "...", f"is one of {', '.join(spelled)}", schema
    )


def spell_once(words: Mapping[str, Sequence[str]]) -> None:
    """Refuse a vocabulary in which a word has two meanings.

    Raises:
        ValueError: naming the word.
    """
    count = Counter(word.strip().casefold() for each in words.values() for word in set(each))
    twice = [word for word, number in count.items() if number > 1]
    if twice:
        raise ValueError(f"the word {twice[0]!r} stands for two labels")


def majority(rulings: Sequence[Ruling]) -> Ruling | None:
    """The first ruling of those more than half of which agree in their label; None where no such half is."""
    label, votes = Counter(ruling.label for ruling in rulings).most_common(1)[0]
    if 2 * votes <= len(rulings):
        return None
    return next(ruling for ruling in rulings if ruling.label == label)


def numbers(rulings: Sequence[Ruling], name: str) -> list[float]:
    """All the numbers that rulings have in their evidence under a name; merged ones have several."""
    found: list[float] = []
    for ruling in rulings:
        value = ruling.evidence[name] if isinstance(ruling.evidence, dict) else None
        found += value if isinstance(value, list) else [float(value or 0.0)]
    return found


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, exact where all values are one."""
    return values[0] if len(set(values)) == 1 else sum(values) / len(values)
