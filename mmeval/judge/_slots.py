"""Texts with places to fill: our own form, and the three in which official prompts come."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Literal, NamedTuple, TypeAlias

Style: TypeAlias = Literal["format", "percent", "literal"]

_OURS = re.compile(r"\{\{(?P<literal>[A-Za-z_]\w*)\}\}|\{(?P<slot>[A-Za-z_]\w*)\}")
_PERCENT = re.compile(r"%(?:\((?P<name>[^()]*)\))?(?P<kind>[sd%])")


class Slot(NamedTuple):
    """A place that is filled with one of our inputs, and what stands around it if there is any."""

    name: str
    before: str = ""
    after: str = ""

    def filled(self, text: str) -> str:
        """What stands in the place."""
        return self.before + text + self.after


Piece: TypeAlias = str | Slot
Line: TypeAlias = tuple[Piece, ...]


class Text(NamedTuple):
    """A text in pieces, line by line. In a `loose` one a line whose only input is missing is left out."""

    lines: tuple[Line, ...]
    loose: bool = True

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of all places, each once, in order."""
        return tuple(
            dict.fromkeys(piece.name for line in self.lines for piece in line if isinstance(piece, Slot))
        )

    @property
    def tied(self) -> frozenset[str]:
        """The names of places that share their line with another one, so that it cannot be left out."""
        named = ([piece.name for piece in line if isinstance(piece, Slot)] for line in self.lines)
        return frozenset(name for names in named if len(set(names)) > 1 for name in names)

    def filled(self, value: Callable[[str], str | None]) -> str:
        """The text with every place filled, in one pass: what fills a place is never looked at again."""
        kept = (self._line(line, value) for line in self.lines)
        return "\n".join(line for line in kept if line is not None)

    def _line(self, line: Line, value: Callable[[str], str | None]) -> str | None:
        parts: list[str] = []
        slots = [piece for piece in line if isinstance(piece, Slot)]
        if self.loose and slots and all(value(slot.name) is None for slot in slots):
            return None
        for piece in line:
            part = value(piece.name) if isinstance(piece, Slot) else piece
            if part is not None:
                parts.append(piece.filled(part) if isinstance(piece, Slot) else part)
        return "".join(parts)


class Malformed(Exception):
    """A text that cannot be taken apart, and why."""


def ours(text: str, names: Mapping[str, str] | None = None) -> Text:
    """A text in our form: `{name}` is a place, `{{name}}` the literal `{name}`; any other brace is a brace.

    Args:
        text: the text.
        names: other names for inputs of ours, as a dataset may have them.
    """
    return _by_line(_our_pieces(text, names or {}), loose=True)


def official(text: str, style: Style, names: Mapping[str, str]) -> Text:
    """An official text in its own form.

    Args:
        text: the text.
        style: `format` (Python's `str.format`; places without a name are 0, 1 ...), `percent` (`%s`,
            `%(name)s`; the same numbering), `literal` (the names themselves are what is replaced).
        names: the text's own names of its places, to ours; or to ours in what stands around it ("({name})").

    Raises:
        Malformed: the text has another form, or a place that nobody named.
    """
    split = {"format": _format_pieces, "percent": _percent_pieces, "literal": _literal_pieces}[style]
    return _by_line(split(text, names), loose=False)


def _our_pieces(text: str, names: Mapping[str, str]) -> Iterator[Piece]:
    at = 0
    for match in _OURS.finditer(text):
        yield text[at : match.start()]
        slot = match["slot"]
        yield f"{{{match['literal']}}}" if slot is None else Slot(names.get(slot, slot))
        at = match.end()
    yield text[at:]


def _format_pieces(text: str, names: Mapping[str, str]) -> Iterator[Piece]:
    numbers = count()
    try:
        for literal, field, _, _ in string.Formatter().parse(text):
            yield literal
            if field is not None:
                yield _named(field or str(next(numbers)), names)
    except ValueError as error:
        raise Malformed(str(error)) from None


def _percent_pieces(text: str, names: Mapping[str, str]) -> Iterator[Piece]:
    at, numbers = 0, count()
    for match in _PERCENT.finditer(text):
        yield text[at : match.start()]
        at = match.end()
        if match["kind"] == "%":
            yield "%"
        else:
            yield _named(match["name"] or str(next(numbers)), names)
    yield text[at:]


def _literal_pieces(text: str, names: Mapping[str, str]) -> Iterator[Piece]:
    places = re.compile("|".join(re.escape(name) for name in sorted(names, key=len, reverse=True)) or "(?!)")
    at = 0
    for match in places.finditer(text):
        yield text[at : match.start()]
        yield _named(match[0], names)
        at = match.end()
    yield text[at:]


def _named(field: str, names: Mapping[str, str]) -> Slot:
    if field not in names:
        raise Malformed(f"nothing is known that belongs into its place {field!r}")
    form = _OURS.search(names[field])
    if form is None:
        return Slot(names[field])
    return Slot(form["slot"], names[field][: form.start()], names[field][form.end() :])


def _by_line(pieces: Iterator[Piece], loose: bool) -> Text:
    lines: list[list[Piece]] = [[]]
    for piece in pieces:
        if isinstance(piece, Slot):
            lines[-1].append(piece)
            continue
        first, *others = piece.split("\n")
        lines[-1].append(first)
        lines.extend([other] for other in others)
    return Text(tuple(tuple(piece for piece in line if piece != "") for line in lines), loose)
