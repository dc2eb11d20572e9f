"""The contracts that extract: an option, or a value."""

from __future__ import annotations

import pytest

from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Unreadable
from mmeval.types import Ruling

TEXTS = ["cat", "dog", "red fox", "owl"]
OPTION = build_contract("extract-option", {"labels": list("ABCD"), "texts": TEXTS})
BARE = build_contract("extract-option", {"labels": list("ABCD")})
SET = build_contract("extract-option", {"labels": list("ABCD"), "texts": TEXTS, "several": True})
YES_NO = build_contract("extract-option", {"labels": ["yes", "no"], "none": "unknown"})
TENTH = build_contract("extract-option", {"labels": [str(number) for number in range(1, 12)]})
ALPHABET = build_contract("extract-option", {"labels": [chr(65 + at) for at in range(26)]})
VALUE = build_contract("extract-value", {})

ROWS = [
    (OPTION, "B", "B", "plain"),
    (OPTION, "b", "B", "plain"),
    (OPTION, "(B)", "B", "brackets"),
    (OPTION, "**B**.", "B", "emphasis"),
    (OPTION, "B. dog", "B", "with its text"),
    (OPTION, "(C) Red fox.", "C", "with its text"),
    (OPTION, "dog", "B", "text alone"),
    (OPTION, "Answer: C", "C", "a line"),
    (OPTION, "Answer: C. red fox, for it is red", "C", "a line"),
    (OPTION, "The answer is B.", "B", "a sentence"),
    (OPTION, "Option D", "D", "named"),
    (OPTION, "选项D", "D", "named"),
    (OPTION, "答案：D", "D", "a line"),
    (OPTION, "Z", "Z", "none of them"),
    (OPTION, '{"answer": "B"}', "B", "JSON"),
    (OPTION, '{"answer": "B. dog"}', "B", "JSON"),
    (OPTION, '{"answer": "E"}', "!off-menu", "JSON"),
    (OPTION, "B. cat", "!contradictory", "label and text differ"),
    (OPTION, "A dog", "!contradictory", "the article, or the label"),
    (OPTION, "A or B", "!off-menu", "two"),
    (OPTION, "AC", "!off-menu", "two"),
    (OPTION, "E", "!off-menu", "no such option"),
    (OPTION, "Answer: B, not C", "!off-menu", "two named"),
    (OPTION, "Answer: B\nAnswer: C", "!contradictory", "two"),
    (OPTION, "The single letter answer, based on popular culture, is:\n\nE", "!no-verdict", "paper-qa#693"),
    (BARE, "B. dog", "B", "text unknown"),
    (BARE, "B because it barks", "!off-menu", "goes on"),
    (BARE, "A. No, B", "!off-menu", "two named"),
    (YES_NO, "Yes", "yes", "VLMEvalKit yorn.py"),
    (YES_NO, "No.", "no", "VLMEvalKit yorn.py"),
    (YES_NO, "Unknown", "unknown", "VLMEvalKit yorn.py"),
    (YES_NO, "Answer: No, there is none", "no", "a line"),
    (YES_NO, "yes and no", "!off-menu", "VLMEvalKit: Unknown"),
    (YES_NO, "Yes, No", "!off-menu", "VLMEvalKit: Unknown"),
    (YES_NO, "not yes", "!off-menu", "VLMEvalKit reads yes"),
    (YES_NO, "notice", "!off-menu", "VLMEvalKit#73"),
    (TENTH, "10", "10", "inspect_ai#4590"),
    (TENTH, "1", "1", "inspect_ai#4590"),
    (TENTH, '{"answer": 11}', "11", "JSON"),
    (TENTH, "101", "!off-menu", "inspect_ai#4590"),
    (ALPHABET, "Z", "Z", "an option of this name"),
    (ALPHABET, "none", "none", "none, where Z is an option"),
    (SET, "A, C", "A,C", "several"),
    (SET, "C and A", "A,C", "in the options' order"),
    (SET, "AC", "A,C", "run together"),
    (SET, "A", "A", "one of several"),
    (SET, "A. cat, C. red fox", "A,C", "with texts (TempCompass)"),
    (SET, '{"answer": ["C", "A"]}', "A,C", "JSON"),
    (SET, '{"answer": "A, C"}', "A,C", "JSON"),
    (SET, '{"answer": ["C", "X"]}', "!off-menu", "JSON"),
    (SET, '{"answer": []}', "!off-menu", "JSON"),
    (SET, "Z", "Z", "none of them"),
    (SET, "A, Z", "!contradictory", "one, and none"),
    (SET, "A, C and the rest", "!off-menu", "goes on"),
    (SET, "A cat, perhaps", "!off-menu", "goes on"),
    (VALUE, "14", "14", "plain"),
    (VALUE, "Extracted answer: **12.5 cm**", "12.5 cm", "MathVista"),
    (VALUE, "Extracted Answer: 14.0\n", "14.0", "as it is written"),
    (VALUE, '{"answer": 3.50}', "3.5", "JSON"),
    (VALUE, '{"answer": "3.50"}', "3.50", "JSON"),
    (VALUE, "答案：\u201c５\u201d", "５", "as it is written"),
    (VALUE, r"\boxed{\frac{1}{2}}", r"\frac{1}{2}", "a box"),
    (VALUE, '"a" and "b"', '"a" and "b"', "marks that do not belong together"),
    (VALUE, "NONE", "", "none"),
    (VALUE, "Answer: None.", "", "none"),
    (VALUE, "Answer:", "!off-menu", "nothing said is not none"),
    (VALUE, '{"answer": ""}', "!off-menu", "nothing said is not none"),
    (VALUE, '{"answer": null}', "!off-menu", "nothing said is not none"),
    (VALUE, "I think\nit is 5", "!no-verdict", "prose"),
    (VALUE, "Answer: 5\nAnswer: 6", "!contradictory", "two"),
]


