"""Announcements of an answer."""

from __future__ import annotations

import pytest

from mmeval.text.cues import bare, first_sentence, last_cue

CUES = [
    ("The answer is Paris", "Paris"),
    ("ANSWER: 5", "5"),
    ("Final Answer = 5", "5"),
    ("**Answer:** 42", "42"),
    ("The final answer is:\n\n42\nbye", "42"),
    ("So the answer would be no.", "no."),
    ("答案是5", "5"),
    ("最终答案：是", "是"),
    ("The answer is A. Wait, the answer is B.", "B."),
    ("I answered it", None),
    ("no cue here", None),
    ("", None),
]


@pytest.mark.parametrize(("text", "rest"), CUES)
def test_last_cue(text: str, rest: str | None) -> None:
    span = last_cue(text, 0, len(text))
    assert (None if span is None else text[slice(*span)]) == rest


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Paris. It is.", "Paris"),
        ("It is 3.5 m.", "It is 3.5 m"),
        ("**Paris.** Yes", "**Paris"),
        ("是。好", "是"),
        ("x", "x"),
    ],
)
def test_first_sentence(text: str, sentence: str) -> None:
    assert text[slice(*first_sentence(text, 0, len(text)))] == sentence


@pytest.mark.parametrize(("text", "inside"), [(' **"Paris"** ', "Paris"), ("**", ""), ("a", "a")])
def test_bare(text: str, inside: str) -> None:
    assert text[slice(*bare(text, 0, len(text)))] == inside
