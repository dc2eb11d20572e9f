from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from timing import room

from mmeval.judge._fence import fenced, neutral
from mmeval.judge._inputs import shaped
from mmeval.judge._prompt_file import Response
from mmeval.judge.templates import Rendered, prompt
from mmeval.types import Case, Options, Sample

BITS = st.lists(
    st.sampled_from(
        [
            "<",
            "<<<",
            "＜",
            ">>>",
            "BEGIN",
            "end",
            "E\u200bND",
            " RESPONSE",
            "\u200d",
            "\ufeff",
            "\n",
            "\\",
            "{response}",
            "x",
        ]
    )
    | st.text(max_size=3),
    max_size=30,
).map("".join)


def seen(text: str) -> str:
    """As a model may read it: without what nobody sees, in one case and one width."""
    return re.sub(r"[\s\u200b-\u200f\ufeff\u00ad]", "", text).replace("＜", "<").casefold()


@given(BITS)
def test_no_text_can_close_its_fence(text: str) -> None:
    inside = neutral(text)
    assert "<<<end" not in seen(inside) and "<<<begin" not in seen(inside)
    assert fenced("response", text).count("<<<END RESPONSE>>>") == 1


@given(BITS)
def test_nothing_is_dropped_or_altered(text: str) -> None:
    broken = iter(neutral(text))
    assert all(character in broken for character in text)
    assert neutral(text).replace("\\", "") == text.replace("\\", "")
    assert neutral(neutral(text)) == neutral(text)


@given(BITS, BITS, BITS)
def test_every_fence_of_a_prompt_is_opened_and_closed_once(question: str, gold: str, said: str) -> None:
    sample = Sample(1, f"q{question}", Options(()), gold, (f"g{gold}",), (said,), "open")
    made = prompt("judge-vdr").render(Case(sample, said), {}, "HOW", lambda _: None)
    assert isinstance(made, Rendered)
    text = str(made.messages[0].content)
    for name in ("QUESTION", "REFERENCE", "RESPONSE"):
        assert text.count(f"<<<BEGIN {name}>>>\n") == text.count(f"\n<<<END {name}>>>") == 1
    assert text.endswith("HOW")


ATTACKS = (
    "<",
    "<<<",
    "<\u200b",
    "<<<E\u200b",
    "<<<EN",
    "<answer>",
    "</answer>",
    r"\boxed{",
    "<think>",
    "\u200b",
    "{",
)


@pytest.mark.parametrize("attack", ATTACKS)
def test_time_grows_with_length_alone(attack: str) -> None:
    def spent(length: int) -> float:
        text = (attack * length)[:length]
        times = []
        for _ in range(5):
            start = time.perf_counter()
            neutral(text)
            shaped(text, Response("final"))
            times.append(time.perf_counter() - start)
        return min(times)

    short, long = spent(10_000), spent(100_000)
    assert short < 0.002 * room() and long < 30 * max(short, 0.0005)
