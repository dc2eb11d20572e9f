"""llm-judge: a judge says whether, or how well, the prediction answers the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.errors import UsageError
from mmeval.types import Case, Json, Judge, Measured, Outcome, Pass, Ruling, Score

RUBRICS = {
    "binary": "default-binary",
    "three_way": "default-three-way",
    "scale": "default-scale",
    "partial_credit": "default-partial-credit",
}


@dataclass(frozen=True)
class LlmJudge:
    """Decides what the judge rules; a reply that holds no ruling fails the row, and is asked again next time.

    Which reply counts as which ruling is the contract of the prompt. A contract whose number is made over the
    whole run (two scores to compare) gives evidence instead of a score.

    Formula:
        binary and three-way: 1 for correct, else 0. Scale: (rating - lo) / (hi - lo). Partial credit: the
        rating. Checklist: the overall verdict.

    Range:
        0..1, or none where the number is made over the run. Without a score of its own an empty prediction
        is put to the judge; otherwise it is wrong and costs nothing.

    Parameters:
        prompt: a prompt of the library by id; by default the one that the benchmark's `score_judge` names,
            else the rubric's.
        rubric, scale, judge_inputs, reference_syntax: as mm-eval's datasets declare them: which kind of
            ruling, lowest and highest rating, further sample fields that the judge sees, and whether the
            gold joins parts by <AND> and alternatives by <OR> (`and_or_composition`).
        official_judge_model: the model that the benchmark's authors ask.
        orders: where the judge sees two answers: as the prompt has them, or in `both` orders, to undo what it
            does to a judge which of them stands first.

    Source:
        Stage contract of simple-mmeval, mmeval/scoring/stages/llm.py at b10e70b; the contracts are ours.
    """

    version: ClassVar[int] = 1

    prompt: str | None = None
    rubric: Literal["binary", "three_way", "scale", "partial_credit"] = "binary"
    scale: tuple[float, float] | None = None
    judge_inputs: tuple[str, ...] = ()
    reference_syntax: str | None = None
    official_judge_model: str | None = None
    orders: Literal["one", "both"] = "one"

    def __post_init__(self) -> None:
        """Refuse a scale that has no length or no rubric that rates, and a syntax that is not known."""
        if self.scale is not None and not self.scale[0] < self.scale[1]:
            raise UsageError(f"scale must be [lowest, highest], not {list(self.scale)}")
        if self.scale is not None and self.prompt is None and self.rubric != "scale":
            raise UsageError(
                f"scale is for rubric 'scale', not {self.rubric!r}; declare one or leave out the other"
            )
        if self.reference_syntax not in (None, "and_or_composition"):
            raise UsageError(f"reference_syntax must be 'and_or_composition', not {self.reference_syntax!r}")

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that may be put."""
        return (self.prompt or RUBRICS[self.rubric],)

    async def __call__(self, case: Case, judge: Judge) -> Outcome:
        """Put the prediction to the judge."""
        if any(isinstance(each, Pass) and each.reason == "nothing-extracted" for each in case.previous):
            return Score(0.0, None, None, "nothing-extracted")
        ruling = await judge.ask(case, self.prompts[0], self._params())
        if not isinstance(ruling, Ruling):
            return ruling
        if ruling.score is None:
            return Measured(ruling.evidence, ruling.label)
        return Score(ruling.score, ruling.label, None, "judged", ruling.evidence)

    def _params(self) -> dict[str, Json]:
        given: dict[str, Json] = {}
        if self.scale is not None:
            given |= {"lo": self.scale[0], "hi": self.scale[1]}
        if self.judge_inputs:
            given["judge_inputs"] = list(self.judge_inputs)
        if self.orders == "both":
            given["orders"] = "both"
        if self.reference_syntax is not None:
            given["reference_syntax"] = self.reference_syntax
        return given
