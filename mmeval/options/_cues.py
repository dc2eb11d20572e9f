"""Explicit commitments in prose: "the answer is B", "I choose (C)", "B is correct", and negations."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

import msgspec

from mmeval.options import _vocabulary as words
from mmeval.options._alphabet import OPEN
from mmeval.options._scan import Reply, Words, hits, holds, present
from mmeval.options._texts import Mention
from mmeval.types import Span

_WINDOW = 160
_BACK = 48
_MOST_JOINS = 6
_MARGIN = 8
_OPEN = re.compile(OPEN + r"(?:(?:the|an?|about|approximately|around)\s+)?[*_`\"'$({\[]{0,4}", re.IGNORECASE)
_BRACKETS = ("(", "[", "*", "`", '"', "$", "{")


class Commitment(msgspec.Struct, frozen=True):
    """A place where a reply commits itself: to one label, or to several (`labels`)."""

    labels: tuple[str, ...]
    rule: str
    span: Span
    end: int
    positive: bool = True


def cues(reply: Reply) -> list[Commitment]:
    """All explicit commitments and rejections, in the order of the text."""
    tokens = reply.tokens
    starts = [at for _, at, _ in tokens]
    found = [*_announced(reply, starts), *_concluded(reply), *_declared_right(reply, tokens)]
    found.sort(key=lambda one: one.span)
    return found


def _announced(reply: Reply, starts: list[int]) -> Iterator[Commitment]:
    """Reads "The answer is B", "Answer: B", "I would choose (C)", "故选B"."""
    text = reply.text
    doubts = present(reply, words.DOUBTS)
    for cue in hits(reply, words.ANNOUNCE):
        if not _anything_near(reply, cue.end(), starts):
            continue
        before = text[max(reply.start, cue.start() - _BACK) : cue.start()]
        doubtful = bool(doubts) and any(word in before.lower() for word in doubts)
        if doubtful and (words.BEFORE_OTHER.search(before) or words.BEFORE_HYPOTHESIS.search(before)):
            continue
        rejected = doubtful and words.BEFORE_NOT.search(before) is not None
        one = _direct(reply, cue) or (None if _names_one(reply, cue) else _joined(reply, cue))
        if one is None:
            continue
        if rejected and one.positive:
            one = msgspec.structs.replace(one, positive=False)
        yield one
        if not one.positive:
            yield from _corrected(reply, one)


def _anything_near(reply: Reply, at: int, starts: list[int]) -> bool:
    """Whether a label or an option's text stands near enough after an offset to be announced there."""
    limit = at + _WINDOW + _BACK
    following = bisect_left(starts, at)
    if following < len(starts) and starts[following] < limit:
        return True
    if limit >= reply.end or "(" in reply.text[at:limit] or "*" in reply.text[at:limit]:
        return True
    return any(reply.lowered.find(text, at, limit) >= 0 for text, _ in reply.texts.words)


def _names_one(reply: Reply, cue: re.Match[str]) -> bool:
    """Whether the noun only names an option: "option B is ..." announces nothing."""
    label = reply.alphabet.anchor.match(reply.text, cue.end(), reply.end)
    return label is not None and "\n" not in label["pre"]


def _direct(reply: Reply, cue: re.Match[str]) -> Commitment | None:
    """The answer right after a verb or a noun that takes it so, or below a heading."""
    if cue["verb"] or cue["direct"] or cue["answer"]:
        return _at(reply, cue.end(), "cue")
    heading = words.HEADING.match(reply.text, cue.end(), reply.end)
    return _at(reply, heading.end(), "cue") if heading else None


def _joined(reply: Reply, cue: re.Match[str]) -> Commitment | None:
    """The answer after a copula or colon in the same sentence."""
    stop = words.SENTENCE_END.search(reply.text, cue.end(), min(reply.end, cue.end() + _WINDOW))
    limit = stop.start() if stop else min(reply.end, cue.end() + _WINDOW)
    for join in islice(_joints(reply, cue.end(), limit), _MOST_JOINS):
        one = _at(reply, join.end(), "cue")
        if one is not None:
            before = reply.text[max(cue.end(), join.start() - 12) : join.start()]
            denied = join[0] in words.NOT_JOINTS or words.BEFORE_NOT.search(before)
            return msgspec.structs.replace(one, positive=False) if denied else one
        denial = _DENIAL.match(reply.text, join.end(), limit)
        one = _at(reply, denial.end(), "cue") if denial else None
        if one is not None:
            return msgspec.structs.replace(one, positive=False)
    return None


