"""What models wrap their answers in: tags, boxes, JSON, special tokens, emphasis.

Every function takes a text and the stretch to look at, and returns offsets into that same text, so that a
reader can always show where the answer stood. Nothing is copied or rewritten.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

import msgspec

from mmeval.text.reasoning import final_part
from mmeval.types import Span

Container: TypeAlias = Literal["plain", "answer-tag", "boxed", "json"]

_END_TOKEN = (
    r"</s>|<s>|<eos>|<bos>|<pad>|<unk>|<end_of_turn>|<end_of_utterance>|\[/?INST\]"
    r"|<\|(?:im_end|im_start|endoftext|end_of_text|eot_id|end|assistant|return|end_of_sentence|"
    r"eom_id|user)\|>"
    r"|<｜end▁of▁sentence｜>|<\|end▁of▁sentence\|>|<end_of_sentence>"
)
_TRAILING = re.compile(rf"(?:{_END_TOKEN})\Z", re.IGNORECASE)
_LEADING = re.compile(
    rf"(?:{_END_TOKEN}|\s)*(?:(?:falcon|assistant|gpt|model|bot|ai)\s*:)?\s*", re.IGNORECASE
)
_FACTORIAL = re.compile(r"\d!\s?\$?\s?\Z")
_TOKEN_LENGTH = 30
"""No end token is longer."""
_LAYERS = 8
"""How many wrappings are peeled off at most."""

_ANSWER_NAMES = "answer|final_answer|finalanswer|conclusion|solution|output|final"
_OPEN_ANSWER = re.compile(rf"<(?:{_ANSWER_NAMES})\s*>|<\|begin_of_(?:box|solution)\|>", re.IGNORECASE)
_CLOSE_ANSWER = re.compile(rf"</(?:{_ANSWER_NAMES})\s*>|<\|end_of_(?:box|solution)\|>", re.IGNORECASE)
_BOX = re.compile(r"\\f?boxed\s*\{|\\fbox\s*\{|\\boxed\s+(?=[A-Za-z0-9])")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_MACRO = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt)?|math(?:rm|bf|sf|it)|mbox|bf|rm|boldsymbol|f?boxed|fbox)\s*\{"
)
_JSON = re.compile(r"\s*(?:```+\s*(?:json)?\s*)?\{", re.IGNORECASE)
_JSON_KEY = r"(?:(?:final|correct|predicted|your)?[_ -]?(?:answer|option|choice|prediction|response|label))"
_JSON_ANSWER = re.compile(
    rf"[\"']{_JSON_KEY}[\"']\s*:\s*"
    r"(?:\"(?P<double>(?:[^\"\\]|\\.)*)\"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>[^\s,}\"'\[{]+))",
    re.IGNORECASE,
)
_PAIRS = (
    ("**", "**"),
    ("__", "__"),
    ("```", "```"),
    ("\\(", "\\)"),
    ("\\[", "\\]"),
    ("$$", "$$"),
    ("<b>", "</b>"),
    ("<strong>", "</strong>"),
    ("*", "*"),
    ("_", "_"),
    ("`", "`"),
    ("$", "$"),
    ("(", ")"),
    ("[", "]"),
    ("{", "}"),
    ("<", ">"),
    ('"', '"'),
    ("'", "'"),
)
_CLOSERS = (">", "]")
_MAY_WRAP = frozenset("*_`\\$<([{\"'")


class Content(msgspec.Struct, frozen=True, gc=False):
    """Where the answer of a reply stands, and what held it.

    `problem` is None, or why there is nothing to read: `reasoning-unclosed` (the reply ends inside its
    reasoning), `box-unterminated` (it ends inside its last box), `empty-answer`.
    """

    start: int
    end: int
    container: Container = "plain"
    problem: str | None = None


def is_factorial(text: str, start: int, end: int) -> bool:
    r"""Whether a stretch ends in a factorial, as in `\boxed{4!}`; in prose "!" is an exclamation."""
    return _FACTORIAL.search(text, max(start, end - 8), end) is not None


def strip(text: str, start: int, end: int) -> Span:
    """The stretch without white space, end-of-sequence tokens and a speaker's name at its ends.

    >>> strip(" Falcon: B</s>", 0, 14)
    (9, 10)
    """
    lead = _LEADING.match(text, start, end)
    start = lead.end() if lead else start
    while True:
        while end > start and text[end - 1].isspace():
            end -= 1
        if not text.endswith(_CLOSERS, start, end):
            return start, end
        token = _TRAILING.search(text, max(start, end - _TOKEN_LENGTH), end)
        if token is None:
            return start, end
        end = token.start()


def answer_tag(text: str, start: int, end: int) -> Span | None:
    """The inside of the last `<answer>` (or like) element; an unclosed one reaches to the end.

    >>> answer_tag("<answer>A</answer> Wait. <answer>B</answer>", 0, 43)
    (33, 34)
    """
    opened = -1
    for tag in _OPEN_ANSWER.finditer(text, start, end):
        opened = tag.end()
    if opened < 0:
        return None
    closed = _CLOSE_ANSWER.search(text, opened, end)
    return opened, closed.start() if closed else end


def boxed(text: str, start: int, end: int) -> Content | None:
    r"""The inside of the last `\boxed{...}`, braces balanced; None where there is no box.

    A last box that is never closed is an answer that was cut off: `problem` says so.

    >>> boxed(r"\boxed{\frac{1}{2}}", 0, 19)
    Content(start=7, end=18, container='boxed', problem=None)
    """
    last = None
    for box in _BOX.finditer(text, start, end):
        last = box
    if last is None:
        return None
    if not last[0].endswith("{"):
        return Content(last.end(), last.end() + 1, "boxed")
    close = _closing(text, last.end(), end)
    if close is None:
        return Content(end, end, "boxed", "box-unterminated")
    return Content(last.end(), close, "boxed")


def _closing(text: str, start: int, end: int) -> int | None:
    """The offset of the brace that closes the one before `start`."""
    depth = 1
    for brace in _BRACE.finditer(text, start, end):
        if brace[0] == "{":
            depth += 1
        elif brace[0] == "}":
            depth -= 1
            if depth == 0:
                return brace.start()
    return None


def json_answer(text: str, start: int, end: int) -> Span | None:
    """The value of the last answer-like key of a reply that is a JSON object, fenced or not.

    >>> json_answer('{"answer": "B"}', 0, 15)
    (12, 13)
    """
    if not _JSON.match(text, start, end):
        return None
    answers = list(_JSON_ANSWER.finditer(text, start, end))
    return answers[-1].span(answers[-1].lastgroup or 0) if answers else None


def peel(text: str, start: int, end: int) -> Span:
    r"""The stretch without the emphasis, quotes, brackets and LaTeX that enclose the whole of it.

    >>> peel(r"**\(\text{B}\)**", 0, 16)
    (10, 11)
    """
    for _ in range(_LAYERS):
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        inner = _inner(text, start, end)
        if inner is None:
            break
        start, end = inner
    return start, end


def _inner(text: str, start: int, end: int) -> Span | None:
    """One layer of wrapping less, or None where nothing wraps the whole stretch."""
    if start >= end or text[start] not in _MAY_WRAP:
        return None
    macro = _MACRO.match(text, start, end)
    if macro:
        return (macro.end(), end - 1) if _closing(text, macro.end(), end) == end - 1 else None
    for opening, closing in _PAIRS:
        inside = start + len(opening), end - len(closing)
        if inside[0] <= inside[1] and text.startswith(opening, start, end):
            if not text.endswith(closing, start, end) or _broken(text, inside, opening, closing):
                continue
            return inside
    return None


def _broken(text: str, inside: Span, opening: str, closing: str) -> bool:
    """Whether the pair closes before its end: `(A) or (B)` is not one bracket."""
    depth = 0
    for at in range(*inside) if opening != closing and len(opening) == 1 else ():
        depth += (text[at] == opening) - (text[at] == closing)
        if depth < 0:
            return True
    return opening == closing and text.find(closing, *inside) >= 0


def unwrap(text: str) -> Content:
    """The content of a reply's outermost container, reasoning left out.

    In this order: the last answer element, the last box, a JSON object's answer, the whole final part. A
    box inside an answer element is opened too. What wraps all of the content is peeled off.
    """
    part = final_part(text)
    if part.kind == "reasoning-unclosed":
        return Content(part.start, part.end, "plain", "reasoning-unclosed")
    start, end = strip(text, part.start, part.end)
    container: Container = "plain"
    tag = answer_tag(text, start, end) if "<" in text else None
    if tag is not None:
        (start, end), container = strip(text, *tag), "answer-tag"
    box = boxed(text, start, end) if "box" in text else None
    span = json_answer(text, start, end) if box is None and "{" in text else None
    if box is not None:
        if box.problem:
            return box
        start, end, container = box.start, box.end, "boxed"
    elif span is not None:
        (start, end), container = span, "json"
    start, end = peel(text, start, end)
    return Content(start, end, container, None if start < end else "empty-answer")
