from __future__ import annotations

import asyncio
import base64
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from batch_server import BatchServer, Fault
from judge_server import RESET, Answer, Body, Raw, error, prompt_text

from mmeval.errors import JudgeError, UsageError
from mmeval.judge import batch
from mmeval.judge.batch import BatchReport, run_batch
from mmeval.judge.cache import Cache, key
from mmeval.judge.money import Ledger, Price, Prices
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Image, Message, Provider, Request, Text

SECRET = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "PAUSE", 0.001)
    monkeypatch.setattr(batch, "PATIENCE", 4)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    with Cache.open(tmp_path) as opened:
        yield opened


def asked(count: int = 5) -> list[Request]:
    return [Request((Message("user", f"Is it {number}?"),), prompt="hle") for number in range(count)]


def provider(server: BatchServer) -> Provider:
    return open_provider(JudgeSettings(base_url=server.url, key=SECRET, timeout=5), "gpt-4o")


def run(
    server: BatchServer,
    cache: Cache,
    requests: list[Request],
    ledger: Ledger | None = None,
    seen: list[tuple[int, int]] | None = None,
) -> BatchReport:
    async def all_of_it() -> BatchReport:
        judge = provider(server)
        try:
            return await run_batch(
                requests,
                judge,
                cache,
                0.001,
                lambda *told: (seen if seen is not None else []).append(told),
                ledger,
            )
        finally:
            await judge.close()

    return asyncio.run(all_of_it())


def replies(server: BatchServer, cache: Cache, requests: list[Request]) -> list[str | None]:
    identity = provider(server).identity
    found = [cache.get(key(identity, request)) for request in requests]
    return [None if each is None else each.text for each in found]


def on_record(cache: Cache) -> tuple[int, int]:
    rows = [
        cache.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("batches", "batch_requests")
    ]
    return rows[0], rows[1]


def echo(body: Body) -> str:
    return f"re: {prompt_text(body)}"


def test_replies_come_into_the_cache_each_to_its_question(cache: Cache) -> None:
    told: list[tuple[int, int]] = []
    with BatchServer(echo, looks=2) as server:
        report = run(server, cache, asked(), seen=told)
        assert (report.sent, report.answered, report.failed, report.unanswered) == (5, 5, {}, [])
        assert replies(server, cache, asked()) == [f"re: Is it {number}?" for number in range(5)]
        assert told == [(0, 5), (0, 5), (5, 5)]
        assert on_record(cache) == (0, 0)
        again = run(server, cache, asked())
        assert (again.cached, again.sent) == (5, 0)
        assert server.asked == 5
    rows = cache.connection.execute("SELECT DISTINCT model, prompt, prompt_tokens FROM replies").fetchall()
    assert rows == [("gpt-4o", "hle", 20)]


def test_only_what_is_not_known_is_sent_and_each_question_once(cache: Cache) -> None:
    with BatchServer(echo) as server:
        identity = provider(server).identity
        first = asked()[0]
        cache.put(key(identity, first), identity, first, Completion("known"))
        report = run(server, cache, [*asked(), *asked()])
        assert (report.cached, report.sent, server.asked) == (1, 4, 4)
        assert replies(server, cache, [first]) == ["known"]


def test_nothing_to_ask_asks_nobody(cache: Cache) -> None:
    with BatchServer() as server:
        assert run(server, cache, []) == BatchReport()
        assert server.server.seen == []


def test_the_key_is_in_the_header_and_the_body_is_the_chats(cache: Cache) -> None:
    picture = "data:image/png;base64," + base64.b64encode(bytes(9)).decode()
    question = Request(
        (Message("user", (Text("What?"), Image(picture))),), max_tokens=7, schema={"type": "object"}
    )
    with BatchServer() as server:
        run(server, cache, [question])
        assert {seen.headers["authorization"] for seen in server.server.seen} == {f"Bearer {SECRET}"}
        (sent,) = server.batches["batch_0"].lines
    body = sent["body"]
    assert (body["model"], body["max_tokens"]) == ("gpt-4o", 7)
    assert body["response_format"]["type"] == "json_schema"
    assert body["messages"][0]["content"][1]["image_url"]["url"] == picture
    assert sent["custom_id"] == key(provider(server).identity, question)


def test_no_key_comes_into_the_cache_whatever_a_server_says(cache: Cache, tmp_path: Path) -> None:
    def reply(body: Body) -> str | Raw:
        return error(400, f"no {SECRET}") if "1" in prompt_text(body) else f"your key is {SECRET}"

    with BatchServer(reply) as server:
        report = run(server, cache, asked())
        assert "your key is [key]" in replies(server, cache, asked())
    assert SECRET not in repr(report)
    assert not [path for path in tmp_path.iterdir() if SECRET.encode() in path.read_bytes()]


