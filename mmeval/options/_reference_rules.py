"""The rules by which the `reference` set reads option letters, each a small function from text to letters.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/extraction.py` @ 3aa72c0, in our own words. Every
function takes the text in its normal form (`mmeval.text.reference`) and the candidate letters, and
returns a Mark or None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from mmeval.text.reference import last_match
from mmeval.types import Options


class Mark(NamedTuple):
    """Letters that a rule read, and where they stand in its text (-1: nowhere in particular)."""

    letters: tuple[str, ...]
    start: int = -1
    end: int = -1


Rule: TypeAlias = Callable[[str, str], "Mark | None"]

_SET_CUE = re.compile(
    r"(?:final\s+answers?(?:\s+(?:is|are)\b)?|answers?(?:\(s\))?\s+(?:is|are)\b|answers?\s?[:\-]"
    r"|(?:最终)?答案(?:是|为))[\s:\-]*",
    re.IGNORECASE,
)
_SET_SEPARATOR = re.compile(r"[\s,;/&、]+")
_JOINING_WORDS = frozenset({"and"})

_STRICT_START = re.compile(r"([A-Z])[.):]")
_STRICT_WORD = re.compile(
    r"(?:answer|option|choice)\s?[:\-]?\s?(?-i:([A-Z]))(?![^\s.,:;)!?\]])", re.IGNORECASE
)
_STRICT_CUE = re.compile(
    r"(?:final answer|answer is|choice is|option is)[\s:\-]*(?-i:([A-Z]))(?![^\s.,:;)!?\]])", re.IGNORECASE
)

_DECORATED = r"[\s:\-*_#(\[{]*"
_CUE = (
    r"(?:final answer(?: is)?|correct (?:option|answer|choice)(?: is)?|(?:answer|option|choice) is"
    r"|answer(?=\s?[:\-])|最终答案[是为]?|答案[是为]?|选[项择]?)"
)
_CUE_UPPER = re.compile(rf"{_CUE}{_DECORATED}(?-i:([A-Z]))(?![A-Za-z])", re.IGNORECASE)
_CUE_AT_END = re.compile(rf"{_CUE}{_DECORATED}([A-Z])[\s.)\]}}*_!。]*\Z", re.IGNORECASE)
_BARE = re.compile(r"[(\[]?([A-Za-z])[)\]]?\.?")
_BOXED_LETTER = re.compile(r"\\boxed\{[\s({]*(?:\\text)?[\s({]*([A-Z])[\s)}]*\}")
_LABEL_START = re.compile(r"([A-Z])[:.)]")
_BOLD_LABEL = re.compile(r"\*\*([A-Z])[:.]")
_TOKEN_MARKS = ".()[],:;!*#{}。，、：；！（）【】"
_TO_SPACE = str.maketrans(_TOKEN_MARKS, " " * len(_TOKEN_MARKS))
_TAIL, _SHORT, _LABELLED = 4, 5, 80


def _first(matches: Iterable[re.Match[str]], candidates: str) -> Mark | None:
    """The first match whose letter is a candidate."""
    for match in matches:
        letter = match[1].upper()
        if letter in candidates:
            return Mark((letter,), *match.span(1))
    return None


def _last(matches: Iterable[re.Match[str]], candidates: str) -> Mark | None:
    """The last match whose letter is a candidate."""
    return _first(reversed(list(matches)), candidates)


def segment(text: str, candidates: str, compact: bool = True) -> tuple[str, ...] | None:
    """A text that consists of candidate letters and separators only, sorted; None if a letter repeats.

    With `compact`, a token of several different candidate letters ("BD") stands for all of them.
    """
    text = text.strip().removesuffix(".").strip()
    if not text or len(text) > 120:
        return None
    letters: list[str] = []
    for token in _SET_SEPARATOR.split(text):
        if not token or token.lower() in _JOINING_WORDS:
            continue
        upper = token.upper()
        if not all(letter in candidates for letter in upper) or (len(upper) > 1 and not compact):
            return None
        letters.extend(upper)
    return tuple(sorted(letters)) if letters and len(set(letters)) == len(letters) else None


def after_set_cue(text: str, candidates: str) -> Mark | None:
    """A letter set behind the last cue of one or several answers, case aside."""
    last = last_match(_SET_CUE, text)
    letters = segment(text[last.end() :], candidates) if last else None
    return Mark(letters, last.end(), len(text)) if letters and last else None


def whole_set(text: str, candidates: str) -> Mark | None:
    """A text that is a letter set as a whole."""
    letters = segment(text, candidates)
    return Mark(letters, 0, len(text)) if letters else None


def strict_whole(text: str, candidates: str) -> Mark | None:
    """The whole text is a candidate, in either case."""
    upper = text.upper()
    return Mark((upper,), 0, 1) if len(text) == 1 and upper in candidates else None


def strict_start(text: str, candidates: str) -> Mark | None:
    """A capital candidate and . ) or : begin the text."""
    match = _STRICT_START.match(text)
    return _first([match] if match else [], candidates)


def strict_word(text: str, candidates: str) -> Mark | None:
    """The text begins with answer, option or choice and a capital candidate."""
    match = _STRICT_WORD.match(text)
    return _first([match] if match else [], candidates)


def strict_cue(text: str, candidates: str) -> Mark | None:
    """A capital candidate behind a cue, anywhere."""
    return _first(_STRICT_CUE.finditer(text), candidates)


def lone_letter(text: str, candidates: str) -> Mark | None:
    """The text is one letter, in a bracket or with a full stop at most."""
    match = _BARE.fullmatch(text)
    return _first([match] if match else [], candidates)


def boxed_letter(text: str, candidates: str) -> Mark | None:
    """The last boxed letter (only nested or unbalanced boxes survive normalisation)."""
    return _last(_BOXED_LETTER.finditer(text), candidates)


def last_cue(text: str, candidates: str) -> Mark | None:
    """A capital candidate behind the last explicit cue, markdown and brackets aside."""
    return _last(_CUE_UPPER.finditer(text), candidates)


def cue_at_end(text: str, candidates: str) -> Mark | None:
    """A cue and a candidate of either case that end the text."""
    match = _CUE_AT_END.search(text, max(0, len(text) - 200))
    return _first([match] if match else [], candidates)


def late_token(text: str, candidates: str) -> Mark | None:
    """Exactly one candidate among the tokens, near the end or in a short answer; case counts."""
    spaced = text.translate(_TO_SPACE)
    tokens = spaced.split()
    present = [letter for letter in candidates if letter in tokens]
    if len(present) != 1:
        return None
    if len(tokens) > _SHORT and tokens.index(present[0]) < len(tokens) - _TAIL:
        return None
    start = f" {spaced} ".find(f" {present[0]} ")
    return Mark((present[0],), start, start + 1 if start >= 0 else -1)


def label_start(text: str, candidates: str) -> Mark | None:
    """A label that begins an answer of up to 80 characters."""
    match = _LABEL_START.match(text) if len(text) <= _LABELLED else None
    return _first([match] if match else [], candidates)


def bold_label(text: str, candidates: str) -> Mark | None:
    """Exactly one distinct bold label."""
    matches = [match for match in _BOLD_LABEL.finditer(text) if match[1] in candidates]
    return _first(matches, candidates) if len({match[1] for match in matches}) == 1 else None


def restated(text: str, options: Options) -> Mark | None:
    """Exactly one option text inside an answer that is at most twice as long as all option texts."""
    texts = [
        (label, one.lower()) for label, one in zip(options.labels, options.texts, strict=False) if one.strip()
    ]
    if len(text) > 2 * sum(len(one) for _, one in texts):
        return None
    lowered = text.lower()
    present = [(label, one) for label, one in texts if one in lowered]
    if len(present) != 1:
        return None
    label, one = present[0]
    start = lowered.find(one)
    return Mark((label.upper(),), start, start + len(one))


STRICT: tuple[tuple[str, Rule], ...] = (
    ("lone-option", strict_whole),
    ("leading-label", strict_start),
    ("leading-word", strict_word),
    ("cue", strict_cue),
)

ROBUST: tuple[tuple[str, Rule], ...] = (
    ("boxed", boxed_letter),
    ("last-cue", last_cue),
    ("cue-at-end", cue_at_end),
    ("late-token", late_token),
    ("short-label", label_start),
    ("bold-label", bold_label),
)
