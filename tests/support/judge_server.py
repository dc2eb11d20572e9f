"""A judge's server for tests: real HTTP on 127.0.0.1, scripted, and it counts what it is asked.

    from judge_server import HANG, RESET, Answer, JudgeServer, error, mixed_faults, prompt_text

    with JudgeServer(lambda body: '{"verdict": "correct"}') as server:
        ...ask server.url (".../v1") ...
    assert server.completed == 3

`reply` makes the reply from the request's JSON: a text, an `Answer` (with finish reason, tokens, logprobs)
or a `Raw` (anything else). `faults(number, body)` may put a `Raw` or an `Answer` in its place; None keeps the
reply. `route(seen)` answers other paths (files, batches); None leaves it to the chat protocol.

What is recorded: `seen` (each request: method, path, headers, body), `completed` (replies with status 200 and
a whole chat completion that went out), `texts` (their texts), `in_flight`, `peak`. An error in `reply`,
`faults` or `route` is raised at the end of the `with` block.

As a process of its own: `python judge_server.py LATENCY [TEXT]` prints the URL and serves until stdin closes.
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import orjson

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A chat completion."""

    text: str | None
    finish: str = "stop"
    model: str | None = None
    tokens: tuple[int, int] | None = (20, 5)
    logprobs: Sequence[tuple[str, float]] | None = None
    message: Mapping[str, Any] = field(default_factory=dict)

    def body(self, asked: Body) -> Body:
        choice: Body = {"index": 0, "finish_reason": self.finish, "logprobs": None}
        choice["message"] = {"role": "assistant", "content": self.text, **self.message}
        if self.logprobs is not None:
            content = [{"token": token, "logprob": value} for token, value in self.logprobs]
            choice["logprobs"] = {"content": content}
        model = self.model or asked.get("model", "judge")
        made: Body = {"id": "chat-1", "object": "chat.completion", "model": model, "choices": [choice]}
        if self.tokens is not None:
            made["usage"] = {"prompt_tokens": self.tokens[0], "completion_tokens": self.tokens[1]}
        return made


