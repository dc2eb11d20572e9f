"""How a free-text answer is read and compared, for open questions and for numeric ones whose gold is text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from mmeval.reading import Knobs, Reading
from mmeval.text.anls import collapsed, distance
from mmeval.text.cues import bare, first_sentence, last_cue
from mmeval.text.normal import formula, is_typeset, normal
from mmeval.text.wrappers import Content, is_factorial, unwrap
from mmeval.types import Found, Span

_PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_NEGATION = re.compile(r"\b(?:not|no|never|neither|nor|without|cannot)\b|n't\b|不是|没有", re.IGNORECASE)
_CLAUSE = re.compile(r"[.!?;:,\n。！？；，]|\bbut\b")
_FACTORIAL = re.compile(r"\s*\$?\s?\d+!\s?\$?\s*")
_SHORT_ANSWER = 80
"""Up to this many characters on one line, a reply is its own answer even without a cue."""


def grade_text(
    prediction: str, references: tuple[str, ...], knobs: Knobs, kind: Literal["exact", "rule"]
) -> Reading:
    """Compare a reply with the references.

    `exact`: the whole reply (wrappers apart) is a reference, in normal form. `rule`: also the answer that a
    cue announces; then, if `Knobs.string_match` says so, a reference as whole words inside the reply, not
    negated (`contains`), or a similar enough reply (`anls`). A reply that is a short text, or that
    announces one, is read and is wrong; from longer prose nothing is read.
    """
    content = unwrap(prediction)
    if content.problem:
        return Reading(Found(None, content.problem))
    golds = _golds(references)
    for start, end in _whole(prediction, content):
        if _is(prediction[start:end], golds, content.container == "boxed"):
            return _read(prediction, (start, end), "whole-answer", True)
    if kind == "exact":
        return Reading(Found(None, "not-the-whole-answer"))
    return _prose(prediction, content, references, golds, knobs)


class _Golds(NamedTuple):
    """The references in normal form, those that are formulas as formulas, and whether any is a factorial."""

    texts: frozenset[str]
    formulas: frozenset[str]
    factorials: bool


@lru_cache(4096)
def _golds(references: tuple[str, ...]) -> _Golds:
    told = [reference for reference in references if reference.strip()]
    factorials = [_FACTORIAL.fullmatch(each) is not None for each in told]
    return _Golds(
        frozenset(normal(each) + "!" * factorial for each, factorial in zip(told, factorials, strict=True)),
        frozenset(formula(each) for each in told if is_typeset(each)),
        any(factorials),
    )


def _is(text: str, golds: _Golds, boxed: bool) -> bool:
    """Whether a text is one of the references, as a text or as a formula.

    "!" behind a number is a factorial in a box, or where a reference is one; else it is an exclamation.
    """
    form = normal(text)
    if (boxed or golds.factorials) and is_factorial(text, 0, len(text)):
        form += "!"
    return form in golds.texts or (bool(golds.formulas) and formula(text) in golds.formulas)


def _whole(text: str, content: Content) -> Iterator[Span]:
    """The content, and again with the bracket that was peeled off it: "(0, 1)" is not "[0, 1]"."""
    start, end = content.start, content.end
    outside = text[start - 1 : start], text[end : end + 1]
    if outside[0] and _PAIRS.get(outside[0]) == outside[1]:
        yield start - 1, end + 1
    yield start, end


def _read(text: str, span: Span, rule: str, hit: bool) -> Reading:
    return Reading(Found(text[slice(*span)], rule, span), hit)


def _prose(text: str, content: Content, references: tuple[str, ...], golds: _Golds, knobs: Knobs) -> Reading:
    cue = last_cue(text, content.start, content.end)
    announced = bare(text, *cue) if cue is not None else None
    if announced is not None:
        for span in (announced, bare(text, *first_sentence(text, *announced))):
            if _is(text[slice(*span)], golds, content.container == "boxed"):
                return _read(text, span, "cue", True)
    if knobs.string_match == "contains":
        return _contained(text, content, golds.texts)
    if knobs.string_match == "anls":
        return _similar(text, announced or (content.start, content.end), references, knobs.anls_threshold)
    if announced is not None and announced[0] < announced[1]:
        return _read(text, announced, "cue", False)
    return _uncued(text, content)


def _uncued(text: str, content: Content) -> Reading:
    """A short reply is its own answer; of a longer one nothing is read."""
    start, end = content.start, content.end
    if content.container == "plain" and (end - start > _SHORT_ANSWER or "\n" in text[start:end]):
        return Reading(Found(None, "no-announced-answer"))
    return _read(text, (start, end), "whole-answer", False)


def _contained(text: str, content: Content, golds: frozenset[str]) -> Reading:
    """A reference as whole words inside the reply, in a clause that does not negate it."""
    inside = normal(text[content.start : content.end])
    negated = False
    for gold in golds:
        at = _word_at(inside, gold)
        if at < 0:
            continue
        if _negated(inside, at):
            negated = True
            continue
        return _read(text, (content.start, content.end), "contains", True)
    if negated:
        return Reading(Found(None, "negated"))
    return _read(text, (content.start, content.end), "contains", False)


def _word_at(text: str, word: str) -> int:
    """Where the word stands in the text as a word, or -1; a digit next to its decimal point is not alone."""
    at = text.find(word)
    while at >= 0:
        if not _runs_on(text[max(0, at - 2) : at][::-1], word[0]) and not _runs_on(
            text[at + len(word) : at + len(word) + 2], word[-1]
        ):
            return at
        at = text.find(word, at + 1)
    return -1


def _runs_on(beside: str, edge: str) -> bool:
    """Whether the text goes on in the same word or number; `beside` is read away from the word."""
    if not beside or not (edge.isascii() and edge.isalnum()):
        return False
    if beside[0].isascii() and (beside[0].isalnum() or beside[0] == "_"):
        return True
    return edge.isdigit() and beside[0] in ".," and beside[1:].isdigit()


def _negated(text: str, at: int) -> bool:
    """Whether the clause before the word denies it."""
    clause = text[max(0, at - 60) : at]
    for stop in reversed(list(_CLAUSE.finditer(clause))):
        clause = clause[stop.end() :]
        break
    return _NEGATION.search(clause) is not None


def _similar(text: str, span: Span, references: tuple[str, ...], threshold: float) -> Reading:
    """Normalised Levenshtein similarity with any reference of at least the threshold."""
    answer, edits = collapsed(text[slice(*span)]), distance()
    for reference in map(collapsed, references):
        size = max(len(reference), len(answer))
        if reference and answer and 1 - edits(reference, answer) / size >= threshold:
            return _read(text, span, "similar", True)
    return _read(text, span, "similar", False)
