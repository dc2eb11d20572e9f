"""Pictures for judges that look at them: from wherever a row says they are to a URL that a server takes."""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from mmeval.types import Json

Load: TypeAlias = Callable[[str], str | None]

log = logging.getLogger("mmeval")

LARGE = 20_000_000
"""Bytes beyond which most servers refuse a picture. A larger one is sent as it is, with a warning."""
_KEPT = 32
_ADDRESS = re.compile(r"(?:https?://|data:image/)", re.IGNORECASE)
_BASE64 = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR)[A-Za-z0-9+/\s]*={0,2}\s*")
_SUFFIX = re.compile(r"\.(?:png|jpe?g|gif|webp)\Z", re.IGNORECASE)
_MINIMUM = 64
"""Characters; anything shorter is a path that happens to look like base64."""


def loader(folder: Path) -> Load:
    """What makes a URL of a picture that a row names; None where there is no such picture.

    A path is meant relative to `folder`. Data URLs and web addresses are passed on as they are; the server
    fetches the latter itself. Bare base64 and files become data URLs. What the picture is (PNG, JPEG, GIF,
    WebP) is read from its bytes, never from its name, and anything else is no picture. Nothing is resized.
    """

    @lru_cache(maxsize=_KEPT)
    def of_file(name: str) -> str | None:
        try:
            path = folder / name
            data = path.read_bytes() if path.is_file() else b""
        except (OSError, ValueError):
            return None
        if len(data) > LARGE:
            log.warning("picture %s has %d bytes; a server may refuse it", name, len(data))
        return data_url(data)

    def load(text: str) -> str | None:
        if _ADDRESS.match(text):
            return text
        if _is_base64(text):
            return _of_base64(text)
        return of_file(text)

    return load


def data_url(data: bytes) -> str | None:
    """The data URL of a picture's bytes; None where they are none that a judge can see."""
    mime = _mime(data)
    return None if mime is None else f"data:{mime};base64,{base64.b64encode(data).decode()}"


def named(value: Json) -> list[str]:
    """Every picture that a field names: a path, an address, base64; a list of them; objects that hold one."""
    if isinstance(value, list):
        return [text for item in value for text in named(item)]
    if isinstance(value, dict):
        return [text for key in ("path", "url", "bytes") for text in named(value.get(key))][:1]
    return [value] if isinstance(value, str) and value.strip() else []


def is_picture(value: Json) -> bool:
    """Whether everything that a field says looks like a picture, by its form alone."""
    texts = named(value)
    return bool(texts) and all(
        text.lower().startswith("data:image/") or _SUFFIX.search(text.partition("?")[0]) or _is_base64(text)
        for text in texts
    )


def _is_base64(text: str) -> bool:
    return len(text) >= _MINIMUM and _BASE64.fullmatch(text) is not None


def _of_base64(text: str) -> str | None:
    try:
        return data_url(base64.b64decode("".join(text.split()), validate=True))
    except ValueError:
        return None


def _mime(data: bytes) -> str | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None
