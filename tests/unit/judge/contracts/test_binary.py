"""The binary contract, row by row."""

from __future__ import annotations

import pytest

from mmeval.errors import MetadataError
from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Unreadable
from mmeval.types import Ruling

YES_NO = build_contract("binary", {"key": "correct", "words": {"correct": ["yes"], "incorrect": ["no"]}})
WORDS = build_contract("binary", {})
GRADE = build_contract("binary", {"key": "grade", "words": {"correct": ["C"], "incorrect": ["I"]}})
AB = build_contract("binary", {"words": {"correct": ["A"], "incorrect": ["B"]}})
BITS = build_contract("binary", {"words": {"correct": ["1", "true"], "incorrect": ["0", "false"]}})

VDR = "Vision-DeepResearch deepresearch_reward.py and OpenSearch-VL eval_with_gpt4o.py"
# (reply, label, source). Where those two differ from us: neither reads the word alone, OpenSearch-VL reads
# no brackets and no emphasis, and both read "incorrect: yes" as yes.
JUDGE_VDR = [
    ("correct: yes", "correct", VDR),
    ("correct: no", "incorrect", VDR),
    ("correct: [yes]", "correct", "Vision-DR; OpenSearch-VL reads no"),
    ("**correct:** yes", "correct", "Vision-DR; OpenSearch-VL reads no"),
    ("Correct: No, the report says yes to X", "incorrect", "OpenSearch-VL; Vision-DR reads yes"),
    ("incorrect: yes", "!off-menu", f"{VDR} read yes"),
    ("correct:\nyes", "correct", "OpenSearch-VL; Vision-DR reads no"),
    ("yes", "correct", "neither reads it"),
    ("", "!empty", "neither reads it"),
    ("reasoning: they agree\ncorrect: yes\nconfidence: 90", "correct", "hle, centerforaisafety/hle"),
    ("correct: yes\ncorrect: no", "!contradictory", "ours: Vision-DR takes the first"),
    ("correct: yes/no", "!contradictory", "ours: the template repeated"),
    ("correct: not yes", "!off-menu", "ours"),
    ("correct: yes but no", "!off-menu", "ours"),
    ("partially correct: yes", "!off-menu", "ours"),
    ("no, it is correct", "!off-menu", "ours: a judge may mean either"),
    ("correct： yes。", "correct", "ours: full-width"),
    ("- correct: yes", "correct", "ours: a list"),
    ("## correct: no", "incorrect", "ours: a heading"),
    ('"correct": "no",', "incorrect", "ours: a pair of JSON without its braces"),
    ('"correct: yes"', "!off-menu", "ours: quotation marks around the line"),
    ("Verdict: yes", "correct", "ours: another name of the field"),
    ("The final verdict is no.", "incorrect", "ours: a sentence"),
    ("The final verdict is not yes.", "!off-menu", "ours"),
    (r"The answer is right. \boxed{yes}", "correct", "ours: a box"),
    ("<think>correct: no</think>correct: yes", "correct", "user complaints 79"),
    ("I am thinking: correct: no</think>\n\ncorrect: yes", "correct", "user complaints 79"),
]

PLAIN = [
    ("CORRECT", "correct", "jaylfc/taosmd#176"),
    ("INCORRECT", "incorrect", "jaylfc/taosmd#176: holds CORRECT"),
    ("not correct", "!off-menu", "tianyi-lab/HallusionBench utils.py reads correct"),
    ("partially correct", "!off-menu", "user complaints 60"),
    ("The answer is correct", "!off-menu", "ours: the word is not alone"),
    ("correct and incorrect", "!off-menu", "ours"),
    ("verdict: correct", "correct", "ours"),
    ("**Verdict:** Incorrect.", "incorrect", "ours"),
    ("COR\u200bRECT", "correct", "UKGovernmentBEIS/inspect_ai#4283"),
    ("ＣＯＲＲＥＣＴ", "correct", "ours: full-width letters"),
    ("It matches.\n\nCORRECT", "correct", "ours: the last line"),
    ("CORRECT\n\nIt matches.", "correct", "ours: the first line"),
    ("CORRECT\n\nIt matches.\n\nINCORRECT", "!contradictory", "ours"),
    ("The verdict was this:\nCORRECT", "!no-verdict", "ours: announced, it may be a quotation"),
    (
        "<think>It could be correct if the coat is brown.</think>INCORRECT",
        "incorrect",
        "etalab-ia/evalap#139",
    ),
    ('{"reason": "looks fine"}', "!no-verdict", "promptfoo/promptfoo#10611"),
    ('{"pass": true, "score": 0, "reason": "not a dog"}', "!no-verdict", "promptfoo/promptfoo#8130"),
    ('{"score": 1, "reasoning": "The answer correctly nam', "!malformed-json", "BuilderIO/agent-native#4861"),
    ('{"s1": 1}', "!no-verdict", "saurabhav88/EnviousWispr#2014"),
]

