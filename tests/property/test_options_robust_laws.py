"""Laws of the default option rules."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval.options.robust import RULES
from mmeval.reading import Knobs
from mmeval.types import Options, Sample

TEXTS = ("cat", "dog", "fox", "owl")
LABELS = ("A", "B", "C", "D")
PIECES = [
    *(
        "A",
        "B",
        "(C)",
        "D.",
        "the answer is",
        "Answer:",
        "not",
        "option",
        "so",
        "cat",
        "dog",
        "or",
        "and",
        "is",
    ),
    *(
        "correct",
        "wrong",
        ".",
        "\n",
        "**",
        "<think>",
        "</think>",
        r"\boxed{",
        "}",
        "选",
        "答案",
        "wait",
        "I",
        "a",
    ),
]
replies = st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join) | st.text(max_size=60)


def grade(reply: str, gold: str, texts: tuple[str, ...] = TEXTS, labels: tuple[str, ...] = LABELS):
    sample = Sample(1, "", Options(labels, texts, "options"), gold, (gold,), (reply,), "mcq")
    return RULES.rule(reply, sample, Knobs())


@given(replies, st.sampled_from(LABELS), st.sampled_from(LABELS))
def test_the_gold_never_chooses_the_reading(reply: str, one: str, other: str) -> None:
    assert grade(reply, one).found == grade(reply, other).found


@given(replies, st.sampled_from(LABELS))
def test_a_hit_is_what_was_read(reply: str, gold: str) -> None:
    reading = grade(reply, gold)
    assert reading.hit == (None if reading.found.value is None else reading.found.value == gold)
    span = reading.found.span
    assert span is None or 0 <= span[0] <= span[1] <= len(reply)


@given(replies)
def test_what_is_read_exactly_is_read_the_same_in_prose(reply: str) -> None:
    sample = Sample(1, "", Options(LABELS, TEXTS, "options"), "B", ("B",), (reply,), "mcq")
    exact = RULES.exact(reply, sample, Knobs()).found
    later = r"\boxed" in reply
    assert exact.value is None or later or exact.value == RULES.rule(reply, sample, Knobs()).found.value


@given(st.sampled_from(LABELS), st.permutations(TEXTS))
def test_permuting_options_moves_the_letter_with_its_text(gold: str, order: list[str]) -> None:
    text = TEXTS[LABELS.index(gold)]
    moved = LABELS[order.index(text)]
    for form in (
        "{0}",
        "({0})",
        "Answer: {0}",
        "The answer is {0}. {1}",
        r"\boxed{{{0}}}",
        "{1}",
        "It is the {1}.",
    ):
        assert grade(form.format(gold, text), gold).hit is True
        assert grade(form.format(moved, text), moved, tuple(order)).hit is True


@given(st.sampled_from(LABELS), st.sampled_from(LABELS))
def test_the_gold_in_any_plain_form_is_a_hit_and_another_letter_is_not(letter: str, gold: str) -> None:
    for form in (
        "{}",
        "{}.",
        "({})",
        "**{}**",
        "${}$",
        "Answer: {}",
        "the answer is {}",
        "<answer>{}</answer>",
        "故选{}",
    ):
        assert grade(form.format(letter), gold).hit is (letter == gold)


@given(st.sampled_from(LABELS))
def test_a_rejected_letter_is_never_credited(letter: str) -> None:
    for form in (
        "The answer is not {}.",
        "It is not {}.",
        "{} is wrong.",
        "Option {} is incorrect.",
        "不选{}",
    ):
        assert grade(form.format(letter), letter).hit is not True


UNITS = [
    *(
        "A ",
        "(A) ",
        "the answer is ",
        "answer: ",
        "so ",
        "Option A: ",
        "**",
        "(",
        r"\boxed{",
        "A. cat\n",
        "not A ",
    ),
    *(
        "选",
        "答案",
        "A is ",
        "wait ",
        "\n",
        "cat ",
        "A or ",
        "a",
        "12 ",
        "correct ",
        "option ",
        "Ａ",
        "it is A, ",
    ),
]


@pytest.mark.parametrize("unit", UNITS)
def test_no_reply_takes_long_and_time_grows_linearly(unit: str) -> None:
    def seconds(length: int) -> float:
        reply = (unit * length)[:length]
        best = 1.0
        for _ in range(3):
            began = time.process_time()
            grade(reply, "B")
            best = min(best, time.process_time() - began)
        return best

    # The law is 10 ms; a coverage run on a busy machine is several times slower, a quadratic rule far more.
    assert seconds(10_000) < 0.100
    assert seconds(80_000) < 0.960
