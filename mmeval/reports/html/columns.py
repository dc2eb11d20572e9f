"""Rows for a table of a hundred thousand: by column, repeated texts once, the rest in packed blocks."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from typing import Any

import msgspec

from mmeval.types import Json

BLOCK = 500
"""Rows in a block: what has to be unpacked to look at one of them."""
SHOWN = 90
"""Characters of a gold, an answer or what was read that the table itself shows."""
LEVEL = 6
SEVERAL = 200
"""Different values up to which a field can be chosen from a list."""


def packed(value: object) -> str:
    """A value as compressed JSON in base64: letters that mean nothing to a page."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(value), LEVEL, mtime=0)).decode()


def verdict(row: Mapping[str, Any]) -> str:
    """What became of a row, in one word."""
    if row["status"] != "ok":
        return str(row["status"])
    if row["score"] is None:
        return "measured"
    if row["decided_by"] is None and not row.get("predictions"):
        return "undecided"
    return "right" if row["score"] >= 1 else "wrong" if row["score"] == 0 else "partly"


def cut(value: object) -> str | None:
    """A value on one line, as the table shows it."""
    if value is None:
        return None
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = " ".join(text[: 4 * SHOWN].split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


class Codes:
    """A column of repeated texts: each text once, and its number per row."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {}
        self.rows: list[int] = []

    def add(self, text: str | None) -> None:
        """Append a row."""
        self.rows.append(self._numbers.setdefault(text, len(self._numbers)))

    @property
    def values(self) -> list[str | None]:
        """The different texts, in order of appearance."""
        return list(self._numbers)

    def told(self) -> dict[str, Json]:
        """The column as the page takes it."""
        return {"values": [*self.values], "rows": [*self.rows]}


class Columns:
    """What the table of one run shows, sorts and filters by."""

    def __init__(self) -> None:
        self._plain: dict[str, list[Json]] = {
            name: [] for name in ("id", "score", "extracted", "gold", "answer")
        }
        self._coded = {name: Codes() for name in ("verdict", "stage", "reason", "type")}
        self._groups: dict[str, Codes] = {}
        self.rows = 0

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row of a score."""
        shown: dict[str, Json] = {
            "id": str(row["eval-id"]),
            "score": row["score"],
            "extracted": cut(row["extracted"]),
            "gold": cut(row["gt"]),
            "answer": cut(row["pred"]),
        }
        for name, value in shown.items():
            self._plain[name].append(value)
        told = (verdict(row), row["decided_by"], row["reason"], row["question_type"])
        for codes, text in zip(self._coded.values(), told, strict=True):
            codes.add(text)
        self._add_groups(row.get("group") or {})
        self.rows += 1

    def _add_groups(self, group: Mapping[str, Any]) -> None:
        for name, value in group.items():
            codes = self._groups.setdefault(name, Codes())
            while len(codes.rows) < self.rows:
                codes.add(None)
            codes.add(group_text(value))

    def told(self) -> dict[str, Json]:
        """All columns as the page takes them, without fields of too many values for a list."""
        groups: dict[str, Json] = {}
        for name, codes in self._groups.items():
            while len(codes.rows) < self.rows:
                codes.add(None)
            if len(codes.values) <= SEVERAL:
                groups[name] = codes.told()
        return {
            "n": self.rows,
            **self._plain,
            **{name: codes.told() for name, codes in self._coded.items()},
            "groups": groups,
        }


def group_text(value: Json) -> str | None:
    """A field's value as a text; a list as its members."""
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return None if value is None else str(value)


class Blocks:
    """Whole rows in blocks, packed as they fill."""

    def __init__(self) -> None:
        self.packed: list[str] = []
        self._open: list[Json] = []

    def add(self, row: dict[str, Json]) -> None:
        """Append a row."""
        self._open.append(row)
        if len(self._open) == BLOCK:
            self.close()

    def close(self) -> None:
        """Pack what is left."""
        if self._open:
            self.packed.append(packed(self._open))
            self._open = []
