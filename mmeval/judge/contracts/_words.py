"""A closed vocabulary: which words mean which label, and how one is read where a verdict is expected."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mmeval.judge.contracts.base import Unreadable
from mmeval.text.fold import fold
from mmeval.text.wrappers import peel
from mmeval.types import Json

OFF_MENU = Unreadable("off-menu")
CONTRADICTORY = Unreadable("contradictory")

_OPENING = " \t\r\n*_`\"'([{$#~"
_CLOSING = r"[*_`\"')\]}$~]{0,6}"
_STOP = r"[.,;:!?。，；：！？、]"
_AFTER = re.compile(
    rf"{_CLOSING}[ \t]*(?:(?P<end>\Z|\n)|(?P<stop>{_STOP}{_CLOSING}(?=\s|\Z|[^\x00-\x7f]|[\[(*_`])|\s[-–—]\s"
    rf"|\((?=\S)))"
)
_ALTERNATIVE = re.compile(
    r"[\s*_`\"'()\[\].,;:!?/|&。，；：！？、-]{0,8}(?:(?:or|and|或|和)\b[\s*_`\"'(\[]{0,4})?"
)
_LONGEST = 400
"""A text that is longer is more than a word."""
_OUTER = re.compile(r"\W*")


class Words:
    """A vocabulary, and the only reader of its words.

    A word is read whole: not within another ("CORRECT" in "INCORRECT", 正确 in 正确的 or 不正确), not after
    another ("not correct"), not before one that goes on ("A dog"). Case is free, but for single letters that
    something follows. Spaces, dashes and underscores within a word are the same.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
        self._labels = {_normal(word): label for label, each in words.items() for word in each}
        spelled = sorted({word for each in words.values() for word in each}, key=len, reverse=True)
        self._word = re.compile("|".join(map(_spelling, spelled)), re.IGNORECASE)
        self._letters = all(len(word) == 1 for word in spelled)

    def at_start(self, text: str) -> str | Unreadable:
        """The label of the word that a text begins with; what follows must be set apart from it.

        >>> Words({"correct": ["yes"], "incorrect": ["no"]}).at_start("No, the report says yes to X")
        'incorrect'
        """
        text = text.lstrip(_OPENING)
        found = self._word.match(text)
        if found is None or not _apart(text, found):
            return OFF_MENU
        label = self._labels[_normal(found[0])]
        other = self._next(text, found.end())
        if other is not None and other != label:
            return CONTRADICTORY
        after = _AFTER.match(text, found.end())
        if after is None:
            same = other == label and text[found.end() : found.end() + 1].isspace()
            return label if same else OFF_MENU
        if len(found[0]) == 1 and found[0].islower() and _OUTER.fullmatch(text, found.end()) is None:
            return OFF_MENU
        return label

    def whole(self, text: str) -> str | Unreadable:
        """The label of a text that is a word of the vocabulary and nothing else.

        Brackets, boxes and punctuation around it do not count; "A. CORRECT" is one label said twice.
        """
        if len(text) > _LONGEST:
            return OFF_MENU
        start, end = peel(text, 0, len(text))
        text = text[start:end].strip(" \t\r\n.,;:!?。，；：！？、*_`\"'()[]{}$#~")
        labels = set()
        while text:
            found = self._word.match(text)
            if found is None or not _apart(text, found):
                return OFF_MENU
            labels.add(self._labels[_normal(found[0])])
            text = text[found.end() :].lstrip(" \t\r\n.,;:!?。，；：！？、*_`\"'()[]{}$=|/-–—")
        return _single(labels)

    def scalar(self, value: Json) -> str | Unreadable:
        """The label of a value in JSON: a text, a number or a truth value that the vocabulary has."""
        if isinstance(value, str):
            return self.at_start(fold(value))
        if isinstance(value, bool | int):
            return self._labels.get(str(value).lower(), OFF_MENU)
        return OFF_MENU

    def opens(self, text: str) -> set[str]:
        """The labels of the words that a text begins with, within longer ones too: it may be cut there."""
        found = self._word.match(text)
        starts = (found[0][:end] for end in range(1, len(found[0]) + 1)) if found else ()
        return {self._labels[_normal(start)] for start in starts if _normal(start) in self._labels}

    def length(self, text: str) -> int:
        """How long the word is that a text begins with."""
        found = self._word.match(text)
        return found.end() if found else 0

    def label(self, word: str) -> str | None:
        """The label of a word as the vocabulary has it."""
        return self._labels.get(_normal(word))

    def first(self, text: str) -> re.Match[str] | None:
        """The word that a text begins with, whatever follows it."""
        found = self._word.match(text)
        return found if found is not None and _apart(text, found) else None

    def _next(self, text: str, at: int) -> str | None:
        """The label of another word that stands right beside the first: "A or B", "yes/no", "A. CORRECT"."""
        between = _ALTERNATIVE.match(text, at)
        start = between.end() if between else at
        found = self._word.match(text, start)
        if found is None or start == at or not _apart(text, found):
            return None
        if len(found[0]) == 1 and not _AFTER.match(text, found.end()):
            return None
        return self._labels[_normal(found[0])]


def _single(labels: set[str]) -> str | Unreadable:
    if len(labels) == 1:
        return labels.pop()
    return CONTRADICTORY if labels else OFF_MENU


def _normal(word: str) -> str:
    return re.sub(r"[\s_-]+", " ", word.strip()).casefold()


def _spelling(word: str) -> str:
    """The pattern of one word, bounded where it begins with a letter or digit of an alphabet with spaces."""
    return r"[\s_-]+".join(map(re.escape, re.split(r"[\s_-]+", word.strip())))


def _apart(text: str, found: re.Match[str]) -> bool:
    """Whether no letter or digit follows the word directly, nor an apostrophe or hyphen with a letter."""
    rest = text[found.end() : found.end() + 2]
    if not rest:
        return True
    return not (rest[0].isalnum() or (rest[0] in "'-_" and rest[1:].isalnum()))
