"""score.json: how rows are spelled, and how it is written: whole or not at all, same inputs same bytes."""

from __future__ import annotations

import glob
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec
import orjson

from mmeval.errors import UsageError
from mmeval.types import Call, Json, Pass, Sample, Score, Span, Step, Verdict

SCHEMA_VERSION = 1
# Seconds after which a file that nobody writes to is nobody's.
ABANDONED = 600.0
SPOOL_IN_MEMORY = 64 * 1024 * 1024


class TraceLine(msgspec.Struct, frozen=True, gc=False):
    """One stage's say, as written."""

    stage: str
    version: int
    outcome: str
    extracted: str | None
    span: Span | None
    reason: str | None
    judge: tuple[Call, ...] | msgspec.UnsetType = msgspec.UNSET


class PredictionLine(msgspec.Struct, frozen=True, gc=False):
    """One of several predictions of a sample, as written."""

    pred: str | None
    extracted: str | None
    score: float | None
    decided_by: str | None
    status: str
    reason: str | None
    trace: tuple[TraceLine, ...]


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """What another harness recorded of a sample, beside our own verdict and never part of it.

    `score` is its number as it stands there (None where it gave none), `extracted` what it read in the
    answer, `by` its name, `metric` which of its metrics, scorers or stages that is. Where it graded several
    predictions, `score` is their mean and `scores` has one each, in their order.
    """

    score: int | float | None
    extracted: str | None
    by: str
    metric: str | None = None
    scores: tuple[int | float | None, ...] | msgspec.UnsetType = msgspec.UNSET


class SampleLine(msgspec.Struct, frozen=True, gc=False, omit_defaults=False):
    """One row of `samples`, as written. `matched` repeats what matched, as in simple-mmeval's files."""

    eval_id: str | int = msgspec.field(name="eval-id")
    question_type: str | None
    gt: Json
    pred: str | None
    extracted: str | None
    matched: str | None
    score: float | None
    is_correct: int | None
    decided_by: str | None
    status: str
    reason: str | None
    group: dict[str, str | tuple[str, ...] | None]
    evidence: Json
    trace: tuple[TraceLine, ...]
    predictions: tuple[PredictionLine, ...] | msgspec.UnsetType = msgspec.UNSET
    recorded: Recorded | msgspec.UnsetType = msgspec.UNSET


def recorded(fields: Mapping[str, Json]) -> Recorded | msgspec.UnsetType:
    """The verdict of another harness among a row's fields; unset where there is none."""
    try:
        return msgspec.convert(fields.get("recorded"), Recorded)
    except msgspec.ValidationError:
        return msgspec.UNSET


def trace_lines(steps: tuple[Step, ...]) -> tuple[TraceLine, ...]:
    """A trace as written."""
    return tuple(_trace_line(step) for step in steps)


def _trace_line(step: Step) -> TraceLine:
    outcome = step.outcome
    kind = type(outcome).__name__.lower()
    judge = step.judge or msgspec.UNSET
    if isinstance(outcome, Pass | Score):
        return TraceLine(
            step.stage, step.version, kind, outcome.extracted, outcome.span, outcome.reason, judge
        )
    return TraceLine(
        step.stage,
        step.version,
        kind,
        getattr(outcome, "extracted", None),
        None,
        getattr(outcome, "reason", None),
        judge,
    )


def prediction_line(text: str | None, verdict: Verdict) -> PredictionLine:
    """One settled prediction as written."""
    return PredictionLine(
        text,
        verdict.extracted,
        verdict.score,
        verdict.decided_by,
        verdict.status,
        verdict.reason,
        trace_lines(verdict.trace),
    )


def sample_line(
    sample: Sample,
    verdict: Verdict,
    group: dict[str, str | tuple[str, ...] | None],
    several: tuple[PredictionLine, ...] | None,
) -> SampleLine:
    """One settled sample as written."""
    right = None if verdict.score is None else int(verdict.score >= 1.0)
    return SampleLine(
        eval_id=sample.id,
        question_type=sample.question_type,
        gt=sample.answer,
        pred=sample.predictions[0] if sample.predictions else None,
        extracted=verdict.extracted,
        matched=verdict.extracted if right else None,
        score=verdict.score,
        is_correct=right,
        decided_by=verdict.decided_by,
        status=verdict.status,
        reason=verdict.reason,
        group=group,
        evidence=verdict.evidence,
        trace=trace_lines(verdict.trace),
        predictions=msgspec.UNSET if several is None else several,
        recorded=recorded(sample.fields) if "recorded" in sample.fields else msgspec.UNSET,
    )


