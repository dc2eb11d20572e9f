"""Finding words and labels in a reply, fast: plain search for a few letters, a pattern where they stand."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator
from functools import cached_property

import msgspec

from mmeval.options._alphabet import Alphabet
from mmeval.options._texts import Texts
from mmeval.types import Sample

_BRACKETS = {"(": ")", "[": "]"}
_NOUN_BEFORE = re.compile(
    r"\b(?:(?:option|choice|answer|alternative|caption|sentence|description)s?|(?P<thing>image|picture|photo|figure|point|box|"
    r"panel|object|region|area|"
    r"candidate|sample|shape|pattern|curve|line|graph|diagram|frame|video|scene|item|person|letter|"
    r"number|statement|"
    r"marker|arrow))\s*[(\[*_\"'`]{0,3}\Z",
    re.IGNORECASE,
)
_EMPHASIS_AFTER = re.compile(r"[)\"]?[.:]?\*\*")
_PRONOUN = re.compile(r"(?:\s+(?!is\b|fits\b|matches\b|and\b|or\b)[a-z]|')")
_AFTER = re.compile(r"[)\]*_\"'`]{0,4}")


_FIRST = re.compile(r"[a-z]+")
_TO_SPACE = bytes(code if chr(code) in string.ascii_lowercase else 32 for code in range(256))
_NEAR = 120
_MARGIN = 24
_CLAUSE_END = re.compile(r"[.;!?\n](?![\"')\w])")
_MOST_HITS = 96
_MOST_LABELS = 96
"""The last so many are looked at: what a reply says last counts, and a reply of nothing else is no answer."""


class Stems(msgspec.Struct, frozen=True):
    """Words and turns of phrase (lower case), by their first word; `foreign` are those not in ASCII."""

    first: frozenset[bytes]
    by_word: dict[bytes, tuple[str, ...]]
    foreign: tuple[str, ...]


class Words:
    """A pattern that ignores case, compiled when it is first used: most runs need few of them."""

    match: Callable[..., re.Match[str] | None]
    search: Callable[..., re.Match[str] | None]
    finditer: Callable[..., Iterator[re.Match[str]]]

    def __init__(self, source: str) -> None:
        self._source = source

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name not in ("match", "search", "finditer"):
            raise AttributeError(name)
        pattern = re.compile(self._source, re.IGNORECASE)
        self.match, self.search, self.finditer = pattern.match, pattern.search, pattern.finditer
        found: Callable[..., object] = getattr(pattern, name)
        return found


class Vocabulary(msgspec.Struct, frozen=True):
    """A pattern, and stems one of which stands at the beginning of everything it matches."""

    stems: Stems
    pattern: Words


def stems(line: str) -> Stems:
    """Stems given in one line; an underscore stands for a space."""
    each = [stem.replace("_", " ") for stem in line.split()]
    by_word: dict[bytes, tuple[str, ...]] = {}
    for stem in each:
        first = _FIRST.match(stem)
        if first is not None and stem.isascii():
            key = first[0].encode()
            by_word[key] = (*by_word.get(key, ()), stem)
    return Stems(frozenset(by_word), by_word, tuple(stem for stem in each if not stem.isascii()))


def words_of(lowered: str) -> frozenset[bytes]:
    """The ASCII words of a text, which tell what is worth looking for in it."""
    return frozenset(lowered.encode("utf-8", "replace").translate(_TO_SPACE).split())


class Reply(msgspec.Struct, frozen=True, dict=True):
    """A reply as the rules see it: `text` is folded, `start` and `end` bound the part that is read.

    `several` says that the gold has several letters, the sign of a question that asks for a set.
    """

    text: str
    lowered: str
    words: frozenset[bytes]
    start: int
    end: int
    alphabet: Alphabet
    texts: Texts
    sample: Sample
    several: bool

    @cached_property
    def ascii(self) -> bool:
        """Whether the reply is all ASCII, so that no foreign word can stand in it."""
        return self.lowered.isascii()

    @cached_property
    def tokens(self) -> list[tuple[str, int, int]]:
        """Every capital label that is a token of its own: label, offset, end of its closing marks."""
        text, end, found = self.text, self.end, []
        for token in list(self.alphabet.token.finditer(text, self.start, end))[-_MOST_LABELS:]:
            if token[0] == "I" and _PRONOUN.match(text, token.end(), end):
                continue
            if self.texts.naming and self.in_text(token.start()):
                continue
            after = _AFTER.match(text, token.end(), end)
            found.append((token[0], token.start(), after.end() if after else token.end()))
        return found

    def in_text(self, at: int) -> bool:
        """Whether a label belongs to an option's text, and so names something in the question, no option."""
        return any(
            self.lowered.find(form, max(self.start, at - len(form) + 1), at + len(form)) >= 0
            for form, _ in self.texts.naming
        )

    @cached_property
    def lines(self) -> list[re.Match[str]]:
        """The labels that begin a line; numbers do not, they number what they begin."""
        found = []
        for _, at, _ in () if self.alphabet.numeric else self.tokens:
            start = max(self.start, self.text.rfind("\n", self.start, at) + 1)
            line = self.alphabet.line.match(self.text, start, self.end) if at - start <= _MARGIN else None
            if line is not None and line.start("label") == at:
                found.append(line)
        return found


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A label in running text that is marked as one, by brackets, emphasis or the noun before it.

    `start..end` holds the marks too.
    """

    label: str
    start: int
    end: int


def hits(reply: Reply, words: Vocabulary) -> Iterator[re.Match[str]]:
    """Every match of a vocabulary, in the order of the text."""
    lowered, start, end = reply.lowered, reply.start, reply.end
    wanted = present(reply, words.stems)
    if not wanted:
        return
    places = set()
    for stem in wanted:
        at = lowered.find(stem, start, end)
        while at >= 0:
            places.add(at)
            at = lowered.find(stem, at + 1, end)
    last = start
    for at in sorted(places)[-_MOST_HITS:]:
        match = words.pattern.match(reply.text, at, end) if at >= last else None
        if match is not None:
            last = match.end()
            yield match


def present(reply: Reply, words: Stems) -> list[str]:
    """Those of the stems that may stand in the reply."""
    found: list[str] = []
    if not words.first.isdisjoint(reply.words):
        for word in words.first & reply.words:
            found += words.by_word[word]
    if words.foreign and not reply.ascii:
        found += [stem for stem in words.foreign if stem in reply.lowered]
    return found


def holds(reply: Reply, at: int, words: list[str]) -> bool:
    """Whether one of the words stands near, in the same sentence."""
    if not words:
        return False
    stop = _CLAUSE_END.search(reply.lowered, at + 1, min(at + _NEAR, reply.end))
    window = reply.lowered[at : stop.start() if stop else at + _NEAR]
    return any(word in window for word in words)


def marks(reply: Reply, *, things: bool = False) -> list[Mark]:
    """The labels that are marked as such; with `things` also labels of things shown ("point B")."""
    found = []
    for label, start, end in reply.tokens:
        mark = _mark(reply, label, start, end, things)
        if mark is not None:
            found.append(mark)
    return found


def _mark(reply: Reply, label: str, start: int, end: int, things: bool) -> Mark | None:
    text, after = reply.text, start + len(label)
    if text.startswith("?", end):
        return None
    before = text[start - 1 : start]
    if before in _BRACKETS and before and text[after : after + 1] == _BRACKETS[before]:
        opener = text[start - 2 : start - 1]
        return None if opener.isalnum() else Mark(label, start - 1, after + 1)
    if text[max(0, start - 3) : start].rstrip('("').endswith("**"):
        emphasis = _EMPHASIS_AFTER.match(text, after, reply.end)
        if emphasis:
            return Mark(label, start - 2, emphasis.end())
    noun = _NOUN_BEFORE.search(text[max(reply.start, start - 16) : start])
    if noun is None or (noun["thing"] and not things):
        return None
    return Mark(label, start - len(noun[0]), end)