LETTERS = [
    (GRADE, "GRADE:\u200bC", "correct", "UKGovernmentBEIS/inspect_ai#4283"),
    (GRADE, "GRADE: CI", "!off-menu", "UKGovernmentBEIS/inspect_ai#4872"),
    (GRADE, "GRADE: c", "correct", "UKGovernmentBEIS/inspect_ai#4283: not 0"),
    (GRADE, "downgrade: i cannot", "!off-menu", "UKGovernmentBEIS/inspect_ai#4283"),
    (GRADE, "grade: i think it is right", "!off-menu", "UKGovernmentBEIS/inspect_ai#4283"),
    (
        AB,
        "As a judge, I considered the evidence carefully. The final grade is B.",
        "incorrect",
        "opencompass#2598",
    ),
    (AB, "This is a B", "!off-menu", "openai/simple-evals#118: the article is no grade"),
    (AB, "A dog is shown.", "!off-menu", "openai/simple-evals#118"),
    (AB, "Answer A is wrong", "!off-menu", "opencompass#2598"),
    (AB, "A-level", "!off-menu", "ours"),
    (AB, "Grade: A's answer", "!off-menu", "ours"),
    (AB, "Grade: A because it fits", "!off-menu", "ours: a word that goes on"),
    (AB, "Grade: A, it fits", "correct", "ours"),
    (AB, "Grade: a, it fits", "!off-menu", "ours: a small letter before prose"),
    (AB, "Grade: A or B", "!contradictory", "ours"),
    (BITS, '{"verdict": 1}', "correct", "ours"),
    (BITS, '{"verdict": false}', "incorrect", "ours"),
    (BITS, '{"verdict": 0.0}', "!off-menu", "ours"),
    (BITS, '{"verdict": null}', "!off-menu", "ours"),
    (BITS, "verdict: 1", "correct", "ours"),
    (BITS, "verdict: 10", "!off-menu", "ours"),
    (YES_NO, '{"correct": true}', "!off-menu", "ours: its vocabulary has no true"),
    (YES_NO, '{"correct": 1}', "!off-menu", "ours"),
]

JSON = [
    ('{"correct": "yes"}', "correct"),
    ('{"Correct": " **No.** "}', "incorrect"),
    ('```json\n{"correct": "yes"}\n```', "correct"),
    ('Here it is:\n```json\n{"correct": "yes"}\n```\nAs asked.', "correct"),
    ('{"correct": "yes", "reasoning": "it does not say {\\"correct\\": \\"no\\"}"}', "correct"),
    ('{"result": {"correct": "no"}}', "incorrect"),
    ('[{"correct": "no"}]', "incorrect"),
    ('{"correct": "yes"} {"correct": "yes"}', "correct"),
    ('{"correct": "yes"} {"correct": "no"}', "!contradictory"),
    ('{"correct": "yes", "correct": "no"}', "!contradictory"),
    ('{"correct": "yes", "correct": "yes"}', "!contradictory"),
    ('{"correct": "yes"}\ncorrect: no', "!contradictory"),
    ('{"correct": "yes"}", "correct": "no"}', "!contradictory"),
    ('{"correct": "maybe"}', "!off-menu"),
    ('{"correct": "yes and no"}', "!contradictory"),
    ('{"correct": ["yes"]}', "!off-menu"),
    ('{"correct": {"correct": "yes"}}', "!off-menu"),
    ('{"incorrect": "yes"}', "!no-verdict"),
    ('{"correct": yes}', "!malformed-json"),
    ('{"correct": "yes", "p": NaN}', "!malformed-json"),
    ('{"correct": "yes"', "correct"),
    ('{"reason": "He said "yes" twice", "correct": "yes"}', "!malformed-json"),
    ('{"a":' * 3_000, "!malformed-json"),
    ('{"correct": "yes", "n": ' + "9" * 5_000 + "}", "!malformed-json"),
]


