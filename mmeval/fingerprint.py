"""Canonical forms: what is compared, and what determines a score."""

from __future__ import annotations

import hashlib

import msgspec

from mmeval.types import Json


def canonical(value: Json) -> str | tuple[str, ...] | None:
    """The one text of a flat value, for groups and conditions: 1, 1.0 and "1" are the same, true is "true".

    A list becomes a tuple of such texts, null stays None, an object its canonical JSON.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, list):
        return tuple(_member(item) for item in value)
    if isinstance(value, dict):
        return canonical_json(value).decode()
    return str(value)


def _member(item: Json) -> str:
    text = canonical(item)
    return text if isinstance(text, str) else canonical_json(item).decode()


def canonical_json(value: object) -> bytes:
    """JSON bytes with sorted keys and no spaces: equal values, equal bytes."""
    return msgspec.json.encode(value, order="sorted")


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hex."""
    return hashlib.sha256(canonical_json(value)).hexdigest()
