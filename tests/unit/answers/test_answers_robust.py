"""Our reading of open answers."""

from __future__ import annotations

import pytest

from mmeval.answers.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample


def _sample(*golds: str) -> Sample:
    return Sample(1, "What is it?", Options(()), golds[0], golds, (), "open")


HITS = [
    # gold, prediction, hit, rule
    ("Paris", "paris ", True, "whole-answer"),
    ("1995", "1995.", True, "whole-answer"),
    ("5", "５", True, "whole-answer"),
    ("NA", "NA", True, "whole-answer"),
    ("tower bridge", "“Tower  Bridge.”", True, "whole-answer"),
    ("(0,1)", "(0, 1)", True, "whole-answer"),
    ("(0, 1)", "[0, 1]", False, "whole-answer"),
    ("(0, 1)", "(0, 1.5)", False, "whole-answer"),
    ("3x-y+13=0", "3x+4y+14=0", False, "whole-answer"),
    ("Paris", r"\boxed{Paris}", True, "whole-answer"),
    ("Paris", "<think>Rome</think>Paris", True, "whole-answer"),
    ("tower bridge", "The tower bridge", False, "whole-answer"),
    ("Paris", "Not Paris.", False, "whole-answer"),
    ("Paris", "The answer is Paris.", True, "cue"),
    ("Paris", "The answer is Paris. It is in France.", True, "cue"),
    ("New York", "Final answer: **New York**\nbecause of the skyline", True, "cue"),
    ("Paris", "The answer is not Paris.", False, "cue"),
    ("Paris", "The answer is Rome. No: the answer is Paris.", True, "cue"),
    ("Rome", "The answer is Rome. No: the answer is Paris.", False, "cue"),
    ("Paris", "It is the capital of France, which lies on a river and is called, as you know, Paris.", None,
     "no-announced-answer"),
    ("1995", "It was built in 1995.", True, "only-number"),
    ("5000", "Solution A gives the area; the missing gain is 7000.", False, "only-number"),
    ("OPEN", "The sign says: Open 24h", False, "whole-answer"),
    (r"24+4\pi", r"\boxed{24 + 4\pi}", True, "whole-answer"),
    (r"$5 \sqrt{3}$", r"$5\sqrt3$", True, "whole-answer"),
    (r"27000-4500\pi", "27000 - 4500π", True, "whole-answer"),
    (r"24+4\pi", r"24-4\pi", False, "whole-answer"),
    (r"\frac{1}{2}", "1/2", True, "whole-answer"),
    (r"\frac{1}{2}", r"\boxed{\dfrac12}", True, "whole-answer"),
    (r"\frac{1}{2}", r"\boxed{0.5}", True, "boxed"),
    (r"\frac{1}{2}", "2/1", False, "bare-number"),
    ("1:2", "1 : 2", True, "whole-answer"),
    ("4", r"\boxed{4!}", False, "whole-answer"),
    ("4!", r"\boxed{4!}", True, "whole-answer"),
    ("4!", "4", False, "whole-answer"),
    ("4", "4!", True, "whole-answer"),
    ("Happy 2020!", "Happy 2020", True, "whole-answer"),
    ("x", "", None, "empty-answer"),
    ("x", "\n", None, "empty-answer"),
]  # fmt: skip


@pytest.mark.parametrize(("gold", "prediction", "hit", "rule"), HITS)
def test_rule(gold: str, prediction: str, hit: bool | None, rule: str) -> None:
    reading = RULES.rule(prediction, _sample(gold), Knobs())
    assert (reading.hit, reading.found.rule) == (hit, rule)
    assert (reading.found.value is None) == (hit is None)


def test_exact_decides_hits_only() -> None:
    assert RULES.exact("New York City.", _sample("NYC", "New York City"), Knobs()).hit is True
    assert RULES.exact("The answer is NYC", _sample("NYC"), Knobs()).found.value is None


CONTAINS = [
    ("OPEN", "The sign says: Open 24h", True),
    ("open", "reopened", False),
    ("5", "25", False),
    ("5", "It is 5.5", False),
    ("500", "It costs 1,500", False),
    ("5", "It is 5, not 6", True),
    ("open", "It is not open today", False),
    ("dog", "It isn't a dog", False),
    ("dog", "not a cat, a dog", True),
    ("北京", "这是北京", True),
]


@pytest.mark.parametrize(("gold", "prediction", "hit"), CONTAINS)
def test_contains_is_bounded_by_words_and_never_credits_a_denial(
    gold: str, prediction: str, hit: bool
) -> None:
    reading = RULES.rule(prediction, _sample(gold), Knobs(string_match="contains"))
    assert bool(reading.hit) is hit


@pytest.mark.parametrize(
    ("gold", "prediction", "threshold", "hit"),
    [
        ("michael jordan", "Micheal Jordan", 0.5, True),
        ("michael jordan", "Micheal Jordan", 0.95, False),
        ("michael jordan", "The answer is Micheal Jordan", 0.8, True),
        ("abcd", "abxyz", 0.5, False),
        ("abcd", "abxy", 0.5, True),
    ],
)
def test_anls_is_a_threshold(gold: str, prediction: str, threshold: float, hit: bool) -> None:
    knobs = Knobs(string_match="anls", anls_threshold=threshold)
    assert RULES.rule(prediction, _sample(gold), knobs).hit is hit


def test_span_is_where_the_answer_stood() -> None:
    text = "I think so. The answer is **Paris**."
    found = RULES.rule(text, _sample("paris"), Knobs()).found
    assert found.span is not None and text[slice(*found.span)] == found.value
