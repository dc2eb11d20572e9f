"""A file of predictions to the bytes of its rows.

The file stays as it lies (small ones in memory, large ones mapped); rows are views of it. A file that is not
JSON is refused with the place and the remedy; one that is JSON but for single values (NaN, half characters,
deep nesting) is split element by element, so that each row answers for itself.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from mmeval.errors import ResultError
from mmeval.readers.decoding import decode_row
from mmeval.readers.structure import Buffer, elements, line_of

Format: TypeAlias = Literal["result.json", "jsonl"]
RawRow: TypeAlias = msgspec.Raw | memoryview

MAP_FROM = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_SPACE = re.compile(rb"[ \t\r\n]*+")
_SECOND_OBJECT = re.compile(rb"[^\n]*+\n\s*+\{")
_LINE = re.compile(rb"[^\n]++")
# What an escape, a literal or a number can be cut to.
_FRAGMENT = re.compile(
    rb"\\?u?[0-9a-fA-F]{0,4}|t(ru?)?|f(a(ls?)?)?|n(ul?)?|Na?|-?(I(n(f(i(n(it?)?)?)?)?)?)?|[.eE][+-]?"
)
_FOREIGN = (
    (b"\xff\xfe", "it is UTF-16"),
    (b"\xfe\xff", "it is UTF-16"),
    (b"\x1f\x8b", "it is compressed with gzip"),
    (b"PK\x03\x04", "it is a zip archive or a spreadsheet"),
    (b"PAR1", "it is a parquet file"),
    (b"SQLite format 3", "it is an SQLite database"),
)
_WHY = {"Extra data": "a second value follows here; is a comma missing?"}
_array = msgspec.json.Decoder(list[msgspec.Raw])
_single = msgspec.json.Decoder(msgspec.Raw)


class Loaded(NamedTuple):
    """A file's rows, undecoded.

    `release` unmaps the file once the rows are gone; `changed` tells whether somebody wrote into it since.
    """

    rows: Sequence[RawRow]
    sha256: str
    format: Format
    release: Callable[[], None]
    changed: Callable[[], bool]


class _Content(NamedTuple):
    data: Buffer
    changed: Callable[[], bool]


def load(path: Path) -> Loaded:
    """Read a file of predictions.

    Raises:
        ResultError: it cannot be read, is not JSON, or holds no rows.
    """
    data, changed = _content(path)
    start = _start(path, data)
    lines = path.suffix.lower() in (".jsonl", ".ndjson") and data[start : start + 1] != b"["
    rows = _lines(path, data, start) if lines else _elements(path, data, start)
    if not rows:
        raise ResultError(f"{path}: holds no rows; was the inference finished?")
    release = data.close if isinstance(data, mmap.mmap) else lambda: None
    form: Format = "jsonl" if lines else "result.json"
    return Loaded(rows, hashlib.sha256(data).hexdigest(), form, release, changed)


def _content(path: Path) -> _Content:
    if path.is_dir():
        raise ResultError(
            f"{path}: is a folder, not a file of predictions; give the file in it, or rename it"
        )
    if path.is_symlink() and not path.exists():
        raise ResultError(f"{path}: is a link to a file that does not exist; mend or remove the link")
    try:
        if not path.is_file():
            raise ResultError(f"{path}: is not a file; give a file of predictions")
        with path.open("rb") as file:
            if path.stat().st_size < MAP_FROM:
                return _Content(file.read(), lambda: False)
            before = os.fstat(file.fileno())
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return _Content(data, lambda: _written_to(path, before))
    except OSError as error:
        raise ResultError(
            f"{path}: cannot be read ({error.strerror}); check its path and permissions"
        ) from None


def _written_to(path: Path, before: os.stat_result) -> bool:
    """Whether somebody wrote into the file itself; one that took its name leaves the old one as it was."""
    try:
        now = path.stat()
    except OSError:
        return False
    same = (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino)
    return same and (now.st_mtime_ns, now.st_size) != (before.st_mtime_ns, before.st_size)


def _start(path: Path, data: Buffer) -> int:
    """Where the JSON begins: behind a byte-order mark and space."""
    head = data[:16]
    for magic, what in _FOREIGN:
        if head.startswith(magic):
            raise ResultError(f"{path}: {what}; predictions are read from plain JSON in UTF-8, convert it")
    if b"\x00" in head[:4]:
        raise ResultError(
            f"{path}: starts with null bytes (UTF-16, or a broken disk); write it again as UTF-8"
        )
    begin = len(_BOM) if head.startswith(_BOM) else 0
    space = _SPACE.match(data, begin)
    start = space.end() if space else begin
    if start == len(data):
        raise ResultError(f"{path}: is empty; was the inference finished?")
    return start


def _elements(path: Path, data: Buffer, start: int) -> Sequence[RawRow]:
    if data[start : start + 1] != b"[":
        raise ResultError(f"{path}: {_not_an_array(data, start)}")
    try:
        return _array.decode(memoryview(data)[start:] if start else data)
    except (msgspec.DecodeError, RecursionError):
        return list(_checked_elements(path, data, start))


def _not_an_array(data: Buffer, start: int) -> str:
    """What lies at the top instead of an array, and what to do about it."""
    if data[start : start + 1] != b"{":
        return "the top level is not an array of samples; write a JSON array with one object per sample"
    try:
        top = msgspec.json.decode(memoryview(data)[start:], type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        if _SECOND_OBJECT.match(data, start):
            return "it holds one object per line, not an array; rename it to .jsonl"
        return (
            "the top level is an object, not an array of samples; write an array with one object per sample"
        )
    if "summary" in top and "samples" in top:
        return "it is a score file, not predictions; give the result file that it was made from"
    held = [name for name, value in top.items() if bytes(value)[:1] == b"["]
    inside = f"the list is under {held[0]!r}: write that list alone" if held else "write an array instead"
    return f"the top level is an object, not an array of samples; {inside}, one object per sample"


def _checked_elements(path: Path, data: Buffer, start: int) -> Iterator[RawRow]:
    view, end, sure = memoryview(data), start, False
    for index, (begin, end, sure) in enumerate(elements(data, start)):
        if not sure:
            break
        if index == 0 and data[end : end + 1] == b"]" and not data[begin:end].strip():
            break
        _check(path, data, begin, end, f"row {index}")
        yield view[begin:end]
    if not sure:
        _check(path, data, begin, end, f"row {index}")
        raise ResultError(f"{path}: {_cut_off(data, len(data), f'row {index}')}")
    if data[end : end + 1] != b"]":
        raise ResultError(f"{path}: {_broken(data, end, 'the array', 'it closes with the wrong bracket')}")
    rest = _SPACE.match(data, end + 1)
    if rest and rest.end() < len(data):
        raise ResultError(f"{path}: {_broken(data, rest.end(), 'the file', 'something follows the array')}")


def _lines(path: Path, data: Buffer, start: int) -> Sequence[RawRow]:
    try:
        return _single.decode_lines(memoryview(data)[start:] if start else data)
    except (msgspec.DecodeError, RecursionError):
        return list(_checked_lines(path, data, start))


def _checked_lines(path: Path, data: Buffer, start: int) -> Iterator[RawRow]:
    view = memoryview(data)
    index = 0
    for found in _LINE.finditer(data, start):
        begin, end = found.span()
        if data[begin:end].strip():
            _check(path, data, begin, end, f"row {index}")
            yield view[begin:end]
            index += 1


def _check(path: Path, data: Buffer, begin: int, end: int, name: str) -> None:
    """That one row is JSON, tolerantly read.

    Raises:
        ResultError: it is not; the message says where.
    """
    try:
        decode_row(data[begin:end])
    except json.JSONDecodeError as error:
        at = begin + len(error.doc[: error.pos].encode("utf-8", "surrogateescape"))
        torn = error.msg.startswith("Unterminated string") or _FRAGMENT.fullmatch(data[at:end].strip())
        if torn and not data[end:].strip():
            raise ResultError(f"{path}: {_cut_off(data, end, name)}") from None
        raise ResultError(f"{path}: {_broken(data, at, name, _WHY.get(error.msg, error.msg))}") from None


def _broken(data: Buffer, at: int, name: str, why: str) -> str:
    return (
        f"broken JSON at byte {at} (line {line_of(data, at)}, {name}): {why}; "
        "mend that place, or write the file again"
    )


def _cut_off(data: Buffer, at: int, name: str) -> str:
    return (
        f"broken JSON at byte {at} (line {line_of(data, at)}, {name}): the file seems cut off there; "
        "run the inference again, or remove the torn row"
    )
