"""Yes or no as TempCompass reads it, as far as its authors need no judge: the reply begins with the word.

Source: llyx97/TempCompass `eval_yes_no.py` @ e1b463166400. The end-of-sentence token `</s>` is removed and
the reply stripped; in lower case it begins with "yes", or else with "no", or it goes to the authors' judge,
so here it is not read. The gold is yes or no.

Traps: "Not sure" and "Nothing moves" are no; "**Yes**" and "The answer is yes" are not read.

`exact` reads only a reply that is the word alone.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_END_TOKEN = "</s>"
_WORDS = ("yes", "no")


def _graded(found: Found, sample: Sample) -> Reading:
    """Compare with the gold, which must be yes or no in any case."""
    gold = sample.references[0].strip().lower() if sample.references else ""
    if gold not in _WORDS:
        return Reading(found, invalid="gold-not-yes-or-no")
    return Reading(found, None if found.value is None else found.value == gold)


def _found(word: str, rule_name: str, prediction: str) -> Found:
    start = prediction.lower().find(word) if prediction.isascii() else -1
    return Found(word, rule_name, (start, start + len(word)) if start >= 0 else None)


def _cleaned(prediction: str) -> str:
    return prediction.replace(_END_TOKEN, "").strip().lower()


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The word that the reply begins with."""
    text = _cleaned(prediction)
    for word in _WORDS:
        if text.startswith(word):
            return _graded(_found(word, "leading-word", prediction), sample)
    return _graded(Found(None, "no-yes-or-no-found"), sample)


def exact(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """One word and no more."""
    text = _cleaned(prediction)
    if text not in _WORDS:
        return _graded(Found(None, "not-a-lone-word"), sample)
    return _graded(_found(text, "lone-word", prediction), sample)


RULES = RuleSet("tempcompass", exact, rule)
