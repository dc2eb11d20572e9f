"""How the keys of a field are found in a reply, and what follows them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

MARK = re.compile(r"\\f?boxed\s?\{(?:\\text\w{0,5}\s?\{)?([^{}\n]{0,80})\}|\[\[([^\[\]\n]{0,40})\]\]")
_NAMED = re.compile(r"\W{0,12}[^\W\d][\w -]{0,40}[\"'*_`\])]{0,6} ?[:：]")
COLON = re.compile("[:：=]")
LEAD = re.compile(r"(?:\\f?boxed\s?\{(?:\\text\w{0,5}\s?\{)?|[\s*_`\"'(\[{$#~“])*")
_FINAL = re.compile("^(?:final|overall) ")
_LONGEST = 2_000
"""How much of what follows a key is read as its value."""


class Patterns(NamedTuple):
    """How the keys of a field are found.

    Attributes:
        json_keys: the names under which JSON may have it: its own, and its own with underscores.
        line: a line `key: ...`.
        sentence: a sentence "the final grade is ..." that ends its line.
        loose: a pair of JSON anywhere.
        claim: `key: ...` anywhere, as a text that was shown to the judge may have it.
    """

    json_keys: frozenset[str]
    line: re.Pattern[str]
    sentence: re.Pattern[str]
    loose: re.Pattern[str]
    claim: re.Pattern[str]


@cache
def patterns(keys: tuple[str, ...]) -> Patterns:
    """How the keys of a field are found; the first is its own."""
    names, own = _alternatives(keys), _alternatives(keys[:1])
    flags = re.IGNORECASE | re.MULTILINE
    line = (
        r"^[ \t]{0,8}(?:[-+•*#][ \t]{1,4})?[ \t*_`#(\[]{0,12}"
        rf"(?P<quote>[\"']?)(?P<key>{names})(?P=quote)[*_`\])]{{0,6}}[ \t]{{0,8}}[:：=][ \t]*(?P<rest>[^\n]*)"
    )
    sentence = (
        r"(?:^|(?<=[.!?] ))[ \t*_]{0,6}(?:(?:so|thus|therefore|hence|overall),? )?(?:the|my) "
        rf"(?:(?:final|overall) )?(?P<key>{names})[*_]{{0,4}}(?: is[: ]| ?:)"
        r"[ \t]*(?P<rest>[^\n.!?]{1,80})[.!]?[*_]{0,4}[ \t]*$"
    )
    claim = (
        rf"(?<!\w)(?P<key>{names})[\\\"'*_`\])]{{0,6}}\s{{0,8}}(?P<by>:|=|is\b)"
        r"[\\\s*_`\"'(\[{$#~]*(?P<rest>[^\n]{0,80})"
    )
    return Patterns(
        frozenset({keys[0], re.sub("[ -]", "_", keys[0])}),
        re.compile(line, flags),
        re.compile(sentence, flags),
        re.compile(rf"\"(?:{own})\"\s{{0,20}}:", flags),
        re.compile(claim, flags),
    )


def plain_key(key: str) -> str:
    """A key as claims and verdicts are compared by: without "final", in one spelling."""
    return _FINAL.sub("", re.sub(r"[ _-]+", " ", key.strip().lower()))


def _alternatives(keys: Sequence[str]) -> str:
    spelled = (r"[ _-]".join(map(re.escape, re.split(r"[ _-]", key))) for key in keys)
    return "|".join(sorted(spelled, key=len, reverse=True))


def value_after(text: str, found: re.Match[str]) -> tuple[int, str]:
    """What follows a key: the rest of its line, or the next line where that is blank; and where it begins."""
    if re.search(r"\w", found["rest"]):
        return found.start("rest"), found["rest"][:_LONGEST]
    following = re.compile(r"\s*([^\n]*)").match(text, found.end())
    if following is None or _NAMED.match(following[1]):
        return found.start("rest"), ""
    return following.start(1), following[1][:_LONGEST]
