"""A rating: one number in a range, as judges write it."""

from __future__ import annotations

import math
import re

from mmeval.judge.contracts._words import OFF_MENU
from mmeval.judge.contracts.base import Unreadable
from mmeval.text.fold import fold
from mmeval.text.wrappers import peel
from mmeval.types import Json

OUT_OF_RANGE = Unreadable("out-of-range")

_OPENING = " \t\r\n*_`\"'([{$#~"
_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{1,30})?|\.\d{1,30})(?![\d])")
_DIGITS = 8
_OF = re.compile(
    r"[\])}*_`\"' \t]{0,6}(?:/|\bout of\b|\bof\b)[ \t*_`(\[]{0,4}(?P<top>\d{1,9}(?:\.\d{1,9})?)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\])}*_`\"'$~]{0,6}[ \t]*(?:(?:points?|stars?|分)\b[ \t]*)?"
    r"(?:\Z|\n|[.,;:!?。，；：！？、][\])}*_`\"'$~]{0,6}(?=\s|\Z|[^\x00-\x7f])|\s[-–—]\s|\(|[-–—]\s)",
    re.IGNORECASE,
)
_END = re.compile(r"(?:[ \t]?(?:points?|stars?|分)\b)?[\])}*_`\"'$~.。 \t\n]*\Z")


class Rating:
    """Reads numbers from `lo` to `hi`; with `integer`, whole ones only. Nothing is clamped."""

    def __init__(self, lo: float, hi: float, integer: bool) -> None:
        self.lo = lo
        self.hi = hi
        self.integer = integer

    def at_start(self, text: str) -> float | Unreadable:
        """The number that a text begins with: "8", "8/10", "7 out of 10", "[[7]]", "8. Good.".

        The number after "/" or "out of" must be the highest rating.
        """
        return self._read(text, _AFTER)

    def whole(self, text: str) -> float | Unreadable:
        """The number that is all of a text, but for what encloses it and a full stop."""
        start, end = peel(text, 0, len(text))
        return self._read(text[start:end], _END)

    def scalar(self, value: Json) -> float | Unreadable:
        """The number in JSON, or in a text there."""
        if isinstance(value, str):
            return self.at_start(fold(value))
        if isinstance(value, bool) or not isinstance(value, int | float):
            return OFF_MENU
        return self._checked(float(value)) if abs(value) < 1e300 else OUT_OF_RANGE

    def opens(self, text: str) -> set[float]:
        """The numbers of the scale that a text begins with, and those that some of its digits make."""
        found = _NUMBER.match(text)
        digits = found[0][:_DIGITS] if found else ""
        pieces = {digits[at:end] for end in range(1, len(digits) + 1) for at in range(end)}
        read = [self._checked(float(each)) for each in pieces if _NUMBER.fullmatch(each)]
        return {number for number in read if not isinstance(number, Unreadable)}

    def length(self, text: str) -> int:
        """How long the number is that a text begins with."""
        found = _NUMBER.match(text)
        return found.end() if found else 0

    def _read(self, text: str, after: re.Pattern[str]) -> float | Unreadable:
        text = text.lstrip(_OPENING)
        found = _NUMBER.match(text)
        if found is None:
            return OFF_MENU
        end = found.end()
        top = _OF.match(text, end)
        if top is not None:
            if float(top["top"]) != self.hi:
                return OFF_MENU
            end = top.end()
        if not after.match(text, end):
            return OFF_MENU
        return self._checked(float(found[0]))

    def _checked(self, number: float) -> float | Unreadable:
        if not math.isfinite(number) or not self.lo <= number <= self.hi:
            return OUT_OF_RANGE
        if self.integer and number != int(number):
            return OFF_MENU
        return number + 0.0


def spell(number: float) -> str:
    """A number as a label: the shortest decimal that is it.

    >>> spell(7.0), spell(0.7)
    ('7', '0.7')
    """
    return str(int(number)) if number == int(number) else repr(number)
