"""Options from every place where a sample may carry them.

Sources: `ref3` = candidate rules of simple-mmeval (scoring/extraction.py at 3aa72c0); `own` = our departure.
"""

from typing import Any

import pytest

from mmeval.option_labels import FALLBACK, read_options

LINES = "Which animal?\n(A) cat\n(B) dog\n\n(C) bird\nAnswer with the letter."

OFFERED = [
    # id, source, turn, labels, texts, where
    ("dict", "ref3", {"options": {"A": "cat", "B": "dog"}}, "AB", ("cat", "dog"), "options"),
    ("dict-lower-case", "ref3", {"options": {"a": "cat", " b ": "dog"}}, "AB", ("cat", "dog"), "options"),
    ("dict-order-is-the-sample's", "own", {"options": {"B": "x", "A": "y"}}, "BA", ("x", "y"), "options"),
    ("dict-case-clash", "own", {"options": {"a": "x", "A": "y"}}, "aA", ("x", "y"), "options"),
    ("dict-none-text", "own", {"options": {"A": "None", "B": "NA"}}, "AB", ("None", "NA"), "options"),
    (
        "dict-null-is-no-option",
        "own",
        {"options": {"A": "x", "B": "y", "C": None}},
        "AB",
        ("x", "y"),
        "options",
    ),
    ("dict-all-null", "own", {"options": {"A": None, "B": None}}, "AB", (), "options"),
    (
        "dict-numbers",
        "own",
        {"options": {"A": 5, "B": 0.5, "C": True}},
        "ABC",
        ("5", "0.5", "true"),
        "options",
    ),
    ("list-under-options", "own", {"options": ["cat", "dog"]}, "AB", ("cat", "dog"), "options"),
    ("choices", "ref3", {"choices": ["cat", "dog", "owl"]}, "ABC", ("cat", "dog", "owl"), "choices"),
    (
        "choices-labelled",
        "ref3",
        {"choices": ["A. cat", "(B) dog", "C: owl"]},
        "ABC",
        ("cat", "dog", "owl"),
        "choices",
    ),
    ("choices-foreign-label-stays", "ref3", {"choices": ["B. cat", "x"]}, "AB", ("B. cat", "x"), "choices"),
    ("choices-letters", "ref3", {"choices": ["b", "A", "C"]}, "BAC", (), "choices"),
    ("choices-other-letters-are-texts", "own", {"choices": ["x", "y"]}, "AB", ("x", "y"), "choices"),
    ("choices-equal-letters", "own", {"choices": ["A", "A"]}, "AB", ("A", "A"), "choices"),
    ("choices-numbers", "own", {"choices": [3, 4]}, "AB", ("3", "4"), "choices"),
    ("options-before-choices", "ref3", {"choices": ["x"], "options": {"A": "y"}}, "A", ("y",), "options"),
    (
        "empty-options-fall-through",
        "ref3",
        {"options": {}, "choices": ["x", "y"]},
        "AB",
        ("x", "y"),
        "choices",
    ),
    ("columns", "ref3", {"A": "cat", "B": "dog", "hint": "x"}, "AB", ("cat", "dog"), "columns"),
    ("columns-stop-at-a-gap", "ref3", {"A": "cat", "B": " ", "C": "owl"}, "A", ("cat",), "columns"),
    ("columns-null", "ref3", {"A": "cat", "B": "dog", "C": None, "D": "x"}, "AB", ("cat", "dog"), "columns"),
    ("columns-number", "own", {"A": 1, "B": 2}, "AB", ("1", "2"), "columns"),
]

INLINE = [
    # id, source, text, labels, texts
    ("brackets", "ref3", "Pick: (A) cat (B) dog", "AB", ()),
    ("glued-brackets", "ref3", "x(A)cat(B)dog", "AB", ()),
    ("dots", "ref3", "A. cat B. dog C. owl", "ABC", ()),
    ("gap", "ref3", "A. cat B. dog D. owl", "AB", ()),
    ("not-from-A", "ref3", "B. cat C. dog", None, ()),
    ("inside-a-word", "ref3", "USA. and NBA. or DATA: B)", None, ()),
    ("one-is-none", "own", "How much vitamin A. is there?", None, ()),
    ("lines", "own", LINES, "ABC", ("cat", "dog", "bird")),
    ("dotted-lines", "own", "Q?\nA. cat\r\nB. dog", "AB", ("cat", "dog")),
    ("wrapped-line", "own", "Q?\nA. cat\nand more\nB. dog", "AB", ()),
    ("twice", "own", "A. cat\nB. dog\nA. cat\nB. dog", "AB", ()),
    ("mixed-with-prose", "own", "Is (B) right?\nA. cat\nB. dog", "AB", ("cat", "dog")),
    ("empty", "ref3", "", None, ()),
]


@pytest.mark.parametrize("turn,labels,texts,where", [c[2:] for c in OFFERED], ids=[c[0] for c in OFFERED])
def test_offered(turn: dict[str, Any], labels: str | None, texts: tuple[str, ...], where: str) -> None:
    found = read_options(turn, "(A) never (B) read", scan_inline=True)
    assert ("".join(found.labels), found.texts, found.source) == (labels, texts, where)
    assert found.parsed


@pytest.mark.parametrize("text,labels,texts", [c[2:] for c in INLINE], ids=[c[0] for c in INLINE])
def test_inline(text: str, labels: str | None, texts: tuple[str, ...]) -> None:
    found = read_options({"question": text}, text, scan_inline=True)
    if labels is None:
        assert found == FALLBACK
    else:
        assert ("".join(found.labels), found.texts, found.source) == (labels, texts, "inline")


def test_long_labels_are_kept_whole() -> None:
    given = {str(n): f"text {n}" for n in range(1, 12)}
    found = read_options({"options": given}, "", scan_inline=True)
    assert found.labels == tuple(given)
    assert found.texts == tuple(given.values())


def test_more_choices_than_letters() -> None:
    found = read_options({"choices": [f"choice {n}" for n in range(54)]}, "", scan_inline=False)
    assert found.labels[24:29] == ("Y", "Z", "AA", "AB", "AC")
    assert found.labels[51:] == ("AZ", "BA", "BB")
    assert len(set(found.labels)) == 54


def test_a_question_declared_otherwise_is_not_scanned() -> None:
    assert read_options({}, LINES, scan_inline=False) == FALLBACK


def test_the_fallback_is_not_parsed() -> None:
    found = read_options({}, "How many?", scan_inline=True)
    assert found.labels == tuple("ABCDEF")
    assert not found.parsed


@pytest.mark.parametrize("text", ["(A) (B) " * 50_000, "A." * 200_000, "(" * 400_000, "A. x\n" * 50_000])
def test_long_questions_are_linear(text: str) -> None:
    assert read_options({}, text, scan_inline=True).labels
