"""Spreadsheets, and what they do to texts.

Facts about the format: a cell holds 32,767 characters at most, and the libraries that write .xlsx cut longer
texts there without a word. A text that begins with an equals sign may be kept as a formula, one that looks
like a date as a date. `_xHHHH_` stands for a character that XML cannot hold (ECMA-376, ST_Xstring).
"""

from __future__ import annotations

import datetime
import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import Flaw, readable
from mmeval.types import Json

Value: TypeAlias = Json | Flaw

CUT_AT = 32_767
MAX_UNPACKED = 4 * 1024 * 1024 * 1024
_FIRST = "xl/worksheets/sheet1.xml"
_TAIL = 1 << 20
_MERGED = re.compile(rb'<mergeCell ref="([A-Z0-9:]{3,30})"')
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_DATES = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)


class Sheet(NamedTuple):
    """The first sheet of a workbook that was read."""

    columns: tuple[str, ...]
    rows: list[list[Value]]
    sha256: str
    warnings: tuple[str, ...]


def is_cut(text: str) -> bool:
    """Whether a text has just the length to which spreadsheets cut: in characters, or in UTF-16 units."""
    return len(text) == CUT_AT or (
        not text.isascii() and len(text.encode("utf-16-le", "surrogatepass")) == 2 * CUT_AT
    )


def cut() -> Flaw:
    """What is said of such a text."""
    return Flaw("cell-truncated", f"the text has {CUT_AT:,} characters, to which a spreadsheet cuts")


def read_sheet(path: Path) -> Sheet:
    """Read the first sheet of a workbook; its first row names the columns.

    Raises:
        ResultError: it is no workbook, or holds no rows.
        UsageError: openpyxl is not installed.
    """
    book = _opened(path)
    try:
        lines = _values(path, book.worksheets[0]) if book.worksheets else []
        titles = [sheet.title for sheet in book.worksheets[1:]]
    finally:
        book.close()
    if len(lines) < 2:
        raise ResultError(f"{path}: its first sheet holds no rows; was the inference finished?")
    named = [(number, str(name)) for number, name in enumerate(lines[0]) if isinstance(name, str | int)]
    columns = tuple(name for _, name in named)
    twice = sorted({name for name in columns if columns.count(name) > 1})
    if twice:
        raise ResultError(f"{path}: the column {twice[0]!r} occurs twice; rename one")
    said: tuple[str, ...] = (
        (f"{path.name}: only its first sheet was read, not {', '.join(titles)}",) if titles else ()
    )
    said += (*_nameless(path, lines, {number for number, _ in named}), *_merged(path))
    rows = [
        [line[number] if number < len(line) else None for number, _ in named]
        for line in lines[1:]
        if any(value is not None for value in line)
    ]
    return Sheet(columns, rows, hashlib.sha256(path.read_bytes()).hexdigest(), said)


def _opened(path: Path) -> Any:
    try:
        import openpyxl
    except ImportError:
        raise UsageError(
            f"{path}: spreadsheets are read through openpyxl, which is not installed; "
            "pip install 'mmeval-score[tables]', or save it as .tsv"
        ) from None
    try:
        _refuse_huge(path)
        with _silent():
            return openpyxl.load_workbook(path, read_only=True)
    except OSError as error:
        raise ResultError(
            f"{path}: cannot be read ({error.strerror}); check its path and permissions"
        ) from None
    except _damages():
        raise ResultError(f"{path}: is no .xlsx workbook, or a damaged one; save it again") from None


def _refuse_huge(path: Path) -> None:
    """A workbook is an archive, and a small one may unpack to more than any memory holds.

    Raises:
        ResultError: it would unpack to more than `MAX_UNPACKED`.
    """
    import zipfile

    with zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())
    if size > MAX_UNPACKED:
        raise ResultError(
            f"{path}: unpacks to {size:,} bytes, more than is read of a workbook; save it as .tsv"
        )


@contextmanager
def _silent() -> Iterator[None]:
    """What the library says of styles is of no interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _damages() -> tuple[type[Exception], ...]:
    """What the library raises where a workbook is not what it should be; broken XML is a SyntaxError."""
    import zlib
    from zipfile import BadZipFile

    from openpyxl.utils.exceptions import InvalidFileException

    formats = (InvalidFileException, BadZipFile, zlib.error, EOFError, OSError)
    return (*formats, KeyError, ValueError, TypeError, SyntaxError)


def _nameless(path: Path, lines: list[list[Value]], named: set[int]) -> tuple[str, ...]:
    """What is said of cells below no name: which of them they belong to nobody knows."""
    filled = {number for line in lines for number, value in enumerate(line) if value is not None}
    left = sorted(filled - named)
    shown = ", ".join(str(number + 1) for number in left[:3]) + (", ..." if len(left) > 3 else "")
    return (f"{path.name}: left out for want of a name in the first row: column {shown}",) if left else ()


def _merged(path: Path) -> tuple[str, ...]:
    """What is said of merged cells: all but the first of them are empty. They are told of behind the rows."""
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive, archive.open(_FIRST) as file:
            tail = b""
            while piece := file.read(_TAIL):
                tail = tail[-_TAIL:] + piece
    except _damages():
        return ()
    found = _MERGED.findall(tail)
    shown = ", ".join(each.decode() for each in found[:3]) + (", ..." if len(found) > 3 else "")
    return (f"{path.name}: cells are merged ({shown}); all but the first of each are empty",) if found else ()


def _values(path: Path, sheet: Any) -> list[list[Value]]:
    # What the file says of its own extent may be wrong; cells beyond it would be left out.
    sheet.reset_dimensions()
    lines: Iterable[Any] = sheet.iter_rows()
    try:
        with _silent():
            return [[_value(cell) for cell in line] for line in lines]
    except _damages():
        raise ResultError(f"{path}: the first sheet of it is damaged; save it again") from None


def _value(cell: Any) -> Value:
    value, kind = cell.value, getattr(cell, "data_type", "n")
    if value is None or value == "":
        return None
    if kind == "f":
        return Flaw("cell-formula", "the cell is a formula, not a text; the text began with an equals sign")
    if kind == "e":
        return Flaw("cell-error", f"the cell holds the spreadsheet's error {value}")
    if isinstance(value, _DATES):
        return Flaw("cell-date", "the spreadsheet made a date of the text")
    if isinstance(value, str):
        if is_cut(value):
            return cut()
        return _ESCAPED.sub(_unescaped, value) if "_x" in value else value
    return value if isinstance(value, bool | int | float) else str(value)


def _unescaped(found: re.Match[str]) -> str:
    return readable(chr(int(found[1], 16)))
