"""What a chat-completions server sends back: a completion, or the reason why there is none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

import orjson

from mmeval.errors import JudgeError
from mmeval.judge.endings import BROKEN, broken_off
from mmeval.judge.wire import Completion, Rejected, Transient
from mmeval.types import Json

LONGEST_MESSAGE = 300
_MASKED = re.compile(r"\S*\*{3,}\S*")
_SPACES = re.compile(r"\s+")
_NO_MODEL = re.compile(
    r"\bmodel:? (?:\S{1,200} )?(?:does |is |was )?not (?:exist|found)"
    r"|(?:unknown|invalid) model|model_not_found|invalid_model"
)
_BAD_KEY = re.compile(
    r"(?:invalid|incorrect) api.?key|api.?key (?:is )?(?:invalid|not valid|incorrect|expired)"
)
# Not "quota" or "billing" alone: messages about calls a minute hold these words too.
_MONEY = re.compile(r"insufficient.?(?:quota|balance|credit|fund)")


class Refusal(NamedTuple):
    """What a server says when it does not answer."""

    status: int
    message: str
    code: str = ""
    param: str = ""

    @property
    def says(self) -> str:
        """Everything that names the cause, for reading by machine."""
        return f"{self.message[:LONGEST_MESSAGE]} {self.param}"


class Remedies(NamedTuple):
    """How a provider's user mends what the server refuses."""

    where: str
    key: str
    model: str


def redacted(text: str, secrets: tuple[str, ...]) -> str:
    """The start of a message without keys: the given ones, and what a server left of one (`sk-ab***yz`)."""
    for secret in secrets:
        text = text.replace(secret, "[key]")
    return _MASKED.sub("[key]", text[: 4 * LONGEST_MESSAGE])


def shortened(text: str) -> str:
    """One line of at most 300 characters."""
    line = _SPACES.sub(" ", text[: 4 * LONGEST_MESSAGE]).strip()
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 3]}..."


def read_completion(data: bytes) -> Completion | Refusal:
    """The first choice of a chat completion. An empty reply is one; reasoning is none.

    What stands beside an error is none either: a server that breaks down in the middle sends what it has.

    Raises:
        Transient: the body is no chat completion (`malformed`), or one that the server broke off (`server`).
    """
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise Transient("malformed", f"the reply is not JSON: {_start(data)}") from None
    if not isinstance(body, dict):
        raise Transient("malformed", f"the reply is no chat completion: {_start(data)}")
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = body.get("error") or (isinstance(choice, dict) and choice.get("error"))
    if error:
        return read_refusal(200, orjson.dumps({"error": error}))
    if not isinstance(choice, dict):
        raise Transient("malformed", f"the reply has no choices: {_start(data)}")
    message = choice.get("message")
    if not isinstance(message, dict):
        raise Transient("malformed", f"the reply has no message: {_start(data)}")
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    made = Completion(
        text=_text(message.get("content"), data),
        model=_string(body.get("model")),
        finish="refusal" if _refused(message) else _string(choice.get("finish_reason")),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        logprobs=_logprobs(choice.get("logprobs")),
    )
    if broken_off(made, None) == BROKEN:
        raise Transient("server", f"the server broke its reply off ({_name(made.finish)}): {_start(data)}")
    return made


def _refused(message: dict[str, Any]) -> bool:
    """Whether a message holds OpenAI's field for a refusal, and nothing else."""
    return bool(message.get("refusal")) and not message.get("content")


def read_refusal(status: int, data: bytes) -> Refusal:
    """The message of an error, in any of the shapes that servers give it.

    OpenAI, Azure: `{"error": {message, code, param}}`; vLLM: `{message, code}`; FastAPI: `{"detail": [{loc,
    msg}]}`; Gemini: a list of one. An error inside an answer with status 200 (OpenRouter) has its status as
    its code; one without a code is the server's fault (502), so that it is asked again.
    """
    try:
        body = orjson.loads(data)
    except orjson.JSONDecodeError:
        return Refusal(status, data[: 8 * LONGEST_MESSAGE].decode("utf-8", "replace"))
    if isinstance(body, list):
        body = body[0] if body else {}
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return Refusal(502 if status == 200 else status, str(error))
    code = error.get("code")
    if status == 200:
        status = code if type(code) is int and 400 <= code < 600 else 502
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    kind = error.get("type") if code is None or isinstance(code, int) else code
    return Refusal(status, _words(message), _name(kind), _name(error.get("param")))


def failure(refusal: Refusal, headers: Mapping[str, str], remedies: Remedies) -> Exception:
    """What to raise for an error: another try helps, or nothing does, or only this request is refused."""
    status, message, code, _ = refusal
    low = f"{code} {message}".lower()
    shown = f"{remedies.where} answered {status}: {shortened(message) or 'no message'}"
    if status == 402 or (status in (403, 429) and _MONEY.search(low)):
        return JudgeError(f"{shown}; the account has no credit left: {remedies.key}")
    if status == 429:
        if "request too large" in low:
            return Rejected(shown)
        return Transient("rate-limit", shown, retry_after(headers))
    if status in (401, 407) or (status == 403 and "moderation" not in low) or _BAD_KEY.search(low):
        return JudgeError(f"{shown}; {remedies.key}")
    if status in (404, 405) or 300 <= status < 400 or (status < 500 and _NO_MODEL.search(low)):
        return JudgeError(f"{shown}; {remedies.model}")
    if status in (408, 409, 425) or status >= 500:
        return Transient("timeout" if status in (408, 504) else "server", shown, retry_after(headers))
    return Rejected(shown)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds, or a date); None if none is readable.

    A date is compared with the server's own `Date`, so that a wrong clock here does not matter.
    """
    milliseconds, seconds = _number(headers.get("retry-after-ms")), _number(headers.get("Retry-After"))
    if milliseconds is not None:
        return milliseconds / 1000
    if seconds is not None:
        return seconds
    until = _date(headers.get("Retry-After"))
    if until is None:
        return None
    now = _date(headers.get("Date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _date(text: str | None) -> datetime | None:
    try:
        date = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _text(content: Json, data: bytes) -> str:
    """The text of a message: a string, none at all, or the text parts of a list."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise Transient("malformed", f"the reply's content is no text: {_start(data)}")
    parts = [part for part in content if isinstance(part, dict) and part.get("type", "text") == "text"]
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))


def _logprobs(found: Any) -> tuple[tuple[str, float], ...]:
    content = found.get("content") if isinstance(found, dict) else None
    tokens = content if isinstance(content, list) else []
    try:
        return tuple((str(each["token"]), float(each["logprob"])) for each in tokens)
    except (KeyError, TypeError, ValueError):
        return ()


def _words(message: Json) -> str:
    """A message as text; FastAPI's list of complaints without the input that it repeats."""
    if isinstance(message, list):
        return "; ".join(_words(each) for each in message)
    if isinstance(message, dict):
        place = message.get("loc")
        where = " ".join(str(step) for step in place) if isinstance(place, list) else ""
        return f"{where} {message.get('msg') or message.get('message') or ''}".strip()
    return "" if message is None else str(message)


def _name(value: Json) -> str:
    return value[:100] if isinstance(value, str) else ""


def _string(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Json) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _start(data: bytes) -> str:
    return shortened(data[:200].decode("utf-8", "replace")) or "nothing"
