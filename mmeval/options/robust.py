"""Our own reading of option letters, and the default: exactly one commitment, or none.

A reply is read from the strongest evidence to the weakest, by the rules of `_RULES` in their order; the first
rule that finds one commitment reads it, and the first that finds a contradiction ends the reading. What a
model rejects or takes back is never its answer, a letter that is a word or stands in a word is never a label,
and where two options remain nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from msgspec import structs

from mmeval.options import _vocabulary as words
from mmeval.options._alphabet import Alphabet, alphabet
from mmeval.options._cues import Commitment, cues
from mmeval.options._gold import gold_letters
from mmeval.options._label_rules import (
    by_box,
    by_closing_label,
    by_cue,
    by_declaration,
    by_elimination,
    by_line,
    by_mark,
    by_option_verdicts,
    by_subject,
)
from mmeval.options._scan import Reply, words_of
from mmeval.options._settle import commits, settled, withdrawn
from mmeval.options._text_rules import by_text, by_text_cue
from mmeval.options._texts import lower, texts
from mmeval.options._whole import whole
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.fold import fold
from mmeval.text.reasoning import final_part
from mmeval.text.wrappers import Content, strip, unwrap
from mmeval.types import Found, Sample

Rule: TypeAlias = Callable[[Reply, list[Commitment]], Found | None]
_NOTHING = Found(None, "no-option-found")


def exact(text: str, sample: Sample, knobs: Knobs) -> Reading:
    """Reads an answer that is nothing but a label, a set of labels, or an option's text."""
    return _reading(text, sample, prose=False)


def rule(text: str, sample: Sample, knobs: Knobs) -> Reading:
    """Reads an answer out of prose; abstains unless the reply commits itself to exactly one option."""
    return _reading(text, sample, prose=True)


def _reading(text: str, sample: Sample, *, prose: bool) -> Reading:
    gold = gold_letters(sample)
    if gold is None:
        return Reading(Found(None, "gold-not-an-option"), invalid="gold-not-an-option")
    letters = _alphabet_of(sample.options.labels, gold)
    found = _short(text, letters, sample, prose=prose) or _read(
        text, letters, sample, "," in gold, prose=prose
    )
    return Reading(found, None if found.value is None else found.value == gold)


@lru_cache(maxsize=1024)
def _alphabet_of(labels: tuple[str, ...], gold: str) -> Alphabet:
    """The labels of the options, and those of the gold that lie beyond them."""
    return alphabet(labels + tuple(label for label in gold.split(",") if label not in labels))


def _short(text: str, letters: Alphabet, sample: Sample, *, prose: bool) -> Found | None:
    """The commonest replies, without ado: a capital label, one with its option's own text, one announced."""
    bare = letters.bare.fullmatch(text)
    if bare is not None:
        return Found(bare[1], "bare-label", bare.span(1))
    lead = letters.lead.match(text)
    if lead is not None and lead["mark"] and text[lead.end() :].strip() == _own(sample, lead["label"]):
        return Found(lead["label"], "label-and-text", lead.span("label"))
    return _last_sentence(text, letters, sample) if prose and text.isascii() else None


def _own(sample: Sample, label: str) -> str | None:
    """The text of a label's option."""
    labels, written = sample.options.labels, sample.options.texts
    at = labels.index(label) if label in labels else len(written)
    return written[at] if at < len(written) else None


def _last_sentence(text: str, letters: Alphabet, sample: Sample) -> Found | None:
    """A reply whose last sentence, or last clause after "so", is nothing but an announcement of one label.

    It is the only such announcement and nothing can take it back, so the rest need not be heard. Replies in
    containers, or with questions of their own, are left to the slower way.
    """
    if "<" in text or "box" in text or "{" in text or "THINK]" in text or "uestion:" in text:
        return None
    end = len(text.rstrip(" .*\n"))
    sentence = max(text.rfind("\n", 0, end), text.rfind(". ", 0, end), text.rfind("? ", 0, end), -1) + 1
    clause = text.rfind(", ", sentence, end) + 1
    for start in (sentence + (text[sentence : sentence + 1] == " "), clause):
        cue = letters.announced.match(text, start)
        if cue is not None and (start != clause or not clause or cue["so"]):
            rest, own = text[cue.end() :].strip(" .*\n"), _own(sample, cue["label"])
            if (not rest or rest.strip("(): ,-").removeprefix("the ") == own) and _plain(text, cue, sample):
                return Found(cue["label"], "cue", cue.span("label"))
    return None


