"""Which parameters a chat-completions server takes: known by the model's name, or learned from refusals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mmeval.judge.wire import Image, Message, Request, Text

Body: TypeAlias = dict[str, Any]

# OpenAI's reasoning models: `max_completion_tokens`, no temperature, no logprobs. `-chat` ones do not reason.
_REASONING = re.compile(r"(?:^|/)(?:o[1-9]\d?(?:-|$)|gpt-5(?![\d.]*-chat))")
# Others that reason take `max_tokens`, ignore a temperature and refuse logprobs.
_REASONER = re.compile(r"(?:^|/)deepseek-(?:reasoner|r\d)")

_REFUSES = re.compile(
    r"not support|unsupported|unknown|unrecogni[sz]ed|not permitted|not allowed|forbidden|unexpected"
    r"|unavailable|not available|not implemented|only the default|invalid|incompatible|literal_error"
    r"|must|cannot|should be"
)
# A value out of range is the request's fault: without it, something else would be asked.
_RANGE = re.compile(r"too (?:large|big|high)|maximum|at most|exceed|between|less than|context")

_NAMES: dict[str, re.Pattern[str]] = {
    "schema": re.compile(r"response_format|json_schema|json_object|structured output|guided"),
    "logprobs": re.compile(r"logprobs"),
    "cap": re.compile(r"max_(?:completion_)?tokens"),
    "temperature": re.compile(r"temperature"),
    "seed": re.compile(r"\bseed\b"),
}


@dataclass
class Dialect:
    """What one server takes for one model; `refused` grows by what it refuses.

    A learned dialect changes what is sent, never what is asked: the request, and with it the key of the
    cache, stays the same.
    """

    model: str
    refused: set[str] = field(default_factory=set)
    caps: tuple[str, str] = ("max_tokens", "max_completion_tokens")

    def __post_init__(self) -> None:
        name = self.model.lower()
        if _REASONING.search(name):
            self.caps = ("max_completion_tokens", "max_tokens")
        if _REASONING.search(name) or _REASONER.search(name):
            self.refused |= {"temperature", "logprobs"}

    def body(self, request: Request) -> Body:
        """The request as this server takes it."""
        made: Body = {"model": self.model, "messages": [_message(each) for each in request.messages]}
        if request.temperature is not None and "temperature" not in self.refused:
            made["temperature"] = request.temperature
        if request.max_tokens is not None and (cap := self._first(self.caps)) is not None:
            made[cap] = request.max_tokens
        if request.seed is not None and "seed" not in self.refused:
            made["seed"] = request.seed
        if "logprobs" not in self.refused:
            made["logprobs"] = True
        if request.schema is not None and (form := self._first(("json_schema", "json_object"))) is not None:
            made["response_format"] = _format(form, request.schema)
        return made

    def learn(self, status: int, says: str, sent: Body) -> bool:
        """Whether a refusal teaches what to leave out, so that the request is to be sent again.

        Args:
            status: of the answer. 403 teaches only about logprobs, 500 only about the reply's format.
            says: the server's message, with the parameter's name if it gives one.
            sent: the body that was refused; what it did not hold is not learned.
        """
        named = self._named(says.lower(), sent)
        if named is None or (status == 403 and named != "logprobs"):
            return False
        if status >= 500 and not named.startswith("json_"):
            return False
        self.refused.add(named)
        return True

    def _first(self, names: Iterable[str]) -> str | None:
        return next((name for name in names if name not in self.refused), None)

    def _named(self, says: str, sent: Body) -> str | None:
        if not _REFUSES.search(says):
            return None
        present = {
            "schema": sent.get("response_format", {}).get("type"),
            "cap": next((name for name in self.caps if name in sent), None),
            **{name: name if name in sent else None for name in ("logprobs", "temperature", "seed")},
        }
        for name, pattern in _NAMES.items():
            if present[name] is not None and pattern.search(says):
                return None if name in ("cap", "temperature") and _RANGE.search(says) else present[name]
        return None


def _format(form: str, schema: dict[str, Any]) -> Body:
    """`response_format`: OpenAI's, or the older one of llama-cpp and others with the schema beside it."""
    if form == "json_object":
        return {"type": form, "schema": schema}
    return {"type": form, "json_schema": {"name": "verdict", "strict": True, "schema": schema}}


def _message(message: Message) -> Body:
    content = message.content
    if isinstance(content, str):
        return {"role": message.role, "content": content}
    return {"role": message.role, "content": [_part(part) for part in content]}


def _part(part: Text | Image) -> Body:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image_url", "image_url": {"url": part.url}}
