"""Texts that models write for data, as data: JSON, Python literals, and the whole objects of what is cut off.

Nothing is evaluated, nothing recurses, and every step takes time in proportion to the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec
import orjson

from mmeval.types import Json

Language: TypeAlias = Literal["json", "python"]

_LENIENT = json.JSONDecoder(strict=False)
_PIECE = re.compile(
    r"""'[^'\\]*+(?:\\(?:.|\Z)[^'\\]*+)*+(?:'|\Z)"""
    r"""|"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)"""
    r"""|[^'"]++""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"""\\(.)|(")""", re.DOTALL)
_FOREIGN = re.compile(r"\b(?:None|True|False|nan|inf)\b|,\s*+(?=[\]})])")
_SIGN_OF_PYTHON = re.compile(rf"['(]|{_FOREIGN.pattern}")
_WORDS = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
# An object without a colon is none (it matches whole, and is skipped); a brace that begins no key and ends
# no object is none of an object ("{{{{").
_BRACES = re.compile(r"""\{[^{}:]*+\}|\{(?=\s*+["'}\w])|\}++""")
_SHORTEST = len('{"x":1,"y":2}')
_DEEPEST = 4
_FENCE_LANGUAGE = re.compile(r"[ \t]*[\w+-]*[ \t]*\r?\n")


class Decoded(msgspec.Struct, frozen=True):
    """A value, and the language that it was written in."""

    value: Json
    language: Language


def decode(text: str) -> Decoded | None:
    """The value that a text is, or None: JSON (NaN and infinities allowed), else a Python literal.

    >>> decode("[{'box': (1, 2, 3, 4), 'label': None,},]").value
    [{'box': [1, 2, 3, 4], 'label': None}]
    """
    value = _json(text)
    if value is not _NOTHING:
        return Decoded(value, "json")
    stripped = text.strip()
    if not stripped.startswith(("[", "(", "{")) or not stripped.endswith(("]", ")", "}")):
        return None
    if _SIGN_OF_PYTHON.search(stripped) is None:
        return None
    value = _json(_PIECE.sub(_as_json, stripped))
    return None if value is _NOTHING else Decoded(value, "python")


_NOTHING: Json = {"no value can be": "this object"}


def _json(text: str) -> Json:
    """The value of a JSON text, or `_NOTHING`; the second decoder knows NaN and line breaks in texts."""
    value: Json
    try:
        value = orjson.loads(text)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        try:
            value = _LENIENT.decode(text)
        except (ValueError, RecursionError):
            return _NOTHING
    return value


def _as_json(piece: re.Match[str]) -> str:
    """A quoted text, or what stands between two, from Python to JSON."""
    text = piece[0]
    if text[0] == "'":
        inside = text[1:-1] if text[-1] == "'" and len(text) > 1 else text[1:]
        return f'"{_ESCAPE.sub(_escape, inside)}"'
    if text[0] == '"':
        return text
    return _FOREIGN.sub(_native, text.replace("(", "[").replace(")", "]"))


def _native(found: re.Match[str]) -> str:
    return _WORDS.get(found[0], "")


def _escape(found: re.Match[str]) -> str:
    if found[2] or found[1] == '"':
        return '\\"'
    return "'" if found[1] == "'" else found[0]


def blocks(text: str) -> list[str]:
    """The fenced blocks of a reply (an unclosed last one too); the reply itself where there is none."""
    if "```" not in text:
        return [text]
    inside = text.split("```")[1::2]
    return [_FENCE_LANGUAGE.sub("", block, count=1) for block in inside if block.strip()]


class Braced(msgspec.Struct, frozen=True, gc=False):
    """An object whose braces are closed: where it stands, and the closed ones in it, last first."""

    start: int
    end: int
    inside: tuple[Braced, ...]


def objects(text: str) -> tuple[list[Json], int, bool]:
    """Every object of a text that can be decoded, outermost ones where that goes.

    Braces in quotes count too: replies that come here have broken quotes more often than braces in labels,
    and either costs one object only.

    Returns:
        The objects in order, how many were closed and could not be read, and whether the text breaks off
        inside one.
    """
    if "{" not in text:
        return [], 0, False
    closed, unclosed = _closed(text)
    cut = unclosed is not None and (not closed or unclosed > closed[-1].end)
    together = decode("[" + ",".join(text[each.start : each.end] for each in closed) + "]")
    if together is not None and isinstance(together.value, list):
        return together.value, 0, cut
    values: list[Json] = []
    unreadable = 0
    for braced in closed:
        before = len(values)
        values.extend(_readable(text, braced))
        unreadable += len(values) == before
    return values, unreadable, cut


def _readable(text: str, braced: Braced) -> Iterator[Json]:
    """An object; where it cannot be read, those in it, down to a depth that keeps the time linear."""
    stack = [(braced, 0)]
    while stack:
        each, depth = stack.pop()
        decoded = decode(text[each.start : each.end])
        if decoded is not None:
            yield decoded.value
        elif depth < _DEEPEST:
            stack.extend((inner, depth + 1) for inner in each.inside)


def _closed(text: str) -> tuple[list[Braced], int | None]:
    """The outermost closed objects in order, and where the last unclosed one begins.

    An object too short to hold a point is left out: ten million of them would be worth no second.
    """
    opened: list[int] = []
    closed: list[Braced] = []
    for found in _BRACES.finditer(text):
        first, length = found.start(), found.end() - found.start()
        if text[first] == "}":
            for end in range(first + 1, first + 1 + min(length, len(opened))):
                _close(closed, opened.pop(), end)
        elif length == 1:
            opened.append(first)
    return closed, opened[-1] if opened else None


def _close(closed: list[Braced], start: int, end: int) -> None:
    """Put an object in the place of those that it holds."""
    if end - start < _SHORTEST:
        return
    inside = []
    while closed and closed[-1].start > start:
        inside.append(closed.pop())
    closed.append(Braced(start, end, tuple(inside)))
