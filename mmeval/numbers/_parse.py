r"""Numbers in a text, exact: what was written, what it is worth, and where it stood.

Values are fractions, so that an integer beyond the precision of a float, 1/3, or 0.1 + 0.2 compare as they
should. Understood: thousands separators (1,200 and 1{,}200), a currency before the number, a minus in any
typography, percent, magnitude words (1.2 million, 5k, 3万), plain and LaTeX fractions (1/2, \frac12, 1 1/2),
powers of ten (1e3, 1.2 × 10^3). Dates, times, versions and ranges are no numbers and say so; nor is what is
only a part of a formula (24 in 24\pi, see `mmeval.numbers._formula`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Literal

import msgspec

from mmeval.numbers._formula import is_exponent, is_part
from mmeval.text.fold import fold

MAX_DIGITS = 400
"""Longer numbers, and larger exponents, are not read."""

Kind = Literal["number", "percent", "composite", "formula"]

_DIGITS = r"\d{1,3}(?:(?:,|\{,\})\d{3})+(?!,?\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_TOKEN = re.compile(
    r"(?P<composite>(?<![A-Za-z0-9_.])\d+(?:[.:/-]\d+){2,}|(?<![A-Za-z0-9_])\d{1,2}:\d{2}"
    r"|(?<![A-Za-z0-9_.])(?!\d{1,3}(?:,\d{3})+(?!,?\d))\d+(?:,\d+)+)"
    r"|(?P<sign>(?<![\w)\]}.])[-+])?"
    r"(?:(?:(?:US|CA|AU|NZ|HK|R|S)?\\?[$€£¥₹₩]\s?|(?:USD|EUR|GBP|Rs\.?)\s?)(?P<minus>-)?)?"
    r"(?:\\[dt]?frac\s?(?:\{\s?(?P<top>-?\d+)\s?\}|(?P<top1>\d))\s?(?:\{\s?(?P<under>\d+)\s?\}|(?P<under1>\d))"
    rf"|(?<![A-Za-z0-9_])(?<!\d\.)(?P<digits>(?>{_DIGITS}))"
    r"(?![A-DF-Za-df-z][A-Za-z]{0,15}[\d_]|[eE][A-Za-z]{1,15}[\d_])"
    r"(?:\s?(?P<slash>/)\s?(?P<over>\d+)(?![\d/])|\s(?P<mixed>\d+)/(?P<parts>\d+)(?![\d/]))?"
    r"(?:[eE](?P<e>[-+]?\d+)(?![A-Za-z0-9])"
    r"|\s?(?:[×x*·]|\\times|\\cdot)\s?10\s?(?:\^\s?\{?\s?(?P<power>[-+]?\d+)\s?\}?|(?P<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?)"
    r"(?:\s?(?P<scale>hundred|thousand|million|billion|trillion|万|亿)(?![A-Za-z])"
    r"|(?P<short>bn|[kKMB])(?![A-Za-z0-9]))?"
    r"(?:\s?\\?(?P<percent>%|percent\b|per\scent\b))?",
)
_SCALES = {
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "万": 10**4,
    "亿": 10**8,
    "k": 1000,
    "K": 1000,
    "M": 10**6,
    "B": 10**9,
    "bn": 10**9,
}
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_LEAD = 16
"""No sign, currency or fraction bar is longer than this before the first digit."""
_HAS_DIGIT = re.compile(r"\d")
_JOINS = re.compile(r"\s?(?:-|~|±|to|until|through|或|至|到)\s?|\s?\\pm\s?", re.IGNORECASE)
_OPERATOR = re.compile(r"\s?(?:[+×*·÷/x]|\\times|\\cdot|\\div)\s?")
_AND = re.compile(r"\s?and\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+\Z", re.IGNORECASE)
_UNIT = re.compile(r"\s?(?:\\[a-z]+\{?\s?)?[^\W\d_]{0,16}(?:\s[^\W\d_]{1,16})?[²³°'\"}]*\s?[.。!]?\s*")


class Number(msgspec.Struct, frozen=True, gc=False):
    """One number of a text: its value (None for a date, a range, a part of a formula), kind and place."""

    value: Fraction | None
    kind: Kind
    start: int
    end: int


def numbers(text: str, most: int = 64) -> list[Number]:
    """The first numbers of a text, in order; the two ends of a range become one composite.

    >>> [(str(found.value), found.kind) for found in numbers("$1,200.50, 20%, 3-5")]
    [('2401/2', 'number'), ('20', 'percent'), ('None', 'composite')]
    """
    first = _HAS_DIGIT.search(text)
    if first is None:
        return []
    folded = fold(text)
    return list(islice(_ranged(folded, _tokens(folded, max(0, first.start() - _LEAD))), most))


def _tokens(folded: str, start: int) -> Iterator[Number]:
    for token in _TOKEN.finditer(folded, start):
        start, end = token.span()
        if is_exponent(folded, start):
            continue
        value = None if token["composite"] else _value(token)
        kind: Kind = "composite" if value is None else "percent" if token["percent"] else "number"
        if value is not None and is_part(folded, start, end):
            value, kind = None, "formula"
        yield Number(value, kind, start, end)


def _ranged(folded: str, tokens: Iterator[Number]) -> Iterator[Number]:
    """Join what a dash, "to" or "between ... and" joins, and the two sides of an operator."""
    held: Number | None = None
    for token in tokens:
        kind = _joined(folded, held, token) if held is not None else None
        if held is not None and kind is not None:
            held = Number(None, kind, held.start, token.end)
            continue
        if held is not None:
            yield held
        held = token
    if held is not None:
        yield held


def _joined(folded: str, left: Number, right: Number) -> Kind | None:
    """What two numbers are together: the ends of a range, a sum or product; None where they stand apart."""
    gap = folded[left.end : right.start]
    if len(gap) > 12:
        return None
    if _JOINS.fullmatch(gap):
        return "composite"
    if _OPERATOR.fullmatch(gap):
        return "formula"
    before = folded[max(0, left.start - 12) : left.start]
    return "composite" if _AND.fullmatch(gap) is not None and _BETWEEN.search(before) is not None else None


def _value(token: re.Match[str]) -> Fraction | None:
    """The worth of one token; None where it is too long to read, or divides by zero."""
    value = _fraction(token)
    power = token["e"] or token["power"] or (token["raised"] or "").translate(_SUPERSCRIPT)
    if value is None or len(power) > 4 or (power and abs(int(power)) > MAX_DIGITS):
        return None
    if power:
        value *= Fraction(10) ** int(power)
    scale = token["scale"] or token["short"]
    if scale:
        value *= _SCALES[scale]
    return -value if token["sign"] == "-" or token["minus"] is not None else value


def _fraction(token: re.Match[str]) -> Fraction | None:
    digits = token["digits"]
    if digits is None:
        return _divided(token["top"] or token["top1"], token["under"] or token["under1"])
    plain = digits.replace("{,}", "").replace(",", "")
    if len(plain) > MAX_DIGITS:
        return None
    if token["slash"]:
        return _divided(plain, token["over"]) if "." not in plain else None
    if token["mixed"]:
        part = _divided(token["mixed"], token["parts"])
        return None if part is None else Fraction(plain) + part
    return Fraction(plain) if "." in plain else Fraction(int(plain))


def _divided(top: str, under: str) -> Fraction | None:
    if len(top) > MAX_DIGITS or len(under) > MAX_DIGITS or not int(under):
        return None
    return Fraction(int(top), int(under))


def whole(text: str) -> Number | None:
    """The number that a text is, but for a unit of up to two words and a full stop; else None.

    >>> whole("3 days.").value, whole("In 3 days")
    (Fraction(3, 1), None)
    """
    found = numbers(text, 2) if len(text) < 2 * MAX_DIGITS else []
    if len(found) != 1 or found[0].value is None:
        return None
    number = found[0]
    if text[: number.start].strip() or not _UNIT.fullmatch(text, number.end):
        return None
    return number


def written(value: Fraction) -> str:
    """The canonical text of a value: an integer, a finite decimal, or a fraction in lowest terms.

    >>> written(Fraction(5, 2)), written(Fraction(1, 3)), written(Fraction(4))
    ('2.5', '1/3', '4')
    """
    if value.denominator == 1:
        return str(value.numerator)
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest > 1:
        return f"{value.numerator}/{value.denominator}"
    places = max(twos, fives)
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"
