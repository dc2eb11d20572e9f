"""Average normalised Levenshtein similarity, the measure of document question answering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from mmeval.errors import UsageError
from mmeval.text.anls import collapsed, distance, stripped, written_length
from mmeval.text.reasoning import final_part
from mmeval.types import Case, Invalid, Outcome, Score

Boundary = Literal["keep", "zero"]
Length = Literal["normalised", "raw"]
Normalisation = Literal["collapse", "strip"]
Reasoning = Literal["strip", "keep"]


@dataclass(frozen=True)
class Anls:
    """How close the answer is to the nearest reference; always decides.

    Formula: 1 - min over references of d(reference, prediction) / max length, set to 0 below `threshold`.
    Unit: share, 0..1. d is the Levenshtein distance of the normalised texts. Where the sources differ, each
    reading has a name:

    * `at_threshold`: a score of exactly the threshold stays (`keep`: VLMEvalKit, lmms-eval, LLaVA's
      m4c_evaluator.py and the released InfographicVQA script) or is 0 (`zero`: the paper, Biten et al. 2019,
      arXiv:1905.13648, asks for a normalised distance *below* 0.5).
    * `length`: the longer of the `normalised` texts (LLaVA m4c_evaluator.py @ c121f0432da2, evalscope) or of
      the `raw` ones as written (VLMEvalKit vqa_eval.py @ e8e78f05f308, lmms-eval metrics.py @ 75571cfe0fa3),
      where padding raises a score: reference "ab", prediction "  ac  " is 0.8333 instead of 0.5.
    * `normalisation`: `collapse` lower-cases and makes every run of white space one space (VLMEvalKit,
      lmms-eval); `strip` lower-cases and trims (m4c_evaluator.py).

    A threshold of 0 is 0. A blank reference is not one; if all are blank the sample is invalid. A blank
    prediction scores 0. `reasoning` strips what a reasoning model wrote before its answer.
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    threshold: float = 0.5
    at_threshold: Boundary = "keep"
    length: Length = "normalised"
    normalisation: Normalisation = "collapse"
    reasoning: Reasoning = "strip"

    def __post_init__(self) -> None:
        """Refuse values outside the declared ones."""
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"threshold is {self.threshold}; give a similarity from 0 to 1")
        for name, known in (
            ("at_threshold", Boundary),
            ("length", Length),
            ("normalisation", Normalisation),
            ("reasoning", Reasoning),
        ):
            if getattr(self, name) not in get_args(known):
                raise UsageError(
                    f"{name} is {getattr(self, name)!r}; choose one of {', '.join(get_args(known))}"
                )

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the nearest reference of its sample."""
        prediction = case.prediction
        if self.reasoning == "strip" and not prediction.isalnum():
            part = final_part(prediction)
            if part.kind != "plain":
                prediction = prediction[part.start : part.end].strip()
        answer = collapsed(prediction) if self.normalisation == "collapse" else stripped(prediction)
        similarity, nearest = self._nearest(prediction, answer, case.sample.references)
        if nearest is None:
            return Invalid("blank-reference")
        if not answer:
            return Score(0.0, "", None, "blank-prediction")
        if similarity < self.threshold or (similarity == self.threshold and self.at_threshold == "zero"):
            return Score(0.0, answer, None, "below-threshold", {"nearest": nearest, "similarity": similarity})
        return Score(similarity, answer, None, "nearest-reference", {"nearest": nearest})

    def _nearest(self, prediction: str, answer: str, references: tuple[str, ...]) -> tuple[float, str | None]:
        """The best similarity, and the normal form of the reference that gives it (the first of equals)."""
        fold, edits = (collapsed if self.normalisation == "collapse" else stripped), distance()
        raw = written_length(prediction) if self.length == "raw" else len(answer)
        best, nearest = float("-inf"), None
        for reference in references:
            folded = fold(reference)
            if not folded:
                continue
            size = len(folded) if self.length == "normalised" else written_length(reference)
            similarity = 1 - edits(folded, answer) / (size if size > raw else raw)
            if similarity > best:
                best, nearest = similarity, folded
        return best, nearest
