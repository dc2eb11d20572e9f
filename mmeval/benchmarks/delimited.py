"""Tables of text, tab or comma between the cells, read as the csv module reads them and no further.

A cell is the text that stands there, or None where nothing does. No text is taken for a missing value:
"None", "NA" and "nan" are texts. No cell is cut, nothing is made up: what is broken is refused with its line.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from mmeval.errors import ResultError

Cell: TypeAlias = str | None

# Longest cell, in characters. A quote that is never closed swallows the rest of the file into one.
MAX_CELL = 64 * 1024 * 1024
SHOWN = 12
_BOM = b"\xef\xbb\xbf"
_END = "\0the end of the table\n"
_FOREIGN = (
    (b"\xff\xfe", "is UTF-16; save it as UTF-8"),
    (b"\xfe\xff", "is UTF-16; save it as UTF-8"),
    (b"\x1f\x8b", "is compressed with gzip; unpack it"),
    (b"PK\x03\x04", "is a spreadsheet or a zip archive; name it .xlsx if it is one"),
    (b"PAR1", "is a parquet file; write it as a table of text"),
    (b"version https://git-lfs", "is a pointer of Git LFS and not the data; run git lfs pull"),
    (b"<!DOCTYPE", "is a web page; download the file itself"),
    (b"<html", "is a web page; download the file itself"),
)


@dataclass(frozen=True)
class Grid:
    """A table that was read.

    Attributes:
        header: the names of the columns that were kept.
        rows: the cells of each row, as many as there are columns.
        dropped: columns that were not kept.
        sha256: of the file's bytes, in hex.
        md5: of the same, as data repositories publish it.
        short: rows that had fewer cells than the header; the missing ones are None.
    """

    header: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    dropped: tuple[str, ...]
    sha256: str
    md5: str
    short: int


def separator(path: Path) -> str:
    """What stands between the cells of a file of this name."""
    return "," if path.suffix.lower() == ".csv" else "\t"


def read_grid(path: Path, drop: Callable[[str], bool] = lambda name: False) -> Grid:
    """Read a whole table.

    Args:
        path: the file.
        drop: which columns not to keep. Columns without a name, as tools write row numbers, never are.

    Raises:
        ResultError: it cannot be read, is no table in UTF-8, or holds no rows.
    """
    hashes = hashlib.sha256(), hashlib.md5(usedforsecurity=False)

    def seen(line: bytes) -> None:
        for each in hashes:
            each.update(line)

    with _opened(path) as file:
        records = _records(path, file, seen)
        header = _header(path, next(records, []))
        kept = [number for number, name in enumerate(header) if name.strip() and not drop(name)]
        width, short = len(header), 0
        rows: list[tuple[Cell, ...]] = []
        for record in records:
            short += len(record) < width
            record += [""] * (width - len(record))
            rows.append(tuple(record[number] or None for number in kept))
    if not rows:
        raise ResultError(f"{path}: holds no rows below its header; is the file complete?")
    sha256, md5 = (each.hexdigest() for each in hashes)
    names = tuple(header[number] for number in kept)
    return Grid(names, rows, tuple(name for name in header if name not in names), sha256, md5, short)


def iterate(path: Path) -> Iterator[dict[str, Cell]]:
    """The rows of a table one at a time, every column by its name; for those too wide to hold.

    Raises:
        ResultError: as `read_grid`.
    """
    with _opened(path) as file:
        records = _records(path, file, lambda line: None)
        header = _header(path, next(records, []))
        for record in records:
            record += [""] * (len(header) - len(record))
            yield {name: cell or None for name, cell in zip(header, record, strict=True) if name.strip()}


def columns_shown(names: Sequence[str]) -> str:
    """Column names for a message."""
    more = ", ..." if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        if path.is_dir():
            raise ResultError(f"{path}: is a folder, not a table; give the file in it")
        with path.open("rb") as file:
            head = file.read(24)
            for magic, what in _FOREIGN:
                if head.startswith(magic):
                    raise ResultError(f"{path}: {what}")
            file.seek(0)
            yield file
    except OSError as error:
        raise ResultError(
            f"{path}: cannot be read ({error.strerror}); check its path and permissions"
        ) from None


@contextmanager
def _long_cells() -> Iterator[None]:
    """The csv module's limit is of the whole process: it is put back."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(path: Path, file: IO[bytes], seen: Callable[[bytes], None]) -> Iterator[list[str]]:
    """The records of a file, blank lines left out; the header comes first."""
    reader = csv.reader(_lines(path, file, seen), delimiter=separator(path))
    begun, width = 1, 0
    while True:
        try:
            with _long_cells():
                record = next(reader, None)
        except csv.Error as error:
            raise ResultError(f"{path}: line {begun}: {_why(str(error))}") from None
        if record == [_END[:-1]]:
            return
        if record is None or (record and record[-1].endswith(_END)):
            raise ResultError(
                f"{path}: the quote that opens in the row at line {begun} is never closed; double the quotes "
                "inside quoted cells, or write the file again"
            )
        width = width or len(record)
        if len(record) > width:
            raise ResultError(
                f"{path}: the row at line {begun} has {len(record)} cells, the header has {width}; quote "
                "cells that hold the separator or a line break"
            )
        if record:
            yield record
        begun = reader.line_num + 1


def _why(error: str) -> str:
    if "field limit" in error:
        return f"a cell is longer than {MAX_CELL:,} characters; is a quote before it never closed?"
    if "new-line" in error:
        return "a carriage return stands alone in a cell; quote that cell, or end lines with a line feed"
    return f"{error}; mend that line"


def _lines(path: Path, file: IO[bytes], seen: Callable[[bytes], None]) -> Iterator[str]:
    """The lines as text, and a mark after the last: it stands alone unless a quote is still open."""
    at, line = 0, b"\n"
    for number, line in enumerate(file, 1):
        seen(line)
        begin = len(_BOM) if number == 1 and line.startswith(_BOM) else 0
        try:
            yield line[begin:].decode("utf-8")
        except UnicodeDecodeError as error:
            raise ResultError(
                f"{path}: is not UTF-8 at byte {at + begin + error.start} (line {number}); save it as UTF-8"
            ) from None
        at += len(line)
    if not line.endswith(b"\n"):
        yield "\n"
    yield _END


def _header(path: Path, names: list[str]) -> list[str]:
    if not any(name.strip() for name in names):
        raise ResultError(f"{path}: is empty; is the file complete?")
    twice = sorted({name for name in names if name.strip() and names.count(name) > 1})
    if twice:
        raise ResultError(f"{path}: the column {twice[0]!r} occurs twice; rename one")
    return names