def _whole_characters(value: Any) -> Any:
    """A row whose texts UTF-8 can hold: `?` for half a character."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole_characters(key): _whole_characters(each) for key, each in value.items()}
    return [_whole_characters(each) for each in value] if isinstance(value, list | tuple) else value


class Spool:
    """Rows on their way into a score file: in memory while they are few, on disk when they are many."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.SpooledTemporaryFile(SPOOL_IN_MEMORY, dir=str(folder))  # noqa: SIM115
        self._encode = msgspec.json.Encoder().encode
        self.rows = 0

    def add(self, line: SampleLine) -> None:
        """Append one row."""
        try:
            text = self._encode(line)
        except UnicodeEncodeError:  # half a character, from an escape inside a reply
            text = self._encode(_whole_characters(msgspec.to_builtins(line)))
        self._file.write(b",\n" if self.rows else b"\n")
        self._file.write(text)
        self.rows += 1

    def copy_array(self, target: IO[bytes]) -> None:
        """Write the rows as the inside of a JSON array."""
        self._file.seek(0)
        for chunk in iter(lambda: self._file.read(1 << 20), b""):
            target.write(chunk)

    def lines(self) -> Iterator[bytes]:
        """The rows, one JSON text each."""
        self._file.seek(0)
        for line in self._file:
            text = line.strip().rstrip(b",").strip()
            if text:
                yield text

    def close(self) -> None:
        """Forget the rows."""
        self._file.close()


@contextmanager
def atomic(path: Path) -> Iterator[IO[bytes]]:
    """A file that appears whole under its name, or not at all; an older one stays until then.

    Raises:
        UsageError: the folder cannot be written to.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise UsageError(
            f"{path.parent}: cannot write there ({error.strerror}); make it a writable folder, or give --out"
        ) from None
    _sweep(path)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sweep(path: Path) -> None:
    """Take away what killed processes left; what was written to lately may be somebody's work."""
    for part in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > ABANDONED:
                part.unlink()


@contextmanager
def probe(path: Path) -> Iterator[None]:
    """Find out before the work whether `path` could be written.

    Raises:
        OSError: it could not.
    """
    if path.is_dir():
        raise IsADirectoryError(0, "a folder has the name of the score file")
    with tempfile.NamedTemporaryFile(prefix=f".{path.name}.", suffix=".part", dir=path.parent):
        yield


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current


def write(path: Path, head: dict[str, Json], spool: Spool | None) -> None:
    """Write a score file: the head's keys in order, then `samples` from the spool (empty without one)."""
    text = orjson.dumps(head, option=orjson.OPT_INDENT_2)
    with atomic(path) as file:
        file.write(text.rstrip(b"}").rstrip(b"\n"))
        file.write(b',\n  "samples": [')
        if spool is not None and spool.rows:
            spool.copy_array(file)
            file.write(b"\n  ")
        file.write(b"]\n}\n")


def write_rows(path: Path, spool: Spool, kind: str) -> None:
    """Write the rows beside the score file, as JSON lines or Parquet.

    Raises:
        UsageError: Parquet without pyarrow.
    """
    if kind == "jsonl":
        with atomic(path) as file:
            for line in spool.lines():
                file.write(line + b"\n")
        return
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("--rows parquet needs pyarrow; pip install 'mmeval-score[tables]'") from None
    table = pa.Table.from_pylist([_flat(msgspec.json.decode(line)) for line in spool.lines()])
    with atomic(path) as file:
        pq.write_table(table, file, compression="zstd")


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """A row with one type per column: nested values and ids as JSON text."""
    nested = ("gt", "group", "evidence", "trace", "predictions", "recorded")
    return {
        **row,
        "eval-id": str(row["eval-id"]),
        **{name: msgspec.json.encode(row.get(name)).decode() for name in nested},
    }


class Head(msgspec.Struct, frozen=True):
    """What an up-to-date check needs of a score file."""

    config: dict[str, Json]
    summary: dict[str, Json]


def read_head(path: Path) -> Head | None:
    """The config and summary of a score file, or None where there is none that can be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Head)
    except (OSError, msgspec.MsgspecError, RecursionError):
        return None
