"""MATH-Vision's reading. Expected: its evaluate.py @ a1f5cc3add20 (mathllm/MATH-V), run on our inputs."""

from __future__ import annotations

import pytest

from mmeval.answers.mathvision import RULES, answer_of
from mmeval.numbers.mathvision import RULES as NUMBERS
from mmeval.options.mathvision import RULES as OPTIONS
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

ANSWERS = [
    ("20", "20"),
    ("A", "a"),
    ("The answer is 60.", "60"),
    ("so it is 12", "12"),
    ("It is 12.5.", "12.5"),
    ("B\nbecause", "b"),
    ("(C)\nyes", "c"),
    ("(D) D\nyes", "d"),
    ("I choose (E).", "e"),
    ("I choose B.", "b"),
    ("\\boxed{7}", "7"),
    ("x \\boxed{1} and \\boxed{\\frac12}", "\\frac12"),
    ("The final answer is 3 cm. Really", "3cm"),
    ("Thus the correct answer is: 5\nDone", "5"),
    ("The answer should be 8 m", "8m"),
    ("\\boxed{x = 4}", "4"),
    ("\\boxed{\\text{(a)}}", "a"),
    ("\\boxed{30^{\\circ}}", "30"),
    ("\\boxed{\\dfrac{3}{4}}", "\\frac{3}{4}"),
    ("\\boxed{2\\sqrt3}", "2\\sqrt{3}"),
    ("1/2", "\\frac{1}{2}"),
    ("0.5", "\\frac{1}{2}"),
    (".25", "0.25"),
    ("\\boxed{12\\%}", "12"),
    ("\\boxed{5 \\text{ km}}", "5"),
    ("\\boxed{1}} and {2}", "1"),
    ("\\boxed{unclosed", "\\boxed{unclosed"),
    ("answer: $3\\,000$", "answer:3000"),
    ("\\boxed{\\left(1, 2\\right)}", "(1,2)"),
    ("-3/4", "\\frac{-3}{4}"),
    ("1/2/3", "1/2/3"),
    ("\\boxed{}", "\\boxed"),
    ("\\boxed{\\frac\\pi2}", "\\frac\\pi2"),
    ("\\boxed{\\frac1}", "\\frac1"),
    ("BOXED{4}", "4"),
    ("is nan", "nan"),
    ("A.", "a"),
    (": 7.", "7"),
    ("{e}", "e"),
    ("007/8", "007/8"),
]
VERDICTS = [
    ((), "60", "\\boxed{60}", True),
    ((), "8.0", "8", True),
    ((), "4.5", "\\boxed{\\frac{9}{2}}", True),
    ((), "\\frac{1}{60}", "\\boxed{\\frac{1}{55}}", True),
    ((), "525/2", "262.5", True),
    ((), "1", "\\boxed{1:1}", True),
    ((), "11 ", "11", True),
    ((), "96\\pi+120", "\\boxed{120+96\\pi}", True),
    ((), "3", "3 cm", False),
    ((), "3", "\\boxed{3}.", True),
    ((), "(6,2,1)", "\\boxed{(6.0, 2, 1)}", True),
    ((), "(6,2,1)", "\\boxed{(6,2,2)}", False),
    ((), "[1.234,2]", "[1.231, 2]", True),
    (("5", "7", "9"), "B", "B", True),
    (("5", "7", "9"), "B", "7", True),
    (("5", "7", "9"), "B", "14/2", True),
    (("5", "7", "9"), "B", "C", False),
    (("$1: 2$", "$3$"), "A", "\\boxed{\\frac{1}{2}}", True),
    (("red", "blue"), "A", "\\boxed{Red}", True),
    (("red", "blue"), "A", "It is red.", False),
    ((), "10", "5-", False),
    ((), "5", "no idea", False),
]


@pytest.mark.parametrize(("reply", "answer"), ANSWERS, ids=[reply for reply, _ in ANSWERS])
def test_the_short_answer_of_a_reply(reply: str, answer: str) -> None:
    assert answer_of(reply) == answer


@pytest.mark.parametrize(("options", "gold", "reply", "right"), VERDICTS)
def test_verdicts(options: tuple[str, ...], gold: str, reply: str, right: bool) -> None:
    told = Options(tuple("ABCDE"[: len(options)]), options, "options" if options else "none")
    sample = Sample(1, "", told, gold, (gold,), (reply,), "mcq" if options else "open")
    rules = OPTIONS if options else RULES
    assert rules.rule(reply, sample, Knobs()).hit is right
    assert NUMBERS.exact(reply, sample, Knobs()).hit is right


def _open(gold: str, reply: str) -> tuple[bool | None, str, str | None]:
    reading = RULES.rule(reply, Sample(1, "", Options(()), gold, (gold,), (reply,), "open"), Knobs())
    return reading.hit, reading.found.rule, reading.invalid


def test_what_is_not_read() -> None:
    assert _open("1", "\\boxed{2\\sin 30^\\circ}") == (None, "formula-not-known", None)
    assert _open("1", "  ") == (None, "empty-answer", None)
    assert _open(" ", "1") == (None, "blank-reference", "blank-reference")
    assert _open("\\cos^2\\alpha", "\\boxed{\\cos^2\\alpha}")[0] is True
