"""Where a reply announces its answer: "the answer is", "Answer:", "答案是"."""

from __future__ import annotations

import re

from mmeval.types import Span

_CUE = re.compile(
    r"\b(?:final\s+answers?|(?:the|my|your|correct|right|so|thus|hence|therefore)\s+answers?|answers?)\b['\"*_\s]{0,6}"
    r"(?:(?:is|are|would\s+be|will\s+be|should\s+be|must\s+be|equals?)\b|[:=])[:\s*_]{0,6}"
    r"|(?:最终答案|正确答案|答案)\s{0,3}(?:是|为|应该是|应为)?\s{0,3}[:：]?\s{0,3}",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"[\r\n]")
_SENTENCE_END = re.compile(r"[.!?。！？](?=[\s*_\"'`)\]]|\Z)|[。！？]")
_MARKS = " \t*_`\"'“”‘’"


def last_cue(text: str, start: int, end: int) -> Span | None:
    """The rest of the line after the last announcement of an answer; if that is blank, the next line.

    >>> last_cue("I see two. The answer is **Paris**.", 0, 35)
    (27, 35)
    """
    if "answer" not in text.lower() and "答案" not in text:
        return None
    cue = None
    for cue in _CUE.finditer(text, start, end):  # noqa: B007
        pass
    if cue is None:
        return None
    begin = cue.end()
    while begin < end and text[begin].isspace():
        begin += 1
    line = _LINE_END.search(text, begin, end)
    return begin, line.start() if line else end


def first_sentence(text: str, start: int, end: int) -> Span:
    """The stretch up to its first full stop that ends a sentence; the stop is left out.

    >>> first_sentence("Paris. It is in France.", 0, 23)
    (0, 5)
    """
    stop = _SENTENCE_END.search(text, start, end)
    return start, stop.start() if stop else end


def bare(text: str, start: int, end: int) -> Span:
    """The stretch without white space, emphasis and quotes at its ends."""
    while start < end and text[start] in _MARKS:
        start += 1
    while start < end and text[end - 1] in _MARKS:
        end -= 1
    return start, end