@dataclass(frozen=True)
class Raw:
    """Anything else: a status with a body, or a connection that breaks.

    `reset` breaks the connection, `hang` never answers, `truncate` stops in the middle of the body.
    """

    status: int = 200
    body: bytes | Mapping[str, Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    action: Literal["send", "reset", "hang", "truncate"] = "send"


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    data: bytes

    @property
    def body(self) -> Body:
        parsed: Body = orjson.loads(self.data) if self.data else {}
        return parsed


def error(status: int, message: str = "", code: str | None = None, **headers: str) -> Raw:
    """An error as OpenAI writes it; `retry_after="1"` becomes the header `retry-after`."""
    says = {"message": message or f"error {status}", "type": "error", "param": None, "code": code}
    return Raw(status, {"error": says}, {name.replace("_", "-"): value for name, value in headers.items()})


RESET = Raw(action="reset")
HANG = Raw(action="hang")
TRUNCATED = Raw(200, {"choices": [{"message": {"content": "never whole"}}]}, action="truncate")
MALFORMED = Raw(200, b'{"choices": [{"message": {"content": "never wh')
NO_CHOICES = Raw(200, {"object": "chat.completion", "choices": []})
HTML = Raw(200, b"<html><body>Welcome to the proxy</body></html>", {"content-type": "text/html"})
EMPTY = Answer("")
HUGE = Answer("x" * 2_000_000)
FAULTS: dict[str, Raw | Answer] = {
    "429": error(429, "slow down", "rate_limit_exceeded"),
    "429-retry-after": error(429, "slow down", "rate_limit_exceeded", retry_after="0.01"),
    "500": error(500),
    "503": error(503, "overloaded"),
    "reset": RESET,
    "hang": HANG,
    "truncated": TRUNCATED,
    "malformed": MALFORMED,
    "no-choices": NO_CHOICES,
    "html": HTML,
    "empty": EMPTY,
    "huge": HUGE,
}


def mixed_faults(
    seed: int = 0, share: float = 0.3, weights: Mapping[str, float] | None = None
) -> Callable[[int, Body], Raw | Answer | None]:
    """A script of faults: request number n gets the same one whenever the seed is the same.

    Args:
        seed: of the choice.
        share: of the requests that get a fault, 0..1.
        weights: of the names in `FAULTS`; all alike where not given.
    """
    chosen = weights or dict.fromkeys(FAULTS, 1.0)
    names, odds = list(chosen), list(chosen.values())

    def script(number: int, body: Body) -> Raw | Answer | None:
        dice = random.Random(f"{seed}:{number}")
        return FAULTS[dice.choices(names, odds)[0]] if dice.random() < share else None

    return script


def prompt_text(body: Body) -> str:
    """All text of the messages of a request, in order, for replies that depend on it."""
    texts: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        texts += [part["text"] for part in parts if part.get("type") == "text"]
    return "\n".join(texts)


class JudgeServer:
    """See the module."""

    def __init__(
        self,
        reply: Callable[[Body], str | Answer | Raw] | str = "yes",
        *,
        latency: float = 0.0,
        faults: Callable[[int, Body], Raw | Answer | None] | None = None,
        route: Callable[[Seen], Raw | Answer | None] | None = None,
        record: bool = True,
    ) -> None:
        self.reply = reply
        self.latency = latency
        self.faults = faults
        self.route = route
        self.record = record
        self.seen: list[Seen] = []
        self.texts: list[str] = []
        self.received = self.completed = self.in_flight = self.peak = self.connections = 0
        self.errors: list[BaseException] = []
        self.port = 0
        self._open: set[_Connection] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL, as `OPENAI_BASE_URL` takes it."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> JudgeServer:
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), name="judge-server", daemon=True)
        self._thread.start()
        assert ready.wait(10), "the judge server did not start"
        return self

    def __exit__(self, *raised: object) -> None:
        self.stop()
        if self.errors and raised[0] is None:
            raise self.errors[0]

    def stop(self) -> None:
        """Close every connection and end the thread; a second time does nothing."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(10)
            self._loop = self._thread = None

    def _run(self, ready: threading.Event) -> None:
        loop = self._loop = asyncio.new_event_loop()
        loop.set_exception_handler(self._failed)
        server = loop.run_until_complete(
            loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=1024)
        )
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        loop.run_forever()
        server.close()
        for connection in list(self._open):
            connection.abort()
        loop.run_until_complete(asyncio.sleep(0.01))
        loop.run_until_complete(server.wait_closed())
        loop.close()

    def _failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.errors.append(context.get("exception") or RuntimeError(context["message"]))

    def answer(self, seen: Seen) -> tuple[Raw, str | None]:
        """What goes out for a request, and its text if it is a whole chat completion."""
        number, self.received = self.received, self.received + 1
        if self.record:
            self.seen.append(seen)
        routed = self.route(seen) if self.route else None
        if routed is None and not seen.path.split("?")[0].endswith("/chat/completions"):
            return error(404, f"no such path: {seen.path}"), None
        if isinstance(routed, Raw):
            return routed, None
        body = seen.body
        made = routed or (self.faults and self.faults(number, body))
        if made is None:
            made = self.reply(body) if callable(self.reply) else self.reply
        if isinstance(made, str):
            made = Answer(made)
        if isinstance(made, Answer):
            return Raw(200, made.body(body)), made.text or ""
        return made, None


class _Connection(asyncio.Protocol):
    """One connection, kept alive: a request is answered after the server's latency."""

    def __init__(self, server: JudgeServer) -> None:
        self.server = server
        self.buffer = b""
        self.transport: asyncio.Transport | None = None
        self.pending: asyncio.TimerHandle | None = None
        self.busy = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections += 1
        self.server._open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server._open.discard(self)
        if self.pending is not None:
            self.pending.cancel()
        self._done()

    def abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if data.startswith(b"\x16"):  # a TLS handshake: answered in plain text, as web servers do
            assert self.transport is not None
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            self.transport.close()
        while (seen := self._next()) is not None:
            self.busy = True
            self.server.in_flight += 1
            self.server.peak = max(self.server.peak, self.server.in_flight)
            raw, text = self.server.answer(seen)
            loop = asyncio.get_running_loop()
            if raw.action != "hang":
                self.pending = loop.call_later(self.server.latency, self._send, raw, text)

    def _next(self) -> Seen | None:
        head, mark, rest = self.buffer.partition(b"\r\n\r\n")
        if not mark:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return None
        self.buffer = rest[length:]
        method, path, _ = first.split(" ", 2)
        return Seen(method, path, headers, rest[:length])

    def _done(self) -> None:
        self.server.in_flight -= self.busy
        self.busy = False

    def _send(self, raw: Raw, text: str | None) -> None:
        transport = self.transport
        assert transport is not None
        if raw.action == "reset":
            end = transport.get_extra_info("socket")
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
            return
        body = raw.body if isinstance(raw.body, bytes) else orjson.dumps(raw.body)
        headers = {"content-type": "application/json", **raw.headers}
        if "transfer-encoding" not in headers:
            headers["content-length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        data = f"HTTP/1.1 {raw.status} Scripted\r\n{head}\r\n".encode() + body
        self._done()
        if raw.action == "truncate":
            transport.write(data[: -len(body) // 2])
            transport.close()
            return
        if text is not None:
            self.server.completed += 1
            if self.server.record:
                self.server.texts.append(text)
        transport.write(data)


def main(arguments: list[str]) -> None:
    """Serve until stdin closes: `judge_server.py LATENCY [TEXT]`."""
    text = arguments[1] if len(arguments) > 1 else '{"verdict": "correct"}'
    with JudgeServer(text, latency=float(arguments[0]), record=False) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
