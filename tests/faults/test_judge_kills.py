"""`mmeval score` with a judge, killed, interrupted, run twice at once: nothing lost, nothing paid twice."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_server import Answer, JudgeServer, error
from whole_runs import KEY, Script, Zygote, flags, item_of, right, score_of, statuses, write, wrong

KILLS = 100
ROWS = 300
SEATS = 8


@pytest.fixture
def zygote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zygote]:
    for name in ("JUDGE_MODEL", "JUDGE_API_BASE", "JUDGE_API_KEY", "OPENAI_BASE_URL", "MMDR_JUDGE_PROMPT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Zygote(tmp_path / "log") as found:
        assert found.run("--version") == 0
        yield found


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.002)


def files(folder: Path) -> set[str]:
    return {each.name for each in folder.rglob("*") if each.is_file()}


def age(folder: Path) -> None:
    """Make what a kill has left an hour old."""
    for part in folder.glob(".score.json.*.part"):
        os.utime(part, (time.time() - 3600,) * 2)


def intact(cache: Path) -> bool:
    """Whether SQLite finds the cache whole."""
    with sqlite3.connect(cache / "judge.sqlite") as connection:
        (said,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    return bool(said == "ok")


@pytest.mark.slow
def test_killed_at_a_hundred_moments(zygote: Zygote, tmp_path: Path) -> None:
    """Several kills in each run, anywhere from its start to the writing of its score."""
    dice = random.Random(4)
    calm = write(tmp_path / "calm", ROWS)
    kills = inside = doubled = runs = 0
    with JudgeServer(Script(), latency=0.01, record=False) as server:
        began = time.monotonic()
        assert zygote.run("score", "--results", calm, *flags(server.url, tmp_path / "calm-cache")) == 0
        whole = time.monotonic() - began
        expected = calm.with_name("score.json").read_bytes()
        while kills < KILLS:
            runs += 1
            script = server.reply = Script()
            run, own = write(tmp_path / f"{runs}", ROWS), flags(server.url, tmp_path / f"{runs}-cache")
            for _ in range(5):
                process = zygote.start("score", "--results", run, *own)
                time.sleep(dice.random() * whole)
                os.kill(process, signal.SIGKILL)
                ended = zygote.wait(process)
                assert ended in (-signal.SIGKILL, 0)
                kills += ended != 0
                inside += ended != 0 and script.count > 0
                age(run.parent)
            assert zygote.run("score", "--results", run, *own) == 0
            assert run.with_name("score.json").read_bytes() == expected
            assert intact(tmp_path / f"{runs}-cache")
            assert files(run.parent) == {"result.json", "score.json"}, "a kill left something behind"
            assert set(script.sent) == set(range(ROWS))
            assert script.count <= ROWS + 5 * SEATS
            doubled += script.count - ROWS
    assert inside > KILLS / 3, "most kills came before anything was asked"
    assert doubled <= kills * SEATS
    assert wrong(run) == []


def test_without_kills_nothing_is_paid_twice(zygote: Zygote, tmp_path: Path) -> None:
    """The yardstick of the test above: the same counts, and no kill."""
    run = write(tmp_path / "run", 50)
    with JudgeServer(Script(), record=False) as server:
        for _ in range(3):
            own = flags(server.url, tmp_path / "cache", "--force")
            assert zygote.run("score", "--results", run, *own) == 0
    assert server.completed == 50


def test_one_interrupt_finishes_what_is_in_flight(zygote: Zygote, tmp_path: Path) -> None:
    run, calm = write(tmp_path / "run", 120), write(tmp_path / "calm", 120)
    script = Script()
    with JudgeServer(script, latency=0.1, record=False) as server:
        own = flags(server.url, tmp_path / "cache")
        process = zygote.start("score", "--results", tmp_path / "run", *own)
        until(lambda: server.completed >= 16)
        os.kill(process, signal.SIGINT)
        assert zygote.wait(process) == 130
        paid = server.completed
        assert paid < 120 and server.received == paid, "a call was begun and not finished"
        found = statuses(run)
        assert (found["ok"], found["llm_error"], wrong(run)) == (paid, 120 - paid, [])
        summary = score_of(run)["summary"]
        assert summary["judge"]["failures"] == {"interrupted": 120 - paid}
        assert summary["headline"]["value"] is None and summary["headline"]["bounds"][1] > 0.5
        server.latency = 0.0
        assert zygote.run("score", "--results", tmp_path / "run", *own) == 0
        assert script.count == 120, "what was in flight is paid for twice"
        server.reply = Script()
        assert zygote.run("score", "--results", calm, *flags(server.url, tmp_path / "other")) == 0
    assert run.with_name("score.json").read_bytes() == calm.with_name("score.json").read_bytes()
    assert "Traceback" not in zygote.log.read_text()


def test_one_interrupt_does_not_wait_for_the_next_try(zygote: Zygote, tmp_path: Path) -> None:
    """The server asks for five minutes; whoever interrupts has not got them."""
    run = write(tmp_path / "run", 30)
    with JudgeServer(faults=lambda number, body: error(429, "later", retry_after="300")) as server:
        process = zygote.start("score", "--results", run, *flags(server.url, tmp_path / "cache"))
        until(lambda: server.received >= 8 and server.in_flight == 0)
        time.sleep(0.1)
        began = time.monotonic()
        os.kill(process, signal.SIGINT)
        assert zygote.wait(process) == 130
        assert time.monotonic() - began < 5
    assert score_of(run)["summary"]["judge"]["failures"] == {"interrupted": 30}


def test_two_interrupts_leave_at_once(zygote: Zygote, tmp_path: Path) -> None:
    """Even where the server takes its time; what was answered before is safe, and nothing is half-written."""
    run = write(tmp_path / "run", 60)
    script = Script()
    with JudgeServer(script, latency=0.02, record=False) as server:
        own = flags(server.url, tmp_path / "cache")
        process = zygote.start("score", "--results", run, *own)
        until(lambda: server.completed >= 20)
        server.latency = 30.0
        time.sleep(0.2)
        began = time.monotonic()
        for _ in range(2):
            os.kill(process, signal.SIGINT)
            time.sleep(0.05)
        assert zygote.wait(process) == 130
        assert time.monotonic() - began < 5
        said = zygote.log.read_text()
        assert "interrupted; nothing half-written was left" in said
        assert "Traceback" not in said and "never retrieved" not in said and "Unclosed" not in said
        assert files(run.parent) == {"result.json"} and intact(tmp_path / "cache")
        known, server.latency = server.completed, 0.0
        assert zygote.run("score", "--results", run, *own) == 0
        assert server.completed == 60 >= known
    assert wrong(run) == []


def test_two_processes_at_once(zygote: Zygote, tmp_path: Path) -> None:
    """The same folder, the same cache: both end well, with the same bytes, and both take the same replies.

    The server never gives the same reply twice: which one counts must not depend on who asked.
    """
    root = tmp_path / "runs"
    runs = [write(root / name, 150, f"{name} {{}}".format) for name in ("a", "b")]
    calls = iter(range(10**6))

    def reply(body: Any) -> Answer:
        made = right(item_of(body))
        return Answer(f"Reply {next(calls)}.\n{made.text}")

    with JudgeServer(reply, latency=0.01, record=False) as server:
        own = flags(server.url, tmp_path / "cache")
        processes = [zygote.start("score", "--results", root, *own) for _ in range(2)]
        assert [zygote.wait(each) for each in processes] == [0, 0]
        assert 300 <= server.completed <= 600
        first = [run.with_name("score.json").read_bytes() for run in runs]
        paid = server.completed
        assert zygote.run("score", "--results", root, "--force", *own) == 0
        assert server.completed == paid
    assert [run.with_name("score.json").read_bytes() for run in runs] == first
    assert [wrong(run) for run in runs] == [[], []]
    assert intact(tmp_path / "cache")
    assert files(root) == {"result.json", "score.json"}
