"""OCRBench's containment: a reference, lower-cased, anywhere in the lower-cased reply.

Source: open-compass/VLMEvalKit vlmeval/dataset/utils/ocrbench.py @ e8e78f05f308. Line breaks become spaces
and ends are trimmed. For handwritten mathematical expressions (the sample's field `category`, or
lmms-eval's `dataset` HME100k and `question_type`) case matters and spaces do not. There are no word
boundaries: "5" is found in "25". A blank reference, which would be found everywhere, is passed over.
"""

from __future__ import annotations

from mmeval.reading import Knobs, Reading, RuleSet
from mmeval.text.reasoning import final_part
from mmeval.types import Found, Sample

_MATHS = "Handwritten Mathematical Expression Recognition"


def _is_maths(sample: Sample) -> bool:
    fields = sample.fields
    return (
        _MATHS in (fields.get("category"), fields.get("question_type")) or fields.get("dataset") == "HME100k"
    )


def _words(text: str) -> str:
    return text.lower().strip().replace("\n", " ")


def _formula(text: str) -> str:
    return text.strip().replace("\n", " ").replace(" ", "")


def _grade(prediction: str, sample: Sample, knobs: Knobs) -> Reading:
    part = final_part(prediction)
    if part.kind == "reasoning-unclosed":
        return Reading(Found(None, part.kind))
    form = _formula if _is_maths(sample) else _words
    answer = form(prediction[part.start : part.end])
    if not answer:
        return Reading(Found(None, "blank"))
    for reference in map(form, sample.references):
        if reference and reference in answer:
            return Reading(Found(reference, "contains-reference"), True)
    return Reading(Found(answer, "contains-no-reference"), False)


RULES = RuleSet("ocrbench", _grade, _grade)
