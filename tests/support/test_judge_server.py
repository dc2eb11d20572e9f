"""The scripted server does what its docstring says: or every test that leans on it proves nothing."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from judge_server import (
    FAULTS,
    HANG,
    MALFORMED,
    RESET,
    TRUNCATED,
    Answer,
    JudgeServer,
    Raw,
    error,
    mixed_faults,
    prompt_text,
)

BODY = {"model": "judge", "messages": [{"role": "user", "content": "Is it so?"}]}


def post(server: JudgeServer, path: str = "/v1/chat/completions", timeout: float = 5) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request("POST", path, json.dumps(BODY), {"Authorization": "Bearer k"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_a_reply_is_made_from_the_request_and_recorded() -> None:
    with JudgeServer(lambda body: prompt_text(body).upper()) as server:
        status, data = post(server)
    assert status == 200
    assert json.loads(data)["choices"][0]["message"]["content"] == "IS IT SO?"
    assert (server.received, server.completed, server.texts, server.peak) == (1, 1, ["IS IT SO?"], 1)
    assert server.seen[0].headers["authorization"] == "Bearer k"
    assert server.seen[0].body == BODY
    assert server.in_flight == 0


def test_an_answer_carries_what_it_is_given() -> None:
    answer = Answer("no", finish="length", model="m-2", tokens=(3, 4), logprobs=[("no", -0.5)])
    with JudgeServer(lambda body: answer) as server:
        made = json.loads(post(server)[1])
    assert made["model"] == "m-2"
    assert made["usage"] == {"prompt_tokens": 3, "completion_tokens": 4}
    assert made["choices"][0]["finish_reason"] == "length"
    assert made["choices"][0]["logprobs"] == {"content": [{"token": "no", "logprob": -0.5}]}


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        pytest.param(RESET, ConnectionError, id="reset"),
        pytest.param(HANG, TimeoutError, id="hang"),
        pytest.param(TRUNCATED, http.client.IncompleteRead, id="truncated"),
    ],
)
def test_connections_break(fault: Raw, raised: type[Exception]) -> None:
    with JudgeServer("yes", faults=lambda number, body: fault if number == 0 else None) as server:
        with pytest.raises(raised):
            post(server, timeout=0.2)
        assert post(server)[0] == 200
    assert (server.received, server.completed) == (2, 1)


def test_errors_and_bodies_that_are_no_completions_are_not_counted() -> None:
    script = [error(429, retry_after="3"), MALFORMED, error(401, "bad key", "invalid_api_key")]
    with JudgeServer("yes", faults=lambda number, body: script[number]) as server:
        statuses = [post(server)[0] for _ in script]
        assert post(server, path="/v2/other")[0] == 404
    assert statuses == [429, 200, 401]
    assert server.completed == 0


def test_other_paths_have_a_route() -> None:
    with JudgeServer(route=lambda seen: Raw(200, b"{}") if seen.path == "/v1/batches" else None) as server:
        assert post(server, path="/v1/batches") == (200, b"{}")
        assert post(server)[0] == 200


def test_latency_is_kept() -> None:
    with JudgeServer(latency=0.1) as server:
        start = time.perf_counter()
        post(server)
        assert 0.1 <= time.perf_counter() - start < 1.0


def test_a_script_of_faults_is_the_same_every_time() -> None:
    first, second, other = ([mixed_faults(seed)(number, {}) for number in range(300)] for seed in (1, 1, 2))
    assert first == second != other
    kinds = {name for name, fault in FAULTS.items() if fault in first}
    assert kinds == set(FAULTS)
    assert 150 < first.count(None) < 270


def test_an_error_in_a_script_is_not_lost() -> None:
    def broken(body: dict[str, Any]) -> str:
        raise KeyError("nothing there")

    server = JudgeServer(broken).__enter__()
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        post(server)
    with pytest.raises(KeyError, match="nothing there"):
        server.__exit__(None, None, None)


def test_as_a_process_it_serves_until_stdin_closes() -> None:
    script = Path(__file__).with_name("judge_server.py")
    process = subprocess.Popen(
        [sys.executable, script, "0.0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("http://127.0.0.1:")
    process.communicate(timeout=10)
    assert process.returncode == 0