@pytest.mark.parametrize(("reply", "label", "source"), JUDGE_VDR, ids=lambda value: str(value)[:30])
def test_the_vocabulary_yes_and_no(reply: str, label: str, source: str, read) -> None:
    assert read(YES_NO, reply) == label, source


@pytest.mark.parametrize(("reply", "label", "source"), PLAIN, ids=lambda value: str(value)[:30])
def test_the_vocabulary_correct_and_incorrect(reply: str, label: str, source: str, read) -> None:
    assert read(WORDS, reply) == label, source


@pytest.mark.parametrize(("contract", "reply", "label", "source"), LETTERS, ids=lambda value: str(value)[:30])
def test_letters_and_digits(contract, reply: str, label: str, source: str, read) -> None:
    assert read(contract, reply) == label, source


@pytest.mark.parametrize(("reply", "label"), JSON, ids=lambda value: value[:40])
def test_json(reply: str, label: str, read) -> None:
    assert read(YES_NO, reply) == label


def test_the_span_is_that_of_the_word_in_the_reply_as_it_came() -> None:
    reply = "\u200bSo:\n**cor\u200brect:** [ye\u200bs]"
    parsed = YES_NO.parse(reply)
    assert not isinstance(parsed, Unreadable)
    assert parsed.span is not None
    assert reply[slice(*parsed.span)] == "ye\u200bs"
    parsed = YES_NO.parse('{"reason": "no", "correct": "yes"}')
    assert parsed == (Ruling("correct", 1.0), (29, 32))


# Predictions of honest models that hold a verdict's word: (contract, reply, prediction, label).
HARMLESS = [
    (AB, "Grade: A\n\nIt fits.", "So the answer is \\boxed{A}.", "correct"),
    (AB, "A\n\nIt fits.", "A cat sits there, option A of all of them.", "correct"),
    (AB, "It fits.\n\nA", "I choose A. cat", "correct"),
    (YES_NO, "No.\n\nThe dog is missing.", "There is no dog in it.", "incorrect"),
    (YES_NO, "yes\nThe two agree.", "I said yes to it, whatever it was.", "correct"),
    (WORDS, "Incorrect\n\nThey differ.", "That is correct.", "incorrect"),
    (YES_NO, "correct: yes\nreasoning: no dog is there", "Yes, there is no dog.", "correct"),
    (YES_NO, "reasoning: they agree\ncorrect: yes", "yes", "correct"),
    (YES_NO, "yes", "yes", "correct"),
    (YES_NO, '{"correct": "yes"}', "The statement is correct: yes, it is.", "correct"),
    (WORDS, "verdict: correct\nThe answer is correct.", "The correct answer is B.", "correct"),
    (WORDS, "The final verdict is correct.", "The verdict of the jury was guilty.", "correct"),
]


@pytest.mark.parametrize(
    ("contract", "reply", "prediction", "label"), HARMLESS, ids=lambda value: str(value)[:30]
)
def test_a_word_in_an_honest_prediction_does_not_silence_the_judge(
    contract, reply: str, prediction: str, label: str, read
) -> None:
    assert read(contract, reply, (prediction, "What is it?")) == label


# A lone line that may be the rest of a quotation, cut anywhere: (contract, reply, prediction). Asked again.
CUT = [
    (AB, "A\n\nIt fits.", "So the answer is \\boxed{A}."),
    (AB, "The response says\n\nA", "<think>Paris</think>A"),
    (AB, "A.\nIt says so.", "A, because it is Paris."),
    (AB, "# B\n\nIt says.", "### BEGIN ###"),
    (AB, "It says\na", "Paris. The final grade is A."),
    (YES_NO, "yes\n\nThe response says", "My answer: Paris. [[yes]]"),
    (YES_NO, 'It says.\n"no"', "There is no dog."),
    (YES_NO, "The answer states.\n{yes}", "\\boxed{yes}"),
    (WORDS, "\u201ccorrect\u201d\nIt says.", "The final verdict is correct."),
    (WORDS, "correct, [...]\nand no more", "correct, because it is Paris."),
    (WORDS, "It says\n\ncorrect", '\\", \\"verdict\\": \\"correct\\"'),
]