def _joints(reply: Reply, at: int, limit: int) -> Iterator[re.Match[str]]:
    """The joints of a stretch; a dash is one only between spaces."""
    for word in words.JOIN.finditer(reply.lowered, at, limit):
        if word[0] in words.JOINTS or word[0] in words.NOT_JOINTS:
            beside = reply.text[word.start() - 1] + reply.text[word.end() : word.end() + 1]
            if word[0] != "-" or beside == "  ":
                yield word


_DENIAL = re.compile(
    r"\s*(?:(?:definitely|clearly|certainly|also)\s+)?(?:not|never|neither|nicht|pas|不)\b", re.IGNORECASE
)


def _corrected(reply: Reply, rejected: Commitment) -> Iterator[Commitment]:
    """Reads "... not A, it is B": the replacement right after a rejection."""
    bridge = words.CORRECTED.match(reply.text, rejected.end, reply.end)
    if bridge and bridge[0].strip(" ,;.*)]\"'-"):
        one = _at(reply, bridge.end(), "cue-corrected")
        if one is not None:
            yield one


def _concluded(reply: Reply) -> Iterator[Commitment]:
    """Reads "Therefore, B", "so (C)": a label right after a word that concludes."""
    found = []
    for cue in hits(reply, words.CONNECT):
        one = _label_at(reply, cue.end(), "conclusion", strict=True)
        if one is None or len(one.labels) != 1:
            continue
        if words.OR_BEFORE.search(reply.text[max(reply.start, cue.start() - _BACK) : cue.start()]):
            return
        if not _supposed(reply, cue):
            found.append(one)
    yield from found


def _declared_right(reply: Reply, tokens: list[tuple[str, int, int]]) -> Iterator[Commitment]:
    """Reads "B is correct", "(C) is the best answer", "选项B正确"; and "A is wrong", "not A"."""
    wrong_stems, right_stems = present(reply, words.WRONG_STEMS), present(reply, words.RIGHT_STEMS)
    before_stems = present(reply, words.BEFORE_STEMS)
    if not (wrong_stems or right_stems or before_stems):
        return
    for label, at, end in tokens:
        span = (at, at + len(label))
        before = reply.text[max(reply.start, at - 24) : at] if before_stems else ""
        wrong = _said(reply, label, end, words.WRONG, wrong_stems)
        if wrong is not None:
            yield Commitment((label,), "rejected", span, wrong.end(), positive=False)
        elif before and words.NOT_BEFORE.search(before):
            one = Commitment((label,), "rejected", span, end, positive=False)
            yield one
            yield from _corrected(reply, one)
        else:
            only = (
                before
                and words.ONLY_BEFORE.search(before)
                and words.ONLY_AFTER.match(reply.text, end, reply.end)
            )
            right = only or _said(reply, label, end, words.RIGHT, right_stems)
            if right and not _questioned(reply, at):
                yield Commitment((label,), "declared-right", span, right.end())


def _said(reply: Reply, label: str, at: int, pattern: Words, stems: list[str]) -> re.Match[str] | None:
    """What is said of a label right after it, or after its own text, whose words are not the reply's.

    The pattern is tried only where one of its words is near.
    """
    if not holds(reply, at, stems):
        return None
    after = past_text(reply, label, at)
    if after > at and not words.VERB.match(reply.text, after, reply.end):
        return None
    return pattern.match(reply.text, after, reply.end)


def past_text(reply: Reply, label: str, at: int) -> int:
    """The offset after a label's own text, where that follows ("C. It is not hot")."""
    space = _SEPARATOR.match(reply.text, at, reply.end)
    text = reply.texts.at(reply.lowered, space.end() if space else at, reply.end)
    return text.end if text is not None and label in text.labels else at


def _questioned(reply: Reply, at: int) -> bool:
    """Whether the clause before an offset makes what follows a hypothesis or a negation."""
    before = reply.text[max(reply.start, at - _BACK) : at]
    return bool(words.BEFORE_HYPOTHESIS.search(before) or words.BEFORE_NOT.search(before))


def _supposed(reply: Reply, cue: re.Match[str]) -> bool:
    """Whether a conclusion hangs on an "if": "if it is small, it is B", "most likely B"."""
    before = reply.text[max(reply.start, cue.start() - _BACK) : cue.start()]
    return cue[0][:2].lower() in ("it", "mo", "pr", "de", "ce") and words.IF_BEFORE.search(before) is not None


def _at(reply: Reply, at: int, rule: str) -> Commitment | None:
    """The label or the option's text that stands at an offset."""
    return _label_at(reply, at, rule) or _text_at(reply, at, rule + "-text")


