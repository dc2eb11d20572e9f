"""What servers call the end of a reply, and what is made of it."""

from __future__ import annotations

import pytest

from mmeval.judge.endings import broken_off
from mmeval.judge.wire import Completion

ENDINGS = [
    ("stop", None, "OpenAI, vLLM, llama.cpp"),
    ("STOP", None, "Gemini"),
    ("eos_token", None, "text-generation-inference"),
    ("end_turn", None, "Anthropic"),
    ("COMPLETE", None, "Cohere"),
    ("tool_calls", None, "OpenAI: the text beside the call is whole"),
    ("", None, "says nothing"),
    (None, None, "says nothing"),
    ("length", "truncated", "OpenAI"),
    ("max_tokens", "truncated", "Anthropic"),
    ("MAX_TOKENS", "truncated", "Gemini"),
    ("model_length", "truncated", "Mistral"),
    ("content_filter", "content-filter", "OpenAI, Azure"),
    ("SAFETY", "content-filter", "Gemini"),
    ("sensitive", "content-filter", "Zhipu"),
    ("refusal", "content-filter", "Anthropic"),
    ("abort", "broken-off", "vLLM, SGLang"),
    ("error", "broken-off", "OpenRouter, Mistral"),
    ("insufficient_system_resource", "broken-off", "DeepSeek"),
    ("whatever", "broken-off", "nobody"),
]


@pytest.mark.parametrize(("finish", "why", "source"), ENDINGS, ids=lambda value: str(value)[:20])
def test_endings(finish: str | None, why: str | None, source: str) -> None:
    assert broken_off(Completion("correct", "m", finish, 10, 2), 2048) == why, source


@pytest.mark.parametrize(
    ("finish", "tokens", "room", "why"),
    [
        (None, 9, 10, None),
        (None, 10, 10, "truncated"),
        (None, None, 10, None),
        (None, 10, None, None),
        ("stop", 10, 10, None),
    ],
)
def test_tokens_tell_where_the_server_does_not(
    finish: str | None, tokens: int | None, room: int | None, why: str | None
) -> None:
    assert broken_off(Completion("correct", "m", finish, 10, tokens), room) == why
