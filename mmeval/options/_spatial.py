"""How the spatial benchmarks read an option letter: seven places, the first that holds one wins.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/matching_func.py (`can_match_option`,
called without choices) @ e8e78f05f308. The patterns here are linear forms of the same rules: where upstream
allows a bracket or blanks on either side, only the neighbours of the letter decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmeval.text.spatial import CLOSE, ZERO_WIDTH, after_thinking, contents
from mmeval.types import Found, Span

WINDOW = 800
LINES = 6
_TAGGED = re.compile(r"[A-J]", re.IGNORECASE)
_BEFORE_TAG = tuple(
    re.compile(rf"(?<![A-Za-z])([A-F])\s*(?:[)\]}}）】]\s*)?</\s*{tag}\s*>", re.IGNORECASE)
    for tag in ("answer", "think")
)
_ENUMERATED = re.compile(r"[*_>\-\s]*(?:option|选项)\s+[A-J]\s*[:：]", re.IGNORECASE)
_ALONE = re.compile(r"[*_`>（）\[\]【】()]*\s*([A-Fa-f])\s*[*_`（）\[\]【】()]*")
_LABEL = re.compile(r"([A-F])\s*[.．:：)\]】、-]\s", re.IGNORECASE)
_IN_LINE = re.compile(r"(?<![A-Za-z])[A-F](?=\s|[*_`）\]})]*(?:\Z|[\s.,:;!?)\]】》」』，。；、：）]))")
_PHRASE = re.compile(
    r"(?:answer(?:\s*is)?|答案|结论|所以|因此|选择?)\s*(?:[:：>＝=]\s*)?(?:[(\[{（【]\s*)?([A-F])\b",
    re.IGNORECASE,
)
_STANDING = re.compile(r"(?<![A-Za-z])[A-F](?![A-Za-z])")
_LETTER = re.compile(r"[^\W\d_]")


def read_letter(prediction: str, whole: bool = False) -> Found:
    """The option letter of a reply, in upper case, and which place held it.

    `whole` wants the letter of an answer element to end there, as upstream does not: "Because" is no B.

    >>> read_letter("<think>maybe B?</think> The answer is A")
    Found(value='A', rule='sole-in-line', span=(38, 39))
    """
    text = prediction.strip().translate(ZERO_WIDTH)
    found = _in_tags(text, whole) if "<" in text else None
    found = found or _in_last_lines(text) or _behind_phrase(text) or _anywhere(text)
    if found.span is None:
        return found
    return Found(found.value, found.rule, _as_given(prediction, text, found.span))


def alone(prediction: str) -> Found | None:
    """The letter where the whole reply is one, with brackets and emphasis at most."""
    match = _ALONE.fullmatch(prediction.strip())
    if match is None:
        return None
    start = len(prediction) - len(prediction.lstrip()) + match.start(1)
    return Found(match[1].upper(), "lone-option", (start, start + 1))


def _at(text: str, at: int, rule: str) -> Found:
    return Found(text[at].upper(), rule, (at, at + 1))


def _in_tags(text: str, whole: bool) -> Found | None:
    """Places 2 and 3: first in an answer element, then right before a closing tag near the end."""
    closed = max((tag.start() for tag in CLOSE.finditer(text)), default=-1)
    for start in contents(text):
        if closed <= start:
            break
        if _TAGGED.match(text, start) and not (whole and _LETTER.match(text, start + 1)):
            return _at(text, start, "answer-element")
    base = max(0, len(text) - WINDOW)
    for pattern in _BEFORE_TAG:
        match = pattern.search(text[base:])
        if match:
            return _at(text, base + match.start(1), "before-closing-tag")
    return None


def _in_last_lines(text: str) -> Found | None:
    """Places 4 and 5: the last lines behind the thinking, then those at the end of the reply."""
    start, end = after_thinking(text) or (0, len(text))
    found = _of_lines(text, start, end)
    window = max(0, len(text) - WINDOW)
    if found or (start, end) == (window, len(text)):
        return found
    return _of_lines(text, window, len(text))


def _of_lines(text: str, start: int, end: int) -> Found | None:
    """From the bottom up: a line that is a letter, a labelled line, a line with one letter in it."""
    for at, line in _last_lines(text, start, end):
        if _ENUMERATED.match(line):
            continue
        lone = _ALONE.fullmatch(line)
        if lone:
            return _at(text, at + lone.start(1), "own-line")
        if _LABEL.match(line):
            return _at(text, at, "labelled-line")
        letters = {found[0]: found.start() for found in _IN_LINE.finditer(line)}
        if len(letters) == 1:
            return _at(text, at + next(iter(letters.values())), "sole-in-line")
    return None


def _last_lines(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The last lines that are not blank, from the bottom, each with its offset."""
    at = end
    for line in reversed(text[start:end].splitlines(keepends=True)[-LINES:]):
        at -= len(line)
        bare = line.lstrip()
        if bare:
            yield at + len(line) - len(bare), bare.rstrip()


def _behind_phrase(text: str) -> Found | None:
    """Place 6: behind the first conclusion that names a letter."""
    match = _PHRASE.search(text)
    return _at(text, match.start(1), "cue") if match else None


def _anywhere(text: str) -> Found:
    """Place 7: the one letter that stands alone, lines that list an option aside."""
    first: dict[str, int] = {}
    at = 0
    for line in text.splitlines(keepends=True):
        if not _ENUMERATED.match(line):
            for found in _STANDING.finditer(line):
                first.setdefault(found[0], at + found.start())
        at += len(line)
    if len(first) != 1:
        return Found(None, "two-options-found" if first else "no-option-found")
    return _at(text, next(iter(first.values())), "sole-label")


def _as_given(prediction: str, text: str, span: Span) -> Span:
    """A span of the cleaned text as offsets into the reply as it was given."""
    lead = len(prediction) - len(prediction.lstrip())
    if len(text) == len(prediction.strip()):
        return span[0] + lead, span[1] + lead
    kept = [at for at, char in enumerate(prediction) if ord(char) not in ZERO_WIDTH]
    before = sum(ord(char) not in ZERO_WIDTH for char in prediction[:lead])
    at = kept[before + span[0]]
    return at, at + 1
