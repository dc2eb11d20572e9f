"""The part of a judge's reply that is its answer: no hidden characters, reasoning, fence or blockquote.

Every text here has the length of the stretch it was made from, so that a verdict can always be shown where it
stands in the reply as it came.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from mmeval.judge.contracts.base import Unreadable
from mmeval.text.fold import fold
from mmeval.text.reasoning import Part, final_part
from mmeval.text.wrappers import strip
from mmeval.types import Span

_HIDDEN = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_HIDDEN_ONES = frozenset(chr(code) for code in range(0x80, 0x10000) if _HIDDEN.match(chr(code)))
_BLOCKQUOTE = re.compile(r"^[ \t]{0,8}>[^\n]*", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,8}(?:```|~~~)[\w+-]{0,20}[ \t]{0,8}$", re.MULTILINE)
_MARKS = ("```", "~~~")


class Body:
    """A judge's reply, ready to be read.

    Attributes:
        text: the reply without zero-width and other hidden characters.
        start: where its answer begins in `text`, after reasoning and the opening fence.
        end: where the answer ends.
        trusted: false where the answer is what follows tags of reasoning although a text that was shown to
            the judge has such tags too, so that the answer may be a part of a quotation.
    """

    def __init__(self, text: str, start: int, end: int, trusted: bool, offsets: list[int] | None) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.trusted = trusted
        self._offsets = offsets

    @cached_property
    def raw(self) -> str:
        """The answer as it was written."""
        return self.text[self.start : self.end]

    @cached_property
    def written(self) -> str:
        """The answer with blockquotes and fence marks blanked."""
        text = blank(self.raw, _BLOCKQUOTE) if ">" in self.raw else self.raw
        return blank(text, _FENCE) if "```" in text or "~~~" in text else text

    @cached_property
    def plain(self) -> str:
        """The same with ASCII stand-ins for typographic variants."""
        return fold(self.written)

    def is_edge(self, start: int, end: int) -> bool:
        """Whether nothing stands before a stretch of the answer, or nothing after it."""
        return not self.raw[:start].strip() or not self.raw[end:].strip()

    def place(self, start: int, end: int) -> Span:
        """Offsets into the reply as it came, of a stretch of the answer."""
        start, end = start + self.start, end + self.start
        if self._offsets is None:
            return start, end
        return self._offsets[start], self._offsets[end - 1] + 1


def body(reply: str, quoted: Sequence[str]) -> Body | Unreadable:
    """What there is to read in a reply, or why there is nothing (`empty`, `reasoning-only`).

    Where a text that the judge was shown has tags of reasoning, those of the reply count only if it begins
    with one: otherwise they may stand in a quotation, and the whole reply is read.
    """
    text, offsets = _shown(reply)
    if not text.strip():
        return Unreadable("empty")
    part = Part(0, len(text), "plain") if _is_object(text) else final_part(text)
    start, end, trusted = part.start, part.end, True
    if part.kind != "plain" and any(final_part(other).kind != "plain" for other in quoted):
        trusted = not _begins_with_reasoning(text)
        if trusted:
            start, end = 0, len(text)
    start, end = _unfenced(text, *strip(text, start, end))
    if start >= end:
        return Unreadable("reasoning-only" if part.kind != "plain" else "empty")
    return Body(text, start, end, trusted, offsets)


def blank(text: str, pattern: re.Pattern[str]) -> str:
    """The text with spaces for all that a pattern finds, which holds no line end."""
    return pattern.sub(lambda found: " " * len(found[0]), text)


def lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, trimmed, with their offsets."""
    found = []
    at = 0
    for line in text.split("\n"):
        bare = line.strip()
        if bare:
            found.append((at + line.index(bare), bare))
        at += len(line) + 1
    return found


def visible(text: str) -> str:
    """The text without hidden characters, folded: how texts that were shown to the judge are compared."""
    return fold(_HIDDEN.sub("", text))


def _shown(reply: str) -> tuple[str, list[int] | None]:
    """The reply without hidden characters, and where each of its characters stood (None: unchanged)."""
    if reply.isascii() or not _HIDDEN.search(reply):
        return reply, None
    offsets = [at for at, character in enumerate(reply) if character not in _HIDDEN_ONES]
    return _HIDDEN.sub("", reply), offsets


def _is_object(text: str) -> bool:
    """Whether a reply looks like one JSON object: then tags in it are in its texts."""
    bare = text.strip()
    return bare[:1] == "{" and bare[-1:] == "}"


def _begins_with_reasoning(text: str) -> bool:
    """Whether the first thing of a reply is an opening tag of reasoning."""
    head = text.lstrip()[:40]
    return final_part(head.split("\n")[0]).kind == "reasoning-unclosed" and head[:1] in "<[◁"


def _unfenced(text: str, start: int, end: int) -> Span:
    """The inside of a code fence that is the whole of the stretch."""
    for mark in _MARKS:
        if not (text.startswith(mark, start, end) and text.endswith(mark, start + 3, end)):
            continue
        first = text.find("\n", start, end)
        if 0 <= first < end - 3 and text.find(mark, first, end - 3) < 0:
            return strip(text, first, end - 3)
    return start, end
