"""How the option texts of one question are recognised in a reply.

Options differ from question to question, so nothing is compiled here: plain string comparison, longest
text first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache

import msgspec

from mmeval.text.fold import fold
from mmeval.text.normal import formula, is_typeset

_DROP = re.compile(r"\\[()\[\],;! ]|\\(?:text|mathrm|left|right|displaystyle)\b|[$*_`{}\"]|</?b>")
_MARKUP = re.compile(r"[\\*$_`{<\"]")
_SPACE = re.compile(r"\s+")
_EDGE = " .,;:!?'\"()[]*\n\t"
_LONGEST = 400
_BEFORE_NUMBER = "_/^\\-"
_MORE_NUMBER = re.compile(
    r"[\w/^]|[.,]\d|[)°]{0,3}\s?[+*/=<>×]|-(?=[\w\\(])|\s-\s\d|\s?\\(?:times|cdot|div|sqrt|pi|d?frac)\b"
)
_NAMES_LABEL = re.compile(
    r"(?<![\w'])(?:[b-hj-z](?![\w'])|a(?=[,;)]|\s(?:and|or|in|is|only)\b|\n|\Z)|(?:option|choice|figure|point)\sa\b)"
)
_MORE_WORD = re.compile(r"[\w]|'[a-z]|-[A-Za-z]", re.ASCII)


class Mention(msgspec.Struct, frozen=True, gc=False):
    """An option's text at `start..end` of a reply, and the labels whose text it is."""

    start: int
    end: int
    labels: tuple[str, ...]


class Texts(msgspec.Struct, frozen=True, dict=True):
    """The texts of a question's options.

    `same` maps a plain form to the labels whose text it is. `words` are those forms that can be looked for in
    prose, longest first: all but single letters, which mean anything there. No reply that is longer than
    `longest` is compared whole, markup and space allowed for. `formulas` are the texts that are formulas, as
    formulas.
    """

    same: dict[str, tuple[str, ...]]
    words: tuple[tuple[str, tuple[str, ...]], ...]
    longest: int
    formulas: dict[str, tuple[str, ...]] = {}

    @cached_property
    def naming(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Those of the words that themselves name labels ("option C in the picture", "B, A, C")."""
        if _NAMES_LABEL.search("\n".join(self.same)) is None:
            return ()
        return tuple(pair for pair in self.words if _NAMES_LABEL.search(pair[0]))

    def labels_of(self, text: str) -> tuple[str, ...]:
        """The labels whose text this is, in plain form."""
        if len(text) > self.longest:
            return ()
        return self.same.get(plain(text)) or (self.formulas.get(formula(text), ()) if self.formulas else ())

    def of_letter(self, letter: str) -> tuple[str, ...]:
        """The labels that a lower-case letter may name: the options whose text it is, else its own label."""
        return self.same.get(letter) or (letter.upper(),)

    def at(self, lowered: str, at: int, end: int) -> Mention | None:
        """The longest text that stands at an offset as whole words."""
        for form, labels in self.words:
            if lowered.startswith(form, at, end) and _whole(lowered, at, at + len(form)):
                return Mention(at, at + len(form), labels)
        return None

    def mentions(self, lowered: str, start: int, end: int) -> Iterator[Mention]:
        """Every text that stands in a stretch as whole words; one inside a longer one does not count."""
        taken: list[tuple[int, int]] = []
        for form, labels in self.words:
            at, longer = lowered.find(form, start, end), taken[-64:]
            while at >= 0:
                after = at + len(form)
                if _whole(lowered, at, after) and not any(
                    one < after and at < other for one, other in longer
                ):
                    taken.append((at, after))
                    yield Mention(at, after, labels)
                at = lowered.find(form, after, end)


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch is no part of a longer word, number or expression."""
    first, last, before = text[start], text[end - 1], text[start - 1 : start]
    if first.isdigit() and last.isdigit():
        decimal = before in ".," and text[start - 2 : start - 1].isdigit()
        inside = decimal or before.isalnum() or before in _BEFORE_NUMBER
        return not (before and inside) and _MORE_NUMBER.match(text, end) is None
    if before and first.isalnum() and first.isascii():
        hyphen = before in "'-" and text[start - 2 : start - 1].isalpha()
        if hyphen or before == "_" or (before.isalnum() and before.isascii()):
            return False
    return not (last.isalnum() and last.isascii()) or _MORE_WORD.match(text, end) is None


def plain(text: str) -> str:
    """A text without case, markup, LaTeX delimiters, repeated space and punctuation at its ends.

    >>> plain("**The  dog.** ")
    'the dog'
    """
    folded = fold(text)
    if _MARKUP.search(folded):
        folded = _DROP.sub("", folded)
    return _SPACE.sub(" ", folded.casefold()).strip(_EDGE)


def lower(text: str) -> str:
    """The text in lower case, of the same length."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(one if len(one.lower()) > 1 else one.lower() for one in text)


@lru_cache(maxsize=4096)
def texts(labels: tuple[str, ...], written: tuple[str, ...]) -> Texts:
    """The texts of these options, ready to be looked for."""
    same: dict[str, tuple[str, ...]] = {}
    formulas: dict[str, tuple[str, ...]] = {}
    for label, text in zip(labels, written, strict=False):
        form = plain(text)
        if form and len(form) <= _LONGEST:
            same[form] = (*same.get(form, ()), label)
            if is_typeset(text):
                formulas[formula(text)] = (*formulas.get(formula(text), ()), label)
    words = sorted((pair for pair in same.items() if len(pair[0]) > 1 or not pair[0].isalpha()), key=_length)
    longest = 2 * max(map(len, written), default=-1) + 40 if same else -1
    return Texts(same, tuple(words), longest, formulas)


def _length(pair: tuple[str, tuple[str, ...]]) -> int:
    return -len(pair[0])
