"""Where verdicts stand in a reply, and which one counts: the grammar that all contracts share.

A verdict is looked for in this order; the first place that has any decides.

1. JSON objects, bare, fenced or within prose: the value of the key, which no object may have twice.
2. Lines `key: word` (any case, full-width colon, emphasis, the word on the next line), a sentence "The final
   grade is B.", boxes and double brackets.
3. The whole reply, when it is nothing but the word.
4. The first line, or the last one, when that is nothing but the word.

What stands in a blockquote, or in a text that was shown to the judge and is repeated, does not count; see
`_Reader._foreign`. What is left must be exactly one verdict, however often it is given.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from mmeval.judge.contracts._json import Thing, objects
from mmeval.judge.contracts._keys import COLON, LEAD, MARK, Patterns, patterns, plain_key, value_after
from mmeval.judge.contracts._quotes import Quoted
from mmeval.judge.contracts._reply import Body, body, lines
from mmeval.judge.contracts._words import CONTRADICTORY
from mmeval.judge.contracts.base import Unreadable
from mmeval.types import Json, Span

Value = TypeVar("Value", bound=Hashable)
Value_co = TypeVar("Value_co", bound=Hashable, covariant=True)
Place: TypeAlias = Literal["json", "line", "sentence", "mark", "whole", "edge"]

NO_VERDICT = Unreadable("no-verdict")

_SHORT = 40
"""No line that is only a word is longer."""
_NO_WORD = re.compile(r"[^\w#]{0,8}(?:\d+[.)]|[a-z]|#{1,6} ?\w)\W{0,8}")
"""The number of a list's item, a small letter, a heading of one letter: no line that is only a word."""
_PROSE = 1_000
"""No prose below a heading is looked through that is longer."""
_WORD_START = re.compile(r"(?<!\w)\w")
_MOST = 200
"""Places of a verdict in one reply; one that has more is not a verdict."""


class Reads(Protocol[Value_co]):
    """Reads one value: a word of a vocabulary, a number of a range."""

    def at_start(self, text: str) -> Value_co | Unreadable:
        """After a key: what the text begins with."""
        ...

    def whole(self, text: str) -> Value_co | Unreadable:
        """Without a key: what the text is, all of it."""
        ...

    def scalar(self, value: Json) -> Value_co | Unreadable:
        """In JSON."""
        ...

    def opens(self, text: str) -> Iterable[Value_co]:
        """Every value that a text begins with, whatever follows, and were it cut within the value."""
        ...

    def length(self, text: str) -> int:
        """How long the value is that a text begins with."""
        ...


class Decided(NamedTuple, Generic[Value]):
    """The one verdict, and where it stands in the reply as it came."""

    value: Value
    span: Span | None


class Claim(NamedTuple, Generic[Value]):
    """A value that a shown text gives to one of our keys: by a colon, by "is", or in a box without a key."""

    by: Literal["colon", "is", "mark"]
    key: str
    value: Value


class _Candidate(NamedTuple, Generic[Value]):
    """A place that may hold the verdict; `span` are offsets into the answer, from the key on."""

    value: Value | Unreadable
    span: Span
    place: Place
    key: str = ""
    own: bool = True


