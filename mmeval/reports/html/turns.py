"""What was asked: questions, options and pictures of a run's samples, from the file that was scored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mmeval.errors import MmevalError
from mmeval.reports.scorefile_reader import Document
from mmeval.types import Json


class Asked(NamedTuple):
    """One question, its options as (label, text), and what names its pictures, relative to `home`."""

    question: str
    options: tuple[tuple[str, str], ...]
    media: tuple[str, ...]
    home: Path


def turns(document: Document, places: Sequence[Path]) -> dict[str, Asked]:
    """What was asked, by the sample's id; empty where the scored file is not found or is another one by now.

    Args:
        document: a score.
        places: folders in which the file of predictions may lie; the first that holds the very file counts.
    """
    told = document.provenance.get("result", {})
    try:
        if told.get("format") == "joined":
            return _of_table(told["parts"][-1], places)
        parts = told.get("parts")
        if not parts:
            return dict(_of_file(told, places, ""))
        return {
            name: asked for part in parts for name, asked in _of_file(part, places, _prefix(part["file"]))
        }
    except MmevalError:
        # The score was made of this file once; what cannot be read of it now is not shown.
        return {}


def _prefix(file: str) -> str:
    """How a combined score names the samples of one of its files."""
    path = Path(file)
    return f"{path.parent if path.name == 'result.json' else path.with_suffix('')}/"


def _found(told: Mapping[str, Any], places: Sequence[Path]) -> Path | None:
    """The file with the hash that the score names."""
    name = told.get("file")
    if not isinstance(name, str):
        return None
    for folder in places:
        path = folder / name
        if path.is_file() and _sha256(path) == told.get("sha256"):
            return path
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_file(told: Mapping[str, Any], places: Sequence[Path], prefix: str) -> Iterator[tuple[str, Asked]]:
    from mmeval.readers.decoding import decode_row, sanitised
    from mmeval.readers.identity import row_name
    from mmeval.readers.layout import load

    path = _found(told, places)
    if path is None:
        return
    for position, raw in enumerate(load(path).rows):
        row, sound, _ = decode_row(bytes(raw))
        name = row_name(row)
        turn: Json = {key: row.get(key) for key in ("messages", "media")}
        asked = _asked(turn if sound else sanitised(turn), path.parent)
        if asked is not None:
            names = (str(position), f"row-{position}") if name is None else (str(sanitised(name)),)
            yield from ((prefix + each, asked) for each in names)


def _of_table(told: Mapping[str, Any], places: Sequence[Path]) -> dict[str, Asked]:
    """Questions of a benchmark's own table, where predictions were joined to one."""
    from mmeval.benchmarks.locate import data_folder
    from mmeval.benchmarks.table import open_table

    path = _found({**told, "file": Path(str(told["file"])).name}, [*places, data_folder()])
    if path is None:
        return {}
    rows = ((str(row["eval-id"]), _asked(row, path.parent)) for row in open_table(str(path)).rows())
    return {name: asked for name, asked in rows if asked is not None}


def _asked(row: Json, home: Path) -> Asked | None:
    """The user's turn of a row."""
    if not isinstance(row, dict):
        return None
    messages = row.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages else None
    if not isinstance(turn, dict):
        return None
    question = str(turn.get("question") or turn.get("prompt") or "").strip()
    return Asked(question, _options(turn), _media(row.get("media")), home)


def _options(turn: Mapping[str, Json]) -> tuple[tuple[str, str], ...]:
    options, choices = turn.get("options"), turn.get("choices")
    if isinstance(options, dict):
        return tuple((str(label), str(text)) for label, text in options.items())
    if isinstance(choices, list):
        return tuple((chr(65 + place) if place < 26 else "", str(text)) for place, text in enumerate(choices))
    return ()


def _media(value: Json) -> tuple[str, ...]:
    """Every text in it that may name a picture."""
    if isinstance(value, list):
        return tuple(text for each in value for text in _media(each))
    if isinstance(value, dict):
        return tuple(text for key in ("path", "url") for text in _media(value.get(key)))[:1]
    return (value,) if isinstance(value, str) and value.strip() else ()
