"""The three-way contract: FREAK's letters and words, SimpleVQA's Chinese, the spatial grader's line."""

from __future__ import annotations

import pytest

from mmeval.judge.contracts import build_contract
from mmeval.types import Ruling

LETTERS = {"correct": ["A", "CORRECT"], "incorrect": ["B", "INCORRECT"], "invalid": ["C", "INVALID"]}
FREAK = build_contract("three-way", {"words": LETTERS})
SPATIAL = build_contract("three-way", {"words": LETTERS, "extracted": True})
CHINESE = {"correct": ["正确"], "incorrect": ["错误"], "not-attempted": ["未尝试"]}
SIMPLE = build_contract("three-way", {"key": "conclusion", "words": CHINESE})
DEFAULT = build_contract("three-way", {})

# FREAK_VQA: upstream's verifier takes the last of the letters A to C found anywhere; it reads INVALID as
# correct, CORRECT as wrong and "A: CORRECT" as wrong. Those rows are bugs and read by their words here.
FREAK_ROWS = [
    ("A", "correct"),
    ("B", "incorrect"),
    ("C", "invalid"),
    ("INVALID", "invalid"),
    ("C: INVALID", "invalid"),
    ("CORRECT", "correct"),
    ("A: CORRECT", "correct"),
    ("A. CORRECT", "correct"),
    ("B (INCORRECT)", "incorrect"),
    ("A: INCORRECT", "!contradictory"),
    ("<think>A? B?</think>\\boxed{B}", "incorrect"),
    ("The reply fits. \\boxed{\\text{A}}", "correct"),
    ("\\boxed{A} or \\boxed{B}", "!contradictory"),
    ("I choose A", "!off-menu"),
    ("As it fits, CORRECTLY", "!off-menu"),
]

# SimpleVQA: upstream turns unknown words of more than three characters into 未尝试 and lets shorter ones fall
# out of all counts (not out of the denominator). Here they are unreadable, and 错误。 is read as it is meant.
SIMPLE_ROWS = [
    ('{"conclusion": "正确"}', "correct"),
    ('{"conclusion": "**正确**"}', "correct"),
    ('{"conclusion": "错误。"}', "incorrect"),
    ("错误。", "incorrect"),
    ('{"conclusion": "正确的回答"}', "!off-menu"),
    ("正确的回答", "!off-menu"),
    ("不正确", "!off-menu"),
    ("回答正确", "!off-menu"),
    ("A", "!off-menu"),
    ("Sorry, I cannot.", "!off-menu"),
    ('{"result": {"conclusion": "**错误**"}}', "incorrect"),
    ("", "!empty"),
    ('{"conclusion": "正确"', "correct"),
    ('```json\n{"conclusion": "未尝试"}\n```', "not-attempted"),
    ("结论：正确", "correct"),
    ("结论：不正确", "!off-menu"),
    ("conclusion：\n**未尝试**", "not-attempted"),
]

# The optional grader of the spatial benchmarks: (reply, label, extraction, upstream's reading where it
# differs). Upstream makes what it cannot read C after three calls, and raises IndexError on an empty reply.
SPATIAL_ROWS = [
    ("A\tB", "correct", "B", ""),
    ("A | B", "correct", "B", ""),
    ("A\\tB", "correct", "B", ""),
    ("A\t3.5\nmore lines", "correct", "3.5", ""),
    ("B,3", "incorrect", "3", ""),
    ("A) B", "correct", "B", "the extraction is ') B'"),
    ("A", "correct", "N/A", ""),
    ("C\t", "invalid", "N/A", ""),
    ("C: N/A", "invalid", "N/A", ""),
    ("A    12.5 cm", "correct", "12.5 cm", ""),
    ("CORRECT\tB", "correct", "B", "C"),
    ("Grade: A", "correct", "N/A", "C"),
    ("Grade: A\nExtracted: 4", "correct", "4", "C"),
    ("**A**\tB", "correct", "B", "C"),
    ('{"extracted": "B", "verdict": "A"}', "correct", "B", "C"),
    ('{"extracted": 7, "verdict": "B"}', "incorrect", "7", "C"),
    ("a\tB", "!contradictory", None, "C"),
    ("Answer A", "!off-menu", None, "C"),
    ("AB\tC", "!off-menu", None, "C"),
    ("A dog is shown", "!off-menu", None, "A"),
    ("A\tB\nVerdict: B", "!contradictory", None, "A"),
    ("", "!empty", None, "IndexError"),
]


@pytest.mark.parametrize(("reply", "label"), FREAK_ROWS, ids=lambda value: value[:30])
def test_freak(reply: str, label: str, read) -> None:
    assert read(FREAK, reply) == label


@pytest.mark.parametrize(("reply", "label"), SIMPLE_ROWS, ids=lambda value: value[:30])
def test_simple_vqa(reply: str, label: str, read) -> None:
    assert read(SIMPLE, reply) == label


@pytest.mark.parametrize(("reply", "label", "extracted", "upstream"), SPATIAL_ROWS, ids=lambda v: str(v)[:30])
def test_spatial_grader(reply: str, label: str, extracted: str | None, upstream: str, read) -> None:
    assert read(SPATIAL, reply) == label
    if extracted is not None:
        assert SPATIAL.parse(reply)[0].evidence == {"extracted": extracted}


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("not attempted", "not-attempted"),
        ("NOT_ATTEMPTED", "not-attempted"),
        ("verdict: Not-Attempted.", "not-attempted"),
        ('{"verdict": "not attempted"}', "not-attempted"),
        ("attempted", "!off-menu"),
    ],
)
def test_a_word_of_two_words(reply: str, label: str, read) -> None:
    assert read(DEFAULT, reply) == label


def test_scores() -> None:
    assert FREAK.parse("A")[0] == Ruling("correct", 1.0)
    assert FREAK.parse("C")[0] == Ruling("invalid", 0.0)


def test_a_first_line_of_the_prediction_is_not_the_grade(read) -> None:
    assert read(SPATIAL, "A\t4, says the response.", ("A\t4",)) == "!no-verdict"
    assert read(SPATIAL, "A\t4", ("A\t4",)) == "correct"
    assert read(SPATIAL, "A\t4\nIt fits.", ("It is 4.",)) == "correct"


def test_merging_keeps_the_extraction_of_the_majority() -> None:
    rulings = [SPATIAL.parse(reply)[0] for reply in ("B\t3", "A\t4", "A\t4.0")]
    merged = SPATIAL.merge(rulings)
    assert merged == Ruling("correct", 1.0, {"extracted": "4"})
    assert SPATIAL.merge([*rulings, SPATIAL.parse("C")[0]]) is None