@dataclass(frozen=True)
class Field(Generic[Value]):
    """One field of a reply.

    Attributes:
        keys: its names, lower case; the first is its own, the others are what judges call it too.
        reads: reads its value.
        repeats: whether the judge is expected to repeat what it was shown (it extracts an answer).
        alone: whether a word without a key may be the verdict.
        verbatim: whether the value is the text as it was written, and never only a line of the reply.
    """

    keys: tuple[str, ...]
    reads: Reads[Value]
    repeats: bool = False
    alone: bool = True
    verbatim: bool = False

    @cached_property
    def patterns(self) -> Patterns:
        """How its keys are found."""
        return patterns(self.keys)

    def claims(self, quoted: Quoted) -> frozenset[Claim[Value]]:
        """What shown texts claim: the values that they give to its keys, or put into boxes."""
        found: set[Claim[Value]] = set()
        for text in quoted.plain:
            for key, by, rest in {
                (plain_key(each["key"]), each["by"], each["rest"])
                for each in self.patterns.claim.finditer(text)
            }:
                form: Literal["colon", "is"] = "is" if by.lower() == "is" else "colon"
                found.update(Claim(form, key, value) for value in self._opens(rest))
            for rest in {each[1] or each[2] or "" for each in MARK.finditer(text)}:
                found.update(Claim("mark", "", value) for value in self._opens(rest))
        return frozenset(found)

    def keyed(self, claims: Iterable[Claim[Value]], value: Value | Unreadable) -> bool:
        """Whether a value is claimed under a key, by a colon."""
        return any(claim.value == value and claim.by == "colon" for claim in claims)

    def _opens(self, text: str) -> Iterable[Value]:
        lead = LEAD.match(text)
        return self.reads.opens(text[lead.end() if lead else 0 :])

    def decide(self, reply: str, quoted: Sequence[str]) -> Decided[Value] | Unreadable:
        """The one verdict of a reply, or why there is none."""
        found = body(reply, quoted)
        if isinstance(found, Unreadable):
            return found
        return self.within(found, Quoted(quoted))

    def within(self, answer: Body, quoted: Quoted) -> Decided[Value] | Unreadable:
        """The one verdict of a reply that has been laid open already."""
        return _Reader(self, answer, quoted).decide()


