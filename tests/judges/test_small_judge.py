"""A small model that really runs judges: what is asked, parsed, kept and asked again, and not how well.

It is SmolLM2 behind HTTP, where `MMEVAL_JUDGES_PYTHON` names a python with it (`scripts/judges smollm`).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from real_judges import CITIES, SUPPORT, check_scored, command, named_python, run_of, score, score_file

from mmeval.errors import JudgeError
from mmeval.judge.contracts import build_contract
from mmeval.judge.contracts.base import Parsed
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.transport import Transport
from mmeval.judge.wire import Completion, Message, Rejected, Request

pytestmark = pytest.mark.slow

CONTRACT = build_contract("binary", {}, False)


class Smol(NamedTuple):
    """The small judge's server."""

    url: str

    @property
    def calls(self) -> int:
        """Replies made so far."""
        with urllib.request.urlopen(self.url.removesuffix("/v1") + "/calls", timeout=60) as reply:
            return int(json.load(reply)["completions"])


@pytest.fixture(scope="module")
def smol() -> Iterator[Smol]:
    command = [named_python("MMEVAL_JUDGES_PYTHON"), str(SUPPORT / "smol_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield Smol(f"http://127.0.0.1:{process.stdout.readline().strip()}/v1")
        process.communicate(timeout=60)


def questions(temperature: float | None = 0.0) -> list[Request]:
    says = CONTRACT.instruction()
    return [
        Request((Message("user", f"The answer is {city}. {says}"),), temperature, 64, CONTRACT.schema())
        for city in CITIES[:4]
    ]


def ask_all(url: str, requests: list[Request], model: str = "smollm2") -> list[Completion]:
    async def ask() -> list[Completion]:
        way = Transport(open_provider(JudgeSettings(base_url=url), model), 4, 0)
        try:
            return list(await asyncio.gather(*(way.call(each) for each in requests)))
        finally:
            await way.close()

    return asyncio.run(ask())


def test_replies_of_a_small_model_are_whole_parsed_and_the_same_again(smol: Smol) -> None:
    replies = ask_all(smol.url, questions())
    for reply in replies:
        assert reply.finish == "stop"
        assert reply.model == "SmolLM2-135M-Instruct.Q4_1"
        assert reply.prompt_tokens and reply.completion_tokens
        assert isinstance(CONTRACT.parse(reply.text), Parsed)
    assert ask_all(smol.url, questions()) == replies


def test_a_small_model_writes_without_a_schema_too(smol: Smol) -> None:
    (reply,) = ask_all(smol.url, [Request((Message("user", "Say yes."),), 0.0, 5)])
    assert reply.text
    assert reply.completion_tokens in range(1, 6)
    assert reply.finish == ("length" if reply.completion_tokens == 5 else "stop")


def test_a_small_model_refuses_what_it_cannot_answer(smol: Smol) -> None:
    before = smol.calls
    with pytest.raises(Rejected, match="context"):
        ask_all(smol.url, [Request((Message("user", "word " * 3000),))])
    with pytest.raises(JudgeError, match="no such model"):
        ask_all(smol.url, questions(), model="smollm3")
    assert smol.calls == before


def test_a_run_is_judged_by_a_small_model_once(smol: Smol, tmp_path: Path) -> None:
    run, n = run_of(tmp_path / "run"), len(CITIES)
    flags = ["--judge_provider", "openai", "--judge_base_url", smol.url, "--judge_model", "smollm2"]
    flags += ["--judge_concurrency", "2"]
    before = smol.calls
    first = score(command(run, tmp_path / "first", tmp_path / "cache", *flags))
    assert first.returncode == 0, first.stderr
    assert smol.calls - before == n
    check_scored(tmp_path / "first", "SmolLM2-135M-Instruct.Q4_1")

    again = score(command(run, tmp_path / "again", tmp_path / "cache", *flags))
    assert again.returncode == 0, again.stderr
    assert smol.calls - before == n
    assert score_file(tmp_path / "again") == score_file(tmp_path / "first")

    # Killed in the middle, with another cache: nothing that was kept is asked again.
    broken = command(run, tmp_path / "broken", tmp_path / "other", *flags)
    with subprocess.Popen(broken, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while smol.calls < before + n + 2 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
    ended = score(broken)
    assert ended.returncode == 0, ended.stderr
    assert smol.calls - before <= 2 * n + 2
    assert score_file(tmp_path / "broken") == score_file(tmp_path / "first")
