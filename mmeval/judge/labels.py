"""Labels that people, or an official scorer, gave to samples: by the sample's id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.fingerprint import canonical
from mmeval.types import Json

Label: TypeAlias = bool | int | float | str

IDS = ("eval-id", "eval_id", "id", "index", "question_id")
LABELS = (
    *("label", "human", "human_label", "human_score", "verdict", "rating", "score", "correct", "is_correct"),
    "hit",
)
PER_SAMPLE = "per_sample"


class _Columns(NamedTuple):
    """What the user says of the columns."""

    id: str | None
    label: str | None


def read_labels(path: Path, id_field: str | None = None, label_field: str | None = None) -> dict[str, Label]:
    """The labels of a file, by id; a sample without one is absent.

    A table (.csv, .tsv), JSON lines (.jsonl), a JSON array of objects, or a JSON object: from ids to labels,
    or with such a one under `per_sample`, as recorded official scores have it.

    Args:
        path: the file.
        id_field: which column holds the id; else the first of `IDS` that is there.
        label_field: which column holds the label; else the only one of `LABELS` that is there.

    Raises:
        UsageError: it cannot be read, or it is not clear which column is meant.
        ResultError: a label is no single value, or one id has two.
    """
    columns = _Columns(id_field, label_field)
    found: dict[str, Label] = {}
    for name, value in _pairs(path, columns):
        if value is None or value == "":
            continue
        if not isinstance(value, bool | int | float | str):
            raise ResultError(f"{path}: the label of {name} is no single value; name one with --label_field")
        if found.setdefault(name, value) != value:
            raise ResultError(f"{path}: {name} has two labels; give one file per person who labelled")
    if not found:
        raise ResultError(f"{path}: holds no label")
    return found


def _pairs(path: Path, columns: _Columns) -> Iterator[tuple[str, Json]]:
    if path.suffix.lower() in (".csv", ".tsv"):
        from mmeval.benchmarks.delimited import read_grid

        grid = read_grid(path)
        rows: list[Any] = [dict(zip(grid.header, cells, strict=True)) for cells in grid.rows]
        return _of_rows(path, rows, columns)
    document = _document(path)
    if isinstance(document, list):
        return _of_rows(path, document, columns)
    if isinstance(document, dict):
        return _of_mapping(path, document.get(PER_SAMPLE, document), columns)
    raise ResultError(f"{path}: holds neither rows nor ids with labels")


def _document(path: Path) -> Json:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        if path.suffix.lower() == ".jsonl":
            return [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
        document: Json = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ResultError(f"{path}: is no JSON ({error}); give .json, .jsonl, .csv or .tsv") from None
    return document


def _of_rows(path: Path, rows: Iterable[Any], columns: _Columns) -> Iterator[tuple[str, Json]]:
    rows = list(rows)
    if not all(isinstance(row, dict) for row in rows):
        raise ResultError(f"{path}: a row is not an object")
    names = list(dict.fromkeys(name for row in rows for name in row))
    id_field = _id_field(path, names, columns.id)
    label_field = _label_field(path, names, columns.label)
    for number, row in enumerate(rows, 1):
        name = canonical(row.get(id_field))
        if not isinstance(name, str) or not name.strip():
            raise ResultError(f"{path}: row {number} has no {id_field}")
        yield name, row.get(label_field)


def _of_mapping(path: Path, found: Any, columns: _Columns) -> Iterator[tuple[str, Json]]:
    if not isinstance(found, Mapping):
        raise ResultError(f"{path}: {PER_SAMPLE} is not an object of ids and labels")
    objects = {name: value for name, value in found.items() if isinstance(value, dict)}
    if not objects:
        yield from found.items()
        return
    if len(objects) < len(found):
        raise ResultError(f"{path}: some labels are objects and some are not")
    label_field = _label_field(
        path, list(dict.fromkeys(k for v in objects.values() for k in v)), columns.label
    )
    for name, value in objects.items():
        yield name, value.get(label_field)


def _id_field(path: Path, names: list[str], wanted: str | None) -> str:
    if wanted is not None:
        return _there(path, names, wanted, "--id_field")
    found = next((name for name in IDS if name in names), None)
    if found is None:
        raise UsageError(f"{path}: no column {', '.join(IDS)}; name it with --id_field ({_shown(names)})")
    return found


def _label_field(path: Path, names: list[str], wanted: str | None) -> str:
    if wanted is not None:
        return _there(path, names, wanted, "--label_field")
    found = [name for name in LABELS if name in names]
    if len(found) != 1:
        what = f"{found[0]} and {found[1]} may both hold the label" if found else "no column holds a label"
        raise UsageError(f"{path}: {what}; name it with --label_field ({_shown(names)})")
    return found[0]


def _there(path: Path, names: list[str], wanted: str, flag: str) -> str:
    if wanted not in names:
        raise UsageError(f"{path}: {flag} {wanted!r}: there is no such column ({_shown(names)})")
    return wanted


def _shown(names: list[str]) -> str:
    return f"it has {', '.join(names[:12])}" + (", ..." if len(names) > 12 else "")
