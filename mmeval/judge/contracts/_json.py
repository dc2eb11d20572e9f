"""The JSON objects of a reply, read strictly: no key twice, no NaN, nothing salvaged from a broken one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from mmeval.judge.contracts.base import Unreadable
from mmeval.types import Json, Span

_OPENS = re.compile(r"\{\s*[\"}]")
_DEEPEST = 8


class Thing(NamedTuple):
    """One outermost object of a reply: its pairs in their order, a key perhaps twice, and where it stands."""

    pairs: Pairs
    span: Span

    def values(self, keys: frozenset[str]) -> list[Json]:
        """What stands under any of these keys (lower case), in the object or in one inside of it.

        An inner object is looked into only where the outer one has no such key.
        """
        return list(_values(self.pairs, keys, _DEEPEST))


class Pairs(list[tuple[str, "Json | Pairs"]]):
    """An object as its pairs."""


def objects(text: str) -> list[Thing] | Unreadable:
    """Every outermost object of a text, in its order.

    What looks like an object and is not one makes the whole text unreadable (`malformed-json`): a judge that
    quotes without escaping can leave an object of somebody else's inside its own. A lone object whose last
    brace is missing is completed, as SimpleVQA's own reader does.
    """
    found: list[Thing] = []
    at = 0
    while opened := _OPENS.search(text, at):
        thing = _decode(text, opened.start()) or _completed(text, opened.start(), found)
        if thing is None:
            return Unreadable("malformed-json")
        found.append(thing)
        at = thing.span[1]
    return found


def _decode(text: str, start: int) -> Thing | None:
    """The object that begins at `start`."""
    try:
        pairs, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return Thing(pairs, (start, end)) if isinstance(pairs, Pairs) else None


def _completed(text: str, start: int, found: list[Thing]) -> Thing | None:
    """The object that is the whole text but for its last brace."""
    if found or text[:start].strip() or text.rstrip().endswith("}"):
        return None
    thing = _decode(text.rstrip() + "}", start)
    return thing and Thing(thing.pairs, (start, min(thing.span[1], len(text))))


def _values(pairs: Pairs, keys: frozenset[str], depth: int) -> Iterator[Json]:
    own = [value for key, value in pairs if key.strip().lower() in keys]
    if own or depth == 0:
        yield from (_plain(value) for value in own)
        return
    for _, value in pairs:
        if isinstance(value, Pairs):
            yield from _values(value, keys, depth - 1)


def _plain(value: Json | Pairs) -> Json:
    return dict(value) if isinstance(value, Pairs) else value


def _no_constant(name: str) -> Json:
    raise ValueError(name)


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_constant=_no_constant, strict=False)
