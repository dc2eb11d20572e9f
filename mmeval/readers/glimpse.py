"""What kind of file lies there: told from its first bytes and the names in them, never from its name alone.

No more than the head of a file is read, so that folders of large runs are gone through in no time.
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from mmeval.readers.decoding import decode_row
from mmeval.readers.structure import elements

if TYPE_CHECKING:
    from zipfile import ZipFile

Kind: TypeAlias = Literal[
    "array", "object", "lines", "table", "sheet", "zip", "parquet", "pickle", "damaged", "other"
]
Form: TypeAlias = Literal[
    "vlmevalkit",
    "lm-eval",
    "lmms-eval",
    "inspect",
    "lighteval",
    "evalscope",
    "evalscope-reviews",
    "helm",
    "damaged",
]

HEAD = 1 << 20
# Among the names of a log that `mmeval export` wrote: the package that a log says it came from.
OWN = "mmeval-score"
SUFFIXES = (".xlsx", ".tsv", ".csv", ".json", ".jsonl", ".eval", ".parquet")
# How pickles of the protocols 2 to 5 begin.
_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))
_BOM = b"\xef\xbb\xbf"
WIDE = (b"\xff\xfe", b"\xfe\xff")
# Endings of which an empty file is one whose writing was broken off.
PROMISING = (".xlsx", ".eval", ".tsv", ".jsonl")
# What lies in a file's place where its content was not fetched.
POINTER = b"version https://git-lfs"
# lighteval's; parquet files of other names may be data of anybody.
_DETAIL = "details_"
# What Excel lays beside a workbook that is open.
_LOCK = "~$"
_TABLES = (".tsv", ".csv")
_LINES = (".jsonl", ".ndjson")
_ENTRIES = 4096
_DETAILS = frozenset(("doc", "model_response", "metric"))
_TITLE = re.compile(rb"<t(?: [^>]*)?>([^<]{1,200})</t>")
_MEMBER = re.compile(rb'\s*"((?:[^"\\]|\\.){0,200})"\s*:')


class Glimpse(NamedTuple):
    """The kind of a file, and the names in its head: columns, keys of the first object, entries."""

    kind: Kind
    names: frozenset[str] = frozenset()


def glimpse(path: Path) -> Glimpse:
    """Look at the head of a file; one that is no file is of kind `other`.

    Of kind `damaged` is what cannot be opened, and what is not what its ending promises: a workbook, log or
    lighteval's details that were cut off, and one of these, a table or lines without a byte.
    """
    # A pipe would be waited for.
    if not path.is_file() or path.name.startswith(_LOCK):
        return Glimpse("other")
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError:
        return Glimpse("damaged")
    suffix = path.suffix.lower()
    if suffix in (".pkl", ".pickle") or head[:2] in _PICKLES:
        return Glimpse("pickle")
    if head.startswith(b"PK\x03\x04"):
        seen = _archive(path)
    elif head.startswith(b"PAR1"):
        seen = _columns(path)
    else:
        seen = _text(path, head.removeprefix(_BOM).lstrip(b" \t\r\n"))
    return Glimpse("damaged") if _broken(path, seen.kind, head) else seen


def _broken(path: Path, kind: Kind, head: bytes) -> bool:
    """Whether a file is not what its ending promises."""
    suffix = path.suffix.lower()
    if suffix in PROMISING and (not head or head.startswith(POINTER)):
        return True
    if suffix == ".jsonl":
        return head.startswith(WIDE)
    if suffix == ".parquet":
        return kind != "parquet" and path.name.startswith(_DETAIL)
    return (suffix == ".xlsx" and kind != "sheet") or (
        suffix == ".eval" and kind == "other" and head[:2] == b"PK"
    )


def form_of(seen: Glimpse) -> Form | None:
    """Which harness wrote a file that looks like this; None where none that is known here."""
    names = seen.names
    if "messages" in names and "model_output" not in names and "sample_score" not in names:
        return None
    for form, kinds, wanted in _FORMS:
        if seen.kind in kinds and any(each <= names for each in wanted):
            return form
    return None


_Signs: TypeAlias = tuple[frozenset[str], ...]


def _signs(*wanted: str) -> _Signs:
    return tuple(frozenset(each.split()) for each in wanted)


# Form, kinds of file, and the names of which one set must be there. The first that fits.
_FORMS: tuple[tuple[Form, tuple[Kind, ...], _Signs], ...] = (
    ("damaged", ("damaged",), _signs("")),
    ("evalscope", ("lines",), _signs("index model_output")),
    ("evalscope-reviews", ("lines",), _signs("index sample_score")),
    ("lm-eval", ("lines",), _signs("doc_id target filtered_resps filter")),
    ("lmms-eval", ("lines",), _signs("doc_id target filtered_resps")),
    ("inspect", ("zip",), _signs("header.json", "_journal/start.json")),
    ("inspect", ("object",), _signs("version status eval")),
    ("helm", ("object",), _signs("adapter_spec request_states")),
    ("lighteval", ("parquet",), _signs("doc model_response metric", "full_prompt predictions metrics")),
    ("vlmevalkit", ("array", "table", "sheet"), _signs("index prediction")),
)


def _text(path: Path, head: bytes) -> Glimpse:
    suffix = path.suffix.lower()
    if suffix in _TABLES:
        return Glimpse("table", _header(head, "," if suffix == ".csv" else "\t"))
    if head[:1] == b"{" and suffix in _LINES:
        return Glimpse("lines", _keys(head.partition(b"\n")[0]))
    if head[:1] == b"{":
        own = {OWN} if f'"{OWN}"'.encode() in head else set()
        return Glimpse("object", _keys(head) | own)
    if head[:1] == b"[":
        begin, end, _ = next(elements(head, 0))
        return Glimpse("array", _keys(head[begin:end].strip()))
    return Glimpse("other")


def _keys(data: bytes) -> frozenset[str]:
    """The keys of an object whose end may be out of sight."""
    if data[:1] != b"{":
        return frozenset()
    try:
        return frozenset(decode_row(data).values)
    except (json.JSONDecodeError, AttributeError):
        pass
    found = (_MEMBER.match(data, begin, end) for begin, end, _ in elements(data, 0))
    return frozenset(each[1].decode("utf-8", "replace") for each in found if each)


def _header(head: bytes, separator: str) -> frozenset[str]:
    text = head.decode("utf-16" if head.startswith(WIDE) else "utf-8", "replace")
    try:
        return frozenset(next(csv.reader(text.splitlines(keepends=True)[:64], delimiter=separator), []))
    except csv.Error:
        return frozenset()


def _archive(path: Path) -> Glimpse:
    """A workbook, or another archive with the names of its first entries."""
    # Loaded here: most runs are no archives.
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(path) as archive:
            names = frozenset(archive.namelist()[:_ENTRIES] + archive.namelist()[-_ENTRIES:])
            if "xl/workbook.xml" in names:
                return Glimpse("sheet", _titles(archive, names))
            return Glimpse("zip", names)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, zlib.error, EOFError):
        return Glimpse("other")


def _titles(archive: ZipFile, names: frozenset[str]) -> frozenset[str]:
    """The first texts of a workbook: the column names are among them."""
    found: set[str] = set()
    for entry in ("xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"):
        if entry in names:
            with archive.open(entry) as file:
                texts = _TITLE.findall(file.read(HEAD // 16))
            found.update(text.decode("utf-8", "replace") for text in texts)
    return frozenset(found)


def _columns(path: Path) -> Glimpse:
    """The columns of a parquet file; without the library that reads them, those of what its name says."""
    try:
        import pyarrow.parquet as parquet
        from pyarrow.lib import ArrowException
    except ImportError:
        # Its reader says what is to be installed.
        return Glimpse("parquet", _DETAILS if path.name.startswith(_DETAIL) else frozenset())
    try:
        return Glimpse("parquet", frozenset(parquet.read_schema(path).names))
    except (ArrowException, OSError, UnicodeDecodeError):
        return Glimpse("other")
