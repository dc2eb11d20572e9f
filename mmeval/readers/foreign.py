"""What a reader of another harness's files gives: rows in our layout, and what it could not carry.

The verdict that the other harness recorded stands in each row as `recorded`: `score` (a number, or null where
none was given), `extracted` (what it read in the answer), `by` (the harness), `metric` (whose number it is).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import Flaw, damage, decode_row, sanitised
from mmeval.readers.layout import Loaded
from mmeval.readers.parts import Part
from mmeval.text.counted import many
from mmeval.types import Json

RECORDED = "recorded"
# Columns of our own layout; a foreign column of such a name is carried under another one.
OWN = ("eval-id", "messages", "answer", "reference_response", "dataset_meta", "media", RECORDED)
_SHOWN = 5
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class Choice:
    """What a user chose where a file leaves a choice: one of several filters, one of several metrics."""

    filter: str | None = None
    metric: str | None = None


@dataclass(frozen=True)
class Foreign:
    """A run of another harness, read.

    Attributes:
        by: the harness, as `recorded.by` has it.
        rows: the samples in our layout.
        parts: the files that were read, the first one being the run itself.
        warnings: what could not be carried, and what is odd, one sentence each.
        flaws: rows whose prediction or gold cannot be trusted, by position.
        about: what the files say of the run (`task`, `model`, versions).
    """

    by: str
    rows: Sequence[dict[str, Json]]
    parts: tuple[Part, ...]
    warnings: tuple[str, ...] = ()
    flaws: Mapping[int, Flaw] = field(default_factory=dict)
    about: Mapping[str, Json] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        """The hash of the one file, or one over those of all."""
        if len(self.parts) == 1:
            return self.parts[0].sha256
        return hashlib.sha256(msgspec.json.encode(self.parts)).hexdigest()


class Record(NamedTuple):
    """One object of a foreign JSON file: its columns as any JSON writer takes them, and what is wrong."""

    values: dict[str, Json]
    flaw: Flaw | None
    written: dict[str, Json]

    def flaw_in(self, *names: str) -> Flaw | None:
        """What is wrong with the row as a whole, or with the texts in these columns.

        NaN is no flaw: it is how others write that there is nothing, and is null here.
        """
        if self.flaw is not None or self.written is self.values:
            return self.flaw
        found = (damage(self.written.get(name)) for name in names)
        return next((each for each in found if each is not None and each.reason == "unreadable-text"), None)


def records(loaded: Loaded) -> Iterator[Record]:
    """The objects of a file; one that cannot be read has the columns that could be, and says why."""
    for raw in loaded.rows:
        columns = decode_row(bytes(raw))
        clean = columns.values if columns.sound else sanitised(columns.values)
        yield Record(clean if isinstance(clean, dict) else {}, columns.flaw, columns.values)


def encoded(row: dict[str, Json]) -> bytes:
    """A row as JSON, whatever numbers and characters it holds."""
    try:
        return _encode(row)
    except (OverflowError, UnicodeEncodeError, ValueError):
        return json.dumps(sanitised(row), ensure_ascii=False).encode()


def part(path: Path, rows: int, sha256: str) -> Part:
    """A file as a score names it."""
    return Part(path.name.encode("utf-8", "replace").decode(), rows, sha256)


def sha256_of(path: Path) -> str:
    """The hash of a file, without holding it."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ResultError(
            f"{path}: cannot be read ({error.strerror}); check its path and permissions"
        ) from None


def verdict(
    by: str, metric: str | None, score: Json, extracted: Json, scores: Sequence[Json] = ()
) -> dict[str, Json]:
    """A recorded verdict. `score` becomes a number or null, `extracted` a text or null.

    Of several predictions `score` is the mean, and `scores` are those of each, in their order.
    """
    text = extracted if isinstance(extracted, str) else None
    if extracted is not None and text is None and not isinstance(extracted, list | dict):
        text = _encode(extracted).decode()
    made: dict[str, Json] = {"score": number(score), "extracted": text, "by": by, "metric": metric}
    return {**made, "scores": [number(each) for each in scores]} if len(scores) > 1 else made


def number(value: Json) -> float | int | None:
    """A recorded score as a number: booleans as 1 and 0, texts that are numbers; None for anything else."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, str):
        words = {"true": 1, "false": 0}
        if value.strip().lower() in words:
            return words[value.strip().lower()]
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, int | float) and math.isfinite(value):
        return int(value) if float(value).is_integer() else value
    return None


def flat(row: dict[str, Json], columns: Mapping[str, Json], prefix: str) -> None:
    """Add foreign columns to a row; what our layout or the row has already gets the prefix."""
    for name, value in columns.items():
        clash = name in OWN or name in row
        row[f"{prefix}{name}" if clash else name] = value


def chosen(
    what: str, wanted: str | None, there: Sequence[str], path: Path
) -> tuple[str | None, tuple[str, ...]]:
    """Of several filters or metrics the one that was chosen, or the only one there is.

    Args:
        what: `filter` or `metric`, as the flag of `mmeval import` has it.
        wanted: what the user chose.
        there: what the file has.
        path: the file.

    Returns:
        The name; of several none, and a sentence that says how to choose.

    Raises:
        UsageError: the file has no such one.
    """
    if wanted is not None and wanted not in there:
        known = f"has {', '.join(there)}; name one of these" if there else "has none; leave it out"
        raise UsageError(f"--{what} {wanted}: {path} {known}")
    if wanted is not None or len(there) <= 1:
        return (wanted or (there[0] if there else None)), ()
    return None, (
        f"it has several {what}s ({some(there)}), so no verdict was recorded; "
        f"choose with mmeval import --{what} {there[0]}",
    )


def some(names: Iterable[Json]) -> str:
    """A few of many names, for a message."""
    listed = list(names)
    return ", ".join(map(str, listed[:_SHOWN])) + (", ..." if len(listed) > _SHOWN else "")


class Left:
    """What was not carried, counted while rows are read and named once."""

    def __init__(self) -> None:
        self._whole: dict[str, None] = {}
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[Json]] = {}

    def whole(self, what: str) -> None:
        """Name what the file as a whole loses; once, however often it is said."""
        self._whole.setdefault(what)

    def note(self, what: str, example: Json = None) -> None:
        """Count one more row of a kind; the kind is a sentence without its number."""
        self._counts[what] += 1
        if example is not None:
            self._examples.setdefault(what, []).append(example)

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence each, with the number of rows and a few of their names."""
        counted = (self._sentence(what, count) for what, count in self._counts.items())
        return (*self._whole, *counted)

    def _sentence(self, what: str, count: int) -> str:
        rows = many(count, "row", "rows")
        shown = self._examples.get(what)
        return f"{rows}: {what}" + (f" ({some(shown)})" if shown else "")
