"""All judging of one call: opened late, closed whole, interrupted well, in batches, and what it spent."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from batch_server import BatchServer
from desks import RIGHT, Model, seated, session
from judge_server import Answer, Body, JudgeServer, prompt_text
from scripted_judge import case
from whole_runs import KEY, Script, item_of, right, score_of, statuses, write, wrong

from mmeval import Job, JudgeError, Overrides, UsageError, score
from mmeval.judge import batch
from mmeval.judge.judges import Judges
from mmeval.judge.session import Session
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Request, Transient
from mmeval.params import Stage
from mmeval.pipeline import Open, settle
from mmeval.stages.llm_judge import LlmJudge
from mmeval.types import Verdict


def opened(*predictions: str) -> list[Open]:
    stage = Stage("llm-judge", 1, LlmJudge(), False, {}, True)
    found = [settle(case(text, "red", "open").sample, text, (stage,)) for text in predictions]
    return [each for each in found if isinstance(each, Open)]


def hear(found: Session, *predictions: str, told: Callable[[int], None] = lambda rows: None) -> list[Verdict]:
    return found.hear(seated(found), opened(*predictions), told)


def outcomes(verdicts: list[Verdict]) -> list[tuple[str, float | None, str | None]]:
    return [(verdict.status, verdict.score, verdict.reason) for verdict in verdicts]


OK = ("ok", 1.0, "judged")


def test_cases_are_heard_and_progress_is_told(tmp_path: Path) -> None:
    told: list[int] = []
    with session(tmp_path, Model("m", RIGHT)) as found:
        assert outcomes(hear(found, "a", "b", told=told.append)) == [OK, OK]
        assert (
            found.spent()
            == "judge: 2 calls at an unknown price (20 tokens in, 4 out); 0 replies from the cache"
        )
    assert sum(told) == 2


def test_a_second_run_takes_the_replies_of_the_first(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with session(tmp_path, model) as found:
        hear(found, "a", "b")
        hear(found, "b", "c")
        assert "3 calls" in found.spent() and "1 reply from the cache" in found.spent()
    assert len(model.asked) == 3


def test_nothing_is_opened_for_nobody(tmp_path: Path) -> None:
    with Session(JudgeSettings(models=("m",), cache=tmp_path / "cache")) as found:
        assert (found.spent(), found.stopped, found.interrupted) == ("", None, False)
    assert not (tmp_path / "cache").exists()


def test_closing_closes_models_and_cache_once(tmp_path: Path) -> None:
    model = Model("m", RIGHT)
    with session(tmp_path, model) as found:
        hear(found, "a")
        found.close()
    assert model.closed == 1


def test_in_a_loop_of_the_callers_own(tmp_path: Path) -> None:
    """As in a notebook; the caller's loop stays as it is."""

    async def cell() -> list[Verdict]:
        with session(tmp_path, Model("m", RIGHT)) as found:
            heard = hear(found, "a")
        await asyncio.sleep(0)
        return heard

    assert outcomes(asyncio.run(cell())) == [OK]


