from __future__ import annotations

import os
import sqlite3
import stat
import threading
from pathlib import Path

import msgspec
import pytest

from mmeval.errors import JudgeError, UsageError
from mmeval.judge import store
from mmeval.judge.cache import Cache, key
from mmeval.judge.wire import Completion, Identity, Image, Message, Request, Text

JUDGE = Identity("openai", "https://api.openai.com/v1", "gpt-4o")
YES = Completion("yes", "gpt-4o-2024-08-06", "stop", 12, 3, (("yes", -0.25),))


def asked(number: int = 0) -> Request:
    return Request((Message("user", f"Is it {number}?"),), sample=str(number), prompt="hle")


def put(cache: Cache, number: int = 0, reply: Completion = YES) -> str:
    name = key(JUDGE, asked(number))
    cache.put(name, JUDGE, asked(number), reply)
    return name


def test_what_was_put_is_there_again(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        assert cache.get(key(JUDGE, asked())) is None
        name = put(cache)
        assert cache.get(name) == YES
    with Cache.open(tmp_path) as cache:
        assert cache.get(name) == YES
        assert cache.path == tmp_path / "judge.sqlite"


def test_the_first_reply_stands_and_whoever_comes_second_goes_on_with_it(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as one, Cache.open(tmp_path) as two:
        name = put(one)
        other = Completion("no")
        assert two.put(name, JUDGE, asked(), other) == YES
        assert one.get(name) == two.get(name) == YES


def test_a_reply_of_a_later_version_is_read(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        name = put(cache)
        later = msgspec.json.decode(msgspec.json.encode(YES)) | {"seal": "x"}
        cache.connection.execute("UPDATE replies SET reply = ?", (msgspec.json.encode(later),))
        assert cache.get(name) == YES


def test_a_reply_that_is_no_reply_is_told(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        name = put(cache)
        cache.connection.execute("UPDATE replies SET reply = '[]'")
        with pytest.raises(
            JudgeError, match=rf"judge\.sqlite: .*reply {name} is damaged.*move the file away"
        ):
            cache.get(name)


def test_text_of_any_kind_is_kept(tmp_path: Path) -> None:
    odd = Completion("\x00\u200b正确\U0001f600\n" + "x" * 1_000_000, None, None)
    with Cache.open(tmp_path) as cache:
        assert cache.get(put(cache, 0, odd)) == odd


def test_what_is_stored_holds_no_picture_and_no_sample(tmp_path: Path) -> None:
    request = Request(
        (Message("user", (Text("What?"), Image("data:image/png;base64,SECRETPIXELS"))),), sample="row-17"
    )
    with Cache.open(tmp_path) as cache:
        cache.put(key(JUDGE, request), JUDGE, request, YES)
    data = (tmp_path / "judge.sqlite").read_bytes()
    assert b"What?" in data
    assert b"SECRETPIXELS" not in data
    assert b"row-17" not in data


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    with Cache.open(tmp_path / "new" / "folder") as cache:
        put(cache)
        files = list((tmp_path / "new" / "folder").iterdir())
        assert {path.name for path in files} >= {"judge.sqlite", "judge.sqlite-wal"}
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}


def test_the_folder_is_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "environment"))
    assert store.place(tmp_path / "given") == tmp_path / "given" / "judge.sqlite"
    assert store.place(None) == tmp_path / "environment" / "judge.sqlite"
    monkeypatch.setenv("MMEVAL_CACHE_DIR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    assert store.place(None).name == "judge.sqlite"
    assert "mmeval" in store.place(None).parts


def test_threads_may_share_it(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        threads = [
            threading.Thread(target=lambda start=start: [put(cache, start + n) for n in range(50)])  # type: ignore[misc]
            for start in (0, 25, 50)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cache.connection.execute("SELECT count(*) FROM replies").fetchone() == (100,)


def test_closing_twice_does_nothing_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    cache = Cache.open(tmp_path)
    put(cache)
    cache.close()
    cache.close()
    assert os.listdir(tmp_path) == ["judge.sqlite"]
    with pytest.raises(JudgeError, match="cannot be used"):
        cache.get("x")


def test_looking_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no reply cache \(judge\.sqlite\)"):
        Cache.look(tmp_path)
    assert os.listdir(tmp_path) == []
    with Cache.open(tmp_path) as cache:
        name = put(cache)
    with Cache.look(tmp_path) as cache:
        assert cache.get(name) == YES
        with pytest.raises(JudgeError, match="cannot be written"):
            put(cache, 1)


def test_without_shared_memory_the_rollback_journal_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on network file systems: locking by dot files has no shared memory, so no write-ahead log."""
    plain = store.uri
    monkeypatch.setattr(store, "uri", lambda path: plain(path) + "&vfs=unix-dotfile")
    with Cache.open(tmp_path) as cache:
        assert cache.connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        assert cache.connection.execute("PRAGMA synchronous").fetchone() == (2,)
        name = put(cache)
        assert cache.get(name) == YES


@pytest.mark.parametrize("found", [2, 99])
def test_the_format_of_another_version_is_refused(tmp_path: Path, found: int) -> None:
    with Cache.open(tmp_path) as cache:
        cache.connection.execute(f"PRAGMA user_version = {found}")
    for opening in (Cache.open, Cache.look):
        with pytest.raises(
            UsageError, match=rf"is of format {found}, this mmeval uses format 1; give another"
        ):
            opening(tmp_path)


def test_the_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "judge.sqlite")
    other.execute("CREATE TABLE bookmarks (url TEXT)")
    other.commit()
    other.close()
    before = (tmp_path / "judge.sqlite").read_bytes()
    with pytest.raises(UsageError, match="is an SQLite file of something else"):
        Cache.open(tmp_path)
    assert (tmp_path / "judge.sqlite").read_bytes() == before


def test_a_lock_that_nobody_opens_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.05)
    with Cache.open(tmp_path) as cache, Cache.open(tmp_path) as other:
        other.connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(JudgeError, match="another process has kept it locked"):
            put(cache)
        with pytest.raises(UsageError, match="another process has kept it locked"):
            Cache.open(tmp_path)
        other.connection.execute("ROLLBACK")
        put(cache)