def test_large_sets_are_split(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST_REQUESTS", 2)
    with BatchServer(echo) as server:
        assert run(server, cache, asked(5)).answered == 5
        assert [len(each.lines) for each in server.batches.values()] == [2, 2, 1]
    monkeypatch.setattr(batch, "MOST_REQUESTS", 50_000)
    monkeypatch.setattr(batch, "MOST_BYTES", 600)
    with BatchServer(echo) as server:
        run(server, cache, asked(5))
        assert all(len(data) <= 600 for name, data in server.files.items() if name.startswith("file"))
        assert len(server.batches) > 1


def test_failed_lines_are_reported_and_never_stored(cache: Cache) -> None:
    def reply(body: Body) -> str | Raw | Answer:
        number = prompt_text(body)[6]
        return {"1": error(400, "too long"), "2": error(500), "3": Raw(200, {"choices": []})}.get(
            number, "yes"
        )

    with BatchServer(reply) as server:
        report = run(server, cache, asked())
        names = [key(provider(server).identity, each) for each in asked()]
        assert report.answered == 2
        assert {names.index(name) for name in report.failed} == {1, 2, 3}
        assert report.failed[names[1]] == "400: too long"
        assert replies(server, cache, asked()) == ["yes", None, None, None, "yes"]
        assert on_record(cache) == (0, 0), "so that they can be asked again"


@pytest.mark.parametrize("status", ["expired", "cancelled"])
def test_a_batch_that_ends_early_keeps_what_it_has(cache: Cache, status: str) -> None:
    with BatchServer(echo, status=status, done=3) as server:
        report = run(server, cache, asked())
        assert report.answered == 3
        assert len(report.unanswered) + len(report.failed) == 2
        server.status = "completed"
        again = run(server, cache, asked())
        assert (again.cached, again.sent, again.answered) == (3, 2, 2)


def test_a_batch_that_fails_as_a_whole_says_why(cache: Cache) -> None:
    with BatchServer(status="failed") as server:
        report = run(server, cache, asked(2))
        assert list(report.failed.values()) == ["the file is no good"] * 2
        assert on_record(cache) == (0, 0)


def test_a_batch_of_an_earlier_call_is_gone_on_with(cache: Cache) -> None:
    """The first call is stopped while it waits; the second asks for more."""
    with BatchServer(echo, looks=10**9) as server:

        async def stopped() -> None:
            judge = provider(server)
            task = asyncio.create_task(run_batch(asked(), judge, cache, 0.001))
            while not server.batches or server.batches["batch_0"].looks < 2:
                await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await judge.close()

        asyncio.run(stopped())
        assert on_record(cache) == (1, 5)
        server.looks = 0
        report = run(server, cache, asked(7))
        assert (report.resumed, report.sent, report.answered) == (5, 2, 7)
        assert server.asked == 7


def test_replies_that_nobody_asks_for_any_more_are_kept_too(cache: Cache) -> None:
    with BatchServer(echo, faults=[Fault("GET", "batches/", error(401, "no"))]) as server:
        with pytest.raises(JudgeError, match="401"):
            run(server, cache, asked())
        report = run(server, cache, [])
        assert report.answered == 5
        assert replies(server, cache, asked()) == [f"re: Is it {number}?" for number in range(5)]


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST", "batches", RESET, after=True),
        Fault("POST", "batches", error(500), after=True),
        Fault("POST", "batches", Raw(200, b"{"), after=True),
        Fault("POST", "batches", error(429, "slow"), after=False),
        Fault("POST", "files", error(503), after=True),
        Fault("POST", "files", RESET, after=False),
        Fault("GET", "batches/", error(502), after=False),
        Fault("GET", "files/", RESET, after=False),
        Fault("GET", "files/", Raw(200, b'{"custom_id": "x"}\nnever wh', action="truncate"), after=False),
        Fault("GET", "batches?", error(500), after=False),
    ],
    ids=lambda fault: f"{fault.method}-{fault.path}-{fault.answer.status}-{fault.answer.action}",
)
def test_an_answer_that_is_lost_costs_nothing_twice(cache: Cache, fault: Fault) -> None:
    with BatchServer(echo, faults=[fault]) as server:
        report = run(server, cache, asked())
        assert (report.sent, report.answered, server.asked) == (5, 5, 5)
        assert on_record(cache) == (0, 0)


