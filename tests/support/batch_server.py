"""OpenAI's files and batches for tests, as a `route` of `judge_server.JudgeServer`.

    from batch_server import BatchServer

    with BatchServer(lambda body: "yes") as batches:
        ...batches.url...
    assert batches.asked == 3

`reply` makes the reply to one line's body: a text, an `Answer`, or a `Raw` (an error line). A batch is
`in_progress` for `looks` looks at it, then gets `status`; with `expired` and `cancelled` only the first
`done` lines are answered. `faults` come first, each once: method, start of the path, answer; with `after`
the request is carried out all the same, and only its answer is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import orjson
from judge_server import Answer, Body, JudgeServer, Raw, Seen, error


@dataclass
class Fault:
    """The next request of this kind fails; with `after`, once it has been carried out."""

    method: str
    path: str
    answer: Raw
    after: bool = False


@dataclass
class Batch:
    """One batch."""

    id: str
    lines: list[Body]
    metadata: dict[str, str]
    looks: int = 0


@dataclass
class BatchServer:
    """See the module."""

    reply: Callable[[Body], str | Answer | Raw] = lambda body: "yes"
    looks: int = 1
    status: str = "completed"
    done: int = 10**9
    faults: list[Fault] = field(default_factory=list)
    batches: dict[str, Batch] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.server = JudgeServer(self.reply, route=self.route)

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def asked(self) -> int:
        """Lines of all batches: what is paid for."""
        return sum(len(batch.lines) for batch in self.batches.values())

    def __enter__(self) -> BatchServer:
        self.server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self.server.__exit__(*raised)

    def route(self, seen: Seen) -> Raw | None:
        path = seen.path.removeprefix("/v1/")
        fault = next(
            (each for each in self.faults if each.method == seen.method and path.startswith(each.path)), None
        )
        if fault is not None:
            self.faults.remove(fault)
            if fault.after:
                self.carried_out(seen, path)
            return fault.answer
        return self.carried_out(seen, path)

    def carried_out(self, seen: Seen, path: str) -> Raw | None:
        if seen.method == "POST" and path == "files":
            return self.upload(seen)
        if seen.method == "POST" and path == "batches":
            return self.create(seen.body)
        if path.startswith("batches?"):
            return self.listed(path)
        if path.startswith("batches/"):
            batch = self.batches.get(path.removeprefix("batches/"))
            return error(404, "No batch found") if batch is None else Raw(200, self.looked_at(batch))
        if path.startswith("files/"):
            return Raw(200, self.files[path.split("/")[1]])
        return None

    def upload(self, seen: Seen) -> Raw:
        boundary = re.search("boundary=(.+)", seen.headers["content-type"])
        assert boundary is not None
        parts = seen.data.split(b"--" + boundary.group(1).strip('"').encode())
        (purpose,) = [part for part in parts if b'name="purpose"' in part]
        assert purpose.partition(b"\r\n\r\n")[2].strip() == b"batch"
        (file,) = [part for part in parts if b'name="file"' in part]
        name = f"file-{len(self.files)}"
        self.files[name] = file.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
        return Raw(200, {"id": name, "object": "file", "purpose": "batch"})

    def create(self, asked: Body) -> Raw:
        assert (asked["endpoint"], asked["completion_window"]) == ("/v1/chat/completions", "24h")
        lines = [orjson.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert all((line["method"], line["url"]) == ("POST", "/v1/chat/completions") for line in lines)
        batch = Batch(f"batch_{len(self.batches)}", lines, asked["metadata"])
        self.batches[batch.id] = batch
        return Raw(200, self.told(batch, "validating"))

    def listed(self, path: str) -> Raw:
        """Two a page, newest first, to see that pages are turned."""
        names = list(self.batches)[::-1]
        after = re.search("after=([^&]+)", path)
        start = names.index(after.group(1)) + 1 if after else 0
        page = names[start : start + 2]
        data = [self.told(self.batches[name], "in_progress") for name in page]
        return Raw(200, {"object": "list", "data": data, "has_more": start + 2 < len(names)})

    def looked_at(self, batch: Batch) -> dict[str, Any]:
        batch.looks += 1
        if batch.looks <= self.looks:
            return self.told(batch, "in_progress")
        if self.status == "failed":
            said = {"data": [{"code": "invalid", "message": "the file is no good"}]}
            return {**self.told(batch, "failed"), "errors": said}
        good, bad = self.answers(batch)
        told = self.told(batch, self.status)
        for kind, lines in (("output", good), ("error", bad)):
            if lines:
                self.files[f"{kind}-{batch.id}"] = b"\n".join(lines) + b"\n"
                told[f"{kind}_file_id"] = f"{kind}-{batch.id}"
        return told

    def answers(self, batch: Batch) -> tuple[list[bytes], list[bytes]]:
        good: list[bytes] = []
        bad: list[bytes] = []
        done = self.done if self.status in ("expired", "cancelled") else len(batch.lines)
        for number, line in enumerate(batch.lines[:done]):
            made = self.reply(line["body"])
            made = Answer(made) if isinstance(made, str) else made
            status, body = (
                (made.status, made.body) if isinstance(made, Raw) else (200, made.body(line["body"]))
            )
            response = {"status_code": status, "request_id": f"r{number}", "body": body}
            told = {"id": f"l{number}", "custom_id": line["custom_id"], "response": response, "error": None}
            (good if status == 200 else bad).append(orjson.dumps(told))
        gone = {"code": "batch_expired", "message": "This request could not be executed in time."}
        bad += [
            orjson.dumps({"id": "x", "custom_id": line["custom_id"], "response": None, "error": gone})
            for line in batch.lines[done:]
            if self.status == "expired"
        ]
        return good[::-1], bad

    def told(self, batch: Batch, status: str) -> dict[str, Any]:
        total = len(batch.lines)
        counts = {"total": total, "completed": total if status == "completed" else 0, "failed": 0}
        return {
            "id": batch.id,
            "object": "batch",
            "status": status,
            "metadata": batch.metadata,
            "request_counts": counts,
            "output_file_id": None,
            "error_file_id": None,
            "errors": None,
        }
