"""Yes or no as the MME authors read it: the first four characters decide.

Source: `calculation.py` of the authors' `eval_tool.zip` (BradyFU/Awesome-Multimodal-Large-Language-Models
@ dd2950902889), whose rule public copies repeat. The reply is lower-cased; if its first four characters
hold "yes" it is a yes, else if they hold "no" a no, else it is "other", which is wrong for every gold.

Traps: "Not sure" and "None of them" are no, "Know" is no; "**Yes**" and "I know" are other; two blanks
before "Yes" hide it. lmms-eval (`lmms_eval/tasks/mme/utils.py`) strips the reply, deletes full stops and
reads a lone y or n as well; that is not the authors' rule.

`exact` reads only a reply that is the word alone.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_PREFIX = 4


def _graded(found: Found, sample: Sample) -> Reading:
    """Compare with the gold, which must be yes or no in any case."""
    gold = sample.references[0].lower() if sample.references else ""
    if gold not in ("yes", "no"):
        return Reading(found, invalid="gold-not-yes-or-no")
    return Reading(found, None if found.value is None else found.value == gold)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The word inside the first four characters; everything else is the authors' "other"."""
    prefix = prediction[:_PREFIX].lower()[:_PREFIX]
    for word in ("yes", "no"):
        start = prefix.find(word)
        if start >= 0:
            span = (start, start + len(word)) if prefix.isascii() else None
            return _graded(Found(word, "prefix", span), sample)
    return _graded(Found(None, "other"), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """One word and no more."""
    word = prediction.lower()
    if word not in ("yes", "no"):
        return _graded(Found(None, "not-a-lone-word"), sample)
    return _graded(Found(word, "lone-word", (0, len(word))), sample)


RULES = RuleSet("mme", exact, rule)
