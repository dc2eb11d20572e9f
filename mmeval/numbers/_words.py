"""Whole numbers written as words, English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmeval.types import Span

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ADDENDS = {
    **{word: value for value, word in enumerate(_UNITS.split())},
    **{word: 10 * value for value, word in enumerate(_TENS.split(), 2)},
}
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_ENGLISH = "|".join((*_ADDENDS, *_FACTORS))
_PHRASE = re.compile(rf"\b(?:{_ENGLISH})(?:(?:[ -]|,? and )(?:{_ENGLISH}))*\b", re.IGNORECASE)
_WORD = re.compile("[a-z]+")

_CHINESE_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_FACTORS = {"十": 10, "百": 100, "千": 1000}
_CHINESE = re.compile("[零〇一二两三四五六七八九十百千万]+")


def spelt(text: str) -> Iterator[tuple[int, Span]]:
    """Every number that is written in words, and where.

    >>> [value for value, _ in spelt("twenty-one dogs, 十二个")]
    [21, 12]
    """
    for phrase in _PHRASE.finditer(text):
        value = _english(phrase[0])
        if value is not None:
            yield value, phrase.span()
    if not text.isascii():
        for phrase in _CHINESE.finditer(text):
            value = _chinese(phrase[0])
            if value is not None:
                yield value, phrase.span()


def _english(phrase: str) -> int | None:
    """The value of "two hundred and five"; None where the words do not make one number ("one two")."""
    total = group = 0
    room = 10**12
    for word in _WORD.findall(phrase.lower()):
        if word == "and":
            continue
        if word in _ADDENDS:
            if _ADDENDS[word] >= room or (group % 100 and _ADDENDS[word] > 9):
                return None
            group += _ADDENDS[word]
            room = 10 if _ADDENDS[word] >= 20 else 1
        else:
            group, total = _multiplied(group, total, _FACTORS[word])
            room = 100
    return total + group


def _multiplied(group: int, total: int, factor: int) -> tuple[int, int]:
    """After a factor word: hundreds and dozens stay in the group, thousands and above close it."""
    value = (group or 1) * factor
    return (value, total) if factor < 1000 else (0, total + value)


def _chinese(phrase: str) -> int | None:
    """The value of 一百二十三, 二十, 十二, 两千; None for a lone 零 run or digits in a row (二〇二四)."""
    head, _, tail = phrase.rpartition("万")
    if head:
        high, low = _chinese(head), _chinese(tail) if tail else 0
        return None if high is None or low is None else high * 10000 + low
    total, digit = 0, None
    for mark in phrase:
        if mark in _CHINESE_FACTORS:
            total += (1 if digit is None else digit) * _CHINESE_FACTORS[mark]
            digit = None
        elif mark in _CHINESE_DIGITS and not digit:
            digit = _CHINESE_DIGITS[mark]
        else:
            return None
    return total + (digit or 0)
