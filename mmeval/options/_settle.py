"""What a commitment comes to, once what stands beside it and after it has been heard."""

from __future__ import annotations

import re

from msgspec import structs

from mmeval.options import _vocabulary as words
from mmeval.options._cues import Commitment
from mmeval.options._scan import Reply, hits
from mmeval.types import Found

TWO = "two-options-found"
_LAST_WORD = re.compile(
    r"\b(option|choice|point|figure|image|picture|sample|solution|pair|graph|diagram|container|box) $"
)
_CORRECTION = re.compile(
    r"[\s.,;:!?*)\]\"'…-]{1,8}"
    r"(?:(?:(?i:no|nope|wait|actually|sorry|oops|hmm+|or\s+rather|rather|correction|i\s+meant?|scratch\s+that))\b"
    r"[\s.,;:!…-]{0,4}){1,4}"
    r"(?:(?i:i\s+am|i'm)\s+(?i:not\s+(?:so\s+)?(?:sure|certain))"
    r"|(?:(?i:it\s+is|it's|the\s+answer\s+is|option)\s+)?[*(\[\"']{0,3}(?P<label>[A-Z]|\d{1,2})[)\]*\"']{0,3}"
    r"(?=\s*(?:[.,;!?\n]|\Z)))"
)
_BESIDE = re.compile(r"[ \t.:)*(\"'`\]}~-]{0,6}")
_ENDS = re.compile(r"\s*(?:\Z|\n|[.,;)*}](?!\d))")


def settled(reply: Reply, one: Commitment) -> Found:
    """What one commitment comes to, once its own text and what follows it have been heard."""
    if len(one.labels) > 1:
        found = set_of(reply, one.labels, one.span)
        return Found(found.value, one.rule if found.value else found.rule, one.span)
    label = one.labels[0]
    if not one.rule.endswith("-text") and _contradicted(reply, label, one.end):
        return Found(None, "letter-text-conflict", one.span)
    if withdrawn(reply, one.end) or _replaced(reply, label, one.end):
        return Found(None, "withdrawn", one.span)
    if reply.texts.naming and not one.rule.endswith("-text") and _names_other(reply, one):
        return Found(None, "letter-text-conflict", one.span)
    return Found(label, one.rule, one.span)


def set_of(reply: Reply, labels: tuple[str, ...], span: tuple[int, int]) -> Found:
    """A set of labels: one answer if the sample asks for several, else two options."""
    distinct = sorted(set(labels), key=reply.alphabet.labels.index)
    if len(distinct) > 1 and not asks_for_several(reply):
        return Found(None, TWO, span)
    return Found(",".join(distinct), "label-set" if len(distinct) > 1 else "bare-label", span)


def asks_for_several(reply: Reply) -> bool:
    """Whether the answer is a set: the gold has several letters, or the question says so."""
    return reply.several or words.MULTIPLE.search(reply.sample.question) is not None


def _contradicted(reply: Reply, label: str, at: int) -> bool:
    """Whether another option's text follows the label as if it were its own ("B. cat")."""
    space = _BESIDE.match(reply.text, at, reply.end)
    if space is None or not space[0] or not reply.texts.same:
        return False
    other = reply.texts.at(reply.lowered, space.end(), reply.end)
    if other is None or label in other.labels:
        return False
    return _ENDS.match(reply.text, other.end, reply.end) is not None


def _names_other(reply: Reply, one: Commitment) -> bool:
    """Whether the label stands in a phrase of another option's text: "point A", where (B) is "point A"."""
    start, end = one.span
    noun = _LAST_WORD.search(reply.lowered, max(reply.start, start - 16), start)
    phrase = f"{noun[1]} {reply.lowered[start:end]}" if noun else ""
    said = {label for form, labels in reply.texts.naming if phrase and phrase in form for label in labels}
    return bool(said) and one.labels[0] not in said


def withdrawn(reply: Reply, at: int) -> bool:
    """Whether the reply takes back what it said before an offset."""
    if words.WITHDRAWN_NEXT.match(reply.text, at, reply.end):
        return True
    return any(True for _ in hits(structs.replace(reply, start=at), words.WITHDRAWN_LATER))


def _replaced(reply: Reply, label: str, at: int) -> bool:
    """Whether another label, or doubt, follows at once as a correction ("A, no wait, B", "A. I meant B")."""
    if reply.end - at < 4:
        return False
    corrected = _CORRECTION.match(reply.text, at, reply.end)
    if corrected is None:
        return False
    other = corrected["label"]
    return other is None or (other in reply.alphabet.labels and other != label)


def commits(one: Commitment) -> bool:
    return one.positive and one.rule in ("cue", "cue-corrected", "conclusion")


def rejected_labels(said: list[Commitment]) -> set[str]:
    return {label for one in said if not one.positive for label in one.labels}


def skip(reply: Reply, at: int) -> int:
    space = _BESIDE.match(reply.text, at, reply.end)
    return space.end() if space else at
