"""The normal form of our own comparison."""

from __future__ import annotations

import pytest

from mmeval.text.normal import normal

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
