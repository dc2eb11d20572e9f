"""The openai provider against a real server: what it sends, what it makes of answers, what it never shows."""

from __future__ import annotations

import asyncio
import gzip
import logging
import socket
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import orjson
import pytest
from judge_server import HANG, HTML, HUGE, MALFORMED, RESET, TRUNCATED, Answer, JudgeServer, Raw, Seen, error

from mmeval.errors import JudgeError
from mmeval.judge.providers import _chat, open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Message, Provider, Rejected, Request, Transient

KEY = "sk-live-0123456789-abcdefghij"
REQUEST = Request((Message("user", "Is it so?"),), schema={"type": "object"})
NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def using(provider: Provider, *requests: Request) -> list[Completion | BaseException]:
    """Ask one after the other, then close."""

    async def main() -> list[Completion | BaseException]:
        found = [
            (await asyncio.gather(provider.complete(request), return_exceptions=True))[0]
            for request in requests
        ]
        await provider.close()
        return found

    return asyncio.run(main())


def ask(server: JudgeServer, **settings: Any) -> Completion | BaseException:
    made = JudgeSettings(**{"base_url": server.url, "key": KEY, "timeout": 5.0, **settings})
    return using(open_provider(made, "judge-1"), REQUEST)[0]


def test_a_request_goes_out_and_a_completion_comes_back() -> None:
    answer = Answer("yes", model="judge-1-0613", tokens=(11, 2), logprobs=[("yes", -0.1)])
    with JudgeServer(lambda body: answer) as server:
        assert ask(server) == Completion("yes", "judge-1-0613", "stop", 11, 2, (("yes", -0.1),))
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.body["model"] == "judge-1"
    assert seen.body["messages"] == [{"role": "user", "content": "Is it so?"}]
    assert (seen.body["temperature"], seen.body["max_tokens"], seen.body["logprobs"]) == (0.0, 2048, True)


def test_connections_are_kept() -> None:
    with JudgeServer() as server:
        using(open_provider(JudgeSettings(base_url=server.url), "m"), *[REQUEST] * 5)
        assert (server.received, server.connections) == (5, 1)


FAULTS: list[tuple[str, Raw, type[Exception], str]] = [
    ("429", error(429, retry_after="2"), Transient, "rate-limit"),
    ("500", error(500), Transient, "server"),
    ("reset", RESET, Transient, "connection"),
    ("truncated", TRUNCATED, Transient, "connection"),
    ("malformed", MALFORMED, Transient, "malformed"),
    ("html", HTML, Transient, "malformed"),
    ("no-http", Raw(200, b"", {"no header": "x"}), Transient, "malformed"),
    ("gibberish", Raw(200, b"x", {"content-encoding": "gzip"}), Transient, "malformed"),
    ("broken-off", Raw(200, Answer("correct", finish="abort").body({})), Transient, "server"),
    ("400", error(400, "maximum context length is 10"), Rejected, ""),
    ("401", error(401, "no such key"), JudgeError, ""),
    ("404", error(404, "no such model", "model_not_found"), JudgeError, ""),
    ("moved", Raw(307, b"", {"location": "http://127.0.0.1:9/elsewhere"}), JudgeError, ""),
]


@pytest.mark.parametrize(("fault", "kind", "word"), [pytest.param(*rest, id=name) for name, *rest in FAULTS])
def test_every_fault_has_its_meaning(fault: Raw, kind: type[Exception], word: str) -> None:
    with JudgeServer(faults=lambda number, body: fault) as server:
        found = ask(server)
    assert type(found) is kind, found
    if isinstance(found, Transient):
        assert found.kind == word
    assert server.received == 1


def test_a_silent_server_is_a_timeout() -> None:
    with JudgeServer(faults=lambda number, body: HANG) as server:
        found = ask(server, timeout=0.2)
    assert isinstance(found, Transient)
    assert found.kind == "timeout"
    assert "0.2 s" in str(found)


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/v1", "http://no-such-host.invalid/v1"])
def test_nobody_there_is_a_connection_failure(url: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = JudgeSettings(base_url=url.format(port=port), timeout=5.0)
    (found,) = using(open_provider(settings, "m"), REQUEST)
    assert isinstance(found, Transient)
    assert found.kind == "connection"


def test_a_broken_handshake_stops_the_run() -> None:
    with JudgeServer() as server:
        (found,) = using(
            open_provider(JudgeSettings(base_url=server.url.replace("http:", "https:"), timeout=5.0), "m"),
            REQUEST,
        )
    assert isinstance(found, JudgeError)
    assert "certificates" in str(found)


def test_a_large_reply_is_read_and_a_monstrous_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with JudgeServer(faults=lambda number, body: HUGE) as server:
        found = ask(server)
        assert isinstance(found, Completion)
        assert len(found.text) == 2_000_000
        monkeypatch.setattr(_chat, "LARGEST_REPLY", 1_000_000)
        assert isinstance(ask(server), Rejected)


def test_a_reply_that_is_monstrous_once_unpacked_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b" " * 30_000_000 + orjson.dumps(Answer("fine").body({})))
    route = Raw(200, packed, {"content-encoding": "gzip"})
    with JudgeServer(route=lambda seen: route) as server:
        assert isinstance(ask(server), Completion)
        monkeypatch.setattr(_chat, "LARGEST_REPLY", 1_000_000)
        assert isinstance(ask(server), Rejected)


