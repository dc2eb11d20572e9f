"""One row's bytes to its columns, whatever is wrong with them.

msgspec decodes what is sound. Where it refuses (NaN, a lone surrogate, bytes that are not UTF-8, a control
character, a number beyond range), a tolerant decoder reads the row and marks it as not sound, so that only
that row, and only if prediction or gold are touched, is lost.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import NamedTuple

import msgspec

from mmeval.readers.structure import elements
from mmeval.readers.texts import Written
from mmeval.types import Json

MAX_DEPTH = 200
_MAX_DIGITS = 4000
_SURROGATE = re.compile("[\ud800-\udfff]")
_decode = msgspec.json.Decoder().decode
_decode_written = msgspec.json.Decoder(float_hook=Written).decode
_encode = msgspec.json.Encoder().encode


class Flaw(NamedTuple):
    """Why a row cannot be used: a short code, and the particulars."""

    reason: str
    detail: str


class Columns(NamedTuple):
    """The columns of a row. `sound` is false where text or numbers may be damaged (see `damage`)."""

    values: dict[str, Json]
    sound: bool = True
    flaw: Flaw | None = None


def decode_row(data: bytes) -> Columns:
    """Decode one row.

    Raises:
        json.JSONDecodeError: it is not JSON, not even tolerantly; positions count characters.
    """
    try:
        value = _decode(data)
        if type(value) is not dict:
            return Columns({}, True, Flaw("row-not-an-object", f"the row is {kind(value)}, not an object"))
        if not _keys_differ(value, data):
            return Columns(value, True, _repeated_key(data))
        if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _too_deep(value):
            return _shallow(data)
        return Columns(value)
    except msgspec.DecodeError:
        return _not_finite(data) or _tolerant(data)
    except RecursionError:
        return _shallow(data)


def _keys_differ(value: Json, data: bytes) -> bool:
    """Whether no object has a key twice: then decoded and encoded again it has as many quotes as before.

    A quote in a text is one quote either way, unless it was escaped by its number; there the answer is no.
    """
    return _encode(value).count(b'"') == data.count(b'"') and b"\\u0022" not in data


def _not_finite(data: bytes) -> Columns | None:
    """A row that is sound but for NaN or Infinity, which tables write into every row; else None."""
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH:
        return None
    try:
        value = json.loads(data, parse_float=_fraction)
        plain = isinstance(value, dict) and _keys_differ(value, data)
    except (ValueError, RecursionError):
        return None
    return Columns(value, False) if plain else None


def _tolerant(data: bytes) -> Columns:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        made = dict(items)
        if len(made) < len(items):
            repeated.extend(key for key, n in Counter(key for key, _ in items).items() if n > 1)
        return made

    try:
        value = json.loads(
            data.decode("utf-8", "surrogateescape"),
            strict=False,
            parse_int=_whole,
            parse_float=_fraction,
            object_pairs_hook=pairs,
        )
        deep = _too_deep(value)
    except RecursionError:
        deep = True
    if deep:
        return _shallow(data)
    if not isinstance(value, dict):
        return Columns({}, False, Flaw("row-not-an-object", f"the row is {kind(value)}, not an object"))
    flaw = Flaw("duplicate-key", f"the key {readable(repeated[0])!r} occurs twice") if repeated else None
    return Columns(value, False, flaw)


def _repeated_key(data: bytes) -> Flaw | None:
    return _tolerant(data).flaw


def _whole(digits: str) -> Json:
    """An integer of any size; one too long for Python to convert stays text."""
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


def _fraction(written: str) -> Json:
    """A float; one beyond range stays text."""
    value = float(written)
    return value if math.isfinite(value) else written


def _too_deep(value: Json) -> bool:
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for each in level
            for item in (each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def _shallow(data: bytes) -> Columns:
    """The columns that are not too deep to decode, so that the row keeps its id."""
    values: dict[str, Json] = {}
    for begin, end, _ in elements(data, re.search(rb"[\[{]", data).start()):  # type: ignore[union-attr]
        try:
            member = _decode(b"{" + data[begin:end] + b"}")
        except (msgspec.DecodeError, RecursionError):
            continue
        if not _too_deep(member):
            values.update(member)
    return Columns(values, True, Flaw("too-deep", f"it nests deeper than {MAX_DEPTH} levels"))


def kind(value: Json) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a text", list: "a list"}
    return names.get(type(value), "an object")


def damage(value: Json) -> Flaw | None:
    """What is damaged in a value that came from a row that is not sound."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str) and (found := _SURROGATE.search(item)):
            return Flaw("unreadable-text", f"a character is half or not UTF-8 at position {found.start()}")
        if isinstance(item, float) and not math.isfinite(item):
            return Flaw("not-a-number", "it is NaN or Infinity")
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item)
            stack.extend(item.values())
    return None


def readable(text: str) -> str:
    """Text with every unreadable character as U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def sanitised(value: Json) -> Json:
    """What any JSON writer takes: U+FFFD for unreadable characters, null for NaN, text for Infinity."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, list):
        return [sanitised(item) for item in value]
    if isinstance(value, dict):
        return {readable(key): sanitised(item) for key, item in value.items()}
    return value


def with_written_numbers(data: bytes) -> dict[str, Json]:
    """A sound row once more, its floats as `Written`."""
    row: dict[str, Json] = _decode_written(data)
    return row
