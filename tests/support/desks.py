"""A desk for tests of what judges are asked: a real session and cache, and models that say what they shall.

with desk(tmp_path, Model("m", '{"verdict": "correct"}')) as found:
    ruling = ask(found, case("x", "gold", "open"))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from scripted_judge import run

from mmeval.judge.asking import Court, Hearing
from mmeval.judge.desk import Desk, Seat
from mmeval.judge.session import Session
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Identity, Request
from mmeval.protocol import Overrides, resolve
from mmeval.types import Case, Json, Outcome, Ruling

Said: TypeAlias = str | Completion | Exception
RIGHT = '{"verdict": "correct"}'
WRONG = '{"verdict": "incorrect"}'
BLOCK: dict[str, Json] = {"dataset_name": "mine", "score_pipeline": ["llm-judge"]}


class Model:
    """A provider that says one line after the other; the last one stays. A function is asked each time."""

    def __init__(self, name: str, *lines: Said | Callable[[Request], Said]) -> None:
        self.identity = Identity("openai", "http://models.invalid/v1", name)
        self._lines = list(lines)
        self.asked: list[Request] = []
        self.closed = 0

    async def complete(self, request: Request) -> Completion:
        """The next line."""
        self.asked.append(request)
        line = self._lines.pop(0) if len(self._lines) > 1 else self._lines[0]
        said = line(request) if callable(line) else line
        if isinstance(said, Exception):
            raise said
        if isinstance(said, str):
            said = Completion(said, f"{self.identity.model}-1", "stop", 10, 2)
        return said

    async def close(self) -> None:
        """Counted."""
        self.closed += 1


@contextmanager
def session(cache: Path, *models: Model, **settings: Any) -> Iterator[Session]:
    """A session that asks these models."""
    names = tuple(model.identity.model for model in models)
    given = {"provider": "openai" if models else "none", "max_retry": 0, **settings}
    with Session(JudgeSettings(models=names, cache=cache, **given)) as found:
        seats = (Seat(name, model) for name, model in zip(names, models, strict=True))
        found.__dict__["seats"] = tuple(seats)
        yield found


def seated(found: Session, block: dict[str, Json] | None = None, **overrides: Any) -> Desk:
    """The desk of a run with this block."""
    return found.desk(resolve([block or BLOCK], Overrides(**overrides), "a run"), lambda sample: Path())


@contextmanager
def desk(
    cache: Path, *models: Model, block: dict[str, Json] | None = None, **settings: Any
) -> Iterator[Desk]:
    """The same in one."""
    with session(cache, *models, **settings) as found:
        yield seated(found, block)


def hear(
    found: Desk, case: Case, prompt: str = "default-binary", **params: Json
) -> tuple[Ruling | Outcome, Hearing]:
    """What the judge says of a case, and the hearing with its replies."""
    hearing = Court(found).hearing("llm-judge")
    return run(hearing.ask(case, prompt, params)), hearing


def ask(found: Desk, case: Case, prompt: str = "default-binary", **params: Json) -> Ruling | Outcome:
    """What the judge says of a case."""
    return hear(found, case, prompt, **params)[0]