class _Reader(Generic[Value]):
    """Reads one field of one reply."""

    def __init__(self, field: Field[Value], answer: Body, quoted: Quoted) -> None:
        self._field = field
        self._reads = field.reads
        self._answer = answer
        self._quoted = quoted
        self._text = answer.written if field.verbatim else answer.plain

    def decide(self) -> Decided[Value] | Unreadable:
        things = objects(self._answer.raw)
        if isinstance(things, Unreadable):
            return things
        outside = _without(self._text, things)
        if things and self._field.patterns.loose.search(outside):
            return CONTRADICTORY
        keyed = [
            *islice(self._in_json(things), _MOST),
            *islice(self._in_lines(outside), _MOST),
            *islice(self._in_marks(outside), _MOST),
        ]
        if keyed:
            return self._one(keyed)
        if things or not self._field.alone:
            return NO_VERDICT
        return self._alone()

    @cached_property
    def _rows(self) -> list[tuple[int, str]]:
        """The lines that are not blank."""
        return lines(self._text)

    def _one(self, candidates: list[_Candidate[Value]]) -> Decided[Value] | Unreadable:
        """The value that all candidates of the judge's own agree in."""
        if len(candidates) >= _MOST:
            return CONTRADICTORY
        ours = [each for each in candidates if not self._foreign(each)]
        if not ours:
            return NO_VERDICT
        good = [each for each in ours if not isinstance(each.value, Unreadable)]
        bad = [each.value for each in ours if isinstance(each.value, Unreadable) and (each.own or not good)]
        if bad:
            return CONTRADICTORY if good or len(set(bad)) > 1 else bad[0]
        values = {each.value for each in good}
        first = good[0]
        if len(values) > 1 or isinstance(first.value, Unreadable):
            return CONTRADICTORY
        return Decided(first.value, self._answer.place(*self._word(first)))

    def _extent(self, rest: str) -> int:
        """How far the value reaches in what follows a key: the word, or the line where it is extracted."""
        lead = LEAD.match(rest)
        at = lead.end() if lead else 0
        length = 0 if self._field.repeats else self._reads.length(rest[at:])
        return at + length if length else len(rest.rstrip())

    def _word(self, candidate: _Candidate[Value]) -> Span:
        """Where in a candidate the word itself stands."""
        start, end = candidate.span
        if candidate.place in ("json", "line"):
            colon = COLON.search(self._text, start, end)
            start = colon.end() if colon else start
        lead = LEAD.match(self._text, start, end)
        at = lead.end() if lead else start
        length = self._reads.length(self._text[at:end])
        return (at, at + length) if length else candidate.span

    def _in_json(self, things: list[Thing]) -> Iterator[_Candidate[Value]]:
        for thing in things:
            values = thing.values(self._field.patterns.json_keys)
            for value in values:
                read = self._reads.scalar(value) if len(values) == 1 else CONTRADICTORY
                yield _Candidate(read, self._pair(thing), "json", self._field.keys[0])

    def _pair(self, thing: Thing) -> Span:
        """From the key to the value's end, or the whole object where that is not to be seen."""
        start, end = thing.span
        pairs = list(self._field.patterns.loose.finditer(self._answer.raw, start, end))
        if len(pairs) != 1:
            return start, end
        value = re.compile(r"\s*(?:\"(?:[^\"\\]|\\.)*\"|[^\s,}\]]+)").match(
            self._answer.raw, pairs[0].end(), end
        )
        return pairs[0].start(), value.end() if value else end

    def _in_lines(self, text: str) -> Iterator[_Candidate[Value]]:
        own = plain_key(self._field.keys[0])
        for found in self._field.patterns.line.finditer(text):
            start, rest = value_after(text, found)
            end = start + self._extent(rest)
            value = self._reads.at_start(rest)
            named = plain_key(found["key"]) == own and not self._heads(found, rest, value)
            yield _Candidate(value, (found.start("key"), end), "line", found["key"], named)
        if not self._field.alone or " " not in text:
            return
        for found in self._field.patterns.sentence.finditer(text):
            line_start = text.rfind("\n", 0, found.start()) + 1
            if text.count('"', line_start, found.start()) % 2 == 0 and not self._field.patterns.line.match(
                text, line_start
            ):
                yield _Candidate(
                    self._reads.whole(found["rest"]), found.span("rest"), "sentence", found["key"], False
                )

    def _heads(self, found: re.Match[str], rest: str, value: Value | Unreadable) -> bool:
        """Whether a key only heads prose without any value: "**Final verdict:**", and below it an argument.

        Or prose with the mark that is the verdict, "Final verdict: B is better: [[B>A]]".
        """
        if not isinstance(value, Unreadable) or self._field.repeats or not self._field.alone:
            return False
        bare = MARK.sub(" ", rest)
        below = not re.search(r"\w", found["rest"])
        if not (below or len(bare) < len(rest)) or len(bare) > _PROSE:
            return False
        return not any(any(self._reads.opens(bare[at.start() :])) for at in _WORD_START.finditer(bare))

    def _in_marks(self, text: str) -> Iterator[_Candidate[Value]]:
        if not self._field.alone or ("boxed" not in text and "[[" not in text):
            return
        for found in MARK.finditer(text):
            group = 1 if found[1] is not None else 2
            yield _Candidate(self._reads.whole(found[group]), found.span(), "mark")

    def _alone(self) -> Decided[Value] | Unreadable:
        """A reply without any key: the word is all of it, or all of its first or last line."""
        text = self._text
        rows = self._rows
        if not rows:
            return NO_VERDICT
        span = rows[0][0], rows[-1][0] + len(rows[-1][1])
        whole = self._reads.whole(text[slice(*span)])
        if not isinstance(whole, Unreadable):
            return self._one([_Candidate(whole, span, "whole")])
        edges = list(self._edges(rows))
        if not edges:
            return whole if len(rows) == 1 else NO_VERDICT
        return self._one(edges)

    def _edges(self, rows: list[tuple[int, str]]) -> Iterator[_Candidate[Value]]:
        """The first and the last line, where that is nothing but the word and not announced."""
        if len(rows) < 2 or self._field.verbatim:
            return
        for (at, row), before in ((rows[0], ""), (rows[-1], rows[-2][1])):
            value = self._reads.whole(row)
            if isinstance(value, Unreadable) or before.endswith((":", ",")) or _NO_WORD.fullmatch(row):
                continue
            if not self._answer.is_edge(at, at + len(row)):
                continue
            yield _Candidate(value, (at, at + len(row)), "edge")

    def _foreign(self, candidate: _Candidate[Value]) -> bool:
        """Whether a verdict may be somebody else's.

        It is where a shown text has it together with the word before or after it; where a shown text claims
        it in the same form, and the reply holds more than it; where it is a line without
        a key and a shown text has that line.
        """
        if not self._quoted:
            return False
        start, end = candidate.span
        shift = self._answer.start
        if self._field.repeats:
            return self._repeated(candidate)
        if self._repeats(start + shift, end + shift):
            return True
        if candidate.place in ("whole", "edge"):
            return self._stray(candidate)
        if candidate.place == "json" and self._breaks_out(candidate):
            return True
        return not self._is_all(candidate) and self._claims(candidate)

    def _claims(self, candidate: _Candidate[Value]) -> bool:
        """Whether a shown text claims this verdict, in a form that it may have been copied from."""
        forms = {"mark": ("mark",), "sentence": ("colon", "is")}.get(candidate.place, ("colon",))
        key = plain_key(candidate.key)
        return any(
            claim.value == candidate.value and claim.by in forms and claim.key == key
            for claim in self._claimed
        )

    def _repeated(self, candidate: _Candidate[Value]) -> bool:
        """The same where the judge extracts, and repeats what it was shown as it should.

        Then a lone line is its own in any case, and a claim is one only as JSON beside other things.
        """
        start, end = (at + self._answer.start for at in candidate.span)
        if candidate.place == "json":
            if self._repeats(start, end) or self._breaks_out(candidate):
                return True
            loose = self._field.patterns.loose
            return not self._is_all(candidate) and any(map(loose.search, self._quoted.plain))
        return len(self._rows) > 1 and self._repeats(start, end)

    def _stray(self, candidate: _Candidate[Value]) -> bool:
        """A word without a key that a shown text has as a line or claims, unless it is the whole reply."""
        word = self._text[slice(*candidate.span)]
        if candidate.place == "whole" and self._is_all(candidate) and word[:1] not in "\"'":
            return False
        if self._quoted.is_line(word) or self._field.keyed(self._claimed, candidate.value):
            return True
        if candidate.place != "edge":
            return False
        claimed = any(claim.value == candidate.value for claim in self._claimed)
        return claimed or self._quoted.exposes(word) or candidate.value in self._lone()

    def _lone(self) -> set[Value]:
        """The values that are all of a line of a shown text, and what they are cut short."""
        rows = {row.strip() for text in self._quoted.plain for row in text.split("\n") if len(row) < _SHORT}
        whole = (row for row in rows if not isinstance(self._reads.whole(row), Unreadable))
        return {value for row in whole for value in self._reads.opens(row.lstrip(" *_`\"'([{$#~"))}

    @cached_property
    def _claimed(self) -> frozenset[Claim[Value]]:
        return self._field.claims(self._quoted)

    def _repeats(self, start: int, end: int) -> bool:
        return self._quoted.repeats(self._answer.text, (start, end))

    def _breaks_out(self, candidate: _Candidate[Value]) -> bool:
        pair = self._answer.raw[slice(*candidate.span)]
        word = pair.partition(":")[2].strip(' \t\r\n"')
        return self._quoted.breaks_out(self._field.keys[0], word, self._answer.raw)

    def _is_all(self, candidate: _Candidate[Value]) -> bool:
        """Whether the reply holds nothing beside the verdict (in JSON: beside its object)."""
        if not self._answer.trusted:
            return False
        raw = self._answer.raw
        if candidate.place == "json":
            return raw[:1] in "{[" and raw[-1:] in "}]" and len(objects(raw)) == 1
        return len(lines(raw)) <= 2 and not re.search(
            r"\w", raw[: candidate.span[0]] + raw[candidate.span[1] :]
        )


def _without(text: str, things: list[Thing]) -> str:
    """The text with spaces for its JSON objects."""
    pieces = []
    at = 0
    for thing in things:
        start, end = thing.span
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text
