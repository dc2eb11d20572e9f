"""Care of the reply cache: what is in it, taking it along, and throwing away."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from mmeval.errors import UsageError
from mmeval.fingerprint import canonical_json
from mmeval.judge import store
from mmeval.judge.cache import PUT, Cache
from mmeval.judge.keys import key_of
from mmeval.judge.wire import Completion
from mmeval.types import Json

_SHOWN = 5
_LINES = """
SELECT key, identity, prompt, request, reply, created FROM replies ORDER BY created, key
"""
_GROUPS = """
SELECT model, prompt, count(*), sum(length(request) + length(reply)), sum(prompt_tokens),
  sum(completion_tokens), min(created), max(created)
FROM replies GROUP BY model, prompt ORDER BY model, prompt
"""


class Group(msgspec.Struct, frozen=True):
    """The replies of one model to one prompt. Tokens are None where no server counted them."""

    model: str
    prompt: str
    replies: int
    bytes: int
    prompt_tokens: int | None
    completion_tokens: int | None
    oldest: int
    newest: int


class Stats(msgspec.Struct, frozen=True):
    """What a cache holds; times in seconds since 1970. `waiting` questions are with a batch, on record."""

    path: str
    replies: int
    bytes: int
    prompt_tokens: int
    completion_tokens: int
    oldest: int | None
    newest: int | None
    waiting: int
    groups: tuple[Group, ...]


class Line(msgspec.Struct, frozen=True):
    """One reply as exported: enough to import it, and to replay it."""

    key: str
    identity: dict[str, Json]
    prompt: str
    request: dict[str, Json]
    reply: Completion
    created: int


class Imported(msgspec.Struct, frozen=True):
    """What became of the lines of a file; of those known already, how many say something else here."""

    new: int
    known: int
    different: int


class Choice(NamedTuple):
    """Which replies go: those that fit everything that is said; None says nothing."""

    before: int | None = None
    model: str | None = None
    prompt: str | None = None


def stats(cache: Cache) -> Stats:
    """Count what a cache holds.

    Raises:
        UsageError: it is damaged.
    """
    with _telling(cache):
        rows = cache.connection.execute(_GROUPS).fetchall()
        (waiting,) = cache.connection.execute("SELECT count(*) FROM batch_requests").fetchone()
    named = [dict(zip(Group.__struct_fields__, row, strict=True)) for row in rows]
    groups = msgspec.convert(named, tuple[Group, ...])
    return Stats(
        path=str(cache.path),
        replies=sum(group.replies for group in groups),
        bytes=cache.path.stat().st_size,
        prompt_tokens=sum(group.prompt_tokens or 0 for group in groups),
        completion_tokens=sum(group.completion_tokens or 0 for group in groups),
        oldest=min((group.oldest for group in groups), default=None),
        newest=max((group.newest for group in groups), default=None),
        waiting=waiting,
        groups=groups,
    )


def lines(cache: Cache) -> Iterator[bytes]:
    """Every reply as a line of JSON, oldest first.

    Raises:
        UsageError: the cache is damaged.
    """
    with _telling(cache):
        for key, identity, prompt, request, reply, created in cache.connection.execute(_LINES):
            told = {
                "key": key,
                "identity": msgspec.Raw(identity),
                "prompt": prompt,
                "request": msgspec.Raw(request),
                "reply": msgspec.Raw(reply),
                "created": created,
            }
            yield msgspec.json.encode(told) + b"\n"


def export(cache: Cache, path: Path) -> int:
    """Write every reply into a file, whole or not at all; how many there were.

    Raises:
        UsageError: the file cannot be written, or the cache is damaged.
    """
    count = 0
    with _replacing(path) as file:
        for line in lines(cache):
            file.write(line)
            count += 1
    return count


def take_in(cache: Cache, file: Path) -> Imported:
    """Put the lines of an exported file into a cache: all of them, or none where one is bad.

    What the cache knows already stays as it is.

    Raises:
        UsageError: the file cannot be read, or a line is no exported reply.
        JudgeError: the cache cannot be written.
    """
    bad: list[str] = []
    counts = {"new": 0, "known": 0, "different": 0}
    connection = cache.connection
    try:
        with file.open("rb") as opened, store.transaction(connection):
            for number, raw in enumerate(opened, 1):
                if raw.strip():
                    _take(connection, number, raw, counts, bad)
            if bad:
                raise UsageError(_refusal(file, bad))
    except OSError as error:
        raise UsageError(f"{file}: cannot be read ({error.strerror})") from None
    except sqlite3.Error as error:
        raise store.problem(cache.path, error) from None
    return Imported(**counts)


def _take(
    connection: sqlite3.Connection, number: int, raw: bytes, counts: dict[str, int], bad: list[str]
) -> None:
    try:
        line = msgspec.json.decode(raw, type=Line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        bad.append(f"line {number}: {error}")
        return
    if key_of(line.identity, line.request) != line.key:
        bad.append(f"line {number}: its key is not that of its request")
        return
    identity, request = canonical_json(line.identity), canonical_json(line.request)
    reply = msgspec.json.encode(line.reply)
    tokens = (line.reply.prompt_tokens, line.reply.completion_tokens)
    model = str(line.identity.get("model"))
    row = (line.key, model, line.prompt, identity, request, reply, *tokens, line.created)
    if connection.execute(PUT, row).rowcount:
        counts["new"] += 1
        return
    counts["known"] += 1
    (here,) = connection.execute("SELECT reply FROM replies WHERE key = ?", (line.key,)).fetchone()
    counts["different"] += msgspec.json.decode(here, type=Completion) != line.reply


def _refusal(file: Path, bad: list[str]) -> str:
    more = f" and {len(bad) - _SHOWN} more" if len(bad) > _SHOWN else ""
    return f"{file}: {'; '.join(bad[:_SHOWN])}{more}; nothing was imported: mend or remove the bad lines"


def matching(cache: Cache, choice: Choice) -> int:
    """How many replies a choice means.

    Raises:
        UsageError: the cache is damaged.
    """
    where, values = _where(choice)
    with _telling(cache):
        (count,) = cache.connection.execute(f"SELECT count(*) FROM replies{where}", values).fetchone()
    return int(count)


def prune(cache: Cache, choice: Choice) -> int:
    """Throw replies away, and give their room back to the disk; how many they were.

    Raises:
        UsageError: the cache is damaged, or another process is using it.
    """
    where, values = _where(choice)
    with _telling(cache):
        gone = cache.connection.execute(f"DELETE FROM replies{where}", values).rowcount
        cache.connection.execute("VACUUM")
        cache.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return gone


def forget_batches(cache: Cache) -> int:
    """Strike every batch from the record, as where the server lost it; how many questions were waiting.

    Raises:
        UsageError: the cache is damaged, or another process is using it.
    """
    with _telling(cache), store.transaction(cache.connection):
        gone = cache.connection.execute("DELETE FROM batch_requests").rowcount
        cache.connection.execute("DELETE FROM batches")
    return gone


def _where(choice: Choice) -> tuple[str, list[str | int]]:
    said = {"created < ?": choice.before, "model = ?": choice.model, "prompt = ?": choice.prompt}
    given = {text: value for text, value in said.items() if value is not None}
    return (" WHERE " + " AND ".join(given) if given else ""), list(given.values())


@contextmanager
def _telling(cache: Cache) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise store.problem(cache.path, error, UsageError) from None


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes the other's place when it is whole."""
    temporary: str | None = None
    try:
        number, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(number, "wb") as file:
            yield file
        os.replace(temporary, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); give another place") from None
    finally:
        if temporary is not None:
            with suppress(FileNotFoundError):
                os.unlink(temporary)