def _plain(text: str, cue: re.Match[str], sample: Sample) -> bool:
    """Whether no answer is announced before, and "option B" cannot be what an option's text speaks of."""
    if text.find("nswer is", 0, cue.start()) >= 0:
        return False
    return "ption " not in cue[0] or not any("ption " in written for written in sample.options.texts)


def _read(text: str, letters: Alphabet, sample: Sample, several: bool, *, prose: bool) -> Found:
    """Open what contains the answer, read all of it, and in prose what it says."""
    folded = fold(text)
    content = unwrap(folded)
    if content.problem:
        return Found(None, content.problem)
    options = sample.options
    known = texts(options.labels, options.texts)
    lowered = lower(folded)
    reply = Reply(
        folded, lowered, words_of(lowered), content.start, content.end, letters, known, sample, several
    )
    found = whole(reply)
    if not prose:
        return found or Found(None, "not-a-bare-answer")
    if found is None and content.container == "plain":
        found = _before_next_question(reply)
    if content.container in ("boxed", "json"):
        return _around(reply, content, found)
    return found or _prose(reply)


def _before_next_question(reply: Reply) -> Found | None:
    """The answer of a reply that goes on to ask and answer further questions, where it gave one before."""
    if b"question" not in reply.words:
        return None
    following = words.NEXT_QUESTION.search(reply.text, reply.start, reply.end)
    if following is None:
        return None
    start, end = strip(reply.text, reply.start, following.start())
    first = structs.replace(reply, start=start, end=end)
    found = whole(first) or _prose(first)
    return found if found.value and found.rule in _SURE else None


_SURE = frozenset(
    ("bare-label", "label-and-text", "option-text", "label-set", "cue", "cue-text", "lead-label")
)
"""Rules that read an answer which needs nothing further."""


def _around(reply: Reply, content: Content, found: Found | None) -> Found:
    """A box or a JSON object: its content, unless the prose after it says otherwise."""
    part = final_part(reply.text)
    start, end = strip(reply.text, part.start, part.end)
    if found is None and content.container == "boxed":
        return by_box(reply) or _prose(structs.replace(reply, start=start, end=end), _WITHOUT_TEXTS)
    if found is None:
        inside = _prose(reply)
        return inside if inside.value else _prose(structs.replace(reply, start=start, end=end))
    if found.value is None:
        return found
    said = [one for one in cues(structs.replace(reply, start=start, end=end)) if commits(one)]
    if not said and withdrawn(structs.replace(reply, end=end), content.end):
        return Found(None, "withdrawn", found.span)
    later = [one for one in said if one.span[0] > content.end]
    if later and later[-1].labels != (found.value,):
        return settled(reply, later[-1])
    if found.rule == "option-text" and said and said[-1].labels != (found.value,):
        return Found(None, "letter-text-conflict", found.span)
    return Found(found.value, content.container, found.span)


def _prose(reply: Reply, rules: tuple[Rule, ...] | None = None) -> Found:
    """The first of the rules that finds one commitment, or a contradiction."""
    said = cues(reply)
    for read in rules or (_RULES if reply.tokens or said else _WITHOUT_LABELS):
        found = read(reply, said)
        if found is not None:
            return found
    return _NOTHING


_RULES: tuple[Rule, ...] = (
    by_cue,
    by_declaration,
    by_text_cue,
    by_line,
    by_closing_label,
    by_option_verdicts,
    by_elimination,
    by_subject,
    by_mark,
    by_text,
)
_WITHOUT_LABELS = (by_text,)
"""What is left for a reply that holds no label and announces nothing."""
_WITHOUT_TEXTS = tuple(rule for rule in _RULES if rule not in (by_text_cue, by_text))
"""What is left where the answer in a box is no option: its text elsewhere is then no answer."""
RULES = RuleSet("robust", exact, rule)
