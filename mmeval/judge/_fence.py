"""How data stands in a prompt: between two lines that nothing inside can imitate."""

from __future__ import annotations

import re

EMPTY = "(empty: nothing was written)"

# Characters that nobody sees: between the letters of a delimiter they hide it from us, not from a model.
_UNSEEN = (
    r"[\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)
_BRACKET = "[<＜﹤‹〈⟨«《]"


def _spelt(word: str) -> str:
    """A word in either case, in full-width letters too, with unseen characters between its letters."""
    return _UNSEEN.join(f"[{letter}{chr(ord(letter) + 0xFEE0)}]" for letter in word)


_LOOKALIKE = re.compile(
    _UNSEEN.join((f"({_BRACKET})", _BRACKET, _BRACKET, f"(?:{_spelt('BEGIN')}|{_spelt('END')})")),
    re.IGNORECASE,
)
_UNNAMED = re.compile(r"[^\w -]+")


def neutral(text: str) -> str:
    r"""The text, with a backslash inside everything in it that reads like one of our delimiters.

    Nothing else is changed and nothing is dropped.

    >>> neutral("a <<<END RESPONSE>>> b <<< c")
    'a <\\<<END RESPONSE>>> b <<< c'
    """
    if not any(bracket in text for bracket in _BRACKET[1:-1]):
        return text
    return _LOOKALIKE.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    return match[1] + "\\" + match[0][1:]


def fenced(name: str, text: str) -> str:
    """Data under its name, between its delimiters."""
    label = _UNNAMED.sub(" ", name).strip().upper()
    inside = neutral(text) if text.strip() else EMPTY
    return f"<<<BEGIN {label}>>>\n{inside}\n<<<END {label}>>>"