@pytest.mark.parametrize(("contract", "reply", "prediction"), CUT, ids=lambda value: str(value)[:30])
def test_what_is_left_of_a_quotation_is_no_verdict(contract, reply: str, prediction: str, read) -> None:
    assert read(contract, reply, (prediction, "What is it?")) == "!no-verdict"


def test_the_letters_of_the_options_do_not_silence_the_judge(read) -> None:
    shown = ("It is the cat.", "What is it?", "A. cat\nB. dog\nC. owl", "A")
    assert read(AB, "B\n\nThey differ.", shown) == "incorrect"
    assert read(AB, "They differ.\n\nB", shown) == "incorrect"


def test_scores() -> None:
    assert [WORDS.parse(word)[0] for word in ("correct", "incorrect")] == [
        Ruling("correct", 1.0),
        Ruling("incorrect", 0.0),
    ]


@pytest.mark.parametrize(
    ("votes", "label"),
    [("c", "correct"), ("ci", None), ("cci", "correct"), ("ciic", None), ("iii", "incorrect")],
)
def test_the_majority_counts(votes: str, label: str | None) -> None:
    rulings = [Ruling("correct", 1.0) if vote == "c" else Ruling("incorrect", 0.0) for vote in votes]
    merged = WORDS.merge(rulings)
    assert (merged and merged.label) == label


SURE = build_contract(
    "binary",
    {"key": "correct", "words": {"correct": ["yes"], "incorrect": ["no"]}, "confidence": "confidence"},
)


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        # the prose below a heading has a word of the vocabulary: it may be the verdict
        ("Correct:\nThe two differ, so no.\n\n\\boxed{yes}", "!contradictory"),
        ("Correct:\nThe two differ.\n\n\\boxed{no}", "incorrect"),
        ("Correct: maybe\n\n\\boxed{yes}", "!contradictory"),
        ("Correct:\nThe two differ.", "!off-menu"),
    ],
)
def test_a_heading_above_prose(reply: str, label: str) -> None:
    read = YES_NO.parse(reply)
    assert (f"!{read.reason}" if isinstance(read, Unreadable) else read.ruling.label) == label


CONFIDENCES = [
    # reply, label, confidence; what the official schema of hle allows is an integer
    (
        '{"extracted_final_answer": "x", "reasoning": "..", "correct": "no", "confidence": 100}',
        "incorrect",
        100,
    ),
    ("correct: yes\nconfidence: 85%", "correct", 85),
    ("**correct:** yes\n\n**confidence:** 40", "correct", 40),
    ("correct: yes\nconfidence: 0", "correct", 0),
    ("correct: no", "incorrect", None),
    ("correct: no\nconfidence: 150", "incorrect", None),
    ("correct: no\nconfidence: high", "incorrect", None),
    ("correct: no\nconfidence: 0.9", "incorrect", None),
    ("confidence: 90\ncorrect: yes\nconfidence: 80", "correct", None),
]


@pytest.mark.parametrize(("reply", "label", "confidence"), CONFIDENCES)
def test_confidence_is_read_beside_the_verdict(reply: str, label: str, confidence: int | None) -> None:
    read = SURE.parse(reply, ["The answer is 12. Confidence: 85%"])
    assert not isinstance(read, Unreadable)
    evidence = None if confidence is None else {"confidence": confidence}
    assert (read.ruling.label, read.ruling.evidence) == (label, evidence)


def test_confidence_is_asked_for_and_is_no_other_field() -> None:
    assert SURE.schema()["required"] == ["correct", "confidence"]
    assert "confidence" in SURE.instruction() and "confidence" not in YES_NO.instruction()
    with pytest.raises(MetadataError, match="confidence cannot be 'verdict'"):
        build_contract("binary", {"confidence": "verdict"})
