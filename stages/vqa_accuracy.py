"""Soft accuracy against the answers of several annotators."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

from mmeval.errors import UsageError
from mmeval.text.reasoning import final_part
from mmeval.text.vqa import Form, normalise, unbroken
from mmeval.types import Case, Invalid, Outcome, Score

Mode: TypeAlias = Form

_SATURATED = 3
"""Agreeing annotators that make an answer fully right."""


@dataclass(frozen=True)
class VqaAccuracy:
    """How far the annotators agree with the answer; always decides.

    Formula: for each of the n references, min(1, k/3), where k counts the *other* references that equal the
    prediction; the score is the mean of these n values. Unit: share, 0..1. Equality is after normalisation,
    by mode (see `mmeval.text.vqa`):

    * `vqaeval` (default): GT-Vision-Lab/VQA vqaEval.py @ a013f0043c1e. Where all references are the same
      text nothing is normalised, on neither side.
    * `evalai`: TextVQA; haotian-liu/LLaVA llava/eval/m4c_evaluator.py @ c121f0432da2.
    * `vlmevalkit`: open-compass/VLMEvalKit vqa_eval.py @ e8e78f05f308; its mean is numpy's.
    * `symmetric`: both sides always normalised; an answer that is only an article stays; blank is 0.

    The sums run in the order of the official scripts, so that the doubles are theirs. The official forms
    empty an answer such as "A": an empty prediction then agrees with a reference "a", and so it does here.
    Fewer than two annotators make the sample invalid, unless `single_annotator` is `match`: then equality
    decides. `reasoning` strips what a reasoning model wrote before its answer.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    mode: Mode = "vqaeval"
    single_annotator: Literal["invalid", "match"] = "invalid"
    reasoning: Literal["strip", "keep"] = "strip"

    def __post_init__(self) -> None:
        """Refuse unknown names with the known ones."""
        _one_of("mode", self.mode, get_args(Mode))
        _one_of("single_annotator", self.single_annotator, ("invalid", "match"))
        _one_of("reasoning", self.reasoning, ("strip", "keep"))

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against all references of its sample."""
        references = case.sample.references
        if not any(map(str.strip, references)):
            return Invalid("blank-reference")
        if len(references) < 2 and self.single_annotator == "invalid":
            return Invalid("too-few-annotators")
        prediction = case.prediction
        if self.reasoning == "strip":
            part = final_part(prediction)
            if part.kind != "plain":
                prediction = prediction[part.start : part.end]
        return self._score(prediction, references)

    def _score(self, prediction: str, references: tuple[str, ...]) -> Score:
        answer, others = self._normalised(prediction, references)
        if self.mode == "symmetric" and not answer:
            return Score(0.0, answer, None, "blank-prediction")
        agreeing = others.count(answer)
        if not agreeing:
            return Score(0.0, answer, None, "no-annotator-agrees")
        if len(others) == 1:
            return Score(1.0, answer, None, "the-annotator-agrees")
        evidence = f"{agreeing} of {len(others)}"
        if agreeing > _SATURATED:
            return Score(1.0, answer, None, "annotators-agree", evidence)
        return Score(self._mean(answer, others, agreeing), answer, None, "annotators-agree", evidence)

    def _normalised(self, prediction: str, references: tuple[str, ...]) -> tuple[str, list[str]]:
        mode, distinct = self.mode, set(references)
        if mode == "vqaeval" and len({unbroken(reference) for reference in distinct}) == 1:
            return unbroken(prediction), [unbroken(references[0])] * len(references)
        forms = {reference: normalise(mode, reference) for reference in distinct}
        return normalise(mode, prediction), [forms[reference] for reference in references]

    def _mean(self, answer: str, others: list[str], agreeing: int) -> float:
        inside, outside = (agreeing - 1) / _SATURATED, min(1.0, agreeing / _SATURATED)
        values = [inside if other == answer else outside for other in others]
        total = _pairwise(values) if self.mode == "vlmevalkit" else _running(values)
        return total / len(values)


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"{name} is {value!r}; choose one of {', '.join(known)}")


def _running(values: list[float]) -> float:
    """Left to right, as `sum` did for the official scripts (since Python 3.12 it compensates: other bits)."""
    total = 0.0
    for value in values:
        total += value
    return total


def _pairwise(values: list[float]) -> float:
    """Numpy's order of adding doubles: eight running sums, halves above 128 values."""
    count = len(values)
    if count < 8:
        return _running(values)
    if count > 128:
        half = count // 2 - count // 2 % 8
        return _pairwise(values[:half]) + _pairwise(values[half:])
    whole = count - count % 8
    r = [_running(values[lane:whole:8]) for lane in range(8)]
    return _running([((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7])), *values[whole:]])
