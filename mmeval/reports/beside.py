"""The run that a score was made of, where it lies beside the score file and is still the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mmeval.errors import MmevalError
from mmeval.reports.scorefile_reader import Document

Values: TypeAlias = Mapping[str, Any]


def row_of(document: Document, row: Values) -> Values | None:
    """The row of the run that a row of the score was made of; None where it cannot be had."""
    told = document.provenance.get("result", {})
    if told.get("format") == "joined":
        return _row_of_data(document, told["parts"][-1], str(row["eval-id"]))
    path = document.path.parent / str(told.get("file"))
    if "about" in told:
        return _row_of_another(path, told.get("sha256"), str(row["eval-id"]))
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != told.get("sha256"):
        return None
    return find_row(path, str(row["eval-id"]))


def _row_of_another(path: Path, sha256: Any, wanted: str) -> Values | None:
    """The row of another harness's run, as its reader makes it."""
    from mmeval.readers.foreign import Choice
    from mmeval.readers.identity import name_of
    from mmeval.readers.opening import read_foreign

    try:
        found = read_foreign(path, Choice()) if path.is_file() else None
    except MmevalError:
        return None
    if found is None or found.sha256 != sha256:
        return None
    named = ((str(name_of(row, position, frozenset())), row) for position, row in enumerate(found.rows))
    return next((row for name, row in named if wanted in (name, f"row-{name}")), None)


def _row_of_data(document: Document, part: Values, wanted: str) -> Values | None:
    """The row of the joined table, if that lies beside the score or among VLMEvalKit's tables."""
    from mmeval.benchmarks.locate import data_folder
    from mmeval.benchmarks.table import open_table

    for folder in (document.path.parent, data_folder()):
        path = folder / Path(str(part["file"])).name
        if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == part["sha256"]:
            rows = (row for row in open_table(str(path)).rows() if str(row["eval-id"]) == wanted)
            return next(rows, None)
    return None


def find_row(path: Path, wanted: str) -> Values | None:
    """A sample's row in a file of predictions; None where it has none."""
    from mmeval.readers.decoding import decode_row, sanitised
    from mmeval.readers.identity import row_name
    from mmeval.readers.layout import load

    loaded = load(path)
    for position, raw in enumerate(loaded.rows):
        row = decode_row(bytes(raw)).values
        name = row_name(row)
        if wanted in ({str(position), f"row-{position}"} if name is None else {str(sanitised(name))}):
            clean = sanitised(row)
            return clean if isinstance(clean, dict) else None
    return None


def turn_of(row: Values | None) -> Values | None:
    """The user's turn in a row; None where there is none that can be shown."""
    messages = None if row is None else row.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages else None
    return turn if isinstance(turn, dict) else None
