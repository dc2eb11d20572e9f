"""The rules that read an option by its text, for replies that name no label."""

from __future__ import annotations

import re

from mmeval.options import _vocabulary as words
from mmeval.options._cues import Commitment
from mmeval.options._label_rules import refuses
from mmeval.options._scan import Reply, hits
from mmeval.options._settle import TWO, rejected_labels, settled
from mmeval.options._texts import Mention
from mmeval.types import Found

_OTHER_LABEL = re.compile(r"[\s*(\[]{0,4}(?!A:\s)[A-Z](?:[).:\]]|\s*\Z)")
"""A reply that begins with a label; after all rules on labels, one that the question does not have.

"A:" may stand for "answer"."""
_DIGIT = re.compile(r"\d")
_SENTENCE = 200
_FUNCTION_WORDS = frozenset(
    ("yes", "no", "none", "all", "both", "neither", "either", "one", "true", "false", "not")
)
_SHORT = 240
"""A longer reply that only mentions one option's text may speak of anything."""
_OPENING = re.compile(r"[\s*_\"'`(#>-]{0,6}(?:(?:the|an?|it is|it's|this is)\s+)?", re.IGNORECASE)
_PAUSE = re.compile(r"[*\"'`)]{0,3}\s*(?:[,.;:!](?!\d)|\n|\Z|\(|\s-)")


def by_text_cue(reply: Reply, said: list[Commitment]) -> Found | None:
    """Reads "The answer is dog": the option's text after a cue."""
    named = [one for one in said if one.positive and one.rule.endswith("-text")]
    if not named:
        return None
    if len(named[-1].labels) > 1:
        return Found(None, "duplicate-option-texts", named[-1].span)
    return settled(reply, named[-1])


def by_text(reply: Reply, said: list[Commitment]) -> Found | None:
    """The option whose text a reply begins with, emphasises, concludes with, or, if short, holds."""
    if not reply.texts.words or refuses(reply):
        return None
    if not reply.alphabet.numeric and _OTHER_LABEL.match(reply.text, reply.start, reply.end):
        return Found(None, "label-not-among-options")
    out = rejected_labels(said)
    for read in (_text_at_start, _text_in_emphasis, _text_in_conclusion, _text_alone, _text_in_opening):
        found = [
            one for one in read(reply) if not out.intersection(one.labels) and not _denied(reply, one.start)
        ]
        named = {mention.labels for mention in found}
        if len(named) > 1 or not named:
            continue
        last = found[-1]
        if any(one.labels != last.labels and _beside(reply, last, one) for one in _named(reply, reply.start)):
            return Found(None, TWO, (last.start, last.end))
        if len(last.labels) > 1:
            return Found(None, "duplicate-option-texts", (last.start, last.end))
        name = read.__name__.removeprefix("_").replace("_", "-")
        return settled(reply, Commitment(last.labels, name, (last.start, last.end), last.end))
    return None


def _denied(reply: Reply, at: int) -> bool:
    """Whether a negation stands before an offset in the same sentence."""
    before = reply.text[max(reply.start, at - _SENTENCE) : at]
    ends = [end.end() for end in words.SENTENCE_END.finditer(before)]
    return words.NEGATION.search(before, ends[-1] if ends else 0) is not None


def _beside(reply: Reply, named: Mention, other: Mention) -> bool:
    """Whether another text is offered in the same sentence: "either a bilberry or a currant"."""
    first, last = sorted((named, other), key=lambda one: one.start)
    between = reply.text[first.end : last.start]
    return words.OR_THE.search(between) is not None and words.SENTENCE_END.search(between) is None


def _text_at_start(reply: Reply) -> list[Mention]:
    opened = _OPENING.match(reply.text, reply.start, reply.end)
    text = reply.texts.at(reply.lowered, opened.end() if opened else reply.start, reply.end)
    return [text] if text and _PAUSE.match(reply.text, text.end, reply.end) else []


def _text_in_emphasis(reply: Reply) -> list[Mention]:
    found = reply.texts.mentions(reply.lowered, reply.start, reply.end) if "**" in reply.text else ()
    return [
        one
        for one in found
        if reply.text.startswith("**", max(0, one.start - 2)) and reply.text.startswith("**", one.end)
    ]


def _text_in_conclusion(reply: Reply) -> list[Mention]:
    cues_ = list(hits(reply, words.CONCLUDE))
    return _named(reply, cues_[-1].end()) if cues_ else []


def _text_alone(reply: Reply) -> list[Mention]:
    short = reply.end - reply.start <= _SHORT
    return _named(reply, reply.start) if short else []


def _text_in_opening(reply: Reply) -> list[Mention]:
    """The one text that the first sentence of a longer reply names, where no other is named after it.

    The sentence must state it ("The term is melting."), and the text be more than a number.
    """
    end = words.SENTENCE_END.search(reply.text, reply.start, min(reply.end, reply.start + _SENTENCE))
    if end is None:
        return []
    everywhere = _named(reply, reply.start)
    if len({one.labels for one in everywhere}) != 1:
        return []
    first = [one for one in everywhere if one.end <= end.start()]
    stated = first and words.STATES.search(reply.text, reply.start, first[0].start)
    worded = first and any(map(str.isalpha, reply.lowered[first[0].start : first[0].end]))
    return first if stated and worded else []


def _named(reply: Reply, start: int) -> list[Mention]:
    """The texts named from an offset on; inside a sentence "yes", "none" and the like name nothing."""
    found = reply.texts.mentions(reply.lowered, start, reply.end)
    named = [one for one in found if reply.lowered[one.start : one.end] not in _FUNCTION_WORDS]
    single = len({one.labels for one in named}) == 1
    return [] if single and _one_of_many_numbers(reply, named[-1], start) else named


def _one_of_many_numbers(reply: Reply, one: Mention, start: int) -> bool:
    """Whether an option that is a bare number stands among others, as in a calculation, and not last."""
    if any(map(str.isalpha, reply.lowered[one.start : one.end])):
        return False
    if not reply.lowered[one.end : reply.end].strip(" .*$)\n"):
        return False
    rest = reply.lowered[start : one.start] + reply.lowered[one.end : reply.end]
    return _DIGIT.search(rest.replace(reply.lowered[one.start : one.end], "")) is not None
