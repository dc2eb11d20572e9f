"""Which number a reply commits itself to: one, or none."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

from mmeval.numbers._parse import Number, numbers, whole
from mmeval.numbers._words import spelt
from mmeval.text.cues import first_sentence, last_cue
from mmeval.text.wrappers import Content, is_factorial, unwrap
from mmeval.types import Span

Percent: TypeAlias = Literal["strip", "fraction", "refuse"]

_EQUALS = re.compile(r"=|≈|≃|\\approx")
_LEAD = re.compile(
    r"[\s*_`\"'([{$\\:~≈=]{0,8}(?:(?:about|around|approximately|approx\.?|roughly|exactly|nearly|almost|only|just"
    r"|equal\s+to|约|大约)\s*)?[\s*_`\"'([{$\\]{0,4}",
    re.IGNORECASE,
)
_OR = re.compile(r"\s?(?:or|/|,|and|或)\s?", re.IGNORECASE)
_OPERATOR = re.compile(r"[ $)}\]]{0,3}(?:[-+*/^×÷=]|\\times|\\cdot|\\div)\s?[\d(\\]")
_CONCLUSION = re.compile(
    r"\b(?:therefore|thus|hence|in\s+total|altogether|in\s+conclusion)\b|因此|所以|总共", re.IGNORECASE
)
_CLAUSE = re.compile(r"[.,;:!?](?=\s)|[\n，。；：]")
_DENIED = re.compile(r"(?:\bnot|n't|\bnever|不是)\s+(?:[^\W\d]+\s+){0,2}[$£€\\(*]{0,3}\Z", re.IGNORECASE)
_SIGN_IN_WORDS = re.compile(r"\b(?:minus|negative)\s+\Z|负\s?\Z", re.IGNORECASE)
_ANOTHER = re.compile(r"(?:\bor|\band|,)\s+\w{1,10}\s*\Z", re.IGNORECASE)
_ASKS_PERCENT = re.compile(r"percent|%|per\s+cent|百分", re.IGNORECASE)
_MOST = 64


class Committed(msgspec.Struct, frozen=True, gc=False):
    """The value that a reply commits itself to (None: none), the rule that says so, and where it stands."""

    value: Fraction | None
    rule: str
    span: Span | None = None


def plain(text: str, percent: Percent) -> Committed:
    """An answer that is a number and nothing else (wrappers and a unit apart)."""
    content = unwrap(text)
    if content.problem:
        return Committed(None, content.problem)
    number = whole(text[content.start : content.end])
    if number is None or _factorial(text, content):
        return Committed(None, "not-a-bare-number")
    return _worth(number, content.start, percent, "bare-number")


def prose(text: str, question: str, percent: Percent) -> Committed:
    """The number that a reply in prose commits itself to, see `_found`; none that the reply denies."""
    found = _found(text, question, percent)
    if found.value is None or found.span is None:
        return found
    before = text[max(0, found.span[0] - 40) : found.span[0]]
    if _DENIED.search(before):
        return Committed(None, "denied-number", found.span)
    if _SIGN_IN_WORDS.search(before):
        return Committed(None, "sign-in-words", found.span)
    return found


def _found(text: str, question: str, percent: Percent) -> Committed:
    """The number that a reply in prose commits itself to.

    The first rule that reads or refuses wins: the whole reply is a number; the last answer tag, box or JSON
    answer; the last "the answer is"; what follows the last equals sign; the one percentage where the
    question asks for one; the conclusion ("therefore ..."); the only number there is, in digits or else in
    words.
    """
    content = unwrap(text)
    if content.problem:
        return Committed(None, content.problem)
    start, end = content.start, content.end
    if _factorial(text, content):
        return Committed(None, "part-of-a-formula", (start, end))
    if content.container != "plain":
        return _stretch(text, start, end, percent, content.container)
    number = whole(text[start:end])
    if number is not None:
        return _worth(number, start, percent, "bare-number")
    cue = last_cue(text, start, end)
    if cue is not None:
        found = _announced(text, *cue, percent)
        if found.value is not None or found.rule != "no-number-found":
            return found
    return _unannounced(text, content, question, percent)


def _factorial(text: str, content: Content) -> bool:
    """Whether a box ends in the factorial of a number."""
    return content.container == "boxed" and is_factorial(text, content.start, content.end)


def _unannounced(text: str, content: Content, question: str, percent: Percent) -> Committed:
    start, end = content.start, content.end
    found = _equated(text, start, end, percent, "after-equals")
    if found is not None:
        return found
    listed = numbers(text[start:end], _MOST)
    if _ASKS_PERCENT.search(question):
        shares = [number for number in listed if number.kind == "percent"]
        if shares and len(shares) < len(listed) < _MOST:
            return _only(shares, start, percent, "only-percentage")
    concluded = _concluded(text, start, end, percent) if len(listed) > 1 else None
    if concluded is not None and concluded.value is not None:
        return concluded
    return _only(listed, start, percent, "only-number") if listed else _in_words(text, start, end)


def _announced(text: str, start: int, end: int, percent: Percent) -> Committed:
    """The value after an announcement's equals sign, else the number it begins with, else its only number."""
    lead = _leading(text, start, end, percent, "cue") or _equated(text, start, end, percent, "cue")
    if lead is not None:
        return lead
    return _stretch(text, *first_sentence(text, start, end), percent, "cue")


