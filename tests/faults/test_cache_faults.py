"""The reply cache where disks are full, folders closed, files damaged and processes killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mmeval.errors import JudgeError, UsageError
from mmeval.judge import store
from mmeval.judge.cache import Cache, key
from mmeval.judge.wire import Completion, Identity, Message, Request

JUDGE = Identity("openai", "https://api.openai.com/v1", "gpt-4o")
REMEDY = r"MMEVAL_CACHE_DIR, --judge_cache"

WRITER = """
import sys
from pathlib import Path
from mmeval.judge.cache import Cache, key
from mmeval.judge.wire import Completion, Identity, Message, Request

judge = Identity("openai", "https://api.openai.com/v1", "gpt-4o")
folder, start, stop = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
with Cache.open(folder) as cache:
    for number in range(start, stop):
        request = Request((Message("user", f"Is it {number}? " + "x" * 2000),))
        cache.put(key(judge, request), judge, request, Completion(f"yes {number}"))
        print(number, flush=True)
"""


def asked(number: int) -> Request:
    return Request((Message("user", f"Is it {number}? " + "x" * 2000),))


def put(cache: Cache, number: int = 0) -> str:
    name = key(JUDGE, asked(number))
    cache.put(name, JUDGE, asked(number), Completion(f"yes {number}"))
    return name


def writer(folder: Path, start: int, stop: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(folder), str(start), str(stop)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


def missing(folder: Path, numbers: range) -> list[int]:
    with Cache.open(folder) as cache:
        replies = {number: cache.get(key(JUDGE, asked(number))) for number in numbers}
    return [number for number, reply in replies.items() if reply != Completion(f"yes {number}")]


def test_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """They make the file at the same moment, and their ranges overlap."""
    writers = [writer(tmp_path, start, start + 300) for start in (0, 150, 300)]
    told = [each.communicate(timeout=60) for each in writers]
    assert [err for _, err in told] == [b"", b"", b""]
    assert missing(tmp_path, range(600)) == []


def test_without_shared_memory_processes_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rollback journal, as where the write-ahead log is not to be had."""
    with Cache.open(tmp_path) as cache:
        cache.connection.execute("PRAGMA journal_mode = DELETE")
    code = WRITER.replace("judge = Identity", "store.JOURNAL = 'DELETE'\njudge = Identity", 1).replace(
        "import sys", "import sys\nfrom mmeval.judge import store", 1
    )
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(start), str(start + 60)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for start in (0, 30)
    ]
    assert [each.communicate(timeout=60)[1] for each in writers] == ["", ""]
    monkeypatch.setattr(store, "JOURNAL", "DELETE")
    assert missing(tmp_path, range(90)) == []


def test_a_writer_that_is_killed_loses_nothing_that_it_was_told_is_safe(tmp_path: Path) -> None:
    dice = random.Random(0)
    for start in range(0, 100_000, 10_000):
        each = writer(tmp_path, start, start + 10_000)
        assert each.stdout is not None
        assert each.stdout.readline() == f"{start}\n".encode()
        time.sleep(dice.random() / 10)
        each.kill()
        out, _ = each.communicate(timeout=60)
        done = [int(line) for line in out.splitlines(keepends=True) if line.endswith(b"\n")]
        assert each.returncode == -signal.SIGKILL, "it ended before it was killed"
        assert missing(tmp_path, range(start, max([start, *done]) + 1)) == []


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data[: len(data) // 2], id="cut-off"),
        pytest.param(lambda data: data[:4096], id="its-first-page"),
        pytest.param(lambda data: data[:50], id="its-first-bytes"),
        pytest.param(lambda data: b"no database" * 1000, id="something-else"),
        pytest.param(lambda data: bytes(len(data)), id="zeros"),
        pytest.param(lambda data: data[:16] + b"\xff" * 84 + data[100:], id="its-head"),
    ],
)
def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    with Cache.open(tmp_path) as cache:
        for number in range(50):
            put(cache, number)
    path = tmp_path / "judge.sqlite"
    path.write_bytes(spoil(path.read_bytes()))
    before = path.read_bytes()
    for opening in (Cache.open, Cache.look):
        with pytest.raises(UsageError, match=rf"judge\.sqlite: .*(damaged|another|use).*{REMEDY}"):
            opening(tmp_path)
    assert path.read_bytes() == before


