"""Reason codes in words."""

from __future__ import annotations


def sentence(code: str | None) -> str:
    """A reason code as a reader understands it; an unknown code with spaces for dashes."""
    if not code:
        return "no reason given"
    known, dash, detail = code.partition(": ")
    return WORDS.get(known, known.replace("-", " ")) + dash + detail


WORDS: dict[str, str] = {}
