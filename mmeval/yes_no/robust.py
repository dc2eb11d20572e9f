"""Our reading of yes/no answers: one commitment, or none.

`exact` reads a reply that is nothing but the word; `rule` reads prose, first rule that reads or refuses:

1. the whole reply ("Yes.", "true", "没有");
2. the word that "the answer is" announces, the last such announcement;
3. the word that the reply begins with ("Yes, but there is no leash"), unless its opposite follows at once
   ("Yes and no"), begins a later sentence, or is what the reply concludes ("Yes, but ..., so no.");
4. the only yes or no that stands as a clause's last word ("I would say no.").

What it never takes for an answer: a "no" before a noun ("no dogs"), "not" and "n't", a quoted or denied
word in prose ("the sign says 'yes'", "not yes"), the words of an instruction ("yes or no"), 是 and 有 that go
on.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, TypeAlias

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.cues import last_cue
from mmeval.text.fold import fold
from mmeval.text.wrappers import Content, unwrap
from mmeval.types import Found, Sample, Span

Word: TypeAlias = Literal["yes", "no"]

_YES = ("yes", "yeah", "yep", "yup", "true", "y", "是", "是的", "对", "对的", "有", "有的", "正确", "存在")
_NO = (
    "no",
    "nope",
    "nah",
    "false",
    "n",
    "否",
    "不",
    "不是",
    "不是的",
    "不对",
    "没有",
    "无",
    "错误",
    "不存在",
)
_WORDS: dict[str, Word] = {**dict.fromkeys(_YES, "yes"), **dict.fromkeys(_NO, "no")}
_OPPOSITE: dict[Word, Word] = {"yes": "no", "no": "yes"}
_GOLDS: dict[str, Word] = {
    **_WORDS,
    "1": "yes",
    "0": "no",
    "correct": "yes",
    "incorrect": "no",
    "wrong": "no",
}
_OUTER = " \t\r\n.,;:!?。，；：！？*_`\"'()"

_ENDS = r"(?=[\s*_`\"')]*(?:[.,;:!?。，；：！？\n-]|\Z))"
_GOES_ON = (
    r"(?=\s+(?:it|there|this|that|these|those|the|they|he|she|we|you|i|in|because|since|as|based|both|all|a|an"
    r"|not)\b)"
)
_FIRST = re.compile(
    rf"[\s*_`\"'(]{{0,6}}(?:well|so|ok|okay|hmm|oh)?[\s,*_`\"'(]{{0,4}}"
    rf"(?P<word>(?:yes|yeah|yep|yup|true|false|nope|nah)\b|no\b(?!\.\s?\d)(?:{_ENDS}|{_GOES_ON})"
    rf"|(?:不是的|不是|不存在|不对|没有|不|否|无|错误|是的|是|对的|对|有的|有|正确|存在){_ENDS})",
    re.IGNORECASE,
)
_JOINED = re.compile(
    r"[\s*_`\"'),.;:/]{0,4}(?:(?:and|or|but|also)[\s,]{1,2})?(?P<word>yes|no|true|false)\b", re.IGNORECASE
)
_SENTENCE = re.compile(rf"[.!?\n][\s*_`\"']{{1,4}}(?P<word>yes|no){_ENDS}", re.IGNORECASE)
_CONCLUDED = re.compile(
    r"\b(?:so|therefore|thus|hence|actually|sorry|wait|rather|correction|answer(?:\s+is)?)[\s,:;*_`\"'-]{1,4}"
    rf"(?P<word>yes|no)\b{_ENDS}",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(r"[\"']?\byes\b[\"']?\s?(?:/|or|and)\s?[\"']?\bno\b[\"']?", re.IGNORECASE)
_TOKEN = re.compile(rf"(?<![\w\"'-])(?P<word>yes|no)(?![\w\"'-]){_ENDS}", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever)\s+(?:\w+\s+){0,2}\Z"
    r"|(?:\bnot|n't|\bcannot|\bno\s+(?:reason|way|basis)|\bimpossible|\bunable|\bhard|\bdifficult|\bunclear)\s+"
    r"(?:\w+\s+){0,3}(?:say|answer|reply|respond|conclude)\s+\Z",
    re.IGNORECASE,
)


@lru_cache(maxsize=1024)
def _golds(references: tuple[str, ...]) -> frozenset[Word]:
    words = (_GOLDS.get(reference.strip(_OUTER).lower()) for reference in references)
    return frozenset(word for word in words if word is not None)


def _exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    found = _bare(prediction) or _wrapped(prediction, unwrap(prediction))
    return _graded(found or Found(None, "not-a-bare-word"), sample)


def _rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    found = _bare(prediction)
    if found is None:
        content = unwrap(prediction)
        found = _wrapped(prediction, content) or _prose(prediction, content)
    return _graded(found, sample)


def _graded(found: Found, sample: Sample) -> Reading:
    golds = _golds(sample.references)
    if not golds:
        return Reading(found, None, "unparsable-gold")
    return Reading(found, None if found.value is None else found.value in golds)


def _bare(text: str) -> Found | None:
    """The reply is the word."""
    short = text.strip(_OUTER)
    word = _WORDS.get(short.lower()) if len(short) < 8 else None
    if word is None:
        return None
    start = text.index(short)
    return Found(word, "bare-word", (start, start + len(short)))


def _wrapped(text: str, content: Content) -> Found | None:
    """The reply is wrapped around the word, or holds nothing to read."""
    if content.problem:
        return Found(None, content.problem)
    start, end = content.start, content.end
    word = _WORDS.get(text[start:end].strip(_OUTER).lower()) if end - start < 16 else None
    return None if word is None else Found(word, content.container, (start, end))


def _prose(text: str, content: Content) -> Found:
    folded = fold(text)
    cue = last_cue(folded, content.start, content.end)
    if cue is not None:
        announced = _first(folded, *cue, "cue")
        if announced is not None:
            return announced
    return _first(folded, content.start, content.end, "leading-word") or _only(folded, content)


def _first(folded: str, start: int, end: int, rule: str) -> Found | None:
    """The word with which a stretch begins; both, where its opposite follows at once or begins a sentence."""
    first = _FIRST.match(folded, start, end)
    if first is None:
        return None
    word, span = _WORDS[first["word"].lower()], first.span("word")
    joined = _JOINED.match(folded, first.end(), end)
    if joined and _WORDS[joined["word"].lower()] != word:
        return Found(None, "yes-and-no-found", span)
    if _says_later(_OPPOSITE[word], folded, first.end(), end):
        return Found(None, "yes-and-no-found", span)
    return Found(word, rule, span)


def _says_later(word: Word, folded: str, start: int, end: int) -> bool:
    """Whether a sentence of this stretch begins or concludes with the word; most do not even hold it."""
    if word not in folded[start:end].lower():
        return False
    return any(
        later["word"].lower() == word
        for pattern in (_SENTENCE, _CONCLUDED)
        for later in pattern.finditer(folded, start, end)
    )


def _only(folded: str, content: Content) -> Found:
    """The only yes or no that closes a clause, instructions left out."""
    excluded = [found.span() for found in _INSTRUCTION.finditer(folded, content.start, content.end)]
    spans: dict[Word, Span] = {}
    for token in _TOKEN.finditer(folded, content.start, content.end):
        if any(start <= token.start() < end for start, end in excluded):
            continue
        if _DENIED.search(folded[max(content.start, token.start() - 40) : token.start()]):
            return Found(None, "denied-word", token.span("word"))
        spans[_WORDS[token["word"].lower()]] = token.span("word")
        if len(spans) > 1:
            return Found(None, "yes-and-no-found")
    if not spans:
        return Found(None, "no-yes-or-no-found")
    ((word, span),) = spans.items()
    return Found(word, "only-word", span)


RULES = RuleSet("robust", _exact, _rule)
