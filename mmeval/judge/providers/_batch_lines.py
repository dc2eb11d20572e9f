"""What OpenAI's batch interface says: batches, and the lines of the files that come down.

Source of the interface: openai/openai-python `src/openai/types/batch.py`, `resources/{batches,files}.py`.
"""

from __future__ import annotations

import logging
from typing import Any

import msgspec

from mmeval.judge.providers._replies import Refusal, read_completion, read_refusal
from mmeval.judge.wire import Completion, Transient

log = logging.getLogger("mmeval")


class Counts(msgspec.Struct, frozen=True):
    """Requests of a batch."""

    total: int = 0
    completed: int = 0
    failed: int = 0


class Remote(msgspec.Struct, frozen=True):
    """A batch as the server tells of it."""

    id: str
    status: str
    output_file_id: str | None = None
    error_file_id: str | None = None
    request_counts: Counts | None = None
    metadata: dict[str, str] | None = None
    errors: dict[str, Any] | None = None

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self.status in ("completed", "failed", "expired", "cancelled")

    @property
    def counts(self) -> Counts:
        """Its requests so far."""
        return self.request_counts or Counts()

    @property
    def why(self) -> str:
        """What the server says about a batch that failed as a whole."""
        data = (self.errors or {}).get("data")
        told = [str(each.get("message")) for each in data or [] if isinstance(each, dict)]
        return "; ".join(told[:3]) or self.status


class Answered(msgspec.Struct, frozen=True):
    """One line of a file that came down: the reply, or why there is none."""

    name: str
    completion: Completion | None
    why: str | None = None


class _Response(msgspec.Struct):
    status_code: int = 0
    body: msgspec.Raw = msgspec.Raw(b"null")


class _Line(msgspec.Struct):
    custom_id: str
    response: _Response | None = None
    error: dict[str, Any] | None = None


def read_line(raw: bytes) -> Answered | None:
    """What a line of an output or error file says; None for one that cannot be read."""
    try:
        line = msgspec.json.decode(raw, type=_Line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        log.warning("batch: a line of %d bytes cannot be read", len(raw))
        return None
    if line.response is None or not 200 <= line.response.status_code < 300:
        return Answered(line.custom_id, None, _why(line))
    try:
        made = read_completion(bytes(line.response.body))
    except Transient as error:
        return Answered(line.custom_id, None, str(error))
    if isinstance(made, Refusal):
        return Answered(line.custom_id, None, made.message)
    return Answered(line.custom_id, made)


def _why(line: _Line) -> str:
    if line.error:
        return str(line.error.get("message") or line.error.get("code") or "error")
    if line.response is None:
        return "no response"
    refusal = read_refusal(line.response.status_code, bytes(line.response.body))
    return f"{line.response.status_code}: {refusal.message}"
