"""The number of a formula. Expected: round(eval(str(latex2sympy(text))), 2), latex2sympy2 1.9.1."""

from __future__ import annotations

import math

import pytest

from mmeval.text.latex import NoNumber, same_number, value_of

VALUES = [
    # numbers
    ("12", 12),
    ("1,000", 1000),
    ("1,000.5", 1000.5),
    ("1,0000", 0),
    (".5", 0.5),
    ("5.", 5),
    ("3.5.2", 0.7),
    ("1 010 101 010", 10100),
    ("1_000", 1),
    ("50\\%", 0.5),
    ("3!", 6),
    # signs, sums, products
    ("--5", 5),
    ("2--3", 5),
    ("2\\times-3", -6),
    ("3\\cdot4", 12),
    ("3\\div4", 0.75),
    ("2/3/4", 0.1667),
    ("1: 4: 9", 0.0278),
    ("1/2\\pi", 0.1592),
    ("2\\pi/3", 2.0944),
    ("3\\frac{1}{2}", 1.5),
    ("{3}{4}", 12),
    ("2(3)", 6),
    # powers, roots, fractions
    ("2^3^2", 64),
    ("-2^2", -4),
    ("(-2)^2", 4),
    ("2^{-1}", 0.5),
    ("2^{0.5}", 1.4142),
    ("\\sqrt[3]{8}", 2),
    ("\\frac{3 \\sqrt{6}}{2}", 3.6742),
    ("\\frac{3^{1008}-1}{3^{1009}}", 0.3333),
    ("$\\displaystyle \\frac{3}{4}$", 0.75),
    ("\\left(3\\right)", 3),
    ("\\pi^{2}", 9.8696),
    # the longest beginning that is a formula
    ("12)", 12),
    ("3}cm.the", 3),
    ("3.x", 3),
    ("5_{3}", 5),
    ("3'", 3),
    ("\\frac{10}{3}}{0.}\\end{aligned", 3.3333),
    ("\\frac{1}{2}.theansweris\\boxed{d", 0.5),
]
WITHOUT = [
    *("", "x", "12cm", "3 and 4", "e", "1e3", "1,2", "1;2", "(1,2)", "{3", "2(3", "5-", "()", "2^", "2^-1"),
    *("\\frac12", "\\frac{1}2", "\\frac{}{3}", "\\sqrt2", "1/0", "0^{-1}", "\\sqrt{-1}", "30°", "√2", "²"),
    *("5\\text{cm}", "$108^{\\circ}$", "3?", "3\"", "50%", "<image2>", "2**3"),
]  # fmt: skip
UNKNOWN = [
    "\\sin30",
    "\\arccos\\frac{5}{6}",
    "\\binom{4}{2}",
    "e^2",
    "y=12",
    "|3|",
    "3>2",
    "9^9999",
    "(" * 60 + "1",
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text for text, _ in VALUES])
def test_values(text: str, value: float) -> None:
    read = value_of(text)
    assert not isinstance(read, NoNumber)
    assert read == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("text", WITHOUT)
def test_texts_that_have_no_number(text: str) -> None:
    assert value_of(text) in (NoNumber.NONE, NoNumber.UNKNOWN)


@pytest.mark.parametrize("text", UNKNOWN)
def test_notations_that_are_not_known(text: str) -> None:
    assert value_of(text) is NoNumber.UNKNOWN


def test_same_number() -> None:
    assert same_number("\\frac{1}{55}", "\\frac{1}{60}", 2) is True
    assert same_number("\\frac{1}{55}", "\\frac{1}{60}", 3) is False
    assert same_number("x", "\\sin30", 2) is False
    assert same_number("\\sin30", "1", 2) is None
    assert math.isclose(float(value_of("2\\pi")), math.tau)  # type: ignore[arg-type]
