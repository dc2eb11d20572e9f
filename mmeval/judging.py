"""The cases of a run that rules left open, put to a judge in a bounded window."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from mmeval.errors import MmevalError
from mmeval.pipeline import Asker, Open, decide
from mmeval.types import Failed, Step, Verdict

STOPPED = "not-asked"


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
        if court.stopped is not None:
            return
        verdicts[number] = await decide(cases[number], court)
        progress(1)


def _not_begun(case: Open, why: str | None) -> Verdict:
    reason = why or STOPPED
    stage = case.stages[len(case.trace)]
    step = Step(stage.name, stage.version, Failed(reason, "llm_error"))
    return Verdict(0.0, "llm_error", None, reason, None, None, None, (*case.trace, step))
