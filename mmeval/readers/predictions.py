"""Files of predictions that name a row of a benchmark and say what was answered: `index` and `prediction`.

The files that VLMEvalKit writes are such files (every column of the benchmark, and `prediction`). What a
spreadsheet does to texts is caught cell by cell: only that row is lost, and it says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from mmeval.benchmarks.delimited import columns_shown, read_grid
from mmeval.errors import ResultError
from mmeval.fingerprint import canonical
from mmeval.readers.decoding import Flaw, damage, decode_row, readable, sanitised, with_written_numbers
from mmeval.readers.layout import load
from mmeval.readers.sheet import CUT_AT, cut, is_cut, read_sheet
from mmeval.readers.texts import Written, scalar_text
from mmeval.types import Json

Value: TypeAlias = Json | Flaw
Form: TypeAlias = Literal["xlsx", "tsv", "csv", "json", "jsonl"]

INDEX = "index"
PREDICTION = "prediction"
# What these two columns may be called; the first that is there.
NAMES = (INDEX, "eval-id", "id")
ANSWERS = (PREDICTION, "response")
# The column of a result file, which has questions and answers already.
_TURNS = "messages"
_FORMS: dict[str, Form] = {".xlsx": "xlsx", ".tsv": "tsv", ".csv": "csv", ".json": "json", ".jsonl": "jsonl"}
SUFFIXES = tuple(_FORMS)


@dataclass(frozen=True)
class Predictions:
    """A file of predictions, read.

    Attributes:
        path: the file.
        sha256: of its bytes, in hex.
        form: which kind of file it is.
        columns: its columns, in order of appearance.
        rows: a value for each column; a `Flaw` where a cell cannot be trusted.
        warnings: what a reader of the score should know of the file.
    """

    path: Path
    sha256: str
    form: Form
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Value]]
    warnings: tuple[str, ...] = ()
    names: tuple[str | None, ...] = field(init=False)

    def __post_init__(self) -> None:
        column = self.first(NAMES)
        object.__setattr__(self, "names", tuple(name_of(row[column]) for row in self.rows))

    def first(self, names: Sequence[str]) -> int:
        """The place of the first of these columns that is there; see `column`."""
        return self.column(next((name for name in names if name in self.columns), names[0]))

    def column(self, name: str) -> int:
        """The place of a column.

        Raises:
            ResultError: the file has no such column; the message says which it has.
        """
        if name not in self.columns:
            whole = _TURNS in self.columns
            raise ResultError(
                f"{self.path}: has no column {name!r}; its columns are {columns_shown(self.columns)}: "
                f"beside benchmark data a file of predictions has {INDEX!r} and {PREDICTION!r}"
                + ("; this one holds whole samples: score it without --data or --dataset" if whole else "")
            )
        return self.columns.index(name)

    @property
    def repeated(self) -> dict[str, int]:
        """Names that several rows have, and how many."""
        counts = Counter(name for name in self.names if name is not None)
        return {name: count for name, count in counts.items() if count > 1}


def open_predictions(path: Path) -> Predictions:
    """Read a file of predictions.

    Raises:
        ResultError: it cannot be read, is of another kind, or has no column `index`.
        UsageError: it is a spreadsheet, and openpyxl is not installed.
    """
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise ResultError(
            f"{path}: {_refused(path.suffix)}; with --data predictions are read from {', '.join(SUFFIXES)}"
        )
    if form == "xlsx":
        sheet = read_sheet(path)
        return Predictions(path, sheet.sha256, form, sheet.columns, sheet.rows, sheet.warnings)
    return _from_json(path, form) if form in ("json", "jsonl") else _from_text(path, form)


def name_of(value: Value) -> str | None:
    """What a row is called: 1, 1.0, "1" and "1.0" are one name; None where there is none."""
    if isinstance(value, str):
        value = value.strip()
        head, point, rest = value.partition(".")
        whole = point and not rest.strip("0") and rest and head.removeprefix("-").isdecimal()
        return (head if whole else value) or None
    if isinstance(value, Flaw) or value is None:
        return None
    name = canonical(sanitised(value))
    return name if isinstance(name, str) else None


def _refused(suffix: str) -> str:
    if suffix.lower() in (".pkl", ".pickle"):
        return "is a pickle, which can run code of its author; write the predictions as .tsv or .json"
    if suffix.lower() == ".xls":
        return "is a spreadsheet of the old kind; save it as .xlsx or .tsv"
    return f"is of no kind that is known here ({suffix or 'it has no ending'})"


def _from_text(path: Path, form: Form) -> Predictions:
    grid = read_grid(path)
    said = (f"{grid.short} rows of {path.name} have fewer cells than its header; what they lack is missing",)
    rows = [[_checked(cell) for cell in cells] for cells in grid.rows]
    return Predictions(path, grid.sha256, form, grid.header, rows, said if grid.short else ())


def _checked(text: str | None) -> Value:
    """A cell of a text file; one of just the length to which spreadsheets cut is not to be trusted."""
    if text is not None and len(text) <= CUT_AT and is_cut(text):
        return cut()
    return text


def _from_json(path: Path, form: Form) -> Predictions:
    loaded = load(path)
    decoded = [_record(path, bytes(raw), number) for number, raw in enumerate(loaded.rows)]
    columns = tuple(dict.fromkeys(name for record in decoded for name in record))
    rows = [[record.get(name) for name in columns] for record in decoded]
    return Predictions(path, loaded.sha256, form, columns, rows)


def _record(path: Path, data: bytes, number: int) -> dict[str, Value]:
    """One object; numbers become texts as they are written, so that no digit is lost."""
    columns = decode_row(data)
    if columns.flaw is not None:
        raise ResultError(f"{path}: row {number}: {columns.flaw.detail}; mend that row")
    if not columns.sound:
        return {readable(name): _damaged(value) for name, value in columns.values.items()}
    values: dict[str, Json] = columns.values
    if any(type(value) is float for value in values.values()):
        values = with_written_numbers(data)
    return {
        name: scalar_text(value) if isinstance(value, Written) else value for name, value in values.items()
    }


def _damaged(value: Json) -> Value:
    """A value of a row that is not sound; NaN is how tables write that there is none."""
    found = damage(value)
    return found if found is not None and found.reason == "unreadable-text" else sanitised(value)
