"""JSON that a protocol is written in: nothing in it may be lost on the way, and nothing said twice."""

from __future__ import annotations

import json
from collections import Counter

import orjson

from mmeval.errors import MetadataError
from mmeval.types import Json


def loads(data: bytes, where: str) -> Json:
    """Decode JSON as it is specified, each key of an object once.

    Args:
        data: UTF-8 bytes.
        where: what to call them in messages.

    Raises:
        MetadataError: it is not JSON, nests too deeply, has a key twice, or a whole number beyond 64 bits.
    """
    try:
        value: Json = orjson.loads(data)
        exact = json.loads(data, object_pairs_hook=_each_once)
    except orjson.JSONDecodeError as error:
        raise MetadataError(f"{where}: not JSON: {error}; mend the file") from None
    except RecursionError:
        raise MetadataError(f"{where}: nests too deeply; no protocol needs that") from None
    except _Twice as error:
        raise MetadataError(
            f"{where}: the key {error.args[0]!r} occurs twice in one object, so it is not known which one "
            "counts; remove one"
        ) from None
    refuse_huge(exact, where)
    return value


def refuse_huge(value: Json, where: str) -> None:
    """Refuse whole numbers that a score file could not repeat.

    Raises:
        MetadataError: a whole number beyond 64 bits; no count, tolerance or scale needs one.
    """
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, int) and not -(2**63) <= item < 2**64:
            raise MetadataError(
                f"{where}: holds a whole number beyond 64 bits; write a smaller one, or a text"
            )
        if isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())


class _Twice(Exception):
    """An object has this key twice."""


def _each_once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Twice(next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1))
    return made
