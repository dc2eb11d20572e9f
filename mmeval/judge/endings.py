"""Whether a reply came to its own end: what servers call the reason why one stops."""

from __future__ import annotations

from mmeval.judge.wire import Completion

# OpenAI, vLLM, llama.cpp: stop; text-generation-inference: eos_token, stop_sequence; Anthropic: end_turn;
# Cohere: complete; Baidu: normal; calls of tools: a reply without text, or one that is whole.
WHOLE = frozenset(
    {"stop", "eos", "eos_token", "stop_sequence", "stop_token", "end_turn", "complete", "completed"}
    | {"finished", "normal", "tool_calls", "tool_use", "function_call"}
)
# OpenAI: length; Anthropic, Gemini: max_tokens; Mistral: model_length.
FULL = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "max_length"})
# OpenAI, Azure: content_filter; Gemini: safety, recitation ...; Zhipu: sensitive; Anthropic: refusal.
FILTERED = frozenset(
    {"content_filter", "content-filter", "safety", "recitation", "prohibited_content", "blocklist", "spii"}
    | {"sensitive", "refusal"}
)
BROKEN = "broken-off"


def broken_off(completion: Completion, room: int | None) -> str | None:
    """Why a reply is no whole one, as a short code; None for one that is.

    `truncated`: there was no more room; where a server does not say why it stopped, its count of tokens
    tells. `content-filter`: something was held back. `broken-off`: any other word than those that servers
    have for an end (`abort`, `error`, `insufficient_system_resource`, `network_error`).

    Args:
        completion: the reply.
        room: tokens that it could have, at most; None where there was no cap.
    """
    finish = (completion.finish or "").strip().casefold()
    if not finish:
        full = room is not None and (completion.completion_tokens or 0) >= room
        return "truncated" if full else None
    if finish in WHOLE:
        return None
    if finish in FULL:
        return "truncated"
    return "content-filter" if finish in FILTERED else BROKEN
