"""As `spatial`, with upstream's trap: a gold without a letter is matched by a reply without one.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/spatial_bench/cal_scores.py (`compute_mcq_score`,
`exact_match`) @ e8e78f05f308. "Nothing was read" is the value False there, on both sides, and False is
compared as a text: gold "left", reply "dunno" scores 1. Such a row has the reason `neither-is-an-option`. A
reply with a letter is wrong against such a gold.
"""

from __future__ import annotations

from mmeval.options._spatial import read_letter
from mmeval.options.spatial import exactly, gold_letter
from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.types import Found, Sample


def graded(found: Found, sample: Sample) -> Reading:
    """Right if both say the same, or neither says anything."""
    golds = {gold_letter(reference) for reference in sample.references}
    if found.value is not None:
        return Reading(found, found.value.lower() in golds)
    if None in golds:
        return Reading(Found(None, "neither-is-an-option"), True)
    return Reading(found)


def rule(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The seven places of `spatial`."""
    return graded(read_letter(prediction), sample)


RULES = RuleSet("spatial-literal", exactly(graded), rule)
