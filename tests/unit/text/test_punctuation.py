"""The VQA family's punctuation cleaning: literal facts, and a slow textbook twin."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.text.punctuation import MARKS, PERIOD_LIMIT, process_punctuation

CASES = [
    ("nothing to do", "nothing to do", "no mark"),
    ("Yes/No", "Yes No", "mark between letters becomes a space"),
    ("Yes / No", "Yes  No", "mark beside a space is deleted"),
    ("a,b c, d", "ab c d", "one comma beside a space deletes every comma"),
    ("a-b c, d", "a b c d", "each mark is judged alone"),
    ("1,000", "1000", "digit-comma-digit deletes all marks"),
    ("1,000 (a/b)", "1000 ab", "digit-comma-digit deletes all marks"),
    ("Coca-Cola!", "Coca Cola ", "not stripped"),
    ("U.S.A.", "USA", "lone periods go"),
    ("1. foo", "1. foo", "a period after a digit stays"),
    ("3.", "3.", "a period after a digit stays"),
    (".5", ".5", "a period before a digit stays"),
    ("2.5", "2.5", "decimal"),
    ("it's 5% *b* a:b $3", "it's 5% *b* a:b $3", "not marks"),
    ("Yes—it is", "Yes—it is", "no mark outside ASCII"),
    ("٣.", "٣.", "any Unicode digit protects the period"),
    ("1,٢ a/b", "1٢ ab", "any Unicode digit makes a digit group"),
    ("/", " ", "a lone mark"),
    ("", "", "empty"),
    ("a. " * 33, "a " * 32 + "a. ", "only 32 periods go (VLMEvalKit vlmeval/smp/misc.py, PyPI 0.0.20)"),
]


@pytest.mark.parametrize(("text", "cleaned", "why"), CASES, ids=[f"{c[2]}:{c[0][:12]!r}" for c in CASES])
def test_literal(text: str, cleaned: str, why: str) -> None:
    assert process_punctuation(text) == cleaned, why


@pytest.mark.parametrize(
    ("text", "cleaned"), [("3.", "3"), ("1. foo", "1 foo"), ("2.5", "2.5"), (".5", ".5"), ("a.b", "ab")]
)
def test_authors_drop_the_period_after_a_digit(text: str, cleaned: str) -> None:
    """GT-Vision-Lab/VQA vqaEval.py @ a013f0043c1e: the look-behind is misspelt."""
    assert process_punctuation(text, keep_after_digit=False) == cleaned


def _textbook(text: str) -> str:
    """One mark after the other, in the plainest way."""
    grouped = re.search(r"\d,\d", text) is not None
    out = text
    for mark in MARKS:
        spaced = f"{mark} " in text or f" {mark}" in text
        out = out.replace(mark, "" if spaced or grouped else " ")
    return re.sub(r"(?<!\d)\.(?!\d)", "", out, count=PERIOD_LIMIT)


@given(st.text(alphabet=MARKS + ". 12aé'\n\t٣", max_size=120))
def test_same_as_textbook(text: str) -> None:
    assert process_punctuation(text) == _textbook(text)


@pytest.mark.parametrize("unit", [".", ",", " /", "1,", "a-", "()", "é; "])
def test_linear(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    best = min(_seconds(text) for _ in range(3))
    assert best < 0.100  # 10 ms, with room for a coverage run on a busy machine


def _seconds(text: str) -> float:
    start = time.process_time()
    process_punctuation(text)
    return time.process_time() - start
