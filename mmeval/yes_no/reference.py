"""Yes or no as simple-mmeval reads it.

Source: mm-evaluation/simple-mmeval `mmeval/scoring/stages/{exact_match,rule_match}.py` @ 3aa72c0, in our
own words. `exact`: the reply in the normal form of open answers is yes or no. `rule`: the whole word yes
without the whole word no is yes, the reverse is no; both or neither is not read. "not" and "n't" are not
no.
"""

from __future__ import annotations

import re

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reference import open_normalise
from mmeval.types import Found, Sample

_WORD = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


def _graded(found: Found, sample: Sample) -> Reading:
    """Right if the word is any of the golds."""
    return Reading(found, any(found.value == open_normalise(gold) for gold in sample.references))


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The whole reply is the word."""
    word = open_normalise(prediction)
    if word not in ("yes", "no"):
        return Reading(Found(None, "not-a-lone-word"))
    at = _WORD.search(prediction)
    return _graded(Found(word, "lone-word", at.span() if at else None), sample)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The one of the two words that the reply holds."""
    words = {word.lower() for word in _WORD.findall(open_normalise(prediction))}
    if len(words) != 1:
        return Reading(Found(None, "yes-and-no-found" if words else "no-yes-or-no-found"))
    word = words.pop()
    at = next((one for one in _WORD.finditer(prediction) if one[0].lower() == word), None)
    return _graded(Found(word, "word", at.span() if at else None), sample)


RULES = RuleSet("reference", exact, rule)
