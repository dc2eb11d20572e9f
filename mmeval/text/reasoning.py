"""Where a reply stops thinking and starts answering.

Every reader of answers asks here first, so that a letter, a number or a yes inside a model's reasoning is
never taken for its answer, and all stages agree on where the answer begins.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

Kind: TypeAlias = Literal["plain", "reasoning-stripped", "reasoning-unclosed"]


class Part(msgspec.Struct, frozen=True, gc=False):
    """The stretch `text[start:end]` of a reply that holds its answer.

    `kind` is `plain` where the reply has no reasoning tags, `reasoning-stripped` where they were left out,
    and `reasoning-unclosed` where the reply ends inside its reasoning: then no answer was given and the
    part is empty.
    """

    start: int
    end: int
    kind: Kind


_NAMES = (
    "think|thinking|thoughts?|reason|reasoning|reflect|reflection|analysis|rationale|scratchpad|seed:think"
)
_TAG = re.compile(
    rf"(?P<open><(?:{_NAMES})\s*>|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<unused94>"
    r"|<\|channel\|>(?:analysis|commentary))"
    rf"|</(?:{_NAMES})\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<unused95>|<\|channel\|"
    rf">final(?:<\|message\|>)?",
    re.IGNORECASE,
)
_ANSWER = re.compile("<answer>", re.IGNORECASE)
_CLOSED_ANSWER = re.compile(r"</answer>\s*\Z", re.IGNORECASE)


def final_part(text: str) -> Part:
    """The last stretch of a reply that lies outside its reasoning.

    A closing tag without an opening one (the opening was in the prompt) makes everything before it
    reasoning. Where nothing follows the last block, the stretch before it counts ("B
    <reasoning>...</reasoning>"). A reply that ends inside its reasoning gave no answer, unless it ends in a
    complete `<answer>` element.

    >>> final_part("<think>A or B?</think> B")
    Part(start=22, end=24, kind='reasoning-stripped')
    >>> final_part("<think>Perhaps the answer is A").kind
    'reasoning-unclosed'
    """
    if "<" not in text and "THINK]" not in text and "◁" not in text:
        return Part(0, len(text), "plain")
    return _outside(text)


def _outside(text: str) -> Part:
    """Walk over the tags and keep the last stretch outside of them that is not blank."""
    inside = seen = False
    start = 0
    before: tuple[int, int] | None = None
    for tag in _TAG.finditer(text):
        seen = True
        if tag["open"] is None:
            before = before if inside else None
            inside, start = False, tag.end()
        elif not inside:
            if text[start : tag.start()].strip():
                before = (start, tag.start())
            inside, start = True, tag.end()
    if not seen:
        return Part(0, len(text), "plain")
    if inside:
        return _unclosed(text, start)
    if before is not None and not text[start:].strip():
        return Part(*before, "reasoning-stripped")
    return Part(start, len(text), "reasoning-stripped")


def _unclosed(text: str, start: int) -> Part:
    """A reply that opened its reasoning at `start` and never closed it."""
    closed = _CLOSED_ANSWER.search(text, max(start, len(text) - 64))
    opened = [tag.start() for tag in _ANSWER.finditer(text, start)] if closed else []
    if not opened:
        return Part(len(text), len(text), "reasoning-unclosed")
    return Part(opened[-1], len(text), "reasoning-stripped")
