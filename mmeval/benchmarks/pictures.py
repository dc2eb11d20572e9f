"""What a cell says of a picture: its bytes, an address, a path, another row; or why it is none of these."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from mmeval.benchmarks.records import Cell, embedded
from mmeval.fingerprint import canonical

Kind: TypeAlias = Literal["bytes", "address", "path", "row"]

_ADDRESS = re.compile(r"https?://\S+")
_DATA = re.compile(r"data:[\w.+/-]*(?:;[\w=.+-]+)*,")
# A path ends like a file; base64 has no dot.
_PATH = re.compile(r"[^\n]{1,1024}\.[A-Za-z0-9]{1,5}")
# Columns that say where a picture lies, of use where no column holds the picture itself.
_WHERE = re.compile(r".*_(?:path|url|file)s?(?:_?\d+)?")
# Columns whose texts are pictures, addresses, paths or rows; those of films and sounds name what they like.
_PICTURES = re.compile(r"(?:decoded_)?(?:image|img).*")
# VLMEvalKit takes a cell of up to 64 characters for the index of another row (`image_base.py` @ e8e78f0).
_LONGEST_INDEX = 64
_SPACE = re.compile(r"\s+")
_MAGIC = (
    (b"\xff\xd8\xff", "jpg"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
)
_BOXED = {b"avif": "avif", b"avis": "avif", b"heic": "heic", b"heix": "heic", b"mif1": "heic", b"qt  ": "mov"}


class Picture(NamedTuple):
    """One picture: what is known of it. `text` is the address, the path or the row; `data` the bytes."""

    kind: Kind
    text: str = ""
    data: bytes = b""


class Lost(NamedTuple):
    """A picture that cannot be had: a short code."""

    reason: str


def pictures(cells: Mapping[str, Cell], rows: Mapping[str, int], own: str) -> list[Picture | Lost]:
    """The pictures of a row, in the order of its columns.

    Args:
        cells: the media columns. Those that hold pictures count before those that say where one lies.
        rows: every row's id; a short cell that is one of them stands for that row's pictures.
        own: the id of the row itself, which is no reference.
    """
    here = {name: cell for name, cell in cells.items() if not _WHERE.fullmatch(name.lower())}
    found = _read(here, rows, own)
    return found or _read({name: cell for name, cell in cells.items() if name not in here}, rows, own)


def _read(cells: Mapping[str, Cell], rows: Mapping[str, int], own: str) -> list[Picture | Lost]:
    return [
        _picture(each, rows, own) if _PICTURES.fullmatch(name.lower()) else _film(each)
        for name, cell in cells.items()
        for each in _each(cell)
    ]


def _each(cell: Cell) -> list[Cell]:
    """The pictures that a cell lists; most hold one, an empty one holds none."""
    if isinstance(cell, str) and cell[:1] == "[":
        cell = embedded(cell)
    cells = cell if isinstance(cell, list | tuple) else [cell]
    return [each for each in cells if each is not None and each != ""]


def _film(cell: Cell) -> Picture | Lost:
    """A film or a sound: a text is a path, whatever it looks like."""
    cell = _content(cell)
    return Picture("path", cell) if isinstance(cell, str) else _picture(cell, {}, "")


def _content(cell: Cell) -> Cell:
    """What a structure of bytes and path holds; any other cell as it is."""
    return cell.get("bytes") or cell.get("path") if isinstance(cell, dict) else cell


def _picture(cell: Cell, rows: Mapping[str, int], own: str) -> Picture | Lost:
    cell = _content(cell)
    if isinstance(cell, bytes):
        return Picture("bytes", data=cell) if suffix(cell) else Lost("not-a-picture")
    if isinstance(cell, int | float):
        cell = canonical(cell)
    if not isinstance(cell, str) or not cell.strip():
        return Lost("not-a-picture")
    return _written(cell.strip(), rows, own)


def _written(text: str, rows: Mapping[str, int], own: str) -> Picture | Lost:
    if len(text) <= _LONGEST_INDEX and text in rows and text != own:
        return Picture("row", text)
    if _ADDRESS.fullmatch(text[:4096]) and len(text) <= 4096:
        return Picture("address", text)
    if found := _DATA.match(text):
        return _decoded(text[found.end() :])
    if len(text) <= 1024 and _PATH.fullmatch(text):
        return Picture("path", text)
    found_in = _decoded(text)
    short = isinstance(found_in, Lost) and len(text) <= _LONGEST_INDEX
    return Lost("no-such-row") if short else found_in


def _decoded(text: str) -> Picture | Lost:
    bare = text if " " not in text and "\n" not in text else _SPACE.sub("", text)
    try:
        data = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        return Lost("undecodable")
    return Picture("bytes", data=data) if suffix(data) else Lost("not-a-picture")


def suffix(data: bytes) -> str | None:
    """The ending for a file with these bytes; None where they begin like no picture or film.

    >>> suffix(b"GIF89a..."), suffix(b"<html>")
    ('gif', None)
    """
    for magic, ending in _MAGIC:
        if data.startswith(magic):
            return ending
    if data[:4] == b"RIFF":
        return {b"WEBP": "webp", b"AVI ": "avi"}.get(data[8:12])
    if data[4:8] == b"ftyp":
        return _BOXED.get(data[8:12], "mp4")
    return "webm" if data[:4] == b"\x1a\x45\xdf\xa3" else None
