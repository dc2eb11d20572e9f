"""Options that a judge marks as a list does: one is an answer, several are none."""

from __future__ import annotations

import pytest

from mmeval.judge.contracts.base import Parsed, Unreadable
from mmeval.judge.contracts.extract_option import ExtractOption

MARKED = ExtractOption(labels=["A", "B", "C", "D"], none="none", marked=True)

# What the judge of TempCompass captioning replies (eval_captioning.py@e1b463166400), in words of our own.
REPLIES = [
    ("Answer: B. jumping", "B"),
    ("Answer: B", "B"),
    ("Reasoning: a B-side, then A. or C.\nAnswer: B. jumping", "B"),
    ("Answer: A. A cat sleeps, and then a dog barks", "A"),
    ("Answer: (C) running", "C"),
    ("Answer: A. jumping, B. running", "none"),
    ("Answer: C. jumping and D. running", "none"),
    ("Answer: Either A. left or B. right.", "none"),
    ("Answer: None of the choices are correct.", "none"),
    ("Answer: All of the choices are correct", "none"),
    ("Answer: **Neither of these**", "none"),
    ("Answer: none", "none"),
    ('{"answer": "D"}', "D"),
]


@pytest.mark.parametrize(("reply", "label"), REPLIES)
def test_marked_options(reply: str, label: str) -> None:
    read = MARKED.parse(reply)
    assert isinstance(read, Parsed)
    assert read.ruling.label == label


@pytest.mark.parametrize("reply", ["Answer: perhaps A. left", "Answer: it depends", "Answer:"])
def test_what_marks_nothing_at_its_start_is_read_as_without_marks(reply: str) -> None:
    assert isinstance(MARKED.parse(reply), Unreadable)


def test_without_the_parameter_several_options_are_no_verdict() -> None:
    plain = ExtractOption(labels=["A", "B", "C", "D"], none="none")
    assert isinstance(plain.parse("Answer: A. jumping, B. running"), Unreadable)
    assert isinstance(plain.parse("Answer: None of the choices are correct."), Unreadable)