def test_a_reply_in_chunks_is_read() -> None:
    body = orjson.dumps(Answer("in chunks").body({}))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:40], body[40:])) + b"0\r\n\r\n"
    with JudgeServer(route=lambda seen: Raw(200, chunks, {"transfer-encoding": "chunked"})) as server:
        found = ask(server)
    assert isinstance(found, Completion)
    assert found.text == "in chunks"


def picky(*refused: tuple[str, str]) -> Callable[[int, dict[str, Any]], Raw | None]:
    """A server that refuses parameters, one at a time."""

    def script(number: int, body: dict[str, Any]) -> Raw | None:
        for name, message in refused:
            value = body.get(name)
            if value is not None and (not isinstance(value, dict) or value["type"] in message):
                return error(400, message)
        return None

    return script


def test_a_server_is_learned_once_for_all_calls() -> None:
    script = picky(
        ("temperature", "Unsupported value: 'temperature'"),
        ("logprobs", "logprobs not supported"),
        ("max_tokens", "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens'"),
        ("seed", "Unknown parameter: 'seed'"),
        ("response_format", "response_format json_schema is not supported"),
        ("response_format", "response_format json_object is not supported"),
    )
    request = Request(REQUEST.messages, schema={"type": "object"}, seed=1)
    with JudgeServer(faults=script) as server:
        found = using(open_provider(JudgeSettings(base_url=server.url), "m"), request, request)
    assert [each.text if isinstance(each, Completion) else each for each in found] == ["yes", "yes"]
    assert server.received == 8
    assert server.seen[-1].body.keys() == {"model", "messages", "max_completion_tokens"}


def test_llama_cpp_gets_its_own_schema_form() -> None:
    def script(number: int, body: dict[str, Any]) -> Raw | None:
        literal = "literal_error response_format type: Input should be 'text' or 'json_object'"
        return error(500, literal) if body["response_format"]["type"] == "json_schema" else None

    with JudgeServer(faults=script) as server:
        assert isinstance(ask(server), Completion)
    assert server.seen[-1].body["response_format"] == {"type": "json_object", "schema": {"type": "object"}}


@pytest.mark.parametrize(
    ("base_url", "endpoint", "path"),
    [
        pytest.param("{}/v1", "{}/v1", "/v1/chat/completions", id="plain"),
        pytest.param("{}/v1/", "{}/v1", "/v1/chat/completions", id="slash"),
        pytest.param("{}/v1/chat/completions", "{}/v1", "/v1/chat/completions", id="whole"),
        pytest.param("{}", "{}", "/chat/completions", id="no-path"),
        pytest.param("{}/a/b?team=blue-whale", "{}/a/b", "/a/b/chat/completions?team=blue-whale", id="query"),
    ],
)
def test_addresses(base_url: str, endpoint: str, path: str) -> None:
    with JudgeServer(route=lambda seen: Raw(200, Answer("yes").body({}))) as server:
        root = server.url.removesuffix("/v1")
        provider = open_provider(JudgeSettings(base_url=base_url.format(root)), "m")
        using(provider, REQUEST)
        assert provider.identity.endpoint == endpoint.format(root)
    assert server.seen[0].path == path


