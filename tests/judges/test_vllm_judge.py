"""A random model under vLLM judges, in this process and behind vLLM's server; what it says means nothing.

It runs where `MMEVAL_VLLM_PYTHON` names a python with vLLM and mmeval (`scripts/judges vllm`).
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from real_judges import CITIES, QUIET, SUPPORT, check_scored, command, named_python, run_of, score, score_file

from mmeval.judge.cache import Cache, key
from mmeval.judge.contracts import build_contract
from mmeval.judge.wire import Identity, Message, Request

pytestmark = pytest.mark.slow

CONTRACT = build_contract("binary", {}, False)
# A random model would write blanks until its tokens are used up.
COMPACT = {"backend": "xgrammar", "disable_any_whitespace": True}


@pytest.fixture(scope="module")
def vllm_python() -> str:
    return named_python("MMEVAL_VLLM_PYTHON")


@pytest.fixture(scope="module")
def tiny(vllm_python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a random model."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    made = [vllm_python, str(SUPPORT / "tiny_model.py"), str(folder)]
    subprocess.run(made, check=True, capture_output=True, timeout=300)
    return folder


@pytest.fixture(scope="module")
def probed(vllm_python: str, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What one engine did from its start to its end, and the cache that it filled."""
    folder = tmp_path_factory.mktemp("probe")
    arguments = [vllm_python, str(SUPPORT / "local_probe.py"), str(tiny), str(folder), str(folder / "out")]
    ran = subprocess.run(
        arguments,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **QUIET, "MMEVAL_CACHE_DIR": str(folder)},
        start_new_session=True,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert "Exception ignored" not in ran.stderr
    return {**json.loads((folder / "out").read_text()), "cache": folder, "stdout": ran.stdout}


def test_the_engine_gives_whole_completions(probed: dict[str, Any]) -> None:
    for reply in (*probed["judged"], *probed["free"]):
        assert reply["model"] == "tiny"
        assert reply["finish"] in ("stop", "length")
        assert reply["prompt_tokens"] > 0
        ended = reply["finish"] == "stop"
        assert len(reply["logprobs"]) == reply["completion_tokens"] - ended
        assert all(value <= 0 for _, value in reply["logprobs"])
    assert all(reply["completion_tokens"] <= 12 for reply in probed["free"])
    assert probed["uncapped"]["completion_tokens"] > 12


def test_the_engine_keeps_to_the_schema(probed: dict[str, Any]) -> None:
    assert probed["parsed"] == len(probed["judged"])
    for reply in probed["judged"]:
        assert "".join(token for token, _ in reply["logprobs"]) == reply["text"]


def test_the_engine_says_the_same_again(probed: dict[str, Any]) -> None:
    assert probed["same_judged"]
    assert probed["same_free"]
    three, again, four = probed["seeds"]
    assert three == again != four


def test_the_engine_refuses_single_requests(probed: dict[str, Any]) -> None:
    assert "maximum context length" in probed["too_long"]
    assert "takes text only" in probed["picture"]


def test_the_engine_outlives_an_interrupt_and_ends_in_order(probed: dict[str, Any]) -> None:
    assert probed["cancelled"]
    assert probed["interrupted"] == len(probed["judged"])
    assert probed["left"] == []
    assert probed["stdout"] == ""


def test_replies_of_the_engine_are_found_again(probed: dict[str, Any], tiny: Path) -> None:
    identity = Identity(**probed["identity"])
    assert (identity.provider, identity.endpoint, identity.model) == ("local", None, "tiny")
    assert identity.revision is not None and identity.revision.startswith("sha256:")
    turns = (Message("system", CONTRACT.instruction()), Message("user", "Answer 3: is it right?"))
    with Cache.open(probed["cache"]) as cache:
        kept = cache.get(key(identity, Request(turns, schema=CONTRACT.schema())))
    assert kept is not None
    assert kept.text == probed["judged"][3]["text"]


def test_a_run_is_judged_in_this_process_once(vllm_python: str, tiny: Path, tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    flags = ["--judge_provider", "local", "--judge_model", str(tiny)]
    first = score(command(run, tmp_path / "first", tmp_path / "cache", *flags, python=vllm_python))
    assert first.returncode == 0, first.stderr[-4000:]
    check_scored(tmp_path / "first", "tiny")
    assert str(tiny) not in score_file(tmp_path / "first").decode(), "no path of this machine in a score"
    assert f"{len(CITIES)} calls" in first.stderr

    # Nothing is left to be asked, so no engine is started.
    began = time.monotonic()
    again = score(command(run, tmp_path / "again", tmp_path / "cache", *flags, python=vllm_python))
    assert again.returncode == 0, again.stderr[-4000:]
    assert "0 calls" in again.stderr
    assert time.monotonic() - began < 10
    assert score_file(tmp_path / "again") == score_file(tmp_path / "first")


def children_of(parent: int) -> set[int]:
    threads = Path(f"/proc/{parent}/task").iterdir()
    return {int(number) for thread in threads for number in (thread / "children").read_text().split()}


def running(number: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except OSError:
        return False


def test_a_killed_call_leaves_no_engine(vllm_python: str, tiny: Path, tmp_path: Path) -> None:
    flags = ["--judge_provider", "local", "--judge_model", str(tiny)]
    arguments = command(
        run_of(tmp_path / "run"), tmp_path / "out", tmp_path / "c", *flags, python=vllm_python
    )
    with subprocess.Popen(arguments, **quietly()) as process:
        engines: set[int] = set()
        until = time.monotonic() + 120
        while not engines and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.2)
            lines = {number: Path(f"/proc/{number}/cmdline") for number in children_of(process.pid)}
            engines = {number for number, line in lines.items() if b"spawn_main" in line.read_bytes()}
        assert engines
        # The watcher has looked by then.
        time.sleep(2)
        process.send_signal(signal.SIGKILL)
    until = time.monotonic() + 60
    while any(map(running, engines)) and time.monotonic() < until:
        time.sleep(0.2)
    assert not any(map(running, engines))


@pytest.fixture
def server(vllm_python: str, tiny: Path) -> Iterator[str]:
    """The address of vLLM's own server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    arguments = [vllm_python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(tiny)]
    arguments += [
        "--served-model-name",
        "tiny",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--enforce-eager",
    ]
    arguments += ["--structured-outputs-config", json.dumps(COMPACT)]
    with subprocess.Popen(arguments, **quietly()) as process:
        until = time.monotonic() + 240
        while not answers(f"http://127.0.0.1:{port}/health"):
            assert process.poll() is None
            assert time.monotonic() < until
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
        process.terminate()


def quietly() -> dict[str, Any]:
    return {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": {**os.environ, **QUIET}}


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10) as reply:
            return reply.status == 200
    except OSError:
        return False


def test_a_run_is_judged_by_vllms_own_server_once(server: str, tmp_path: Path) -> None:
    flags = ["--judge_provider", "openai", "--judge_base_url", server, "--judge_model", "tiny"]
    run = run_of(tmp_path / "run")
    for name, calls in (("first", len(CITIES)), ("again", 0)):
        ran = score(command(run, tmp_path / name, tmp_path / "cache", *flags))
        assert ran.returncode == 0, ran.stderr
        assert f"judge: {calls} calls" in ran.stderr
    check_scored(tmp_path / "first", "tiny")
    assert score_file(tmp_path / "again") == score_file(tmp_path / "first")