def test_in_a_thread(tmp_path: Path) -> None:
    heard: list[Verdict] = []

    def work() -> None:
        with session(tmp_path, Model("m", RIGHT)) as found:
            heard.extend(hear(found, "a"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(10)
    assert outcomes(heard) == [OK]


@pytest.fixture
def handler() -> Iterator[None]:
    """Ctrl-C as in a terminal, whatever the tests were started from."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupting(times: int, at: int) -> Callable[[Request], str]:
    """A reply that comes with Ctrl-C, so many times, the n-th time that it is asked for."""
    asked = iter(range(1, 1000))

    def said(request: Request) -> str:
        if next(asked) == at:
            for _ in range(times):
                os.kill(os.getpid(), signal.SIGINT)
        return RIGHT

    return said


def test_one_interrupt_finishes_what_is_in_hand(tmp_path: Path, handler: None) -> None:
    model = Model("m", interrupting(1, at=3))
    with session(tmp_path, model, concurrency=2) as found:
        verdicts = hear(found, *map(str, range(10)))
        assert found.interrupted and found.stopped == "interrupted"
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        done = [each for each in outcomes(verdicts) if each == OK]
        assert 3 <= len(done) == len(model.asked) <= 5
        assert {each for each in outcomes(verdicts) if each != OK} == {("llm_error", 0.0, "interrupted")}
        assert outcomes(hear(found, "new")) == [("llm_error", 0.0, "interrupted")]
    assert len(model.asked) <= 5


def test_two_interrupts_end_it(tmp_path: Path, handler: None) -> None:
    class Slow(Model):
        async def complete(self, request: Request) -> Completion:
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(60)
            raise AssertionError("it was waited for")

    with session(tmp_path, Slow("m", RIGHT)) as found, pytest.raises(KeyboardInterrupt):
        hear(found, "a", "b")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_interrupt_ends_the_waiting_for_a_next_try(tmp_path: Path, handler: None) -> None:
    def said(request: Request) -> Exception:
        os.kill(os.getpid(), signal.SIGINT)
        return Transient("rate-limit", "later", retry_after=500)

    with session(tmp_path, Model("m", said), max_retry=3) as found:
        assert outcomes(hear(found, "a")) == [("llm_error", 0.0, "interrupted")]


def test_an_interrupt_outranks_a_limit(tmp_path: Path) -> None:
    with session(tmp_path, Model("m", RIGHT)) as found:
        found.stop("max-cost-reached")
        assert (found.stopped, found.interrupted) == ("max-cost-reached", False)
        found.stop("interrupted")
        found.stop("max-cost-reached")
        assert (found.stopped, found.interrupted) == ("interrupted", True)


def test_what_is_in_flight_when_it_breaks_off_is_kept(tmp_path: Path) -> None:
    """One call is refused for good while another is answered: that one is paid for, so it is waited for."""

    class Both(Model):
        async def complete(self, request: Request) -> Completion:
            if "paid" in str(request.messages):
                await asyncio.sleep(0.05)
                return await super().complete(request)
            await asyncio.sleep(0.01)
            raise JudgeError("no credit")

    model = Both("m", RIGHT)
    with session(tmp_path, model) as found, pytest.raises(JudgeError, match="no credit"):
        hear(found, "refused", "paid", "refused too")
    silent = Model("m", AssertionError("asked"))
    with session(tmp_path, silent) as found:
        assert outcomes(hear(found, "paid")) == [OK]


def test_a_panel_shares_the_calls_in_flight(tmp_path: Path) -> None:
    flying: set[int] = set()
    most: list[int] = []

    class Counting(Model):
        async def complete(self, request: Request) -> Completion:
            flying.add(id(request))
            most.append(len(flying))
            await asyncio.sleep(0.001)
            flying.discard(id(request))
            return await super().complete(request)

    with session(tmp_path, *(Counting(name, RIGHT) for name in "abc"), concurrency=7) as found:
        assert outcomes(hear(found, *map(str, range(20)))) == [OK] * 20
    assert max(most) == 6


def test_warnings_are_few(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with session(tmp_path, Model("m", "who knows")) as found:
        hear(found, *map(str, range(30)))
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 6 and "more of this kind (m: unreadable) is not shown" in told[-1]


# Batches.


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No half a minute between two looks at a batch."""
    monkeypatch.setattr("mmeval.judge.session.run_batch", partial(batch.run_batch, poll=0.01))


def judges(url: str, cache: Path, **more: Any) -> Judges:
    return Judges(models=("judge-1",), base_url=url, cache=cache, **more)


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("JUDGE_MODEL", "JUDGE_API_BASE", "JUDGE_API_KEY", "OPENAI_BASE_URL", "MMDR_JUDGE_PROMPT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def test_a_run_by_batches_gives_the_bytes_of_one_by_calls(tmp_path: Path, quick: None) -> None:
    """Replies that cannot be read are asked for again in a next round."""
    runs = [write(tmp_path / name, 12) for name in ("batch", "calls")]

    def first(item: int) -> Sequence[Answer]:
        return (Answer("who knows"),) if item % 4 == 0 else ()

    with BatchServer(Script(first)) as server:
        for run, by in zip(runs, (True, None), strict=True):
            with judges(server.url, tmp_path / run.parent.name / "c", batch=by) as found:
                scored = score(run, Job(judge=found))
                (said,) = found.remarks(True)
            assert "15 calls" in said and "0 replies from the cache" in said
            assert scored.failed == 0
            server.server.reply = Script(first)
        assert server.asked == 15 and [len(each.lines) for each in server.batches.values()] == [12, 3]
    assert wrong(runs[0]) == []
    assert runs[0].with_name("score.json").read_bytes() == runs[1].with_name("score.json").read_bytes()


def test_stages_that_follow_each_other_take_a_round_each(tmp_path: Path, quick: None) -> None:
    meta = {"dataset_name": "mine", "score_pipeline": ["llm-extract", "llm-judge"]}
    run = write(tmp_path / "run", 4, meta=meta)

    def reply(body: Body) -> str:
        extracts = "copy it out" in prompt_text(body)
        return "answer: 7" if extracts else str(right(item_of(body)).text)

    with BatchServer(reply) as server, judges(server.url, tmp_path / "cache", batch=True) as found:
        score(run, Job(judge=found))
    assert [len(each.lines) for each in server.batches.values()] == [4, 4]
    assert wrong(run) == []


def test_what_a_batch_cannot_answer_fails_its_row(tmp_path: Path, quick: None) -> None:
    run = write(tmp_path / "run", 6)
    with BatchServer(Script(), status="expired", done=4) as server:
        with judges(server.url, tmp_path / "cache", batch=True) as found:
            scored = score(run, Job(judge=found))
        assert (scored.failed, dict(statuses(run))) == (2, {"ok": 4, "llm_error": 2})
        assert score_of(run)["summary"]["judge"]["failures"] == {"judge-failed: batch": 2}
        assert server.server.completed == 0, "a question of a batch was put as a call"
        server.status, server.done = "completed", 10**9
        with judges(server.url, tmp_path / "cache", batch=True) as found:
            assert score(run, Job(judge=found)).failed == 0
        assert server.asked == 8


def test_a_batch_tells_how_it_comes_along(
    tmp_path: Path, quick: None, caplog: pytest.LogCaptureFixture
) -> None:
    run = write(tmp_path / "run", 6)
    with BatchServer(Script()) as server, judges(server.url, tmp_path / "cache", batch=True) as found:
        score(run, Job(judge=found))
    assert caplog.messages[0].startswith("batch: judge-1 has answered 0 of 6; this may take a day")
    assert caplog.messages[-1] == "batch: judge-1 has answered 6 of 6"


def test_replies_that_are_known_are_counted_once_with_batches_too(tmp_path: Path, quick: None) -> None:
    run = write(tmp_path / "run", 6)
    with BatchServer(Script()) as server:
        for said in ("6 calls", "0 calls"):
            with judges(server.url, tmp_path / "cache", batch=True) as found:
                score(run, Job(judge=found, force=True))
                (told,) = found.remarks(True)
            assert said in told
    assert "6 replies from the cache" in told


def test_ties_are_counted(tmp_path: Path) -> None:
    """An earlier stage that read something does not hide them."""
    meta = {"dataset_name": "mine", "score_pipeline": ["rule-match", "llm-judge"]}
    run = write(tmp_path / "run", 6, meta=meta)

    def reply(body: Body) -> str:
        same = item_of(body) % 2 == 0
        return f'{{"verdict": "{"correct" if same or body["model"] == "a" else "incorrect"}"}}'

    given = {"models": ("a", "b"), "cache": tmp_path / "cache"}
    with JudgeServer(reply) as server, Judges(**given, base_url=server.url) as found:
        score(run, Job(judge=found))
    assert score_of(run)["summary"]["judge"]["tied"] == 3
    assert score_of(run)["summary"]["undecided"] == 3


# From Python.


def test_from_python(tmp_path: Path) -> None:
    """As the docstring of Judges says; afterwards no loop and no connection is open."""
    runs = [write(tmp_path / name, 20, f"{name} {{}}".format) for name in ("a", "b")]
    prices = tmp_path / "prices.json"
    prices.write_text('{"judge-1": {"input": 1.0, "output": 1.0}}')
    loops = {id(each) for each in gc.get_objects() if isinstance(each, asyncio.AbstractEventLoop)}
    with JudgeServer(Script()) as server:
        with judges(server.url, tmp_path / "cache", prices=prices, max_cost=1.0) as found:
            scored = [score(run, Job(judge=found)) for run in runs]
            assert len(found.sessions) == 1, "runs that are set up alike share one session"
        gc.collect()
        assert server.completed == 40
        deadline = time.monotonic() + 10
        while server._open and time.monotonic() < deadline:
            time.sleep(0.01)  # the server hears of it a little later
        assert not server._open, "a connection was left open"
    left = [each for each in gc.get_objects() if isinstance(each, asyncio.AbstractEventLoop)]
    assert [each for each in left if id(each) not in loops and not each.is_closed()] == []
    assert [each.summary["mean_score"] for each in scored] == [13 / 20] * 2
    assert wrong(runs[0]) == wrong(runs[1]) == []


def test_one_limit_for_all_runs_however_they_are_set_up(tmp_path: Path) -> None:
    """Two runs with a configuration beside each: two sessions, one budget."""
    prices = tmp_path / "prices.json"
    prices.write_text('{"judge-1": {"input": 1000.0, "output": 1000.0}}')
    spent: list[int] = []

    def metered(body: Body) -> Answer:
        made = right(item_of(body))
        assert made.tokens is not None
        spent.append(sum(made.tokens))
        return made

    with JudgeServer(metered) as server:
        for name, room in (("a", 10), ("b", 11)):
            run = write(tmp_path / name, 4, f"{name} {{}}".format)
            text = f"model: judge-1\nbase_url: {server.url}\nmax_tokens: {room}\n"
            run.with_name("judge_config.yaml").write_text(text, encoding="utf-8")
        with Judges(cache=tmp_path / "cache", prices=prices, max_cost=2.0) as found:
            failed = [score(tmp_path / name / "result.json", Job(judge=found)).failed for name in ("a", "b")]
            assert len(found.sessions) == 2
    assert failed[0] == 0 and failed[1] > 0
    assert 1.2 < sum(spent) / 1000 <= 2.0


def test_from_a_notebook(tmp_path: Path) -> None:
    run = write(tmp_path / "run", 3)

    async def cell(url: str) -> int:
        with judges(url, tmp_path / "cache") as found:
            return score(run, Job(judge=found)).failed

    with JudgeServer(Script()) as server:
        assert asyncio.run(cell(server.url)) == 0


def test_without_a_with_block_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    run = write(tmp_path / "run", 2)
    found = judges("http://127.0.0.1:9/v1", tmp_path / "cache")
    plain = score(run, Job(Overrides(pipeline=("exact-match",)), judge=found))
    assert (plain.failed, found.sessions, (tmp_path / "cache").exists()) == (0, (), False)


def test_a_setting_that_cannot_be_is_refused(tmp_path: Path) -> None:
    run = write(tmp_path / "run", 2)
    with judges("no address", tmp_path / "cache") as found, pytest.raises((UsageError, JudgeError)):
        score(run, Job(judge=found))
