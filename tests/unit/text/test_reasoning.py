import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.text.reasoning import final_part

CASES = [
    ("no-tags", "The answer is B.", "The answer is B.", "plain"),
    ("other-tag", "<b>B</b>", "<b>B</b>", "plain"),
    ("comparison", "3 < 5, so B", "3 < 5, so B", "plain"),
    ("closed", "<think>A?</think>B", "B", "reasoning-stripped"),
    ("thinking", "<thinking>A?</thinking>B", "B", "reasoning-stripped"),
    ("reasoning", "<REASONING>A?</REASONING>B", "B", "reasoning-stripped"),
    ("thought", "<thought>A?</thought>B", "B", "reasoning-stripped"),
    ("square", "[THINK]A?[/THINK]B", "B", "reasoning-stripped"),
    ("triangles", "◁think▷A?◁/think▷B", "B", "reasoning-stripped"),
    ("tokens", "<|begin_of_thought|>A?<|end_of_thought|>B", "B", "reasoning-stripped"),
    (
        "channels",
        "<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B",
        "B",
        "reasoning-stripped",
    ),
    ("several", "<think>A</think>C<think>no</think>B", "B", "reasoning-stripped"),
    ("nested", "<think>A<reasoning>C</reasoning>D</think>B", "B", "reasoning-stripped"),
    ("closing-only", "The answer is A perhaps\n</think>\nB", "\nB", "reasoning-stripped"),
    ("closing-only-twice", "A</think>C</think>B", "B", "reasoning-stripped"),
    ("answer-before", "B <reasoning>it barks</reasoning>\n", "B ", "reasoning-stripped"),
    ("nothing-after", "<think>It is B</think>", "", "reasoning-stripped"),
    ("unclosed", "<think>The answer is A if", "", "reasoning-unclosed"),
    ("reopened", "<think>A</think>B<think>no, wait", "", "reasoning-unclosed"),
    (
        "unclosed-with-answer",
        "<think>It barks. <answer>B</answer>",
        "<answer>B</answer>",
        "reasoning-stripped",
    ),
    ("unclosed-planning", "<think>I will write <answer> tags", "", "reasoning-unclosed"),
    ("empty", "", "", "plain"),
]


@pytest.mark.parametrize(("text", "rest", "kind"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_final_part(text: str, rest: str, kind: str) -> None:
    part = final_part(text)
    assert (text[part.start : part.end], part.kind) == (rest, kind)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<answer>", "</answer>", "B", " ", "[THINK]"])).map(
        "".join
    )
)
def test_the_part_lies_inside_the_text(text: str) -> None:
    part = final_part(text)
    assert 0 <= part.start <= part.end <= len(text)


@pytest.mark.parametrize("unit", ["<think>", "</think>", "<", "</answer>", "<think></think> ", "◁"])
def test_long_replies_are_read_in_no_time(unit: str) -> None:
    text = unit * (10_000 // len(unit))
    began = time.process_time()
    final_part(text)
    assert time.process_time() - began < 0.100  # 10 ms, with room for a coverage run on a busy machine
