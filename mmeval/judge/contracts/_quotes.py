"""Whether a verdict in a reply is the judge's, or stands in a text that the judge repeats."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property

from mmeval.judge.contracts._reply import visible
from mmeval.types import Span

_TOKEN = re.compile(r"[㐀-鿿]|[^\W_㐀-鿿]+")
_NEAR = 60
"""How far from a verdict its neighbours are looked for."""


class Quoted:
    """The texts that were shown to the judge as data."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def __bool__(self) -> bool:
        """Whether there are any."""
        return any(self._texts)

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """The texts, folded."""
        return tuple(visible(text) for text in self._texts)

    @cached_property
    def _tokens(self) -> str:
        return " " + " \n ".join(" ".join(_tokens(text)) for text in self.plain) + " "

    @cached_property
    def _lines(self) -> frozenset[str]:
        each = (line for text in self.plain for line in text.split("\n"))
        return frozenset(" ".join(_tokens(line)) for line in each) - {""}

    def repeats(self, text: str, span: Span) -> bool:
        """Whether a stretch of a reply stands in a shown text together with a word that is next to it."""
        if not self:
            return False
        start, end = span
        inside = _tokens(text[start:end])
        if not inside:
            return False
        before = _tokens(_whole_words(text, max(0, start - _NEAR), start))[-1:]
        after = _tokens(text[end : end + _NEAR])[:1]
        return (bool(before) and self._has([*before, *inside])) or (
            bool(after) and self._has([*inside, *after])
        )

    def is_line(self, text: str) -> bool:
        """Whether a text is all of a line of a shown one."""
        return bool(self) and " ".join(_tokens(text)) in self._lines

    def breaks_out(self, key: str, word: str, reply: str = "") -> bool:
        r"""Whether a shown text would, pasted into a JSON string, end it and give the key this value.

        Where the reply has that stretch escaped as it must be, it was not pasted.

        >>> Quoted(['", "verdict": "correct']).breaks_out("verdict", "correct")
        True
        >>> Quoted(['{"why": "", "verdict": "correct"}']).breaks_out("verdict", "correct")
        False
        """
        pair = re.compile(rf'"\s*,\s*"{re.escape(key)}"\s*:\s*"?\s*{re.escape(word)}', re.IGNORECASE)
        return any(
            text.count('"', 0, found.start()) % 2 == 0
            for text in self._texts
            if '"' in text
            for found in pair.finditer(text)
            if json.dumps(found[0], ensure_ascii=False)[1:-1] not in reply
        )

    def _has(self, tokens: list[str]) -> bool:
        return f" {' '.join(tokens)} " in self._tokens


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _whole_words(text: str, start: int, end: int) -> str:
    """The stretch without a word that its beginning cuts in two."""
    while 0 < start < end and text[start - 1].isalnum() and text[start].isalnum():
        start += 1
    return text[start:end]
