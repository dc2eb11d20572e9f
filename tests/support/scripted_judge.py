"""A judge in memory for tests of stages and pipelines: it says what it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from mmeval.types import Call, Case, Json, Options, Outcome, QuestionType, Ruling, Sample

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, in a loop of its own."""
    return asyncio.run(coroutine)


def case(
    prediction: str,
    answer: Json = "B",
    kind: QuestionType = "mcq",
    question: str = "Which one?",
    previous: Sequence[Outcome] = (),
    **fields: Json,
) -> Case:
    """One prediction of a sample with three options."""
    references = tuple(map(str, answer)) if isinstance(answer, list) else (str(answer),)
    options = Options(("A", "B", "C"), ("red", "green", "blue"), "options")
    sample = Sample(7, question, options, answer, references, (prediction,), kind, None, None, dict(fields))
    return Case(sample, prediction, tuple(previous))


class Scripted:
    """Answers every question with the next of its lines; the last one stays."""

    def __init__(self, *lines: Ruling | Outcome) -> None:
        self._lines = list(lines)
        self.asked: list[tuple[str, dict[str, Json]]] = []

    @property
    def calls(self) -> tuple[Call, ...]:
        """One reply for each question so far."""
        return tuple(Call(prompt, "scripted", None, "...", None) for prompt, _ in self.asked)

    async def ask(self, case: Case, prompt: str, params: dict[str, Json]) -> Ruling | Outcome:
        """The next line."""
        self.asked.append((prompt, params))
        await asyncio.sleep(0)
        return self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
