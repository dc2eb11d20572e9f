"""llm-extract: a judge says which answer the prediction gives, for a later stage to grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mmeval.types import Case, Judge, Outcome, Pass, Ruling


@dataclass(frozen=True)
class LlmExtract:
    """Passes on the answer that the judge reads out of the prediction; never decides.

    Formula: none. The value is `extracted` of the outcome (`extracted-by-judge`), as the judge wrote it.
    Where the judge says that the prediction gives no answer, nothing is passed on (`nothing-extracted`). An
    empty prediction costs nothing and gives nothing.

    Parameters: `prompt`, a prompt of the library by id; by default the one that the benchmark's `score_judge`
    names, else `default-extract`.

    Source: the first of the two calls of MathVista and MathVerse (lupantech/MathVista
    evaluation/extract_answer.py; ZrrSkywalker/MathVerse evaluation/extract_answer_s1.py).
    """

    version: ClassVar[int] = 1

    prompt: str | None = None

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that may be put."""
        return (self.prompt or "default-extract",)

    async def __call__(self, case: Case, judge: Judge) -> Outcome:
        """Ask for the answer that the prediction gives."""
        if not case.prediction.strip():
            return Pass("nothing-extracted")
        ruling = await judge.ask(case, self.prompts[0], {})
        if not isinstance(ruling, Ruling):
            return ruling
        value = _value(ruling)
        return Pass("extracted-by-judge", value) if value else Pass("nothing-extracted")


def _value(ruling: Ruling) -> str:
    """The extracted text: the ruling itself, or what a grading judge read, unless it called it invalid."""
    evidence = ruling.evidence
    if isinstance(evidence, dict) and isinstance(evidence.get("extracted"), str):
        if ruling.label not in ("correct", "incorrect"):
            return ""
        return str(evidence["extracted"]).strip()
    return ruling.label.strip()