def _label_at(reply: Reply, at: int, rule: str, *, strict: bool = False) -> Commitment | None:
    """The label, or the list of labels, that stands at an offset and is meant as one."""
    label = reply.alphabet.anchor.match(reply.text, at, reply.end)
    if label is None or words.CONDITION.match(reply.text, label.end(), reply.end):
        return None
    if label["label"].islower() and label["label"].upper() not in reply.texts.of_letter(label["label"]):
        return None
    if not _is_meant(reply, label, strict=strict) or reply.in_text(label.start("label")):
        return None
    span, name = label.span("label"), label["label"].upper()
    if _begins_line(reply, span[0]) and lists(reply, name, label.end()):
        return None
    if _said(reply, name, label.end(), words.WRONG, present(reply, words.WRONG_STEMS)):
        return Commitment((name,), "rejected", span, label.end(), positive=False)
    more, end = further(reply, label.end(), name)
    return Commitment((name, *more), rule, (span[0], end if more else span[1]), end)


def _begins_line(reply: Reply, at: int) -> bool:
    """Whether only marks stand between the beginning of a line and an offset."""
    line = reply.text.rfind("\n", reply.start, at)
    return line >= 0 and at - line <= _MARGIN and not reply.text[line:at].strip(" \n\t(*[#>-")


def lists(reply: Reply, label: str, at: int) -> bool:
    """Whether the next line begins with the next label: the options are listed, none is chosen."""
    labels = reply.alphabet.labels
    line = _NEXT_LINE.match(reply.text, at, reply.end)
    following = reply.alphabet.line.match(reply.text, line.end(), reply.end) if line else None
    return following is not None and labels.index(following["label"]) == labels.index(label) + 1


def further(reply: Reply, at: int, label: str = "") -> tuple[list[str], int]:
    """The further labels of a list that goes on at an offset, and where it ends.

    The first label may be told, and its own text stand before the list: "(A) cat and (C) fox".
    """
    more: list[str] = []
    while len(more) < len(reply.alphabet.labels):
        another = reply.alphabet.more.match(reply.text, at, reply.end)
        if another is None:
            another = _with_text(reply, past_text(reply, label, at)) if label else None
        if another is None:
            break
        label = another["label"]
        more.append(label)
        at = another.end()
    return more, at


def _with_text(reply: Reply, at: int) -> re.Match[str] | None:
    """A further label of a list, with its own text behind it, of which nothing is said."""
    another = reply.alphabet.joined.match(reply.text, at, reply.end)
    if another is None:
        return None
    end = past_text(reply, another["label"], another.end())
    said = end == another.end() or words.WRONG.match(reply.text, end, reply.end)
    return None if said else another


def _is_meant(reply: Reply, label: re.Match[str], *, strict: bool) -> bool:
    """A label in brackets or emphasis is meant; a bare one if the sentence ends there or gives its own text.

    So the article of "the answer is A dog" and the pronoun of "so I think" are none.
    """
    opened, closed = label["pre"].rstrip()[-1:], label["post"]
    if opened in _BRACKETS and closed:
        return True
    goes_on = words.GOES_ON.match(reply.text, label.end(), reply.end)
    if goes_on and not (
        strict and goes_on[0].strip().isalpha() and goes_on[0].strip().lower() not in ("because", "since")
    ):
        return True
    space = _SEPARATOR.match(reply.text, label.end(), reply.end)
    text = reply.texts.at(reply.lowered, space.end() if space else label.end(), reply.end)
    return text is not None and label["label"].upper() in text.labels


_COMMA = re.compile(r"[\"']?,\s*[\"']?")
_SEPARATOR = re.compile(r"[\s.:)*-]{0,6}")
_NEXT_LINE = re.compile(r"[^\n]{0,400}\n\s{0,8}")


def _lists_texts(reply: Reply, one: Mention) -> bool:
    """Whether the next option's text follows after a comma: the options are listed ("choices = [3, 4.5]")."""
    comma = _COMMA.match(reply.text, one.end, reply.end)
    other = reply.texts.at(reply.lowered, comma.end(), reply.end) if comma else None
    return other is not None and other.labels != one.labels


def _text_at(reply: Reply, at: int, rule: str) -> Commitment | None:
    """The option's text that stands at an offset, if the phrase ends with it."""
    if not reply.texts.same:
        return None
    opened = _OPEN.match(reply.text, at, reply.end)
    start = opened.end() if opened else at
    text = reply.texts.at(reply.lowered, start, reply.end) or reply.texts.at(reply.lowered, at, reply.end)
    if text is None or words.CONDITION.match(reply.text, text.end, reply.end):
        return None
    if not words.GOES_ON.match(reply.text, text.end, reply.end) or _lists_texts(reply, text):
        return None
    return Commitment(text.labels, rule, (text.start, text.end), text.end)
