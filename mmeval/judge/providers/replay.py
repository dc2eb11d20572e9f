"""Replies that were recorded, from a file: audits, tests, and scoring again without a key.

A line is one reply. Either it is a line of an exported cache and answers the very request it was made for:

    {"key": "<sha256>", "identity": {...}, "reply": {"text": "...", "model": "...", "finish": "stop"}, ...}

or it answers for one sample, whatever the prompt was:

    {"eval-id": "17", "reply": "8 7", "model": "gpt-4-0314", "stage": "llm-judge", "replicate": 0}

where `eval-id` and `reply` are enough; `prompt`, `finish` and the counts of tokens may stand too.
Several lines of one sample without `replicate` are its replicates in the order of the file. `model` is who
answered. Where the file names the model that is asked, only its lines count, of either kind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import orjson

from mmeval.errors import JudgeError, ResultError
from mmeval.fingerprint import canonical
from mmeval.judge import keys
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Identity, Rejected, Request
from mmeval.types import Json


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A reply for one sample, as it is written."""

    eval_id: str | int = msgspec.field(name="eval-id")
    reply: str
    model: str | None = None
    stage: str | None = None
    prompt: str | None = None
    replicate: int | None = None
    finish: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def completion(self) -> Completion:
        """As a server would have given it."""
        tokens = (self.prompt_tokens, self.completion_tokens)
        return Completion(self.reply, self.model, self.finish, *tokens)


class _Group(NamedTuple):
    """Replies that take each other's place: to one sample, stage, prompt, by one model."""

    sample: str
    stage: str | None
    prompt: str | None
    model: str | None


class Recorded:
    """The replies of a file."""

    def __init__(self) -> None:
        self.by_key: dict[str, Completion] = {}
        self.identities: list[dict[str, Json]] = []
        self.by_sample: dict[str, dict[_Group, dict[int, Completion]]] = {}
        self.models: set[str] = set()

    def add_exported(self, found: dict[str, Any]) -> None:
        """A line of an exported cache.

        Raises:
            ValueError: it holds no reply, or another one under the same key.
        """
        completion = msgspec.convert(found.get("reply"), Completion)
        key, identity = found["key"], found.get("identity")
        if not isinstance(key, str) or not isinstance(identity, dict):
            raise ValueError("an exported reply has a `key` (text) and an `identity` (object)")
        if self.by_key.setdefault(key, completion) != completion:
            raise ValueError(f"another reply has the key {key}")
        if identity not in self.identities:
            self.identities.append(identity)
        if isinstance(model := identity.get("model"), str):
            self.models.add(model)

    def add_sample(self, found: dict[str, Any]) -> None:
        """A reply for one sample.

        Raises:
            ValueError: a field is missing, unknown or of a wrong type, or the replicate is there already.
        """
        line = msgspec.convert(found, _Line)
        sample = str(canonical(line.eval_id))
        group = _Group(sample, line.stage, line.prompt, line.model)
        replies = self.by_sample.setdefault(sample, {}).setdefault(group, {})
        number = len(replies) if line.replicate is None else line.replicate
        if number in replies:
            raise ValueError(f"sample {sample} has a reply for replicate {number} already")
        replies[number] = line.completion()
        if line.model is not None:
            self.models.add(line.model)

    def find(self, request: Request, model: str) -> Completion | None:
        """The reply to a request: the one to this very request first, else the sample's.

        A sample's reply is given once: whoever cannot read it finds no second one.

        Raises:
            Rejected: the model is recorded at several addresses, and they do not say the same.
        """
        if (found := self._by_request(request, model)) is not None or request.attempt:
            return found
        groups = self.by_sample.get(request.sample, {})
        for group in sorted(groups, key=lambda each: each.count(None)):
            if self._answers(group, request, model) and request.replicate in groups[group]:
                return groups[group][request.replicate]
        return None

    def _by_request(self, request: Request, model: str) -> Completion | None:
        asked = keys.portable(request) if self.by_key else {}
        found: Completion | None = None
        for identity in self.identities:
            if model in self.models and identity.get("model") != model:
                continue
            reply = self.by_key.get(keys.key_of(identity, asked))
            if found is not None and reply is not None and reply.text != found.text:
                raise Rejected(
                    f"{model} is recorded at several addresses, which do not say the same to sample "
                    f"{request.sample}; keep the lines of one"
                )
            found = found or reply
        return found

    def _answers(self, group: _Group, request: Request, model: str) -> bool:
        other_model = model in self.models and group.model not in (None, model)
        stage, prompt = group.stage in (None, request.stage), group.prompt in (None, request.prompt)
        return stage and prompt and not other_model


def read_replies(path: Path) -> tuple[Recorded, str]:
    """The replies of a file, and the file's SHA-256.

    Raises:
        ResultError: it cannot be read, or a line is no reply; names the line.
    """
    recorded = Recorded()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultError(f"{path}: the recorded replies cannot be read: {error.strerror}") from None
    for number, line in _lines(data):
        try:
            found = orjson.loads(line)
            if not isinstance(found, dict):
                raise ValueError("it is no JSON object")
            recorded.add_exported(found) if "key" in found else recorded.add_sample(found)
        except (ValueError, msgspec.ValidationError) as error:
            raise ResultError(
                f"{path}, line {number}: no recorded reply: {error}; a line needs `eval-id` and `reply`, or "
                "is one of an exported judge cache"
            ) from None
    return recorded, hashlib.sha256(data).hexdigest()


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if line.strip():
            yield number, line


class ReplayProvider:
    """A judge that answers what it answered before, and nothing else."""

    def __init__(self, identity: Identity, recorded: Recorded) -> None:
        self._identity = identity
        self._recorded = recorded

    @property
    def identity(self) -> Identity:
        """Who answers: the file, by its hash."""
        return self._identity

    async def complete(self, request: Request) -> Completion:
        """The recorded reply to this very attempt, or the one reply that a sample has."""
        found = self._recorded.find(request, self._identity.model)
        if found is None:
            raise Rejected(
                f"no recorded reply for sample {request.sample}, stage {request.stage}, prompt "
                f"{request.prompt}, replicate {request.replicate}"
            )
        return found

    async def close(self) -> None:
        """Nothing is open."""


def open_provider(settings: JudgeSettings, model: str) -> ReplayProvider:
    """The replies of `settings.replies`.

    Raises:
        JudgeError: no file is named.
        ResultError: it cannot be used; or it holds replies of several models, none of which is asked.
    """
    path = settings.replies
    if path is None:
        raise JudgeError("replay needs recorded replies; give --judge_replies FILE")
    recorded, digest = read_replies(path)
    if len(recorded.models) > 1 and model not in recorded.models:
        raise ResultError(
            f"{path}: holds replies of {', '.join(sorted(recorded.models))}, none of {model}; say whose "
            "count with --judge_model"
        )
    return ReplayProvider(Identity("replay", None, model, digest), recorded)
