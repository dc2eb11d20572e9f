"""Relaxed correctness, the rule of ChartQA: numbers within 5 % of the gold, everything else by equal text.

Source: google-research/pix2struct pix2struct/metrics.py as carried by open-compass/VLMEvalKit
vlmeval/dataset/utils/vqa_eval.py @ e8e78f05f308 (which strips the prediction first) and
EvolvingLMMs-Lab/lmms-eval lmms_eval/tasks/chartqa/utils.py @ 75571cfe0fa3 (which does not). In doubles, as
written there: 0.315 is not within 5 % of 0.3. A gold of zero, and "1,000", are texts: "0.0" is not "0".
Years are numbers: 2015 is 1950.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading
from mmeval.text.reasoning import final_part
from mmeval.types import Found, Sample

TOLERANCE = 0.05


def _number(text: str) -> float | None:
    """The double that the text is; a final percent sign divides by 100."""
    try:
        if text.endswith("%"):
            return float(text.rstrip("%")) / 100.0
        return float(text)
    except ValueError:
        return None


def relaxed(prediction: str, target: str, tolerance: float = TOLERANCE) -> bool:
    """Whether the prediction is the target: within the tolerance (a share of the target), or the same text.

    >>> relaxed("10.5", "10"), relaxed("5", "5%"), relaxed("Yes", "yes")
    (True, False, True)
    """
    value, gold = _number(prediction), _number(target)
    if value is not None and gold:
        return abs(value - gold) / abs(gold) <= tolerance
    return prediction.lower() == target.lower()


def grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    """The whole reply, reasoning and outer white space apart, against every reference.

    The tolerance is 5 % unless `Knobs.numeric_rel_tol` says otherwise.
    """
    part = final_part(prediction)
    if part.kind == "reasoning-unclosed":
        return Reading(Found(None, part.kind))
    answer = prediction[part.start : part.end].strip()
    if not answer:
        return Reading(Found(None, "blank"))
    start = prediction.index(answer, part.start)
    tolerance = knobs.numeric_rel_tol or TOLERANCE
    hit = any(relaxed(answer, reference, tolerance) for reference in sample.references)
    rule = "whole-text" if _number(answer) is None else "whole-number"
    return Reading(Found(answer, rule, (start, start + len(answer))), hit)