@pytest.mark.parametrize(
    "url",
    [
        *(
            "judge",
            "ftp://x/v1",
            "http://",
            "http://h:port/v1",
            "https://u:secret-1@h:x/v1",
            "http://[::1/v1",
        ),
        *("http://h:99999/v1", "//h/v1?key=secret-1", "http://a..b/v1", f"http://{'a' * 99}/v1"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(JudgeError, match="no address of a judge") as raised:
        open_provider(JudgeSettings(base_url=url), "m")
    assert "secret" not in str(raised.value)


def test_user_and_password_of_an_address_are_used_and_never_shown() -> None:
    with JudgeServer(faults=lambda number, body: error(500, "hunter-2-secret is odd")) as server:
        url = server.url.replace("http://", "http://someone:hunter%2D2%2Dsecret@")
        provider = open_provider(JudgeSettings(base_url=url), "m")
        (found,) = using(provider, REQUEST)
    assert server.seen[0].headers["authorization"] == "Basic c29tZW9uZTpodW50ZXItMi1zZWNyZXQ="
    for text in (str(found), repr(provider), str(provider.identity)):
        assert "hunter" not in text
        assert "someone" not in text


# Address in the settings, key in the settings, OPENAI_BASE_URL, OPENAI_API_KEY -> the key that goes out.
KEYS = [
    ("given", True, "k-1", False, "k-2", "k-1"),
    ("environment-to-its-own-address", False, None, True, "k-2", "k-2"),
    ("not-to-another-address", True, None, False, "k-2", None),
    ("none", True, None, False, None, None),
    ("empty", False, "", True, "", None),
    ("line-break", True, "k-1\n", False, None, "k-1"),
]


@pytest.mark.parametrize(
    ("address", "key", "env_address", "env_key", "sent"),
    [pytest.param(*rest, id=name) for name, *rest in KEYS],
)
def test_which_key_goes_out(
    address: bool,
    key: str | None,
    env_address: bool,
    env_key: str | None,
    sent: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with JudgeServer() as server:
        if env_address:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        if env_key is not None:
            monkeypatch.setenv("OPENAI_API_KEY", env_key)
        settings = JudgeSettings(base_url=server.url if address else None, key=key)
        using(open_provider(settings, "m"), REQUEST)
    assert server.seen[0].headers.get("authorization") == (f"Bearer {sent}" if sent else None)


def test_openai_itself_needs_a_key_once_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = using(open_provider(JudgeSettings(), "gpt-4o"), REQUEST)
    assert isinstance(found, JudgeError)
    assert "set OPENAI_API_KEY" in str(found)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert open_provider(JudgeSettings(), "gpt-4o").identity.endpoint == "https://api.openai.com/v1"
    assert open_provider(JudgeSettings(base_url="https://api.openai.com/v1"), "gpt-4o")


@pytest.mark.parametrize("key", ["sk-\nX-Evil: 1", "sk-ключ", "sk-\x00", "sk-one sk-two"])
def test_a_key_that_no_header_carries_is_refused_unseen(key: str) -> None:
    with pytest.raises(JudgeError) as raised:
        open_provider(JudgeSettings(base_url="http://h/v1", key=key), "m")
    assert "sk-" not in str(raised.value)


def echo(status: int) -> Callable[[Seen], Raw]:
    """A server that repeats the headers it was sent."""

    def answer(seen: Seen) -> Raw:
        says = f"you sent {seen.headers.get('authorization')} {'x' * 500} {seen.headers.get('authorization')}"
        if status == 200:
            return Raw(200, Answer(says).body({}))
        return error(status, says) if status != 201 else Raw(200, says.encode())

    return answer


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 429, 500])
@pytest.mark.parametrize("key", [KEY, "short-key"])
def test_a_key_is_never_shown_even_if_a_server_repeats_it(
    status: int, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with JudgeServer(route=echo(status)) as server:
        settings = JudgeSettings(base_url=server.url, key=key)
        provider = open_provider(settings, "m")
        (found,) = using(provider, REQUEST)
    assert server.seen[0].headers["authorization"] == f"Bearer {key}"
    shown = [repr(provider), repr(provider.identity), repr(settings), str(found), repr(found), caplog.text]
    if key == KEY or status != 200:
        assert not [text for text in shown if key in text or key[:12] in text]


def test_an_address_without_v1_that_does_not_answer_is_told_of_it() -> None:
    with JudgeServer(route=lambda seen: error(404, "Not Found")) as server:
        bare = server.url.removesuffix("/v1")
        (found,) = using(open_provider(JudgeSettings(base_url=bare), "m"), REQUEST)
        (other,) = using(open_provider(JudgeSettings(base_url=server.url), "m"), REQUEST)
    assert f"most servers answer below /v1: {bare}/v1" in str(found)
    assert "below /v1" not in str(other)


def test_without_aiohttp_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("mmeval.judge.providers.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(JudgeError, match=r"pip install 'mmeval-score\[judge\]'"):
        open_provider(JudgeSettings(base_url="http://h/v1"), "m")


def test_another_missing_library_is_not_taken_for_aiohttp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "mmeval.judge.providers.replay", raising=False)
    monkeypatch.setitem(sys.modules, "hashlib", None)
    with pytest.raises(ModuleNotFoundError, match="hashlib"):
        open_provider(JudgeSettings(provider="replay"), "m")


def test_no_provider_is_no_judge() -> None:
    with pytest.raises(JudgeError, match="--judge_provider"):
        open_provider(JudgeSettings(provider="none"), "m")


def test_closing_twice_and_unopened_is_fine() -> None:
    async def main() -> None:
        provider = open_provider(JudgeSettings(base_url="http://h/v1"), "m")
        await provider.close()
        await provider.close()

    run: Coroutine[Any, Any, None] = main()
    asyncio.run(run)


def test_the_settings_file_is_no_place_for_a_key(tmp_path: Path) -> None:
    assert KEY not in repr(JudgeSettings(key=KEY))
