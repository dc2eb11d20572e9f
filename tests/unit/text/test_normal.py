"""The normal form of our own comparison."""

from __future__ import annotations

import pytest

from mmeval.text.normal import formula, is_typeset, normal

CASES = [
    ("“Tower  Bridge.”", "tower bridge"),
    ("５", "5"),
    ("(0,1)", "(0, 1)"),
    ("1,500", "1,500"),
    ("1 , 500", "1, 500"),
    ("don’t", "don't"),
    ("STRASSE", "strasse"),
    ("Straße", "strasse"),
    ("...", "..."),
    ("-5", "-5"),
    ("$45.00", "$45.00"),
    ("ﬁne", "fine"),
    ("x" * 100 + ".", "x" * 100),
]


@pytest.mark.parametrize(("text", "form"), CASES, ids=[row[0][:12] for row in CASES])
def test_normal(text: str, form: str) -> None:
    assert normal(text) == form
    assert normal(form) == form


FORMULAS = [
    (r"$\dfrac{1}{2} + 5 \sqrt3$.", r"\frac{1}{2}+5\sqrt{3}"),
    (r"\left( 24 + 4π \right)", r"(24+4\pi)"),
    ("3/4", r"\frac{3}{4}"),
    ("-13/3", r"-\frac{13}{3}"),
    ("km/h", "km/h"),
    ("1/2/2024", "1/2/2024"),
    ("X", "X"),
]


@pytest.mark.parametrize(("text", "form"), FORMULAS)
def test_formula(text: str, form: str) -> None:
    assert formula(text) == form
    assert formula(form) == form


def test_what_is_typeset() -> None:
    assert all(map(is_typeset, (r"\frac{1}{2}", "x^2", "√3", "2π", "1 : 2")))
    assert not any(map(is_typeset, ("Paris", "24", "at 5: two", "a/b")))
