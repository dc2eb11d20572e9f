"""Yes or no as VLMEvalKit extracts it without a judge.

Source: open-compass/VLMEvalKit `vlmeval/dataset/utils/yorn.py` (`YOrN_Extraction`), PyPI `ms-vlmeval`
0.0.20. The reply is lower-cased and cleaned of punctuation (`mmeval.text.punctuation`); "yes" as a word
without "no" as a word is yes, the reverse is no, all else is unknown.

Traps: `**Yes**`, `Answer:Yes` and `'yes'` are unknown, because asterisk, colon and apostrophe are no
punctuation here; so is `No.5`. The gold is compared as written, except for its case.

`exact` reads only a reply that is the word alone, with punctuation around it at most.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.punctuation import MARKS, process_punctuation
from mmeval.types import Found, Sample, Span

_EDGES = frozenset(MARKS + ".")
_BOTH = Found(None, "yes-and-no-found")
_NEITHER = Found(None, "no-yes-or-no-found")


def _edge(character: str) -> bool:
    """Whether a character, or the end of the text (an empty one), sets words apart."""
    return not character or character in _EDGES or character.isspace()


def _span(word: str, lowered: str) -> Span | None:
    """Where the word first stands in the reply; None where cleaning has joined it from pieces."""
    at = lowered.find(word)
    while at >= 0:
        end = at + len(word)
        if _edge(lowered[at - 1 : at]) and _edge(lowered[end : end + 1]):
            return at, end
        at = lowered.find(word, end)
    return None


def _graded(found: Found, sample: Sample) -> Reading:
    """Right if the word is the gold."""
    if found.value is None:
        return Reading(found)
    return Reading(found, any(found.value == gold.lower() for gold in sample.references))


def _read(prediction: str, name: str, alone: bool) -> Found:
    """The one of the two words that stands in the cleaned reply."""
    lowered = prediction.lower()
    words = process_punctuation(lowered).split()
    yes, no = "yes" in words, "no" in words
    if yes == no:
        return _BOTH if yes else _NEITHER
    if alone and len(words) > 1:
        return Found(None, "not-a-lone-word")
    word = "yes" if yes else "no"
    return Found(word, name, _span(word, lowered) if len(lowered) == len(prediction) else None)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The one of the two words that the reply holds."""
    return _graded(_read(prediction, "word", alone=False), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The word alone."""
    return _graded(_read(prediction, "lone-word", alone=True), sample)


RULES = RuleSet("vlmevalkit", exact, rule)
