"""The options of a question, from every place where a sample may carry them.

Order of the sources: `options` (letter -> text), `choices` (list), flat columns `A`..`H`, labels in the
question's text. Source: the candidate rules of simple-mmeval, `mmeval/scoring/extraction.py` at 3aa72c0,
described in our words; beyond them, labels of any short kind ("10"), texts of options that stand one per line
in the question, and at least two labels before a question is believed to hold any ("vitamin A." is none).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from string import ascii_uppercase
from typing import Literal, TypeAlias

import msgspec

from mmeval.types import Json, Options

_Source: TypeAlias = Literal["options", "choices"]

FALLBACK = Options(tuple("ABCDEF"))
_SOURCES: tuple[_Source, ...] = ("options", "choices")
_COLUMNS = "ABCDEFGH"
_INLINE = re.compile(r"\(([A-H])\)|(?<!\S)([A-H])[.):]")
_LINE = re.compile(r"[ \t]*(?:\(([A-H])\)|([A-H])[.):])[ \t]*(\S[^\n]*)")


def read_options(turn: Mapping[str, Json], question_text: str, scan_inline: bool) -> Options:
    """The options of one sample.

    Args:
        turn: the user's turn (`messages[0]`).
        question_text: the question as read, where labels may stand inline.
        scan_inline: whether to look there; false where the question is declared to be no multiple choice.

    Returns:
        Labels and texts in the sample's order; `Options.source` says where they were found.
    """
    found = _offered(turn)
    if found is None and scan_inline:
        found = _from_question(question_text)
    return found or FALLBACK


def _offered(turn: Mapping[str, Json]) -> Options | None:
    """The options that the sample carries as data."""
    for source in _SOURCES:
        given = turn.get(source)
        if given and isinstance(given, dict):
            return _from_mapping(given, source)
        if given and isinstance(given, list):
            return _from_list(given, source)
    return _from_columns(turn) if "A" in turn else None


def _from_mapping(options: Mapping[str, Json], source: _Source) -> Options:
    """Entries without a text (null, as tables have them for a missing fourth option) are not options."""
    if None in options.values():
        kept = {label: text for label, text in options.items() if text is not None}
        if not kept:
            return Options(_labels(tuple(options)), (), source)
        options = kept
    return Options(_labels(tuple(options)), tuple(map(_text, options.values())), source)


def _from_list(choices: list[Json], source: _Source) -> Options:
    """Choices that are the first letters in any order ("B", "A", "C") are labels without texts.

    Other single letters are texts: `x` and `y` may be the variables of a question.
    """
    texts = tuple(_text(choice) for choice in choices)
    labels = tuple(_label(position) for position in range(len(texts)))
    letters = tuple(text.strip().upper() for text in texts)
    if len(letters) <= len(ascii_uppercase) and set(letters) == set(labels):
        return Options(letters, (), source)
    bare = tuple(_without_label(text, label) for text, label in zip(texts, labels, strict=True))
    return Options(labels, bare, source)


def _from_columns(turn: Mapping[str, Json]) -> Options | None:
    texts: list[str] = []
    for letter in _COLUMNS:
        text = _text(turn.get(letter))
        if not text.strip():
            break
        texts.append(text)
    return Options(tuple(_COLUMNS[: len(texts)]), tuple(texts), "columns") if texts else None


def _from_question(text: str) -> Options | None:
    if not ("A)" in text or "A." in text or "A:" in text):
        return None
    seen = {match.group(1) or match.group(2) for match in _INLINE.finditer(text)}
    count = next((n for n, letter in enumerate(_COLUMNS) if letter not in seen), len(_COLUMNS))
    if count < 2:
        return None
    return Options(tuple(_COLUMNS[:count]), _line_texts(text, count), "inline")


def _line_texts(text: str, count: int) -> tuple[str, ...]:
    """The option texts, if the options stand on consecutive lines, each once and in order; else none."""
    texts: list[str] = []
    for line in text.split("\n"):
        match = _LINE.fullmatch(line)
        if match is None:
            if texts and len(texts) < count and line.strip():
                return ()
            continue
        label = match.group(1) or match.group(2)
        if len(texts) == count or label != _COLUMNS[len(texts)]:
            return ()
        texts.append(match.group(3).rstrip())
    return tuple(texts) if len(texts) == count else ()


@lru_cache(maxsize=1024)
def _labels(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Keys as labels: upper case, unless that makes two of them one."""
    labels = tuple(key.strip().upper() for key in keys)
    return labels if _distinct(labels) else keys


def _label(position: int) -> str:
    """A, B, ... Z, AA, AB, ... as spreadsheets count columns."""
    more, letter = divmod(position, len(ascii_uppercase))
    return ascii_uppercase[letter] if more == 0 else _label(more - 1) + ascii_uppercase[letter]


def _without_label(text: str, label: str) -> str:
    """A choice without the label that it repeats in front: `A. cat`, `(A) cat` and `A: cat` are `cat`."""
    for front in (f"({label})", f"{label}.", f"{label})", f"{label}:"):
        if text.startswith(front) and text[len(front) :].strip():
            return text[len(front) :].strip()
    return text


def _distinct(labels: tuple[str, ...]) -> bool:
    return len(set(labels)) == len(labels)


def _text(value: Json) -> str:
    """An option as text: text as it is, null as nothing, anything else as its JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()
