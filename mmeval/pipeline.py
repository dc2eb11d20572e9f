"""Settle one case: run the stages in order, stop at the first decision, keep the trace."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from mmeval.errors import MetadataError, MmevalError
from mmeval.params import Stage
from mmeval.types import (
    Call,
    Case,
    Failed,
    Invalid,
    Judge,
    Measured,
    Outcome,
    Pass,
    Sample,
    Score,
    Step,
    Verdict,
)

log = logging.getLogger("mmeval")
NOTHING: dict[str, Any] = {}


class Open(NamedTuple):
    """A case that the rules have left open: the next stage of its pipeline asks a judge."""

    case: Case
    trace: tuple[Step, ...]
    stages: Sequence[Stage]


class Hearing(Judge, Protocol):
    """A judge for one question of a stage, that remembers what it replied."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The replies, in a fixed order."""
        ...


class Asker(Protocol):
    """Where hearings are held."""

    def hearing(self, stage: str) -> Hearing:
        """A hearing for one question of the stage of this name."""
        ...


def settle(
    sample: Sample,
    prediction: str | None,
    stages: Sequence[Stage],
    resources: dict[str, Any] = NOTHING,
) -> Verdict | Open:
    """The verdict on one prediction of one sample, or the case as it stands before a judge must be asked.

    Without a prediction, or without a gold to compare it with, no stage is asked: the row is invalid. An
    empty prediction is an answer like any other. A `Failed` stage stops the sample, for a later stage must
    not decide what an earlier one could not see. A stage that looks for the gold itself is asked without one,
    and what it measures without a prediction is kept: the golds of an invalid row were still to be found.
    """
    if stages[0].own_gold:
        verdict = _run(Case(sample, prediction or "", (), resources), (), stages)
        return verdict if prediction is not None else _unanswered(verdict)
    if prediction is None:
        return invalid("missing-prediction")
    if sample.answer is None or sample.answer == []:
        return invalid("missing-reference")
    if _blank(sample):
        return invalid("blank-reference")
    return _run(Case(sample, prediction, (), resources), (), stages)


def _blank(sample: Sample) -> bool:
    """Whether the gold is nothing but white space; boxes have no texts and are not blank."""
    answer = sample.answer
    if sample.references:
        return not any(map(str.strip, sample.references))
    parts = answer if isinstance(answer, list) else [answer]
    return not any(isinstance(part, list | dict) for part in parts)


def invalid(reason: str) -> Verdict:
    """The verdict on a row that cannot be graded."""
    return Verdict(0.0, "invalid", None, reason, None, None, None, ())


def _unanswered(verdict: Verdict | Open) -> Verdict:
    """An invalid row, with what there was to find."""
    found = verdict.evidence if isinstance(verdict, Verdict) and verdict.score is None else None
    return Verdict(0.0, "invalid", None, "missing-prediction", None, None, found, ())


def _run(case: Case, before: tuple[Step, ...], stages: Sequence[Stage]) -> Verdict | Open:
    trace = list(before)
    for stage in stages[len(before) :]:
        if stage.asks:
            return Open(case, tuple(trace), stages)
        outcome = _ask(stage, case)
        trace.append(Step(stage.name, stage.version, outcome))
        if not isinstance(outcome, Pass):
            return _settled(stage.name, outcome, tuple(trace))
        if len(stages) > len(trace):
            case = Case(case.sample, case.prediction, (*case.previous, outcome), case.resources)
    return _undecided(tuple(trace))


async def decide(open_case: Open, asker: Asker) -> Verdict:
    """The verdict on a case that the rules left open: its judged stage is asked, and the stages after it.

    Raises:
        JudgeError: no judge can be asked at all.
    """
    case, trace, stages = open_case
    stage = stages[len(trace)]
    hearing = asker.hearing(stage.name)
    outcome = await _hear(stage, case, hearing)
    trace = (*trace, Step(stage.name, stage.version, outcome, hearing.calls))
    if not isinstance(outcome, Pass):
        return _settled(stage.name, outcome, trace)
    case = Case(case.sample, case.prediction, (*case.previous, outcome), case.resources)
    after = _run(case, trace, stages)
    return await decide(after, asker) if isinstance(after, Open) else after


def _ask(stage: Stage, case: Case) -> Outcome:
    try:
        outcome = stage.call(case)
    except MetadataError:  # a file that the run reads is broken, not this row
        raise
    except Exception as error:  # the border: a stage that raises fails one row, the run goes on
        return _raised(stage, case, error)
    return _checked(stage, case, outcome)


async def _hear(stage: Stage, case: Case, hearing: Hearing) -> Outcome:
    try:
        outcome = await stage.call(case, hearing)  # type: ignore[misc]  # a stage that asks is a coroutine
    except MmevalError:
        raise
    except Exception as error:  # the same border, for a stage that asks
        return _raised(stage, case, error)
    return _checked(stage, case, outcome)


def _raised(stage: Stage, case: Case, error: Exception) -> Failed:
    log.exception("stage %s failed on sample %r", stage.name, case.sample.id)
    return Failed(f"{stage.name} raised {type(error).__name__}")


def _checked(stage: Stage, case: Case, outcome: object) -> Outcome:
    """What a stage returned, or the failure that it amounts to."""
    if isinstance(outcome, Score):
        if isinstance(outcome.value, (float, int)) and 0.0 <= outcome.value <= 1.0:
            return outcome
        log.error("stage %s gave %r on sample %r", stage.name, outcome.value, case.sample.id)
        return Failed(f"{stage.name} gave a score outside 0..1")
    if isinstance(outcome, (Pass, Measured, Invalid, Failed)):
        return outcome
    log.error("stage %s returned %r on sample %r", stage.name, outcome, case.sample.id)
    return Failed(f"{stage.name} returned no outcome")


def _settled(stage: str, outcome: Outcome, trace: tuple[Step, ...]) -> Verdict:
    if isinstance(outcome, Score):
        return Verdict(
            float(outcome.value),
            "ok",
            stage,
            outcome.reason,
            outcome.extracted,
            outcome.span,
            outcome.evidence,
            trace,
        )
    if isinstance(outcome, Measured):
        return Verdict(None, "ok", stage, None, outcome.extracted, None, outcome.evidence, trace)
    if isinstance(outcome, Invalid):
        return Verdict(0.0, "invalid", None, outcome.reason, None, None, None, trace)
    assert isinstance(outcome, Failed)
    return Verdict(0.0, outcome.status, None, outcome.reason, None, None, None, trace)


def _undecided(trace: tuple[Step, ...]) -> Verdict:
    """Nobody decided: score 0, and the last stage that read something says what."""
    last = trace[-1].outcome
    for step in reversed(trace):
        if isinstance(step.outcome, Pass) and step.outcome.extracted is not None:
            last = step.outcome
            break
    assert isinstance(last, Pass)
    return Verdict(0.0, "ok", None, last.reason, last.extracted, last.span, None, trace)
