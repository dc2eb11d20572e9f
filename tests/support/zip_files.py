"""Zip archives written byte by byte: with entries packed by zstd, and with sizes that are a lie."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pyarrow

ZSTD = 93


def zipped(path: Path, entries: dict[str, bytes], method: int = ZSTD, declared: int | None = None) -> Path:
    """Write an archive.

    Args:
        path: where.
        entries: what, by name.
        method: 93 (zstd) or 0 (stored).
        declared: the unpacked size that the archive claims for each entry, instead of the true one.
    """
    body, directory = b"", b""
    for name, data in entries.items():
        packed = bytes(pyarrow.compress(data, codec="zstd", asbytes=True)) if method == ZSTD else data
        size = len(data) if declared is None else declared
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0, method, 0, 0, zlib.crc32(data), len(packed), size, len(name), 0
        )
        begin = len(body)
        body += b"PK\x03\x04" + common + name.encode() + packed
        directory += (
            b"PK\x01\x02"
            + struct.pack("<H", 20)
            + common
            + struct.pack("<HHHII", 0, 0, 0, 0, begin)
            + name.encode()
        )
    end = struct.pack(
        "<4sHHHHIIH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), len(body), 0
    )
    path.write_bytes(body + directory + end)
    return path
