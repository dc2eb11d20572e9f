"""Tags and thinking as the spatial benchmarks' rules see them, for letters and numbers alike.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/matching_func.py @ e8e78f05f308.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmeval.types import Span

ZERO_WIDTH = dict.fromkeys((0x200B, 0x200C, 0x200D, 0xFEFF))
CLOSE = re.compile(r"<\s*/\s*answer\s*>", re.IGNORECASE)
_OPEN = re.compile(r"<\s*answer\b", re.IGNORECASE)
_SPACES = re.compile(r"\s*")
_END_OF_THINKING = re.compile(r"</\s*think\s*>", re.IGNORECASE)
_START_OF_THINKING = re.compile(r"<\s*think\s*>", re.IGNORECASE)


def contents(text: str) -> Iterator[int]:
    """Where the content of each opening answer tag begins, white space skipped."""
    end = 0
    for tag in _OPEN.finditer(text):
        if tag.end() > end:
            end = text.find(">", tag.end()) + 1
            if not end:
                return
            spaces = _SPACES.match(text, end)
            yield spaces.end() if spaces else end


def after_thinking(text: str) -> Span | None:
    """The text behind the last closing think tag, else behind the last opening one, without white space.

    None where the text has no such tag.

    >>> after_thinking("<think>B?</think> A")
    (18, 19)
    """
    if "<" not in text:
        return None
    for tag in (_END_OF_THINKING, _START_OF_THINKING):
        ends = [found.end() for found in tag.finditer(text)]
        if ends:
            rest = text[ends[-1] :].lstrip()
            start = len(text) - len(rest)
            return start, start + len(rest.rstrip())
    return None
