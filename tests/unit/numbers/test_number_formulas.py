r"""A number that is only a part of a formula is not read; a number with a unit is.

Source: replies of 16 models to MATH-Vision (mathllm/MATH-V outputs @ a1f5cc3), where "24\pi" was read as 24,
and spellings of the same kinds.
"""

from __future__ import annotations

import pytest

from mmeval.answers.robust import RULES as ANSWERS
from mmeval.numbers._formula import is_exponent
from mmeval.numbers.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample


def _sample(gold: str) -> Sample:
    return Sample(1, "How large is it?", Options(()), gold, (gold,), (), "numeric")


PARTS = [
    # reply, the number that it must not be read as
    ("24π", "24"),
    (r"24\pi", "24"),
    (r"$24\pi$", "24"),
    (r"\boxed{24\pi}", "24"),
    ("The answer is 24π.", "24"),
    ("24 pi", "24"),
    ("24*pi", "24"),
    (r"\frac{\pi}{4}", "4"),
    (r"\frac{x}{2}", "2"),
    (r"\frac{3}{4}AB", "0.75"),
    ("√3", "3"),
    (r"\sqrt{3}", "3"),
    ("sqrt(3)", "3"),
    (r"\boxed{\sqrt{57}}", "57"),
    (r"y=6\sqrt{6}", "6"),
    ("ln 2", "2"),
    ("log2(8)", "8"),
    (r"\sin 30", "30"),
    ("f(5)", "5"),
    ("2x", "2"),
    ("3a", "3"),
    ("5i", "5"),
    ("x = 5y", "5"),
    ("The answer is 2x", "2"),
    (r"\boxed{3r}", "3"),
    ("It will be **158 + LK**.", "158"),
    ("x = 158 + k", "158"),
    (r"\boxed{4 + \pi}", "4"),
    ("answer: 3 - x", "3"),
    ("x + 3", "3"),
    ("x-3", "3"),
    ("n/2", "2"),
    ("10²", "10"),
    ("10^3", "10"),
    ("2^{10}", "2"),
    ("2^{10}", "10"),
    (r"\boxed{4!}", "4"),
    ("5/(x+1)", "5"),
    ("2+2", "2"),
    (r"a $4 \times 4$ table", "4"),
    ("It is a 4x4 grid.", "4"),
    ("3 * 3", "3"),
]


@pytest.mark.parametrize(("reply", "number"), PARTS)
def test_a_part_of_a_formula_is_no_number(reply: str, number: str) -> None:
    for rules in (RULES, ANSWERS):
        assert rules.rule(reply, _sample(number), Knobs()).hit is not True
        assert rules.exact(reply, _sample(number), Knobs()).hit is None
    assert RULES.rule(reply, _sample(number), Knobs()).hit is None


WHOLE = [
    # reply, the number that it says
    (r"60^\circ", "60"),
    (r"160^{\circ}", "160"),
    (r"\boxed{70^o}", "70"),
    ("39°", "39"),
    ("5°C", "5"),
    ("12 cm^2", "12"),
    (r"$12 \text{ cm}^2$", "12"),
    (r"\boxed{400 \mathrm{~cm}^{2}}", "400"),
    ("8 m²", "8"),
    ("5 m/s", "5"),
    ("5/day", "5"),
    (r"5\,\text{cm}", "5"),
    (r"5 \mathrm{~kg}", "5"),
    ("24%", "24"),
    (r"5 \%", "5"),
    ("*5* a day", "5"),
    ("**5** apples", "5"),
    ("He scored 5 - a record", "5"),
    ("3+", "3"),
    ("5 + or more", "5"),
    ("Option B - 5", "5"),
    ("A - 5", "5"),
    ("x_{1} = 5", "5"),
    ("n=5", "5"),
    ("5 a.m.", "5"),
    ("5 in", "5"),
    ("5 \\times 10^2", "500"),
    ("5-year-old", "5"),
    ("The answer is 4!", "4"),
    ("Answer: (5)", "5"),
    ("It is 5 i.e. five", "5"),
    ("6*7 = 42", "42"),
    ("2 + 2 = 4", "4"),
    ("The answer is 6 x 7 = 42.", "42"),
    ("In a 4x4 grid there are 16", "16"),
    ("5 and 5", "5"),
]


@pytest.mark.parametrize(("reply", "number"), WHOLE)
def test_a_unit_is_no_part_of_a_formula(reply: str, number: str) -> None:
    assert RULES.rule(reply, _sample(number), Knobs()).hit is True


def test_why_nothing_is_read() -> None:
    assert RULES.rule("24π", _sample("24"), Knobs()).found.rule == "part-of-a-formula"
    assert RULES.rule(r"\boxed{4!}", _sample("4"), Knobs()).found.rule == "part-of-a-formula"


def test_a_gold_that_is_a_formula_is_compared_as_one() -> None:
    assert RULES.rule(r"\boxed{4\pi}", _sample(r"$4 \pi$"), Knobs()).hit is True
    assert RULES.rule(r"\boxed{4 + \pi}", _sample(r"$4 \pi$"), Knobs()).hit is False
    assert RULES.rule("4", _sample(r"$4 \pi$"), Knobs()).hit is False


def test_exponents() -> None:
    assert is_exponent("x^2", 2)
    assert is_exponent("x_{1}", 3)
    assert not is_exponent("x 2", 2)


@pytest.mark.parametrize("unit", ["2x", "24π ", r"\sqrt{", "^{", "x+", "}{", "ln ", "5!"])
def test_long_replies_take_no_time(unit: str) -> None:
    import time

    text = (unit * 10_000)[:10_000]
    began = time.process_time()
    RULES.rule(text, _sample("5"), Knobs())
    assert time.process_time() - began < 0.100  # 10 ms, with room for a coverage run on a busy machine
