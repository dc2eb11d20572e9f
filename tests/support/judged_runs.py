"""A judge for whole runs in tests: in this process, every reply made by a function, or a server's address.

`judging(reply)` asks a function, `judging(None)` nobody, `court(url, cache)` a server over HTTP; each gives
the `judge` of a `Job`, and closes it afterwards. `say` words a ruling as a prompt of the library wants it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from mmeval.judge.contracts import build_contract
from mmeval.judge.desk import Seat
from mmeval.judge.session import Judging, Session
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.templates import prompt
from mmeval.judge.wire import Completion, Identity, Request
from mmeval.protocol import Overrides
from mmeval.runner import Job, Scored, score_run

Reply: TypeAlias = Callable[[Request], str]
MODEL = "gpt-4o-2024-05-13"


class Clerk:
    """A provider that answers with what a function makes of the request."""

    identity = Identity("openai", "http://clerk.invalid", MODEL)

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    async def complete(self, request: Request) -> Completion:
        """What the function says."""
        return Completion(self._reply(request), MODEL, "stop", 10, 2)

    async def close(self) -> None:
        """Nothing is open."""


class Forgetful:
    """A cache that keeps nothing."""

    def get(self, key: str) -> None:
        """Nothing is known."""

    def put(self, key: str, identity: Identity, request: Request, completion: Completion) -> Completion:
        """Nothing is kept."""
        return completion

    def close(self) -> None:
        """Nothing is open."""


@contextmanager
def judging(reply: Reply | None, **settings: Any) -> Iterator[Callable[[Path], Judging]]:
    """The judge of a job: a function that makes its replies, or None for rules only."""
    models = () if reply is None else (MODEL,)
    provider = "none" if reply is None else "openai"
    with Session(JudgeSettings(provider=provider, models=models, **settings)) as session:
        session.__dict__["cache"] = Forgetful()
        if reply is not None:
            session.__dict__["seats"] = (Seat(MODEL, Clerk(reply)),)
        yield lambda folder: Judging(session)


def by_rules(path: Path, protocol: str | None, **settings: Any) -> Scored:
    """A run scored without a judge: what the rules of its protocol leave open is undecided."""
    with judging(None) as judge:
        return score_run(path, Job(Overrides(protocol=protocol), judge=judge, **settings))


@contextmanager
def court(url: str, cache: Path, **settings: Any) -> Iterator[Callable[[Path], Judging]]:
    """The judge of a job that asks an OpenAI-compatible server, and keeps its replies in a folder."""
    given = {"provider": "openai", "models": (MODEL,), "max_retry": 1, "key": "unused", **settings}
    with Session(JudgeSettings(base_url=url, cache=cache, **given)) as session:
        yield lambda folder: Judging(session)


def say(name: str, label: str, extracted: str = "N/A", items: int = 0) -> str:
    """A reply to a prompt of the library that means one label of its contract, in the prompt's own words."""
    own = prompt(name)
    if own.contract in ("extract-option", "extract-value"):
        return f"{own.contract_params.get('key', 'answer')}: {label}"
    if own.contract == "checklist":
        met = int(label == "correct")
        return f"overall: {'YES' if met else 'NO'}\nitems: {[met] * items}"
    contract: Any = build_contract(own.contract, own.contract_params)
    word = contract.vocabulary[label][0]
    return f"{word}\t{extracted}" if own.contract_params.get("extracted") else f"{contract.key}: {word}"
