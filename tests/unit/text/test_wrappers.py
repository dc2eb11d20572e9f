import time

import pytest

from mmeval.text.wrappers import answer_tag, boxed, json_answer, peel, strip, unwrap

CASES = [
    ("plain", "The answer is B.", "The answer is B.", "plain", None),
    ("box-tokens", "<|begin_of_box|>B<|end_of_box|>", "B", "answer-tag", None),
    ("end-token", "B<|im_end|>", "B", "plain", None),
    ("end-tokens", "B</s> <|endoftext|>\n", "B", "plain", None),
    ("speaker", "Falcon: (B)", "B", "plain", None),
    ("conclusion", "<CONCLUSION> **B** </CONCLUSION>", "B", "answer-tag", None),
    ("answer", "<answer>B</answer>", "B", "answer-tag", None),
    ("answer-last", "<answer>A</answer> Wait. <answer>B</answer>", "B", "answer-tag", None),
    ("answer-unclosed", "<answer>\nB\n", "B", "answer-tag", None),
    ("answer-empty", "<answer></answer>", "", "answer-tag", "empty-answer"),
    ("answer-with-box", r"<answer>\boxed{B}</answer>", "B", "boxed", None),
    ("box", r"so \boxed{\text{B}}.", "B", "boxed", None),
    ("box-nested", r"\boxed{\frac{1}{2}}", r"\frac{1}{2}", "boxed", None),
    ("box-last", r"\boxed{A} no, \boxed{B}", "B", "boxed", None),
    ("box-in-math", r"\(\boxed{C}\)", "C", "boxed", None),
    ("box-bare", r"$\boxed B$", "B", "boxed", None),
    ("box-unterminated", r"\boxed{B", "", "boxed", "box-unterminated"),
    ("box-last-unterminated", r"\boxed{A} hmm \boxed{B", "", "boxed", "box-unterminated"),
    ("json", '{"answer": "B"}', "B", "json", None),
    ("json-fenced", '```json\n{"why": "x", "final_answer": "B. dog"}\n```', "B. dog", "json", None),
    ("json-number", '{"answer": 12}', "12", "json", None),
    ("json-single-quotes", "{'answer': 'B'}", "B", "json", None),
    ("json-other", '{"colour": "red"}', '"colour": "red"', "plain", None),
    ("two-brackets", "(A) or (B)", "(A) or (B)", "plain", None),
    ("two-bolds", "**A** and **B**", "**A** and **B**", "plain", None),
    ("bold-bracket", "**(B)**", "B", "plain", None),
    ("math", r"$\mathrm{B}$", "B", "plain", None),
    ("reasoning", "<think>A?</think> **B**", "B", "plain", None),
    ("reasoning-unclosed", "<think>B", "", "plain", "reasoning-unclosed"),
    ("nothing", " \n", "", "plain", "empty-answer"),
]


@pytest.mark.parametrize(
    ("text", "inner", "container", "problem"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_unwrap(text: str, inner: str, container: str, problem: str | None) -> None:
    content = unwrap(text)
    assert (content.container, content.problem) == (container, problem)
    assert text[content.start : content.end] == inner


def test_the_parts_answer_none_where_there_is_nothing() -> None:
    text = "a dog"
    assert answer_tag(text, 0, 5) is None
    assert boxed(text, 0, 5) is None
    assert json_answer(text, 0, 5) is None
    assert json_answer("{}", 0, 2) is None
    assert strip(text, 0, 5) == (0, 5)
    assert strip("a [dog]", 0, 7) == (0, 7)
    assert peel(text, 0, 5) == (0, 5)


@pytest.mark.parametrize(
    "unit",
    ["(", "()", "{", r"\boxed{", "</s>", " ", "<answer>", r"\boxed{a}", "**", '{"answer":"', r"\text{"],
)
def test_long_replies_are_unwrapped_in_no_time(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    began = time.process_time()
    unwrap(text)
    assert time.process_time() - began < 0.100  # 10 ms, with room for a coverage run on a busy machine
