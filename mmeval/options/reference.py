"""Option letters as simple-mmeval reads them: one letter, or a set of letters.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/{extraction,stages/exact_match,stages/rule_match}.py`
@ 3aa72c0, in our own words; the rules themselves are in `_reference_rules.py`.

Candidates are the sample's labels (A to F where it has none), widened up to the highest gold letter. Both
stages first look for a letter set in the last <answer> element, behind the last cue ("the answers are"),
and in the whole reply. Then `exact` tries the strict rules on the last <answer> element, else on the
reply; `rule` tries a lone letter, the last <answer> element, a box, cues, the one token, labels, and at
last an option's text.

The gold is one letter, a set ("A, C"), a compact set ("AC", only where the sample offers options), what
the rules of the stage read in it, or else its own text in capitals, which no reply matches.

Traps: "A teddy bear" is option A; "bad" alone is the set A, B, D; options found in the question's text
have no texts, so restating them is not read; of two boxes the first wins; reasoning is read along with
the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from mmeval.options import _reference_rules as rules
from mmeval.options._reference_rules import ROBUST, STRICT, Mark
from mmeval.questions import strict_gold_letters
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reference import last_answer_element, normalise
from mmeval.types import Found, Options, Sample

Named: TypeAlias = "tuple[str, Mark]"
Single: TypeAlias = "Callable[[str, str | None, str, Options], Named | None]"

_FALLBACK = "ABCDEF"


@lru_cache(maxsize=2048)
def candidates(labels: tuple[str, ...], gold: str) -> str:
    """The letters that may be read, widened to the highest gold letter."""
    known = "".join(label for label in labels if len(label) == 1 and label.isalpha()) or _FALLBACK
    letters = strict_gold_letters(gold) or ()
    if all(letter in known for letter in letters):
        return known
    highest = max(*known, *letters)
    return "".join(map(chr, range(ord("A"), ord(highest) + 1)))


def _gold_text(sample: Sample) -> str:
    """The gold as one text; several references become the text of their list, as upstream has it."""
    references = sample.references
    return references[0] if len(references) == 1 else str(list(references))


def _letter_set(text: str, element: str | None, known: str) -> Named | None:
    """A letter set in the last answer element, behind the last cue, or as the whole reply."""
    if element is not None:
        letters = rules.segment(normalise(element), known)
        if letters:
            return "answer-element", Mark(letters)
    cued = rules.after_set_cue(text, known)
    if cued:
        return "set-after-cue", cued
    whole = rules.whole_set(text, known)
    return ("lone-set", whole) if whole else None


def _strict(text: str, element: str | None, known: str, options: Options) -> Named | None:
    """The strict rules, on the last answer element if there is one."""
    text = normalise(element) if element is not None else text
    for name, read in STRICT:
        mark = read(text, known)
        if mark:
            return name, mark
    return None


def _inside_element(element: str, known: str, options: Options) -> Named | None:
    """A bare letter, the one token, or an option's text in the last answer element."""
    content = normalise(element)
    mark = rules.lone_letter(content, known) or rules.late_token(content, known)
    mark = mark or rules.restated(content, options)
    return ("answer-element", Mark(mark.letters)) if mark else None


def _robust(text: str, element: str | None, known: str, options: Options) -> Named | None:
    """The robust rules in their order."""
    lone = rules.lone_letter(text, known)
    if lone:
        return "lone-option", lone
    inside = _inside_element(element, known, options) if element is not None else None
    if inside:
        return inside
    for name, read in ROBUST:
        mark = read(text, known)
        if mark:
            return name, mark
    restated = rules.restated(text, options)
    return ("option-text", restated) if restated else None


def _gold(gold: str, known: str, options: Options, single: Single) -> tuple[str, ...]:
    """The gold letters, or the gold's own text where it has none."""
    letters = strict_gold_letters(gold)
    if letters is None and options.parsed:
        letters = rules.segment(normalise(gold), known)
    if letters is None:
        read = single(normalise(gold), last_answer_element(gold), known, options)
        letters = read[1].letters if read else (gold.strip().upper(),)
    return letters


def _grade(prediction: str, sample: Sample, single: Single) -> Reading:
    """Read a set, else a single letter, and compare with the gold as a set."""
    gold = _gold_text(sample)
    known = candidates(sample.options.labels, gold)
    text, element = normalise(prediction), last_answer_element(prediction)
    read = _letter_set(text, element, known) or single(text, element, known, sample.options)
    if read is None:
        return Reading(Found(None, "no-option-found"))
    name, mark = read
    span = (mark.start, mark.end) if mark.start >= 0 and text == prediction else None
    hit = mark.letters == _gold(gold, known, sample.options, single)
    return Reading(Found(",".join(mark.letters), name, span), hit)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """A letter set, else the strict rules."""
    return _grade(prediction, sample, _strict)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """A letter set, else the robust rules."""
    return _grade(prediction, sample, _robust)


RULES = RuleSet("reference", exact, rule)
