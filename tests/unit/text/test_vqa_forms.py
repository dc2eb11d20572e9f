"""The normal forms of the VQA family."""

from __future__ import annotations

import pytest

from mmeval.text.vqa import FORMS, Form, normalise

FORM_NAMES: tuple[Form, ...] = ("vqaeval", "evalai", "vlmevalkit", "symmetric")
CASES = [
    # answer, then the form by vqaeval, evalai, vlmevalkit, symmetric
    ("1,000", "1000", "1000", "1000", "1000"),
    ("Coca-Cola!", "coca cola", "coca cola", "coca cola", "coca cola"),
    ("U.S.A.", "usa", "usa", "usa", "usa"),
    ("None", "0", "0", "0", "0"),
    ("1. foo", "1 foo", "1 foo", "1. foo", "1 foo"),
    ("A", "", "", "", "a"),
    ("yes.", "yes", "yes", "yes", "yes"),
    ("3.", "3", "3", "3.", "3"),
    ("3.5", "3.5", "3.5", "3.5", "3.5"),
    ("King's Cross", "king's cross", "king 's cross", "king's cross", "king's cross"),
    ("red,blue", "red blue", "redblue", "red blue", "red blue"),
    ("dont", "don't", "don't", "don't", "don't"),
    ("somebody'd", "somebodyd", "somebodyd", "somebodyd", "somebodyd"),
    ("Im", "im", "im", "im", "im"),
    ("the  a\tcat\n", "cat", "cat", "cat", "cat"),
    ("ten", "10", "10", "10", "10"),
    ("eleven", "eleven", "eleven", "eleven", "eleven"),
    ("", "", "", "", ""),
]


@pytest.mark.parametrize("row", CASES, ids=[repr(row[0]) for row in CASES])
def test_forms(row: tuple[str, ...]) -> None:
    assert tuple(FORMS[name](row[0]) for name in FORM_NAMES) == row[1:]


@pytest.mark.parametrize("name", FORM_NAMES)
def test_memory_changes_nothing(name: Form) -> None:
    for answer in (*(row[0] for row in CASES), "the long answer " * 9):
        assert normalise(name, answer) == normalise(name, answer) == FORMS[name](answer)
