"""Which questions are with a batch: records in the cache's own file, so that no restart asks them twice."""

from __future__ import annotations

import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from mmeval.fingerprint import canonical_json
from mmeval.judge import store
from mmeval.judge.cache import Cache, Stored
from mmeval.judge.keys import portable, portable_identity
from mmeval.judge.wire import Identity, Request


class Submission(NamedTuple):
    """A batch on record. `remote` is None until the server has said that it knows it."""

    id: str
    remote: str | None
    created: int


class Submissions:
    """The batches of one judge that are on record."""

    def __init__(self, cache: Cache, identity: Identity) -> None:
        self._cache = cache
        self._model = identity.model
        self._identity = canonical_json(portable_identity(identity))

    def open(self) -> list[Submission]:
        """Those whose replies were not fetched yet, oldest first.

        Raises:
            JudgeError: the cache cannot be used; so all below.
        """
        with self._telling() as connection:
            rows = connection.execute(
                "SELECT id, remote, created FROM batches WHERE identity = ? ORDER BY created, id",
                (self._identity,),
            ).fetchall()
        return [Submission(*row) for row in rows]

    def taken(self, keys: Sequence[str]) -> set[str]:
        """Those of some questions that are with a batch."""
        with self._telling() as connection:
            found = connection.execute("SELECT key FROM batch_requests").fetchall()
        return {key for (key,) in found} & set(keys)

    def record(self, asked: Mapping[str, Request]) -> tuple[Submission, list[str]]:
        """Put questions on record before they are sent; those that another process was faster with are left.

        Returns:
            The record, and the keys of the questions in it.
        """
        made = Submission(uuid.uuid4().hex, None, int(time.time()))
        with self._telling() as connection, store.transaction(connection):
            new = [
                key
                for key, request in asked.items()
                if connection.execute(
                    "INSERT OR IGNORE INTO batch_requests VALUES (?, ?, ?, ?)",
                    (key, made.id, request.prompt, canonical_json(portable(request))),
                ).rowcount
            ]
            if new:
                connection.execute(
                    "INSERT INTO batches VALUES (?, ?, NULL, ?)", (made.id, self._identity, made.created)
                )
        return made, new

    def known(self, submission: Submission, remote: str) -> Submission:
        """Note that the server knows it, and by which name."""
        with self._telling() as connection:
            connection.execute("UPDATE batches SET remote = ? WHERE id = ?", (remote, submission.id))
        return submission._replace(remote=remote)

    def size(self, submission: Submission) -> int:
        """How many questions a batch holds."""
        with self._telling() as connection:
            (count,) = connection.execute(
                "SELECT count(*) FROM batch_requests WHERE batch = ?", (submission.id,)
            ).fetchone()
        return int(count)

    def questions(self, submission: Submission) -> dict[str, Stored]:
        """The questions of a batch, by key."""
        with self._telling() as connection:
            rows = connection.execute(
                "SELECT key, prompt, request FROM batch_requests WHERE batch = ?", (submission.id,)
            ).fetchall()
        return {
            key: Stored(key, self._model, prompt, self._identity, request) for key, prompt, request in rows
        }

    def forget(self, submission: Submission) -> None:
        """Strike a batch from the record: its replies are in the cache, or none will come."""
        with self._telling() as connection, store.transaction(connection):
            connection.execute("DELETE FROM batch_requests WHERE batch = ?", (submission.id,))
            connection.execute("DELETE FROM batches WHERE id = ?", (submission.id,))

    @contextmanager
    def _telling(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._cache.connection
        except sqlite3.Error as error:
            raise store.problem(self._cache.path, error) from None
