r"""The number that a short formula stands for: "525/2", "2\sqrt{3}-\pi", "$1: 4$".

This is the part of LaTeX in which benchmarks write values, read as latex2sympy reads it and Python then
evaluates what comes out (OrangeX4/latex2sympy 1.9.1, which the script of MATH-Vision calls):

* numbers (`1,000.5`), `\pi`, `+ - * / : ^`, `\times`, `\cdot`, `\div`, `\frac`, `\sqrt`, `\sqrt[3]`, brackets
  of every kind, `\%` and `!` right behind a number. Dollar signs, spaces, `\left`, `\right` and
  `\displaystyle` say nothing.
* Things side by side are multiplied, and bind closer than `/`: 1/2\pi is 1/(2\pi). "6\frac{1}{4}" is 1.5.
* `^` is read from the left: 2^3^2 is 64.
* The longest beginning counts that is a formula: "3}cm" and "3.The" are 3. Not where a letter follows,
  which is a factor without a value ("3cm", "3 and 4"), nor where a list goes on ("3, 4").

What certainly has no number there (a letter, a list, an open bracket, 1/0) is `NONE`. What this reader does
not know (functions such as `\sin`, other commands, relations, powers of e, numbers beyond any size) is
`UNKNOWN`: nobody may conclude anything from it.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator
from typing import TypeAlias

_TOKEN = re.compile(
    r"(?:(?:\d+(?:,\d{3})*)?\.\d+|\d+(?:,\d{3})*)(?:\\%|!+)?|\\[a-z]+|\\.|[\s~]+|.", re.ASCII | re.DOTALL
)
_MEANINGFUL = re.compile(r"=|e\s*\^", re.ASCII)
_SILENT = frozenset(("$", "\\left", "\\right", "\\displaystyle", "\\quad"))
_PRODUCT = {"*": "*", "\\times": "*", "\\cdot": "*", "/": "/", ":": "/", "\\div": "/"}
_PAIRS = {"(": ")", "[": "]", "{": "}", "\\{": "\\}"}
_FRACTIONS = frozenset(("\\frac", "\\dfrac", "\\tfrac"))
_STOPS = frozenset((")", "]", "}", "\\}", ".", "_", "&", "\\\\", "'"))
_VALUELESS = frozenset(("\\text", "\\textbf", "\\mathrm", "\\mbox", "\\circ"))
_DEPTH = 40
_TOKENS = 500
_DIGITS = 15
_BITS = 8192
_LARGEST = 170
"""The largest number whose factorial is taken: beyond it is no finite double."""


class NoNumber(enum.Enum):
    """Why a formula has no number: it certainly has none, or this reader does not know the notation."""

    NONE = "no-number"
    UNKNOWN = "formula-not-known"


Value: TypeAlias = float | int | NoNumber


class _NotANumber(Exception):
    """Ends the reading; carries why."""

    def __init__(self, why: NoNumber) -> None:
        super().__init__(why.value)
        self.why = why


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match[0] not in _SILENT and not match[0][0].isspace() and match[0][0] != "~":
            yield match[0]


class _Reader:
    """Recursive descent over the tokens, taken one at a time: what follows the formula is never read."""

    def __init__(self, text: str) -> None:
        self._rest = _tokens(text)
        self._depth = self._taken = 0
        self.next = next(self._rest, "")

    def take(self) -> str:
        self._taken += 1
        if self._taken > _TOKENS:
            raise _NotANumber(NoNumber.UNKNOWN)
        token, self.next = self.next, next(self._rest, "")
        return token

    def expect(self, token: str) -> None:
        if self.next != token:
            raise _NotANumber(_why(self.next))
        self.take()

    def sum(self) -> float | int:
        """Terms with plus and minus."""
        self._depth += 1
        if self._depth > _DEPTH:
            raise _NotANumber(NoNumber.UNKNOWN)
        value = self.product()
        while self.next in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        self._depth -= 1
        return value

    def product(self) -> float | int:
        """Factors with signs of multiplication and division."""
        value = self.signed()
        while self.next in _PRODUCT:
            times = _PRODUCT[self.take()] == "*"
            factor = self.signed()
            value = _times(value, factor) if times else value / factor
        return value

    def signed(self) -> float | int:
        """Signs, then things side by side."""
        sign = 1
        while self.next in ("+", "-"):
            sign = -sign if self.take() == "-" else sign
        value = self.power()
        while self.next and self.next not in _STOPS and _begins(self.next):
            value = _times(value, self.power())
        return sign * value

    def power(self) -> float | int:
        """One thing and its powers."""
        value = self.atom()
        while self.next == "^":
            self.take()
            value = _power(value, self.exponent())
        return value

    def exponent(self) -> float | int:
        """What stands raised: a group, or one number or constant."""
        if self.next == "{":
            return self.group()
        if self.next == "\\pi" or _is_number(self.next):
            return self.atom()
        raise _NotANumber(_why(self.next))

    def atom(self) -> float | int:
        """A number, a constant, a group, a fraction or a root."""
        if self.next in _PAIRS:
            return self.group()
        token = self.next
        if token == "\\pi":
            self.take()
            return math.pi
        if _is_number(token):
            return _number(self.take())
        if token in _FRACTIONS:
            self.take()
            above = self.group("{")
            return above / self.group("{")
        if token == "\\sqrt":
            self.take()
            degree = self.group("[") if self.next == "[" else 2
            return _power(self.group("{"), 1 / degree)
        raise _NotANumber(_why(token))

    def group(self, opening: str | None = None) -> float | int:
        """What stands between brackets (of the kind wanted)."""
        if opening is not None and self.next != opening:
            raise _NotANumber(_why(self.next))
        closing = _PAIRS[self.take()]
        value = self.sum()
        self.expect(closing)
        return value


def _begins(token: str) -> bool:
    """Whether what comes next goes on as a factor; what neither does nor may follow ends the reading."""
    if token in ("+", "-") or token in _PRODUCT:
        return False
    if token in _PAIRS or token in _FRACTIONS or token in ("\\pi", "\\sqrt"):
        return True
    if _is_number(token):
        return True
    raise _NotANumber(_why(token))


def _is_number(token: str) -> bool:
    return (token.isascii() and token[:1].isdigit()) or (token[:1] == "." and len(token) > 1)


def _number(token: str) -> float | int:
    """A number with what clings to it: per cent, or one exclamation mark after a whole number."""
    digits = token.replace(",", "")
    if digits.endswith("\\%"):
        return float(digits[:-2]) / 100
    if digits.endswith("!"):
        return _factorial(digits[:-1])
    return float(digits) if "." in digits or len(digits) > _DIGITS else int(digits)


def _factorial(digits: str) -> int:
    if not digits.isdigit() or len(digits) > len(str(_LARGEST)) or int(digits) > _LARGEST:
        raise _NotANumber(NoNumber.UNKNOWN)
    return math.factorial(int(digits))


def _why(token: str) -> NoNumber:
    """What a token says that cannot stand where it stands: another command may have a meaning there."""
    known = token[:1] not in ("\\", "|", "<", ">", "^", "!") or token in _VALUELESS
    return NoNumber.NONE if known else NoNumber.UNKNOWN


def _power(base: float | int, exponent: float | int) -> float | int:
    """A power; of whole numbers a whole one, up to a size that no value of a benchmark has."""
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        if base.bit_length() * exponent > _BITS:
            raise _NotANumber(NoNumber.UNKNOWN)
        return int(base**exponent)
    value = base**exponent
    if isinstance(value, complex):
        raise _NotANumber(NoNumber.NONE)
    return float(value)


def _times(left: float | int, right: float | int) -> float | int:
    value = left * right
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise _NotANumber(NoNumber.UNKNOWN)
    return value


def value_of(text: str) -> Value:
    """The number at the beginning of a formula, a whole one where it is made of such; or why there is none.

    Lower case is expected, as the scripts that this follows make it first.
    """
    if _MEANINGFUL.search(text):
        return NoNumber.UNKNOWN
    reader = _Reader(text)
    try:
        value = reader.sum()
    except _NotANumber as error:
        return error.why
    except ZeroDivisionError:
        return NoNumber.NONE
    except OverflowError:
        return NoNumber.UNKNOWN
    if reader.next and reader.next not in _STOPS:
        return _why(reader.next)
    return value if isinstance(value, int) or math.isfinite(value) else NoNumber.UNKNOWN


def same_number(left: str, right: str, places: int) -> bool | None:
    """Whether two formulas have the same number, rounded to decimal places; None where that is not known."""
    first = value_of(left)
    if first is NoNumber.NONE:
        return False
    second = value_of(right)
    if second is NoNumber.NONE:
        return False
    if isinstance(first, NoNumber) or isinstance(second, NoNumber):
        return None
    return round(first, places) == round(second, places)
