"""Replies that were paid for: every raw reply of a judge, by the hash of its request, in one SQLite file.

Only whole replies are put in; a failure never is. A reply is safe once `put` returns: a process that
is killed loses the calls in flight and nothing else. Several processes may use one file at once.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import msgspec

from mmeval.errors import JudgeError
from mmeval.fingerprint import canonical_json
from mmeval.judge import store
from mmeval.judge.keys import key, portable, portable_identity
from mmeval.judge.wire import Completion, Identity, Request

__all__ = ["Cache", "key"]

_GET = "SELECT reply FROM replies WHERE key = ?"
PUT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_DECODER = msgspec.json.Decoder(Completion)


class Stored(NamedTuple):
    """A request as it is stored: identity and request as JSON."""

    key: str
    model: str
    prompt: str
    identity: bytes
    request: bytes


def _encoded(identity: Identity, request: Request) -> tuple[bytes, bytes]:
    return canonical_json(portable_identity(identity)), canonical_json(portable(request))


class Cache:
    """The reply cache, open.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._lock = threading.Lock()

    @classmethod
    def open(cls, folder: Path | None = None) -> Cache:
        """Open the cache of a folder; None is the one MMEVAL_CACHE_DIR names, else the user's cache folder.

        A real write is made, so that what cannot be kept is not paid for.

        Raises:
            UsageError: it cannot be written, the disk is full, it is damaged or another version's.
        """
        path = store.place(folder)
        return cls(path, store.open_file(path))

    @classmethod
    def look(cls, folder: Path | None = None) -> Cache:
        """Open a cache that is there already, for reading alone; nothing is made or written.

        Raises:
            UsageError: there is none, it is damaged or another version's.
        """
        path = store.place(folder)
        return cls(path, store.look_into(path))

    def get(self, key: str) -> Completion | None:
        """The reply to a request, if there is one.

        Raises:
            JudgeError: the file cannot be read.
        """
        try:
            with self._lock:
                row = self.connection.execute(_GET, (key,)).fetchone()
        except sqlite3.Error as error:
            raise store.problem(self.path, error) from None
        return None if row is None else self._decoded(key, row[0])

    def put(self, key: str, identity: Identity, request: Request, completion: Completion) -> Completion:
        """Keep a reply; it is safe when this returns.

        Returns:
            The reply that stands under this key: the first one that was put, here or by another process.
            Whoever goes on with it gets what a later run will read.

        Raises:
            JudgeError: it cannot be written. The reply is lost, so nothing more should be asked.
        """
        return self.put_stored(
            Stored(key, identity.model, request.prompt, *_encoded(identity, request)), completion
        )

    def put_stored(self, asked: Stored, completion: Completion) -> Completion:
        """The same for a request that was stored before it was answered."""
        row = (
            *asked,
            msgspec.json.encode(completion),
            completion.prompt_tokens,
            completion.completion_tokens,
            int(time.time()),
        )
        try:
            with self._lock:
                new = self.connection.execute(PUT, row).rowcount
        except sqlite3.Error as error:
            raise store.problem(self.path, error) from None
        return completion if new else self.get(asked.key) or completion

    def _decoded(self, key: str, reply: bytes) -> Completion:
        try:
            return _DECODER.decode(reply)
        except msgspec.MsgspecError as error:
            raise JudgeError(
                f"{self.path}: the reply cache: reply {key} is damaged ({error}); move the file away"
            ) from None

    def close(self) -> None:
        """Let go of the file; a second time does nothing."""
        with self._lock:
            self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
