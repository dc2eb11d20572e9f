r"""Yes or no as the POPE authors read it: everything is a yes unless it says no.

Source: AoiDragon/POPE `evaluate.py` @ 08d957b917e5; the same in haotian-liu/LLaVA
`llava/eval/eval_pope.py` @ c121f0432da2. Only what precedes the first full stop counts; commas are
deleted, words are set apart by single spaces, and `No`, `not` or `no` among them makes a no. Anything
else is a yes.

Traps: an empty reply, "NO", "Nope", "No!", "no\n" and "I cannot tell" are all yes; "Yes, and there is no
dog" is no. A gold other than "no" counts as yes upstream; here a gold that is neither is refused.

`exact` reads only the replies Yes, yes, No and no, with a full stop at most.
"""

from __future__ import annotations

import re

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_NEGATIONS = frozenset({"No", "not", "no"})
_WORD = re.compile(r"(?<![^ ,])(?:No|not|no)(?![^ ,.])")
_ALONE = {word + stop: word.lower() for word in ("Yes", "yes", "No", "no") for stop in ("", ".")}


def _graded(found: Found, sample: Sample) -> Reading:
    """Compare with the gold, which must be yes or no."""
    gold = sample.references[0].strip().lower() if sample.references else ""
    if gold not in ("yes", "no"):
        return Reading(found, invalid="gold-not-yes-or-no")
    return Reading(found, None if found.value is None else found.value == gold)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """No if the first sentence has a word of negation, else yes."""
    words = prediction.partition(".")[0].replace(",", "").split(" ")
    if _NEGATIONS.isdisjoint(words):
        return _graded(Found("yes", "no-negation"), sample)
    at = _WORD.search(prediction)
    return _graded(Found("no", "negation", at.span() if at else None), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """One word and no more."""
    word = _ALONE.get(prediction)
    if word is None:
        return _graded(Found(None, "not-a-lone-word"), sample)
    return _graded(Found(word, "lone-word", (0, len(word))), sample)


RULES = RuleSet("pope", exact, rule)
