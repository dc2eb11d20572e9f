"""Question types from the shape of the gold (simple-mmeval mmeval/scoring/extraction.py @ 3aa72c0)."""

from __future__ import annotations

import pytest

from mmeval.questions import infer, strict_gold_letters
from mmeval.types import Json, Options

NONE = Options(tuple("ABCDEF"))
FOUR = Options(tuple("ABCD"), ("cat", "dog", "bird", "fish"), "options")

TYPES: list[tuple[Json, str | None, Options, str]] = [
    ("B", None, FOUR, "mcq"),
    ("(B)", None, FOUR, "mcq"),
    ("**B.**", None, FOUR, "mcq"),
    ("b", None, FOUR, "mcq"),
    ("b", None, NONE, "open"),
    ("C, A", None, FOUR, "mcq"),
    ("A and C", None, NONE, "mcq"),
    ("AC", None, FOUR, "open"),
    ("BED", None, NONE, "open"),
    ("B", None, NONE, "mcq"),
    ("I", None, NONE, "open"),
    ("K", None, NONE, "open"),
    ("G", None, FOUR, "mcq"),
    ("yes", None, NONE, "yes_no"),
    ("No.", None, FOUR, "yes_no"),
    ("True", None, NONE, "open"),
    ("false", None, NONE, "open"),
    (True, None, NONE, "open"),
    ("24%", None, NONE, "numeric"),
    ("1,200", None, NONE, "numeric"),
    (12, None, NONE, "numeric"),
    (0.5, None, NONE, "numeric"),
    ("nan", None, NONE, "numeric"),
    ("10:30", None, NONE, "open"),
    ("3 4", None, NONE, "open"),
    ("tower bridge", None, NONE, "open"),
    (["red", "blue"], None, NONE, "open"),
    (["12", "12.0"], None, NONE, "numeric"),
    (["A", "C"], None, FOUR, "mcq"),
    (["A", "C"], None, NONE, "open"),
    ([], None, NONE, "mcq"),
    (None, None, NONE, "mcq"),
    (" ", None, NONE, "mcq"),
    ("B", "open", FOUR, "open"),
    ("dog", "mcq", FOUR, "mcq"),
    ("12", "counting", NONE, "numeric"),
]


@pytest.mark.parametrize(
    ("answer", "declared", "options", "kind"), TYPES, ids=[repr(case[:2]) for case in TYPES]
)
def test_infer(answer: Json, declared: str | None, options: Options, kind: str) -> None:
    assert infer(answer, declared, options) == kind


@pytest.mark.parametrize(
    ("gold", "letters"),
    [
        ("B", ("B",)),
        (" [Z]; ", ("Z",)),
        ("b", None),
        ("A/C", ("A", "C")),
        ("C & A", ("A", "C")),
        ("A, B and D", ("A", "B", "D")),
        ("A A", None),
        ("A I", None),
        ("and", None),
        ("", None),
        ("A, dog", None),
        ("É", None),
    ],
)
def test_strict_gold_letters(gold: str, letters: tuple[str, ...] | None) -> None:
    assert strict_gold_letters(gold) == letters
