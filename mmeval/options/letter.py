"""The reply is the option letter, and nothing else at all.

Source: chenllliang/MMEvalPro `auto_score.py` @ c6fb5418997b compares reply and gold with plain equality;
the recorded MMBench verdicts of haotian-liu/LLaVA (`answers_upload/*.xlsx`) do the same. Not even white
space around the letter is forgiven, and "b" is not "B": a reply that is no label is read as nothing.

`exact` and `rule` are the same.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample

_NOTHING = Reading(Found(None, "not-a-lone-option"))


def grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """Plain equality with the gold; any known label or gold is a reading."""
    hit = prediction in sample.references
    if not prediction or not (hit or prediction in sample.options.labels):
        return _NOTHING
    return Reading(Found(prediction, "lone-option", (0, len(prediction))), hit)


RULES = RuleSet("letter", grade, grade)