@pytest.mark.parametrize(("contract", "reply", "label", "source"), ROWS, ids=lambda value: str(value)[:30])
def test_extractions(contract, reply: str, label: str, source: str, read) -> None:
    assert read(contract, reply) == label, source


def test_the_score_is_left_to_the_stage() -> None:
    assert OPTION.parse("B") == (Ruling("B"), (0, 1))
    assert VALUE.parse("Answer: 5") == (Ruling("5"), (8, 9))


QUOTES = [
    (OPTION, "B. dog", "The answer is B. dog, I think", "B"),
    (OPTION, "Answer: B", "Answer: B", "B"),
    (OPTION, '{"answer": "B"}', '{"answer": "B"}', "B"),
    (OPTION, 'It ends in {"answer": "B"} but picks C.', 'I pick C. {"answer": "B"}', "!no-verdict"),
    (OPTION, "It says:\nI pick C.\nAnswer: B\nAnswer: C", "I pick C.\nAnswer: B", "C"),
    (VALUE, "5 cm", "I measured 5 cm there.", "5 cm"),
]


@pytest.mark.parametrize(("contract", "reply", "prediction", "label"), QUOTES, ids=lambda v: str(v)[:30])
def test_an_extraction_may_repeat_the_prediction(contract, reply, prediction, label, read) -> None:
    assert read(contract, reply, (prediction,)) == label


def test_the_set_is_asked_for_as_a_list() -> None:
    schema = SET.schema()["properties"]["answer"]
    assert schema == {"type": "array", "items": {"type": "string", "enum": ["A", "B", "C", "D", "Z"]}}


def test_merging_needs_a_majority_for_one_label() -> None:
    votes = [OPTION.parse(reply)[0] for reply in ("B", "B. dog", "C")]
    assert OPTION.merge(votes) == Ruling("B")
    assert VALUE.merge([Ruling("1"), Ruling("2")]) is None


def test_a_reply_in_reasoning_is_none() -> None:
    assert OPTION.parse("<think>B</think>") == Unreadable("reasoning-only")
