"""What was asked: read from the run, where it still lies beside its score."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from mmeval.compare.rows import Side
from mmeval.errors import MmevalError


def asked(side: Side) -> Mapping[str, str] | None:
    """The questions of a run by sample; None where the run is not beside its score, or another one by now."""
    told = side.document.provenance.get("result", {})
    path = side.path.parent / str(told.get("file"))
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != told.get("sha256"):
        return None
    from mmeval.readers.decoding import decode_row
    from mmeval.readers.identity import row_name
    from mmeval.readers.layout import load

    try:
        rows = [decode_row(bytes(raw)).values for raw in load(path).rows]
    except MmevalError:
        # A file of another layout than ours: its questions are not to be had this way.
        return None
    return {str(name): text for row in rows if (name := row_name(row)) is not None and (text := _asked(row))}


def _asked(row: Mapping[str, Any]) -> str | None:
    messages = row.get("messages")
    turn = messages[0] if isinstance(messages, list) and messages else None
    if not isinstance(turn, dict):
        return None
    said = turn.get("question") or turn.get("prompt")
    # Half a character (a lone \ud800 in JSON) is none that UTF-8 can hold: a question mark, as in the score.
    return said.encode("utf-8", "replace").decode() if isinstance(said, str) else None