def test_damage_that_shows_late_stops_the_run(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        for number in range(200):
            put(cache, number)
    path = tmp_path / "judge.sqlite"
    data = path.read_bytes()
    page = 4096
    path.write_bytes(data[: 12 * page] + os.urandom(len(data) - 12 * page))
    with Cache.open(tmp_path) as cache, pytest.raises(JudgeError, match=rf"damaged.*{REMEDY}"):
        for number in range(200, 400):
            cache.get(key(JUDGE, asked(number)))
            put(cache, number)


AS_NOBODY = """
import os, platformdirs, sys
from pathlib import Path
from mmeval.errors import MmevalError
from mmeval.judge.cache import Cache
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    with getattr(Cache, sys.argv[1])(Path(sys.argv[2])) as cache:
        print(cache.connection.execute("SELECT count(*) FROM replies").fetchone()[0])
except MmevalError as error:
    print(type(error).__name__, error)
"""


def as_nobody(how: str, folder: Path) -> str:
    """What somebody is told who may not write everywhere."""
    ran = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, how, str(folder)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return ran.stdout


@pytest.fixture
def closed() -> Iterator[Path]:
    """A cache that cannot be written to, in a folder that cannot either, but can be read."""
    with tempfile.TemporaryDirectory() as outside:
        folder = Path(outside)
        with Cache.open(folder) as cache:
            put(cache)
        (folder / "judge.sqlite").chmod(0o444)
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


def test_a_closed_folder_is_refused_for_use_but_can_be_looked_into(closed: Path) -> None:
    used = as_nobody("open", closed)
    assert used.startswith(f"UsageError {closed / 'judge.sqlite'}: ")
    assert "cannot be written there (Permission denied)" in used
    assert "nothing is asked without one" in used
    assert as_nobody("look", closed) == "1\n"
    assert "Permission denied" in as_nobody("open", closed / "new")


def test_a_file_where_the_folder_should_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match=r"cannot be written there \((File exists|Not a directory)\)"):
            Cache.open(folder)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_device_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "judge.sqlite").symlink_to("/dev/full")
    with pytest.raises(UsageError, match=r"judge\.sqlite: "):
        Cache.open(tmp_path)


LIMITED = """
import resource, signal, sys
from pathlib import Path
from mmeval.errors import MmevalError
from mmeval.judge.cache import Cache, key
from mmeval.judge.wire import Completion, Identity, Message, Request
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
judge = Identity("openai", None, "m")
done = 0
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
try:
    limit(int(sys.argv[2]))
    with Cache.open(Path(sys.argv[1])) as cache:
        limit(1_000_000)
        for number in range(10_000):
            request = Request((Message("user", f"{number}" + "x" * 2000),))
            cache.put(key(judge, request), judge, request, Completion(str(number)))
            done += 1
except MmevalError as error:
    print(done, type(error).__name__, error)
"""


def limited(folder: Path, size: int) -> str:
    """What a process says that may not write larger files; like a disk that is full."""
    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, str(folder), str(size)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return ran.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_disk_without_room_is_refused_before_anything_is_paid(tmp_path: Path) -> None:
    said = limited(tmp_path, 1_000_000)
    assert said.startswith(f"0 UsageError {tmp_path / 'judge.sqlite'}: ")
    assert "make room, or give another folder" in said
    assert [path.name for path in tmp_path.iterdir()] == ["judge.sqlite"], "no litter"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such limits")
def test_a_disk_that_fills_up_stops_the_run_and_keeps_what_it_has(tmp_path: Path) -> None:
    said = limited(tmp_path, 100_000_000)
    done = int(said.split()[0])
    assert done > 10
    assert " JudgeError " in said
    assert "what was answered before is safe" in said
    with Cache.open(tmp_path) as cache:
        judge = Identity("openai", None, "m")
        for number in range(done):
            request = Request((Message("user", f"{number}" + "x" * 2000),))
            assert cache.get(key(judge, request)) == Completion(str(number))


def test_a_full_file_is_told_as_a_full_disk(tmp_path: Path) -> None:
    with Cache.open(tmp_path) as cache:
        (pages,) = cache.connection.execute("PRAGMA page_count").fetchone()
        cache.connection.execute(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(JudgeError, match=rf"the disk is full; make room.*is safe.*{REMEDY}"):
            for number in range(100):
                put(cache, number)
        assert cache.get(key(JUDGE, asked(0))) == Completion("yes 0")


def test_no_key_of_a_user_is_ever_in_the_file(tmp_path: Path) -> None:
    """Headers and keys are no part of a request; an endpoint comes without credentials."""
    secret = "sk-test-0123456789abcdef"
    os.environ["OPENAI_API_KEY"] = secret
    try:
        with Cache.open(tmp_path) as cache:
            for number in range(20):
                put(cache, number)
            data = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert b"gpt-4o" in data
    assert secret.encode() not in data
    assert b"Authorization" not in data
