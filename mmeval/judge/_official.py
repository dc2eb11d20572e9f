"""Whether a text is an official prompt, though the library does not have its words: by its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mmeval.judge._prompt_file import Official


class Recognised(NamedTuple):
    """An official text, the text in exactly its form, and what had to be undone to see it."""

    official: Official
    text: str
    how: str


def sha256(text: str) -> str:
    """SHA-256 of the UTF-8 bytes of a text, in hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def recognise(text: str, officials: Sequence[Official]) -> Recognised | None:
    """The official text that a text is, whatever an editor has made of line ends and outer blank lines."""
    known = {official.sha256: official for official in officials}
    for how, variant in _variants(text):
        found = known.get(sha256(variant))
        if found is not None:
            return Recognised(found, variant, how)
    return None


def _variants(text: str) -> Iterator[tuple[str, str]]:
    """The text itself first, then with what editors change undone."""
    yield "exact", text
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    yield "line-endings", lines
    core = lines.strip("\n")
    for before in ("", "\n"):
        for after in ("", "\n", "\n\n"):
            yield "outer-blank-lines", before + core + after
    yield "outer-white-space", lines.strip()
