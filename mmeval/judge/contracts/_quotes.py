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
_TELLING = 4
"""A word of so many letters is no everyday word: "yes" and "A" stand in many an honest answer."""
_MARKS = "\"'"
_DIGITS = "0123456789.,/"
_EDGE = re.compile(r"^[\W_]+|[\W_]+$")


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

    def holds(self, text: str) -> bool:
        """Whether the words of a text stand in a shown one, in their order."""
        words = _tokens(text)
        return bool(words) and self._has(words)

    def exposes(self, line: str) -> bool:
        r"""Whether a line that is only a word may be what is left of a shown text, cut short in a quotation.

        It may where the word is at the end of a shown line, or set off at the start of one; or anywhere in
        it, if it is longer than everyday words are. Of a number some digits are enough: it may be cut, too. A
        word between quotation marks always is a quotation.

        Only the prediction, the first of the shown texts, is suspected: a list of options has every letter
        set off at the start of a line.

        >>> quoted = Quoted(["My answer: [[10]]\nA, because it is\na correct remark, yes indeed", "C. red"])
        >>> [quoted.exposes(line) for line in ("10", "0", "A", "correct", "'no'", "yes", "C")]
        [True, True, True, True, True, False, False]
        """
        word = _EDGE.sub("", line.casefold())
        if not word:
            return False
        telling = len(word) >= (_TELLING if word.isascii() else 2) or len(_tokens(word)) > 1
        if line.lstrip()[:1] in _MARKS or (telling and self._predicted(_tokens(word))):
            return True
        return any(_begins(piece, word) or _ends(piece, word) for piece in self._pieces)

    def has(self, text: str) -> bool:
        """Whether the words of a text stand in the prediction, cut anywhere, or as they are in a shown text.

        >>> [Quoted(["Paris. 1 10", "caption 7 8"]).has(text) for text in ("1, 1", "7 8", "7 1")]
        [True, True, False]
        """
        tokens = _tokens(text)
        return " ".join(tokens) in " ".join(_tokens(self._prediction)) or self._has(tokens)

    @cached_property
    def _pieces(self) -> frozenset[str]:
        """What stands between line ends and tabs in the prediction, without what encloses it."""
        found = re.split(r"[\n\t]", self._prediction.casefold())
        return frozenset(_EDGE.sub("", piece) for piece in found) - {""}

    @property
    def _prediction(self) -> str:
        return self.plain[0] if self.plain else ""

    def _predicted(self, tokens: list[str]) -> bool:
        return f" {' '.join(tokens)} " in f" {' '.join(_tokens(self._prediction))} "

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


def _begins(piece: str, word: str) -> bool:
    """Whether a piece begins with a word that is set off: not "A dog", not "10 dogs", not "Yesterday"."""
    number = piece[: len(piece) - len(piece.lstrip(_DIGITS))].rstrip(".,/")
    found = word in number if word[0].isdigit() else piece.startswith(word)
    after = piece[len(number if word[0].isdigit() else word) :][:1]
    return found and not after.isalnum() and not (after == " " and len(word) < _TELLING - 1)


def _ends(piece: str, word: str) -> bool:
    """Whether a piece ends with a word, or with a number that has these digits."""
    if word[0].isdigit():
        return word in piece[len(piece.rstrip(_DIGITS)) :]
    return piece.endswith(word) and not (word.isascii() and piece[: -len(word)][-1:].isalnum())


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold())


def _whole_words(text: str, start: int, end: int) -> str:
    """The stretch without a word that its beginning cuts in two."""
    while 0 < start < end and text[start - 1].isalnum() and text[start].isalnum():
        start += 1
    return text[start:end]
