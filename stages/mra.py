"""Mean relative accuracy of a numeric answer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from mmeval.errors import UsageError
from mmeval.fingerprint import canonical
from mmeval.numbers._spatial import mean_relative_accuracy, read_number
from mmeval.text.reasoning import final_part
from mmeval.types import Case, Invalid, Outcome, Pass, Score


@dataclass(frozen=True)
class Mra:
    """How close a number comes to the gold, over ten tolerances; always decides.

    Formula: the mean over theta in {0.50, 0.55, ..., 0.95} of [error <= 1 - theta], error = |p - g| / |g|, or
    |p - g| where g is 0. Unit: share, a multiple of 0.1 in 0..1. With several references the best counts.
    Source: VLMEvalKit vlmeval/dataset/utils/spatial_bench/cal_scores.py @ e8e78f05f308 (inclusive, though its
    text says strict), after VSI-Bench, arXiv:2412.14171.

    The number is what an earlier stage extracted (`previous: float`; text that is no number scores 0, and so
    does nothing extracted, as the official judge path has it), else it is read from the prediction by the
    official grammar (`mmeval.numbers._spatial`). No number scores 0. `previous: ignore` always reads the
    prediction.
    `reasoning: strip` reads only what follows the reasoning; the official rule looks into unclosed reasoning
    too (`keep`).
    """

    version: ClassVar[int] = 1
    grader: ClassVar[bool] = True

    previous: Literal["float", "ignore"] = "float"
    reasoning: Literal["strip", "keep"] = "strip"

    def __post_init__(self) -> None:
        """Refuse unknown names with the known ones."""
        if self.previous not in ("float", "ignore"):
            raise UsageError(f"previous is {self.previous!r}; choose one of float, ignore")
        if self.reasoning not in ("strip", "keep"):
            raise UsageError(f"reasoning is {self.reasoning!r}; choose one of strip, keep")

    def __call__(self, case: Case) -> Outcome:
        """Score one prediction against the gold."""
        references = case.sample.references
        if not any(map(str.strip, references)):
            return Invalid("blank-reference")
        golds = [gold for gold in map(_number, references) if gold is not None]
        if not golds:
            return Invalid("unparsable-gold")
        value, reason, written = self._value(case)
        if value is None:
            return Score(0.0, written, None, reason)
        best = max(mean_relative_accuracy(value, gold) for gold in golds)
        return Score(best, _text(value), None, reason)

    def _value(self, case: Case) -> tuple[float | None, str, str | None]:
        """The number, where it came from (or why there is none), and the text that was no number."""
        earlier = _extracted(case) if self.previous == "float" else None
        if earlier == "":
            return None, "nothing-extracted", None
        if earlier is not None:
            value = _number(earlier)
            return value, "extracted" if value is not None else "extracted-is-no-number", earlier
        text = case.prediction
        if self.reasoning == "strip":
            part = final_part(text)
            text = text if part.kind == "plain" else text[part.start : part.end]
        value = read_number(text)
        return value, "read" if value is not None else "no-number", None


def _extracted(case: Case) -> str | None:
    """What the latest stage that extracted something extracted; empty where one looked and found nothing."""
    for outcome in reversed(case.previous):
        if isinstance(outcome, Pass) and outcome.reason == "nothing-extracted":
            return ""
        if isinstance(outcome, Pass) and outcome.extracted is not None:
            return outcome.extracted
    return None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _text(value: float) -> str:
    return str(canonical(value)) if math.isfinite(value) else str(value)
