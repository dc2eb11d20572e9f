"""One of several files that a run was read from."""

from __future__ import annotations

import msgspec


class Part(msgspec.Struct, frozen=True, gc=False):
    """A file: its name (or its path below a common folder), its rows, and its hash."""

    file: str
    rows: int
    sha256: str
