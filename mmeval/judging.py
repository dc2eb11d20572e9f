"""The cases of a run that rules left open, put to a judge in a bounded window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from mmeval.errors import MmevalError
from mmeval.pipeline import Asker, Open, decide
from mmeval.types import Call, Failed, Json, Step, Verdict

STOPPED = "not-asked"
RULES_ONLY = "rules-only"


class Court(Asker, Protocol):
    """What judging needs of a session: how many cases it hears at once, and whether it goes on."""

    @property
    def window(self) -> int:
        """Cases in hand at once, at most."""
        ...

    @property
    def stopped(self) -> str | None:
        """Why no further case is begun; None while it goes on."""
        ...


async def judge_all(cases: Sequence[Open], court: Court, progress: Callable[[int], None]) -> list[Verdict]:
    """The verdicts on these cases, in their order.

    A case that is not begun because the court has stopped is `Failed` with the reason; what is in hand is
    finished. Where one case ends in an error, no further one is begun and the error is raised.
    """
    verdicts: list[Verdict | None] = [None] * len(cases)
    waiting = iter(range(len(cases)))
    workers = min(court.window, len(cases))
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(_work(cases, waiting, verdicts, court, progress))
    except* MmevalError as errors:
        raise errors.exceptions[0] from None
    return [
        _not_begun(case, court.stopped) if verdict is None else verdict
        for case, verdict in zip(cases, verdicts, strict=True)
    ]


async def _work(
    cases: Sequence[Open],
    waiting: Iterator[int],
    verdicts: list[Verdict | None],
    court: Court,
    progress: Callable[[int], None],
) -> None:
    """Take one case after the other, until there is none or the court stops."""
    for number in waiting:
        verdicts[number] = await decide(cases[number], court)
        progress(1)
        if court.stopped is not None:
            return


def _not_begun(case: Open, why: str | None) -> Verdict:
    reason = why or STOPPED
    stage = case.stages[len(case.trace)]
    step = Step(stage.name, stage.version, Failed(reason, "llm_error"))
    return Verdict(0.0, "llm_error", None, reason, None, None, None, (*case.trace, step))


class Tally:
    """What the judging of a run came to; made of its verdicts alone, so that no order and no cache shows."""

    def __init__(self) -> None:
        self.asked = 0
        self.undecided = 0
        self.replies = 0
        self.prompt_tokens = 0
        self.completion_tokens = 0
        self.failures: dict[str, int] = {}
        self.models: dict[str, set[str]] = {}
        self.prompts: set[str] = set()
        self.tokens: dict[str, list[int]] = {}

    def add(self, verdict: Verdict) -> None:
        """Count one verdict on a case that went to the judge."""
        self.asked += 1
        if verdict.status == "llm_error":
            reason = verdict.reason or "unknown"
            self.failures[reason] = self.failures.get(reason, 0) + 1
        self.undecided += verdict.decided_by is None and verdict.reason == RULES_ONLY
        for step in verdict.trace:
            for call in step.judge:
                self._add_call(call)

    def _add_call(self, call: Call) -> None:
        self.replies += 1
        self.prompts.add(call.prompt)
        self.models.setdefault(call.asked, set()).add(call.model or call.asked)
        spent = (call.prompt_tokens or 0, call.completion_tokens or 0)
        self.prompt_tokens += spent[0]
        self.completion_tokens += spent[1]
        seat = self.tokens.setdefault(call.asked, [0, 0])
        seat[0] += spent[0]
        seat[1] += spent[1]

    @property
    def answered(self) -> list[str]:
        """The models that say they answered, sorted."""
        return sorted(set().union(*self.models.values())) if self.models else []

    def summary(self, cost: float | None) -> dict[str, Json]:
        """As the score file has it; the cost is that of these replies, paid now or before."""
        return {
            "asked": self.asked,
            "replies": self.replies,
            "failures": dict(sorted(self.failures.items())),
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost_usd": cost,
        }
