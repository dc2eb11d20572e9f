"""What a judge in this process does, from its start to its end, as JSON in a file.

    python local_probe.py MODEL CACHE OUT

Run by a python that has vLLM and mmeval (`scripts/judges vllm`), as the leader of a session of its own: it
sends an interrupt to every process of it.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

from mmeval.judge.cache import Cache, key
from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Parsed
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.transport import Transport
from mmeval.judge.wire import Completion, Identity, Image, Message, Rejected, Request, Text

CONTRACT = build_contract("binary", {}, False)
COUNT = 24


def ask(number: int, **given: Any) -> Request:
    """One question out of many."""
    turns = (Message("system", CONTRACT.instruction()), Message("user", f"Answer {number}: is it right?"))
    return Request(turns, **given)


async def all_of(way: Transport, **given: Any) -> list[Completion]:
    """The replies to all questions, asked at once."""
    return list(await asyncio.gather(*(way.call(ask(number, **given)) for number in range(COUNT))))


async def refusal(way: Transport, content: Any) -> str | None:
    """What is said about a request that cannot be answered."""
    try:
        await way.call(Request((Message("user", content),)))
    except Rejected as refused:
        return str(refused)
    return None


async def interrupted(way: Transport) -> int:
    """How many calls come back whole though an interrupt reaches every process while they are under way."""
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    calls = asyncio.ensure_future(all_of(way, max_tokens=200))
    await asyncio.sleep(0.3)
    assert not calls.done()
    os.killpg(os.getpgrp(), signal.SIGINT)
    replies = await calls
    signal.signal(signal.SIGINT, before)
    return len(replies) if heard else 0


async def cancelled(way: Transport) -> bool:
    """Whether a call can be given up, and the next one comes back all the same."""
    task = asyncio.ensure_future(way.call(ask(0, max_tokens=900)))
    await asyncio.sleep(0.1)
    task.cancel()
    done = await asyncio.gather(task, return_exceptions=True)
    return isinstance(done[0], asyncio.CancelledError) and bool(await way.call(ask(1, max_tokens=4)))


def as_json(value: Identity | Completion | list[Completion]) -> Any:
    return json.loads(msgspec.json.encode(value))


async def probe(model: str, cache: Cache) -> dict[str, Any]:
    """See the module."""
    provider = open_provider(JudgeSettings(provider="local"), model)
    way = Transport(provider, COUNT, 0)
    began = time.monotonic()
    found: dict[str, Any] = {"identity": as_json(provider.identity)}
    judged = await all_of(way, schema=CONTRACT.schema())
    found["seconds_to_first"] = time.monotonic() - began
    for number, reply in enumerate(judged):
        request = ask(number, schema=CONTRACT.schema())
        cache.put(key(provider.identity, request), provider.identity, request, reply)
    found["judged"] = as_json(judged)
    found["parsed"] = sum(isinstance(CONTRACT.parse(each.text), Parsed) for each in judged)
    found["same_judged"] = await all_of(way, schema=CONTRACT.schema()) == judged
    free = await all_of(way, max_tokens=12)
    found["free"] = as_json(free)
    found["same_free"] = await all_of(way, max_tokens=12) == free
    sampled = [await way.call(ask(0, temperature=1.0, seed=seed, max_tokens=12)) for seed in (3, 3, 4)]
    found["seeds"] = [each.text for each in sampled]
    found["uncapped"] = as_json(await way.call(ask(0, max_tokens=None)))
    found["too_long"] = await refusal(way, "right " * 2000)
    found["picture"] = await refusal(way, (Text("right?"), Image("data:image/png;base64,AAAA")))
    found["cancelled"] = await cancelled(way)
    found["interrupted"] = await interrupted(way)
    await way.close()
    found["left"] = [each.name for each in multiprocessing.active_children()]
    return found


if __name__ == "__main__":
    with Cache.open(Path(sys.argv[2])) as opened:
        result = asyncio.run(probe(sys.argv[1], opened))
    Path(sys.argv[3]).write_text(json.dumps(result), encoding="utf-8")
