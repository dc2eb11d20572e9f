"""Entries of zip archives, read into memory and nowhere else: nothing is ever written to the disk.

What an archive says of its sizes is a limit, not a promise: no more than that is unpacked of an entry.
Deflate is in every Python; zstd (method 93) is read through pyarrow where that is installed.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mmeval.errors import ResultError, UsageError

# Largest entry, and largest sum of all entries that are read, in bytes, unpacked.
MAX_ENTRY = 256 * 1024 * 1024
MAX_ALL = 16 * 1024 * 1024 * 1024
_ZSTD = 93
_LOCAL = 30
_BAD = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)


class Archive:
    """An open archive whose entries are read one at a time."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path = path
        self.names = archive.namelist()
        self._archive = archive
        self._read = 0

    def read(self, name: str) -> bytes:
        """The bytes of an entry.

        Raises:
            ResultError: it is damaged, too large, encrypted, or packed in a way that is not known here.
            UsageError: it is packed with zstd, and pyarrow is not installed.
        """
        info = self._archive.getinfo(name)
        self._read += info.file_size
        if info.file_size > MAX_ENTRY or self._read > MAX_ALL:
            raise ResultError(
                f"{self.path}: {name} unpacks to {info.file_size:,} bytes, more than is read of an archive; "
                "is that file what it says?"
            )
        try:
            data = self._zstd(info) if info.compress_type == _ZSTD else self._archive.read(info)
        except RuntimeError:
            raise ResultError(f"{self.path}: {name} is encrypted; unpack it first") from None
        except _BAD as error:
            raise ResultError(f"{self.path}: {name} is damaged ({error}); copy the file again") from None
        return data

    def _zstd(self, info: zipfile.ZipInfo) -> bytes:
        """An entry that Python itself cannot unpack: behind its local header, up to the size it declares."""
        arrow = _pyarrow(self.path)
        file = self._archive.fp
        if file is None:
            raise zipfile.BadZipFile("the archive is closed")
        file.seek(info.header_offset)
        header = file.read(_LOCAL)
        skipped = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        file.seek(info.header_offset + _LOCAL + skipped)
        packed = file.read(info.compress_size)
        with arrow.CompressedInputStream(io.BytesIO(packed), "zstd") as stream:
            data: bytes = stream.read(info.file_size + 1)
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("it unpacks to something else than it declares")
        return data


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open an archive.

    Raises:
        ResultError: it is none, or a damaged one.
    """
    try:
        archive = zipfile.ZipFile(path)
    except _BAD as error:
        raise ResultError(f"{path}: is no archive that can be read ({error}); copy the file again") from None
    with archive:
        yield Archive(path, archive)


def _pyarrow(path: Path) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise UsageError(
            f"{path}: is packed with zstd, which is read through pyarrow, and that is not installed; "
            "pip install 'mmeval-score[tables]', or convert the log to JSON"
        ) from None
    return pyarrow
