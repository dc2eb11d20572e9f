"""Which of two captions a reply names, as TempCompass reads it."""

from __future__ import annotations

import pytest

from mmeval.answers.tempcompass import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

ASKED = "Which caption matches the video better?"
PAIRS = {
    "Caption": f"{ASKED}\nCaption A: a man runs\nCaption B: a man walks: slowly",
    "Option": f"{ASKED}\nOption 1: a man runs\nOption 2: a man walks\nAnswer with one option.",
    "Sentence": f"{ASKED}\nSentence A: a man runs\nSentence B: a man walks",
}
# eval_rule of llyx97/TempCompass eval_caption_matching.py @ e1b463166400, run (but where a line has no ": ").
CASES = [
    ("Caption", "Caption A: a man runs", "Caption A: a man runs", True),
    ("Caption", "Caption A: a man runs", "Caption B: a man walks: slowly", False),
    ("Caption", "Caption A: a man runs", " A.</s>", True),
    ("Caption", "Caption A: a man runs", "B", False),
    ("Caption", "Caption A: a man runs", "Caption A.", True),
    ("Caption", "Caption A: a man runs", "a man runs", True),
    ("Caption", "Caption A: a man runs", "(A) a man runs", True),
    ("Caption", "Caption A: a man runs", "a man runs.", None),
    ("Caption", "Caption A: a man runs", "Caption A matches.", None),
    ("Caption", "Caption B: a man walks: slowly", "a man walks", True),
    ("Option", "Option 2: a man walks", "2", True),
    ("Option", "Option 2: a man walks", "Option 1", False),
    ("Option", "Option 2: a man walks", "Answer with one option.", None),
    ("Sentence", "Sentence B: a man walks", "B", True),
    ("Sentence", "Sentence B: a man walks", "Sentence", None),
    ("Sentence", "Sentence B: a man walks", "", None),
]


def graded(kind: str, gold: str, reply: str, exact: bool = False) -> bool | None:
    sample = Sample(1, PAIRS.get(kind, ASKED), Options(()), gold, (gold,), (), "open")
    return (RULES.exact if exact else RULES.rule)(reply, sample, Knobs()).hit


@pytest.mark.parametrize(("kind", "gold", "reply", "hit"), CASES)
def test_hit(kind: str, gold: str, reply: str, hit: bool | None) -> None:
    assert graded(kind, gold, reply) is hit
    assert graded(kind, gold, reply, exact=True) is hit


def test_a_question_without_its_captions_knows_the_gold_alone() -> None:
    assert graded("none", "Caption A: a man runs", "A") is True
    assert graded("none", "Caption A: a man runs", "B") is None


@pytest.mark.parametrize("gold", ["a man runs", ""])
def test_a_gold_that_is_no_line_is_refused(gold: str) -> None:
    sample = Sample(1, PAIRS["Caption"], Options(()), gold, (gold,), (), "open")
    assert RULES.rule("A", sample, Knobs()).invalid == "gold-not-an-option"