def _stretch(text: str, start: int, end: int, percent: Percent, rule: str) -> Committed:
    """The value after the last equals sign of a stretch, else its only number, else its only number word."""
    found = _equated(text, start, end, percent, rule)
    if found is not None:
        return found
    listed = numbers(text[start:end], _MOST)
    return _only(listed, start, percent, rule) if listed else _in_words(text, start, end)


def _equated(text: str, start: int, end: int, percent: Percent, rule: str) -> Committed | None:
    """The number after the last equals sign; none where "or y" begins another equation there."""
    before = last = None
    for sign in _EQUALS.finditer(text, start, end):
        before, last = last, sign
    if last is None:
        return None
    found = _leading(text, last.end(), end, percent, rule)
    if found is None or _superseded(text, found, end, percent):
        return None
    if before is None:
        return found
    if _ANOTHER.search(text[max(before.end(), last.start() - 16) : last.start()]):
        return Committed(None, "several-numbers-found")
    return found


def _superseded(text: str, found: Committed, end: int, percent: Percent) -> bool:
    """Whether a reply goes on with other numbers after the one it calculated."""
    if found.span is None:
        return False
    later = numbers(text[found.span[1] : end], _MOST)
    return any(_worth(number, 0, percent, "").value != found.value for number in later)


def _concluded(text: str, start: int, end: int, percent: Percent) -> Committed | None:
    """The only number of the clause that draws the last conclusion ("thus 12", "so 8 in total")."""
    last = None
    for last in _CONCLUSION.finditer(text, start, end):  # noqa: B007
        pass
    if last is None:
        return None
    begin = max(start, last.start() - 200)
    for clause in _CLAUSE.finditer(text, begin, last.start()):
        begin = clause.end()
    return _stretch(text, begin, first_sentence(text, last.end(), end)[1], percent, "conclusion")


def _leading(text: str, start: int, end: int, percent: Percent, rule: str) -> Committed | None:
    """The number with which a stretch begins; None where it begins otherwise or goes on calculating."""
    lead = _LEAD.match(text, start, end)
    begin = start if lead is None else lead.end()
    first = numbers(text[start : min(end, start + 600)], 2)
    if not first or start + first[0].start > begin or first[0].end + start <= begin:
        return None
    if _OPERATOR.match(text, start + first[0].end, end):
        return None
    if len(first) > 1 and _OR.fullmatch(text[start + first[0].end : start + first[1].start]):
        return Committed(None, "several-numbers-found")
    return _worth(first[0], start, percent, rule)


def _only(listed: list[Number], offset: int, percent: Percent, rule: str) -> Committed:
    """The one value that all the numbers share."""
    if any(number.value is None for number in listed):
        return Committed(None, _valueless(listed[0]) if len(listed) == 1 else "several-numbers-found")
    if len(listed) >= _MOST or len({(number.value, number.kind) for number in listed}) > 1:
        return Committed(None, "several-numbers-found")
    return _worth(listed[-1], offset, percent, rule)


def _worth(number: Number, offset: int, percent: Percent, rule: str) -> Committed:
    """The number as the percent policy has it."""
    span = (offset + number.start, offset + number.end)
    if number.value is None:
        return Committed(None, _valueless(number), span)
    if number.kind == "percent" and percent == "refuse":
        return Committed(None, "percent-refused", span)
    if number.kind == "percent" and percent == "fraction":
        return Committed(number.value / 100, rule, span)
    return Committed(number.value, rule, span)


def _valueless(number: Number) -> str:
    """Why a number has no value."""
    return "part-of-a-formula" if number.kind == "formula" else "range-or-date"


def _in_words(text: str, start: int, end: int) -> Committed:
    """The only number word of a stretch without digits; a lone "one" in prose is a pronoun as likely."""
    if end - start > 2000:
        return Committed(None, "no-number-found")
    found = list(spelt(text[start:end]))
    values = {value for value, _ in found}
    if not found:
        return Committed(None, "no-number-found")
    if len(values) > 1:
        return Committed(None, "several-numbers-found")
    value, (first, last) = found[-1]
    if value == 1 and last - first < len(text[start:end].strip(" .*_`\"'")):
        return Committed(None, "no-number-found")
    return Committed(Fraction(value), "number-word", (start + first, start + last))
