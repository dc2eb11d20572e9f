"""What counts as a number in a text, and what it is worth."""

from __future__ import annotations

from fractions import Fraction

import pytest

from mmeval.numbers._parse import numbers, whole, written
from mmeval.numbers._words import spelt

TEXTS = [
    ("72 clips", ["72"]),
    ("$1,200.50", ["1200.5"]),
    ("1{,}200", ["1200"]),
    ("12,345,678", ["12345678"]),
    ("1,234,56", [None]),
    ("3,14", [None]),
    ("1,2,3", [None]),
    ("-5", ["-5"]),
    ("−5", ["-5"]),
    ("-$5", ["-5"]),
    ("$-5", ["-5"]),
    ("x-5", [None]),
    ("A-5", ["5"]),
    (".5", ["0.5"]),
    ("004", ["4"]),
    ("1/2", ["0.5"]),
    ("1 1/2 cups", ["1.5"]),
    ("1/0", [None]),
    (r"\frac12", ["0.5"]),
    (r"-\frac{1}{3}", ["-1/3"]),
    (r"\dfrac{3}{4}", ["0.75"]),
    ("1e3", ["1000"]),
    ("1.2e-3", ["0.0012"]),
    ("1.2 × 10^3", ["1200"]),
    ("1.2×10³", ["1200"]),
    ("1.2*10^{-1}", ["0.12"]),
    (r"1.2 \times 10^3", ["1200"]),
    ("1e99999", [None]),
    ("9" * 500, [None]),
    ("$1.2 million", ["1200000"]),
    ("5k", ["5000"]),
    ("5 km", ["5"]),
    ("5km", ["5"]),
    ("3万", ["30000"]),
    ("50 %", ["50"]),
    (r"50\%", ["50"]),
    ("28 percent", ["28"]),
    ("2020-01-05", [None]),
    ("10:30", [None]),
    ("2.5.1", [None]),
    ("3-5", [None]),
    ("3 to 5", [None]),
    ("between 10 and 20", [None]),
    ("10 and 20", ["10", "20"]),
    ("5 ± 1", [None]),
    ("256+37", [None]),
    ("B2, 3D4, R_2", []),
    ("2.00R_2 is 0.214", ["0.214"]),
    ("five", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "values"), TEXTS, ids=[repr(row[0][:20]) for row in TEXTS])
def test_numbers(text: str, values: list[str | None]) -> None:
    found = numbers(text)
    assert [None if number.value is None else written(number.value) for number in found] == values
    assert all(0 <= number.start < number.end <= len(text) for number in found)


WHOLE = [
    ("3 days.", "3"),
    ("12 km²", "12"),
    ("$29.00", "29"),
    ("In 3 days", None),
    ("3 or 4", None),
    ("3-4", None),
    ("3 of the seven dogs", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "value"), WHOLE)
def test_whole(text: str, value: str | None) -> None:
    number = whole(text)
    assert (None if number is None or number.value is None else written(number.value)) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(4), "4"),
        (Fraction(-5, 2), "-2.5"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 100), "-0.01"),
        (Fraction(10**30 + 1), str(10**30 + 1)),
    ],
)
def test_written(value: Fraction, text: str) -> None:
    assert written(value) == text
    assert whole(text) is not None and whole(text).value == value  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one two", []),
        ("nineteen hundred and five", [1905]),
        ("two million", [2000000]),
        ("One hundred, and then two", [100, 2]),
        ("两千零一", [2001]),
        ("零", [0]),
        ("someone bone", []),
    ],
)
def test_number_words(text: str, values: list[int]) -> None:
    assert [value for value, _ in spelt(text)] == values