def test_a_lost_batch_is_found_by_its_mark_on_a_later_page(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_REQUESTS", 1)
    with BatchServer(echo, faults=[Fault("POST", "batches", RESET, after=True)]) as server:
        report = run(server, cache, asked())
        assert (report.answered, len(server.batches)) == (5, 5)


def test_a_batch_that_was_recorded_and_never_sent_is_given_up_in_time(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "GRACE", 0)
    with BatchServer(echo, faults=[Fault("POST", "batches", RESET)]) as server:
        report = run(server, cache, asked())
        assert (report.answered, report.unanswered, server.asked) == (5, [], 5)
    with BatchServer(echo, faults=[Fault("POST", "batches", RESET) for _ in range(batch.ROUNDS)]) as server:
        report = run(server, cache, asked(7))
        assert (len(report.unanswered), server.asked) == (7, 0)


@pytest.mark.parametrize("path", ["files", "batches"])
def test_a_server_that_refuses_leaves_no_record(cache: Cache, path: str) -> None:
    refusal = error(401, f"Incorrect API key provided: {SECRET}", "invalid_api_key")
    with BatchServer(faults=[Fault("POST", path, refusal)]) as server:
        with pytest.raises(JudgeError, match="401") as caught:
            run(server, cache, asked())
        assert SECRET not in str(caught.value)
        assert on_record(cache) == (0, 0)
        assert run(server, cache, asked()).answered == 5


def test_a_server_without_batches_says_so(cache: Cache) -> None:
    nothing, says = error(404, "no such path"), r"has no batch interface .*404.*ask without --judge_batch"
    with BatchServer(faults=[Fault("POST", "files", nothing)]) as server:
        with pytest.raises(JudgeError, match=says) as caught:
            run(server, cache, asked())
        assert "model" not in str(caught.value)
        assert on_record(cache) == (0, 0)


def test_a_batch_that_the_server_has_forgotten_can_be_forgotten_here(cache: Cache) -> None:
    fault, says = Fault("GET", "batches/", error(404, "no such batch")), r"such batch.*cache prune --batches"
    with BatchServer(echo, faults=[fault]) as server, pytest.raises(JudgeError, match=says):
        run(server, cache, asked())


def test_a_server_that_is_gone_for_long_is_given_up_for_now(cache: Cache) -> None:
    with BatchServer(echo, faults=[Fault("GET", "batches/", error(503)) for _ in range(4)]) as server:
        with pytest.raises(JudgeError, match="what was sent is on record, run again to go on"):
            run(server, cache, asked())
        assert on_record(cache) == (1, 5)
        assert run(server, cache, asked()).answered == 5
        assert server.asked == 5


def test_what_a_batch_costs_is_counted_at_its_price(cache: Cache) -> None:
    ledger = Ledger(Prices({"gpt-4o": Price(1.0, 10.0, batch=0.5)}))
    with BatchServer(lambda body: Answer("yes", tokens=(1000, 100))) as server:
        run(server, cache, asked(2), ledger)
    assert ledger.totals.paid.calls == 2
    assert ledger.spent == pytest.approx(0.002)


def test_no_more_is_sent_than_the_limit_leaves(cache: Cache) -> None:
    ledger = Ledger(Prices({"gpt-4o": Price(0.0, 10.0)}), max_cost=2.5 * 2048 * 10 / 1e6)
    with BatchServer() as server:
        report = run(server, cache, asked(), ledger)
        assert (report.sent, report.over_budget, server.asked) == (2, 3, 2)


def test_a_provider_without_batches_is_refused(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    settings = JudgeSettings(provider="azure_openai", base_url="https://x.openai.azure.com", key=SECRET)
    azure = open_provider(settings, "gpt-4o")
    with pytest.raises(UsageError, match="--judge_batch: azure_openai is asked call by call"):
        asyncio.run(run_batch(asked(), azure, cache))


def test_who_does_not_ask_needs_no_client() -> None:
    code = "import sys, mmeval.judge.batch, mmeval.judge.money; print('aiohttp' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False\n"


KILLED = """
import asyncio, sys
from pathlib import Path
from mmeval.judge import batch
from mmeval.judge.cache import Cache
from mmeval.judge.providers import open_provider
from mmeval.judge.providers._batch_lines import read_line
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Message, Request
batch.GRACE = int(sys.argv[3])
async def main():
    judge = open_provider(JudgeSettings(base_url=sys.argv[2], key="k" * 20), "gpt-4o")
    asked = [Request((Message("user", f"Is it {n}?"),), prompt="hle") for n in range(200)]
    with Cache.open(Path(sys.argv[1])) as cache:
        print("go", flush=True)
        await batch.run_batch(asked, judge, cache, 0.01)
    await judge.close()
asyncio.run(main())
"""


def test_a_process_that_is_killed_anywhere_pays_for_nothing_twice(tmp_path: Path) -> None:
    with BatchServer(echo, looks=3) as server:
        server.server.latency = 0.01
        for pause in (0.0, 0.01, 0.02, 0.03, 0.05, 0.08):
            command = [sys.executable, "-c", KILLED, str(tmp_path), server.url, "1"]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0)
            assert process.stdout is not None
            assert process.stdout.readline() == b"go\n"
            time.sleep(pause)
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
        last = subprocess.run(command, check=True, capture_output=True, timeout=60)
        assert b"Traceback" not in last.stderr
        with Cache.open(tmp_path) as cache:
            assert on_record(cache) == (0, 0)
        assert server.asked == 200


def test_two_processes_at_once_pay_once(tmp_path: Path) -> None:
    with BatchServer(echo, looks=3) as server:
        server.server.latency = 0.01
        command = [sys.executable, "-c", KILLED, str(tmp_path), server.url, "60"]
        processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)
        ]
        assert [process.communicate(timeout=60)[1] for process in processes] == [b"", b""]
        assert server.asked == 200
