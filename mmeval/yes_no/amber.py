"""Yes or no as the AMBER authors read it: the reply is the word, or it is nothing.

Source: junyangwang0410/AMBER `inference.py` @ 534babf6bbfc. The reply is compared with `Yes` and `No` as
they stand; the gold is yes or no in lower case. Everything else is wrong and counts neither as a yes nor as
a no in precision and recall.

Traps: "yes", "Yes." and "No " are not read. The authors leave it to the user to make the two words of what
the model said; a reply in prose needs another rule set.

`exact` is the same.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_WORDS = {"Yes": "yes", "No": "no"}


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The whole reply, if it is one of the two words."""
    gold = sample.references[0].strip().lower() if sample.references else ""
    word = _WORDS.get(prediction)
    found = Found(None, "not-a-lone-word") if word is None else Found(word, "lone-word", (0, len(prediction)))
    if gold not in ("yes", "no"):
        return Reading(found, invalid="gold-not-yes-or-no")
    return Reading(found, None if word is None else word == gold)


RULES = RuleSet("amber", rule, rule)
