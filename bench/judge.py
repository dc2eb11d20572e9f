"""How fast a judge is asked: calls a second against the ideal, and CPU per call, of ours and of others.

    <python with mmeval, aiohttp and openai> bench/judge.py [--rounds 3] [--only NAME ...]

A server in a process of its own answers every call after a fixed time. The ideal rate is concurrency / time.
Each candidate runs in a fresh process, in alternation; the median of the rounds counts. CPU is
`process_time` of the client alone, after a warm-up of 8 calls; imports are not counted.

Asked of `whole`, a judged sample with everything it takes: at least 93 % of the ideal rate or 97 % of what
bare aiohttp reaches in the same run, and at most 2 ms of CPU a call.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SERVER = ROOT / "tests" / "support" / "judge_server.py"
REPLY = '{"verdict": "correct"}'
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["correct", "incorrect"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
OF_IDEAL, OF_BARE, CPU_MS = 0.93, 0.97, 2.0


class Load(NamedTuple):
    """So many calls, so many at once, each answered after so many seconds."""

    latency: float
    concurrency: int
    calls: int


LOADS = (Load(0.2, 64, 64 * 80), Load(1.0, 256, 256 * 20))


class Figures(NamedTuple):
    """What one candidate reached under one load."""

    rate: float
    cpu_ms: float


def prompt(number: int) -> str:
    """A question of about 600 characters, unlike every other."""
    answer = f"The sign in the picture says that the shop opens at {number % 24} o'clock. " * 6
    return f"Question {number}: when does it open?\nReference: {number % 24}\nAnswer: {answer}\nCorrect?"


async def pooled(calls: int, concurrency: int, ask: Callable[[int], Any]) -> None:
    """`ask(number)` for every call, at most so many at once: workers that take the next number."""
    numbers = iter(range(calls))

    async def worker() -> None:
        for number in numbers:
            assert await ask(number) == REPLY

    await asyncio.gather(*(worker() for _ in range(concurrency)))


def bare(url: str, calls: int, concurrency: int) -> None:
    """aiohttp and nothing else: what the machine and the server allow."""
    import aiohttp

    async def main() -> None:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def ask(number: int) -> str:
                messages = [{"role": "user", "content": prompt(number)}]
                body = {"model": "judge", "messages": messages, "temperature": 0, "max_tokens": 2048}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    found = await response.json()
                return str(found["choices"][0]["message"]["content"])

            await pooled(calls, concurrency, ask)

    asyncio.run(main())


def transport(url: str, calls: int, concurrency: int) -> None:
    """Ours below the asker: provider, limiter, retries, schema, completion."""
    from mmeval.judge.providers import open_provider
    from mmeval.judge.settings import JudgeSettings
    from mmeval.judge.transport import Transport
    from mmeval.judge.wire import Message, Request

    async def main() -> None:
        settings = JudgeSettings(base_url=url, key="sk-none", concurrency=concurrency)
        way = Transport(open_provider(settings, "judge"), concurrency, 3)

        async def ask(number: int) -> str:
            request = Request((Message("user", prompt(number)),), schema=SCHEMA)
            return (await way.call(request)).text

        # All at once: the limiter is what keeps them back.
        for each in await asyncio.gather(*(ask(number) for number in range(calls))):
            assert each == REPLY
        await way.close()

    asyncio.run(main())


def _sdk(url: str, calls: int, concurrency: int, **options: Any) -> None:
    import openai

    async def main() -> None:
        async with openai.AsyncOpenAI(base_url=url, api_key="sk-none", **options) as client:

            async def ask(number: int) -> str:
                made = await client.chat.completions.create(
                    model="judge",
                    messages=[{"role": "user", "content": prompt(number)}],
                    temperature=0,
                    max_tokens=2048,
                )
                return str(made.choices[0].message.content)

            await pooled(calls, concurrency, ask)

    asyncio.run(main())


def sdk(url: str, calls: int, concurrency: int) -> None:
    """The OpenAI SDK as its README shows it."""
    _sdk(url, calls, concurrency)


def sdk_aiohttp(url: str, calls: int, concurrency: int) -> None:
    """The OpenAI SDK with its aiohttp transport."""
    import openai

    _sdk(url, calls, concurrency, http_client=openai.DefaultAioHttpClient())


def whole(url: str, calls: int, concurrency: int) -> None:
    """Everything: rows read, prompts rendered, cache looked into, asked, stored, parsed, settled, written."""
    from mmeval import Job, Overrides, score
    from mmeval.judge.judges import Judges

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = [
            {
                "eval-id": number,
                "answer": str(number % 24),
                "question_type": "open",
                "messages": [{"question": f"When? {number}"}, {"response": prompt(number)}],
            }
            for number in range(calls)
        ]
        (folder / "result.json").write_text(json.dumps(rows), encoding="utf-8")
        judges = Judges(models=("judge",), base_url=url, concurrency=concurrency, cache=folder / "cache")
        overrides = Overrides(pipeline=("exact-match", "llm-judge"))
        with judges:
            scored = score(folder / "result.json", Job(overrides, judge=judges))
        assert scored.summary["decided"] == scored.summary["correct"] == calls


# A candidate asks `calls` questions of the server at `url`, at most `concurrency` at once.
CANDIDATES: dict[str, Callable[[str, int, int], None]] = {
    "bare": bare,
    "transport": transport,
    "whole": whole,
    "sdk": sdk,
    "sdk-aiohttp": sdk_aiohttp,
}
NEEDS = {"sdk": "openai", "sdk-aiohttp": "openai"}


@contextmanager
def served(latency: float) -> Iterator[str]:
    """The server's URL, while it serves."""
    process = subprocess.Popen(
        [sys.executable, SERVER, str(latency), REPLY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()


def measure(name: str, url: str, load: Load) -> Figures:
    """One run of a candidate, in this process."""
    ask_all = CANDIDATES[name]
    ask_all(url, 8, 8)
    wall, cpu = time.perf_counter(), time.process_time()
    ask_all(url, load.calls, load.concurrency)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Figures(load.calls / wall, 1000 * cpu / load.calls)


def apart(name: str, url: str, load: Load) -> Figures:
    """The same, in a process of its own."""
    command = [sys.executable, __file__, "--one", name, url, *(str(each) for each in load)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Figures(*json.loads(ran.stdout))


def compare(load: Load, names: list[str], rounds: int) -> None:
    """Print one JSON line per candidate."""
    ideal = load.concurrency / load.latency
    with served(load.latency) as url:
        runs = [{name: apart(name, url, load) for name in names} for _ in range(rounds)]
    middle = {
        name: Figures(*map(statistics.median, zip(*(run[name] for run in runs), strict=True)))
        for name in names
    }
    best = middle.get("bare")
    for name, (rate, cpu_ms) in middle.items():
        line = {"candidate": name, "latency_s": load.latency, "concurrency": load.concurrency}
        line |= {
            "calls_per_s": round(rate, 1),
            "of_ideal": round(rate / ideal, 3),
            "cpu_ms": round(cpu_ms, 3),
        }
        if best is not None:
            line["of_bare"] = round(rate / best.rate, 3)
        if name in ("transport", "whole"):
            fast = rate >= OF_IDEAL * ideal or (best is not None and rate >= OF_BARE * best.rate)
            line["held"] = fast and cpu_ms <= CPU_MS
        print(json.dumps(line), flush=True)


def main() -> None:
    """See the module."""
    reader = argparse.ArgumentParser()
    reader.add_argument("--rounds", type=int, default=3)
    reader.add_argument("--only", nargs="*", choices=list(CANDIDATES), default=list(CANDIDATES))
    reader.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    said = reader.parse_args()
    if said.one:
        name, url, latency, concurrency, calls = said.one
        print(json.dumps(measure(name, url, Load(float(latency), int(concurrency), int(calls)))))
        return
    missing = [name for name in said.only if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None]
    for name in missing:
        print(json.dumps({"candidate": name, "skipped": f"{NEEDS[name]} is not installed"}))
    for load in LOADS:
        compare(load, [name for name in said.only if name not in missing], said.rounds)


if __name__ == "__main__":
    main()
