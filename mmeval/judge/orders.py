"""Two answers the other way round: to undo what it does to a judge which of them stands first."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from mmeval.judge.templates import Prompt
from mmeval.types import Case, Json

BASELINE = "baseline"


def swapped(case: Case, prompt: Prompt, params: Mapping[str, Json]) -> Case | None:
    """The case with the two answers in each other's place.

    The other answer is the prompt's `baseline` where it has one, else the reference.

    Args:
        case: the case.
        prompt: the prompt, which shows two answers.
        params: what the benchmark says about the prompt's fields (`inputs`).

    Returns:
        The case; None where the other answer is missing (the prompt will say so).
    """
    sample = case.sample
    if BASELINE not in prompt.slots:
        if not sample.references:
            return None
        turned = msgspec.structs.replace(sample, references=(case.prediction,), answer=case.prediction)
        return msgspec.structs.replace(case, sample=turned, prediction=sample.references[0])
    names = params.get("inputs")
    field = names.get(BASELINE, BASELINE) if isinstance(names, dict) else BASELINE
    other = sample.fields.get(str(field))
    if not isinstance(other, str):
        return None
    turned = msgspec.structs.replace(sample, fields={**sample.fields, str(field): case.prediction})
    return msgspec.structs.replace(case, sample=turned, prediction=other)
