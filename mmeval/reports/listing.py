"""Rows of a score that share a fate: wrong, undecided, invalid, failed; or decided for the same reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from mmeval.compare.causes import Kind, kind_of
from mmeval.compare.rows import Line
from mmeval.errors import UsageError
from mmeval.reports.reasons import sentence
from mmeval.reports.scorefile_reader import Document, find_sample, samples
from mmeval.text.counted import many

SHOWN = 20
LONGEST = 70


def _wrong(line: Line) -> bool:
    read = kind_of(line).status == "decided"
    return read and line.score is not None and line.score < 1.0


FATES: dict[str, Callable[[Line], bool]] = {
    "wrong": _wrong,
    "undecided": lambda line: kind_of(line).status == "undecided",
    "invalid": lambda line: line.status == "invalid",
    "llm_error": lambda line: line.status == "llm_error",
    "error": lambda line: line.status == "error",
}


def rows_why(document: Document, why: str) -> list[dict[str, Any]]:
    """The rows of one fate, in file order.

    `wrong` (an answer was read, and scores less than 1), `undecided` (none was read), `invalid`, `llm_error`,
    `error`.

    Raises:
        UsageError: there is no such fate.
    """
    if why not in FATES:
        raise UsageError(f"--why {why}: must be one of {', '.join(FATES)}")
    return _rows(document, FATES[why])


def rows_like(document: Document, sample: str) -> list[dict[str, Any]]:
    """The rows that were settled as this sample was: the same status, stage and reason.

    Raises:
        UsageError: no row has this id.
    """
    find_sample(document, sample)
    decode = msgspec.json.Decoder(Line).decode
    wanted = next(kind_of(line) for raw in samples(document) if (line := decode(raw)).id == sample)
    return _rows(document, lambda line: kind_of(line) == wanted)


def _rows(document: Document, wanted: Callable[[Line], bool]) -> list[dict[str, Any]]:
    decode = msgspec.json.Decoder(Line).decode
    return [msgspec.json.decode(raw) for raw in samples(document) if wanted(decode(raw))]


def listing(document: Document, rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """These rows as text: how many of each reason, then the first of them, a line each."""
    lines = [f"{document.path}: {many(len(rows), 'row', 'rows')} {title}"]
    kinds = [_kind(row) for row in rows]
    for kind, count in sorted(Counter(kinds).items(), key=lambda pair: (-pair[1], str(pair[0]))):
        lines.append(f"  {count:>6}  {kind}: {sentence(kind.reason, last=True)}")
    lines += [""] if rows else []
    lines += [f"  {_row(row)}" for row in rows[:SHOWN]]
    if len(rows) > SHOWN:
        lines.append(f"  and {len(rows) - SHOWN} more (--json lists all)")
    return "\n".join(lines)


def _kind(row: Mapping[str, Any]) -> Kind:
    return kind_of(msgspec.json.decode(msgspec.json.encode(row), type=Line))


def _row(row: Mapping[str, Any]) -> str:
    read = "nothing" if row["extracted"] is None else _cut(row["extracted"])
    answered = "(nothing)" if row["pred"] is None else _cut(row["pred"]) or '""'
    return f"{row['eval-id']}   gold {_cut(row['gt'])}   read {read}   answered {answered}"


def _cut(value: object) -> str:
    if value is None:
        return "(none)"
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
