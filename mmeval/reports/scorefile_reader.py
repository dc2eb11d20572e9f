"""Score files read back: the head, one sample, and the run beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.fingerprint import canonical
from mmeval.scorefile import SCHEMA_VERSION
from mmeval.types import Json


class _File(msgspec.Struct, frozen=True):
    config: dict[str, Json]
    summary: dict[str, Json]
    provenance: dict[str, Json] = {}
    rows_file: str | None = None
    samples: list[msgspec.Raw] = []


class _Id(msgspec.Struct, frozen=True):
    eval_id: str | int | float | None = msgspec.field(name="eval-id", default=None)


class _Aggregate(msgspec.Struct, frozen=True):
    name: str
    reduce: str
    headline: bool = False
    where: dict[str, Json] = {}
    scale: float | None = None


class _Config(msgspec.Struct, frozen=True):
    """What is looked into of a config; the rest is only shown, whatever it is."""

    dataset_name: str | None = None
    protocol: str | None = None
    official_protocol: bool | None = None
    official_judge: bool | None = None
    score_aggregates: list[_Aggregate] = []
    params_effective: dict[str, dict[str, Json]] | None = None
    judge_prompts: dict[str, Json] | None = None
    deviations: list[str] = []
    protocol_notes: list[str] = []


class _Figure(msgspec.Struct, frozen=True):
    value: float | None = None
    n: int = 0
    ci95: tuple[float, float] | None = None
    bounds: tuple[float | None, float | None] | None = None
    scale: float | None = None
    stderr: float | None = None
    method: str | None = None
    notes: list[str] = []


class _Tally(msgspec.Struct, frozen=True):
    total: int
    correct: int


class _Summary(msgspec.Struct, frozen=True):
    """What is looked into of a summary: every number that is printed or reckoned with."""

    total: int | None = None
    filtered: int | None = None
    valid: int | None = None
    invalid: int | None = None
    correct: int | None = None
    decided: int | None = None
    read: int | None = None
    undecided: int | None = None
    llm_errors: int | None = None
    errors: int | None = None
    accuracy: float | None = None
    accuracy_valid: float | None = None
    accuracy_decided: float | None = None
    coverage: float | None = None
    mean_score: float | None = None
    by_stage: dict[str, _Tally] = {}
    by_question_type: dict[str, _Tally] = {}
    by_reason: dict[str, int] = {}
    headline: _Figure = _Figure()
    aggregates: dict[str, _Figure] = {}
    groups: dict[str, dict[str, float | None]] = {}
    warnings: list[str] = []


class _Provenance(msgspec.Struct, frozen=True):
    """What is looked into of where a score comes from."""

    mmeval: str | None = None
    stages: dict[str, Json] = {}
    aggregates: dict[str, Json] = {}
    libraries: dict[str, Json] = {}
    result: dict[str, Json] = {}
    resources: dict[str, dict[str, Json]] | None = None


class _Shape(msgspec.Struct, frozen=True):
    config: _Config
    summary: _Summary
    provenance: _Provenance


class Document(NamedTuple):
    """A score file without its rows."""

    path: Path
    config: dict[str, Any]
    summary: dict[str, Any]
    provenance: dict[str, Any]
    file: _File


def load(path: Path) -> Document:
    """Read a score file; a folder means the `score.json` in it.

    Raises:
        UsageError: there is no such file.
        ResultError: it is not a score file of mmeval.
    """
    if path.is_dir():
        path = path / "score.json"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"{path}: cannot be read ({error.strerror}); name a score.json that mmeval wrote"
        ) from None
    try:
        file = msgspec.json.decode(data, type=_File)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ResultError(f"{path}: not a score file of mmeval ({error}); score the run first") from None
    _known(path, file.config)
    document = Document(path, dict(file.config), dict(file.summary), dict(file.provenance), file)
    with intact(document):
        msgspec.convert(document._asdict(), _Shape)
    return document


def _known(path: Path, config: Mapping[str, Json]) -> None:
    """Refuse what this version does not read."""
    written = config.get("schema_version")
    if written is None:
        raise ResultError(
            f"{path}: written by another scorer (no schema_version); score the run with mmeval first"
        )
    if isinstance(written, bool) or not isinstance(written, int) or not 1 <= written <= SCHEMA_VERSION:
        raise ResultError(
            f"{path}: its layout has the version {written}, and this mmeval reads up to {SCHEMA_VERSION}; "
            "install the mmeval that wrote it, or score the run again with --force"
        )


@contextmanager
def intact(document: Document) -> Iterator[None]:
    """What is read out of a score file inside here is there and of its type, or the file is to blame.

    Raises:
        ResultError: a key is missing or holds something else than mmeval writes.
    """
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, msgspec.MsgspecError) as error:
        raise ResultError(
            f"{document.path}: is damaged, or of another version of mmeval "
            f"({type(error).__name__}: {error}); score the run again with --force"
        ) from None


def samples(document: Document) -> list[bytes]:
    """The rows of a score file, wherever they lie, as JSON texts.

    Raises:
        ResultError: the rows file is missing or not one of JSON lines, or rows are missing.
    """
    rows = _rows(document)
    scored = document.summary.get("total")
    if isinstance(scored, int) and len(rows) != scored:
        raise ResultError(
            f"{document.path}: {scored} rows were scored and {len(rows)} are there: the file was cut or "
            "changed; score the run again with --force"
        )
    return rows


def _rows(document: Document) -> list[bytes]:
    beside = document.file.rows_file
    if beside is None:
        return [bytes(raw) for raw in document.file.samples]
    path = document.path.parent / beside
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultError(
            f"{path}: the rows cannot be read ({error.strerror}); score again with --force"
        ) from None
    return _parquet(path, data) if path.suffix == ".parquet" else data.splitlines()


def _parquet(path: Path, data: bytes) -> list[bytes]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError(f"{path}: needs pyarrow; pip install 'mmeval-score[tables]'") from None
    try:
        rows = pq.read_table(pa.BufferReader(data)).to_pylist()
    except pa.ArrowException as error:
        raise ResultError(f"{path}: the rows cannot be read ({error}); score again with --force") from None
    return [msgspec.json.encode(_nested(row)) for row in rows]


# Parquet rows hold these as JSON text; a row of JSON has the last two only where there is something.
NESTED = ("gt", "group", "evidence", "trace", "predictions", "recorded")
ABSENT = ("predictions", "recorded")


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row of a Parquet file as the score file would have it."""
    told = {name: row[name] for name in NESTED if name in row}
    flat = {name: value for name, value in row.items() if name not in told}
    some = {name: text for name, text in told.items() if name not in ABSENT or text != "null"}
    return {**flat, **{name: msgspec.Raw(text.encode()) for name, text in some.items()}}


def find_sample(document: Document, wanted: str) -> dict[str, Any]:
    """The row with this id, the first where several have it.

    Raises:
        UsageError: no row has it; names a few that exist.
    """
    return found_samples(document, wanted)[0]


def found_samples(document: Document, wanted: str) -> list[dict[str, Any]]:
    """All rows with this id: one, but where the predictions named several samples alike.

    Raises:
        UsageError: no row has it; names a few that exist.
    """
    rows = samples(document)
    ids = [str(canonical(msgspec.json.decode(raw, type=_Id).eval_id)) for raw in rows]
    found = [msgspec.json.decode(raw) for raw, eval_id in zip(rows, ids, strict=True) if eval_id == wanted]
    if found:
        return found
    has = (
        f"it has {len(ids)}: {', '.join(ids[:5])}{', ...' if len(ids) > 5 else ''}" if ids else "it has none"
    )
    raise UsageError(f"{document.path}: no sample {wanted!r}; {has}")
