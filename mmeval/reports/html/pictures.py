"""Pictures of samples: linked where they lie below the page, or put into it, within a budget.

A file of predictions is not trusted: only files below the run, the folder that was asked for or the page are
looked at, and only if their bytes are those of a picture.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

Mode: TypeAlias = Literal["none", "link", "embed"]
MODES: tuple[Mode, ...] = ("none", "link", "embed")
BUDGET = 20_000_000

_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|webp|bmp);base64,[A-Za-z0-9+/\s]+={0,2}\s*\Z", re.IGNORECASE)
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
)
_ENOUGH = 16


class Album:
    """The pictures of a report.

    Args:
        mode: what to do with pictures.
        page: where the report will lie.
        budget: bytes that pictures may take inside the page.

    Attributes:
        embedded: the data URLs that go into the page, in order of first use.
        left_out: pictures that were found and are beyond the budget, or lie where no link can reach them.
    """

    def __init__(self, mode: Mode, page: Path, budget: int = BUDGET) -> None:
        self.mode = mode
        self.embedded: list[str] = []
        self.left_out = 0
        self._folder = page.resolve().parent
        self._room = budget
        self._known: dict[str, str | None] = {}

    def of(self, names: Iterable[str], home: Path, roots: Sequence[Path]) -> list[str]:
        """What the page shows for these names: `#3` for an embedded picture, else a relative address.

        Args:
            names: what a row says of its pictures.
            home: the folder that their paths are relative to.
            roots: folders that they may lie in, apart from the page's own.
        """
        if self.mode == "none":
            return []
        return [where for name in names if (where := self._of(name, home, roots)) is not None]

    def _of(self, name: str, home: Path, roots: Sequence[Path]) -> str | None:
        inside = name[:5].lower() == "data:"
        key = name if inside else os.path.normpath(home / name)
        if key not in self._known:
            self._known[key] = self._data(name) if inside else self._file(key, roots)
        return self._known[key]

    def _data(self, url: str) -> str | None:
        """A picture that the file of predictions holds itself."""
        return self._put(len(url), lambda: "".join(url.split())) if _DATA.match(url) else None

    def _file(self, name: str, roots: Sequence[Path]) -> str | None:
        try:
            path = Path(name).resolve()
            allowed = any(path.is_relative_to(root.resolve()) for root in (*roots, self._folder))
            if not allowed or not path.is_file():
                return None
            with path.open("rb") as file:
                mime = _mime(file.read(_ENOUGH))
        except (OSError, ValueError):
            return None
        if mime is None:
            return None
        return self._linked(path) if self.mode == "link" else self._embed(path, mime)

    def _linked(self, path: Path) -> str | None:
        """Its address below the page; one that leads out of the page's folder would name the machine's."""
        if not path.is_relative_to(self._folder):
            self.left_out += 1
            return None
        return quote(path.relative_to(self._folder).as_posix().encode("utf-8", "surrogateescape"))

    def _embed(self, path: Path, mime: str) -> str | None:
        size = path.stat().st_size * 4 // 3
        return self._put(size, lambda: f"data:{mime};base64,{base64.b64encode(path.read_bytes()).decode()}")

    def _put(self, size: int, make: Callable[[], str]) -> str | None:
        if size > self._room:
            self.left_out += 1
            return None
        self._room -= size
        self.embedded.append(make())
        return f"#{len(self.embedded) - 1}"


def _mime(head: bytes) -> str | None:
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image/webp"
    return next((mime for magic, mime in _MAGIC if head.startswith(magic)), None)
