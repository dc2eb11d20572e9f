"""What goes to a judge's server and what comes back: the contract of every provider.

A provider knows one place where models live. It sends one request and gives one completion, or raises: it
neither retries nor caches nor parses a verdict.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, TypeAlias

import msgspec

Role: TypeAlias = Literal["system", "user", "assistant"]


class Text(msgspec.Struct, frozen=True, gc=False, tag="text", tag_field="type"):
    """A piece of text in a message."""

    text: str


class Image(msgspec.Struct, frozen=True, gc=False, tag="image", tag_field="type"):
    """A picture in a message: a data URL, or the address of one that the server fetches itself."""

    url: str


class Message(msgspec.Struct, frozen=True, gc=False):
    """One turn."""

    role: Role
    content: str | tuple[Text | Image, ...]


class Request(msgspec.Struct, frozen=True, gc=False):
    """One question, complete. What determines the reply is hashed (`mmeval.judge.cache.key`).

    `schema` is the JSON Schema of the reply, None where it is free text. `seed` is sent where it is given.
    `sample`, `stage` and `prompt` say what it is about, for replay and messages; they are no part of the key.
    """

    messages: tuple[Message, ...]
    temperature: float | None = 0.0
    max_tokens: int | None = 2048
    schema: dict[str, Any] | None = None
    seed: int | None = None
    replicate: int = 0
    attempt: int = 0
    sample: str = ""
    stage: str = ""
    prompt: str = ""


class Completion(msgspec.Struct, frozen=True, gc=False):
    """One reply as it came.

    `finish` is the server's word for why it ended (`stop`, `length`, `content_filter`). `logprobs` are the
    tokens of the reply with their log-probabilities, where the server gives them.
    """

    text: str
    model: str | None = None
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprobs: tuple[tuple[str, float], ...] = ()


class Identity(msgspec.Struct, frozen=True, gc=False):
    """Which judge this is. `endpoint` carries no credentials; `revision` fixes the weights, if known."""

    provider: str
    endpoint: str | None
    model: str
    revision: str | None = None


class Provider(Protocol):
    """Where a judge lives."""

    @property
    def identity(self) -> Identity:
        """Who answers."""
        ...

    async def complete(self, request: Request) -> Completion:
        """Send one request.

        Raises:
            Transient: worth another try (429, 5xx, a broken connection, a timeout, a malformed body).
            Rejected: this request alone is refused (content filter, too long); another try gives the same.
            JudgeError: no request can work (no key, unknown model, missing library); stop at once.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and engines."""
        ...


class Transient(Exception):
    """A failure that another try may mend.

    Attributes:
        kind: `rate-limit`, `server`, `connection`, `timeout`, `malformed` or `empty`.
        retry_after: seconds that the server asks to wait, if it says so.
    """

    def __init__(self, kind: str, says: str, retry_after: float | None = None) -> None:
        super().__init__(says)
        self.kind = kind
        self.retry_after = retry_after


class Rejected(Exception):
    """The server will not answer this one request, whatever the number of tries."""
