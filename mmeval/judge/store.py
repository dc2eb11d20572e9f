"""The file of the reply cache: where it lies, how it is opened, and what is said when it cannot be used."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from mmeval.errors import JudgeError, MmevalError, UsageError

FILE = "judge.sqlite"
VARIABLE = "MMEVAL_CACHE_DIR"
FORMAT = 1
# Tells the file from any other SQLite file: "mmjc".
APPLICATION = 0x6D6D6A63
# Room that must be there before anything is paid, in bytes.
ROOM = 8 * 1024 * 1024
JOURNAL = "WAL"
# Seconds that another process may keep the file to itself.
PATIENCE = 30.0

TABLES = """
CREATE TABLE replies (
  key TEXT PRIMARY KEY, model TEXT NOT NULL, prompt TEXT NOT NULL, identity BLOB NOT NULL,
  request BLOB NOT NULL, reply BLOB NOT NULL, prompt_tokens INTEGER, completion_tokens INTEGER,
  created INTEGER NOT NULL
);
CREATE TABLE batches (
  id TEXT PRIMARY KEY, identity BLOB NOT NULL, remote TEXT, created INTEGER NOT NULL
);
CREATE TABLE batch_requests (
  key TEXT PRIMARY KEY, batch TEXT NOT NULL, prompt TEXT NOT NULL, request BLOB NOT NULL
);
CREATE TABLE notes (name TEXT PRIMARY KEY, value);
"""

_Got = TypeVar("_Got")
_CORRUPT = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_WAITING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_CLOSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


def place(folder: Path | None) -> Path:
    """The file of the cache: in the folder that was given, the one MMEVAL_CACHE_DIR names, or the user's."""
    if folder is None:
        named = os.environ.get(VARIABLE)
        if named:
            folder = Path(named)
        else:
            import platformdirs

            folder = Path(platformdirs.user_cache_dir("mmeval", appauthor=False))
    return folder / FILE


def open_file(path: Path) -> sqlite3.Connection:
    """Open the cache for use, make it where it is missing, and see that it can be written to.

    Raises:
        UsageError: it cannot be written, the disk is full, it is damaged or another version's.
    """
    _prepare(path)
    try:
        return _patiently(lambda: _opened(path))
    except sqlite3.Error as error:
        raise problem(path, error, UsageError) from None


def look_into(path: Path) -> sqlite3.Connection:
    """Open a cache that is there already, for reading alone.

    Raises:
        UsageError: there is none, it is damaged or another version's.
    """
    if not path.exists():
        raise UsageError(f"{path.parent}: holds no reply cache ({FILE}); name its folder with --cache_dir")
    try:
        connection = _connected(_reading(path))
        connection.execute("PRAGMA query_only = ON")
        _recognise(path, connection)
    except sqlite3.Error as error:
        raise problem(path, error, UsageError) from None
    return connection


def _reading(path: Path) -> str:
    """How SQLite is told a file to read: it makes helper files beside it, and takes them away if it may."""
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        return uri(path)
    # Where it may not, the file is fixed unless somebody else is at work on it.
    busy = path.with_name(f"{path.name}-wal").exists()
    return f"{path.absolute().as_uri()}?mode=ro{'' if busy else '&immutable=1'}"


def problem(path: Path, error: sqlite3.Error, kind: type[MmevalError] = JudgeError) -> MmevalError:
    """What to tell of an error of SQLite: the file, what is wrong, and the remedy."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in _CORRUPT:
        said = f"is damaged, or no reply cache ({error}); move it away, or give another folder"
    elif code in _WAITING:
        said = f"another process has kept it locked for {PATIENCE:.0f} s; let that one end, then run again"
    elif code == sqlite3.SQLITE_FULL:
        said = "the disk is full; make room, or give another folder; what was answered before is safe"
    elif code in _CLOSED:
        said = f"cannot be written ({error}); make it writable, or give another folder"
    else:
        said = f"cannot be used ({error}); is the disk full? what was answered before is safe"
    return kind(f"{path}: the reply cache: {said} ({VARIABLE}, --judge_cache)")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of it or nothing, and nobody else in between."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _prepare(path: Path) -> None:
    """The folder and an own file in it, and room to write.

    Raises:
        UsageError: not to be had.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # SQLite gives its helper files the permissions of the file itself.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        _find_room(path.parent)
    except OSError as error:
        raise UsageError(
            f"{path}: the reply cache cannot be written there ({error.strerror}); replies are paid for, so "
            f"nothing is asked without one: make room, or give another folder ({VARIABLE}, --judge_cache)"
        ) from None


def _find_room(folder: Path) -> None:
    """Take some room and give it back; unlike the free space, this knows quotas and limits.

    Raises:
        OSError: there is none.
    """
    with tempfile.TemporaryFile(dir=folder, prefix="mmeval-room-") as file:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, ROOM)
        elif shutil.disk_usage(folder).free < ROOM:
            raise OSError(28, "No space left on device")


def _connected(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(
        uri, uri=True, timeout=PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=64
    )


def uri(path: Path) -> str:
    """How SQLite is told the file."""
    return f"{path.absolute().as_uri()}?mode=rw"


def _opened(path: Path) -> sqlite3.Connection:
    connection = _connected(uri(path))
    with ExitStack() as stack:
        stack.callback(connection.close)
        _recognise(path, connection)
        # The write-ahead log needs shared memory; where a file system has none, the rollback journal stays.
        (mode,) = connection.execute(f"PRAGMA journal_mode = {JOURNAL}").fetchone()
        connection.execute(f"PRAGMA synchronous = {'NORMAL' if mode == 'wal' else 'FULL'}")
        connection.execute("PRAGMA wal_autocheckpoint = 8000")
        connection.execute("PRAGMA journal_size_limit = 67108864")
        _furnish(connection)
        connection.execute("INSERT OR REPLACE INTO notes VALUES ('opened', ?)", (int(time.time()),))
        stack.pop_all()
    return connection


def _furnish(connection: sqlite3.Connection) -> None:
    """Make the tables, unless another process has."""
    with transaction(connection):
        if _format(connection) == 0:
            for statement in TABLES.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")


def _recognise(path: Path, connection: sqlite3.Connection) -> None:
    """That the file is a cache of this format, or an empty one.

    Raises:
        UsageError: it is something else.
    """
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    found = _format(connection)
    if tables and application != APPLICATION:
        raise UsageError(f"{path}: is an SQLite file of something else; move it away, or give another folder")
    if tables and found != FORMAT:
        raise UsageError(
            f"{path}: the reply cache is of format {found}, this mmeval uses format {FORMAT}; "
            f"give another folder ({VARIABLE}, --judge_cache), or use the mmeval that made it"
        )


def _format(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    return int(found)


def _patiently(attempt: Callable[[], _Got]) -> _Got:
    """Try again while another process makes the same file; SQLite itself does not wait for that.

    Raises:
        sqlite3.Error: it cannot be opened for another reason, or not in time.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return attempt()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _WAITING or time.monotonic() > until:
                raise
            time.sleep(0.02)
