"""What makes two requests the same: the part of a request that determines its reply, and its hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
from functools import lru_cache

from mmeval.fingerprint import digest
from mmeval.judge.wire import Identity, Image, Message, Request, Text
from mmeval.types import Json

# Pictures longer than this are hashed once per use rather than kept as a key of the memory.
_REMEMBERED = 1_000_000


def key(identity: Identity, request: Request) -> str:
    """The name of a reply: SHA-256 in hex of who is asked and what.

    Provider, endpoint, model and revision; messages (pictures by the hash of their bytes), temperature,
    max_tokens, schema, seed, replicate and attempt. Sample, stage and prompt are no part: the same question
    about the same answer is the same request, wherever it comes from.
    """
    return key_of(portable_identity(identity), portable(request))


def key_of(identity: dict[str, Json], request: dict[str, Json]) -> str:
    """The same of the portable forms, as an exported line holds them."""
    return digest({"identity": identity, "request": request})


def portable_identity(identity: Identity) -> dict[str, Json]:
    """A judge as it is hashed, stored and exported."""
    return {
        "provider": identity.provider,
        "endpoint": identity.endpoint,
        "model": identity.model,
        "revision": identity.revision,
    }


def portable(request: Request) -> dict[str, Json]:
    """A request as it is hashed, stored and exported: what determines the reply, pictures by their hash."""
    return {
        "messages": [_message(message) for message in request.messages],
        "temperature": None if request.temperature is None else float(request.temperature),
        "max_tokens": request.max_tokens,
        "schema": request.schema,
        "seed": request.seed,
        "replicate": request.replicate,
        "attempt": request.attempt,
    }


def _message(message: Message) -> dict[str, Json]:
    content: Json = message.content if isinstance(message.content, str) else None
    if not isinstance(message.content, str):
        content = [_part(part) for part in message.content]
    return {"role": message.role, "content": content}


def _part(part: Text | Image) -> dict[str, Json]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image", "url": picture(part.url)}


def picture(url: str) -> str:
    """A picture's address; of a data URL its media type and the hash of its bytes."""
    if not url.startswith("data:"):
        return url
    return _remembered(url) if len(url) <= _REMEMBERED else _hashed(url)


def _hashed(url: str) -> str:
    head, _, body = url[len("data:") :].partition(",")
    kind, _, coding = head.partition(";")
    raw = body.encode()
    if coding.endswith("base64"):
        try:
            raw = base64.b64decode(raw, validate=True)
        except binascii.Error:
            kind = head
    return f"{kind};sha256,{hashlib.sha256(raw).hexdigest()}"


_remembered = lru_cache(maxsize=64)(_hashed)
