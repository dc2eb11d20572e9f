"""Pictures on disk: equal ones once, whole or not at all; addresses that answer, are gone, or are slow."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmeval.benchmarks.pictures import Lost
from mmeval.benchmarks.shelf import Shelf
from mmeval.errors import Incomplete, UsageError

PNG = b"\x89PNG\r\n\x1a\n picture"


@contextlib.contextmanager
def answering(*answers: tuple[int, bytes]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives these answers in turn, the last one for ever; its address and what was asked."""
    left, asked = list(answers), []

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            asked.append(self.path)
            status, body = left.pop(0) if len(left) > 1 else left[0]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/a", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "media", pause=lambda seconds: None)


def test_equal_pictures_are_one_file(shelf: Shelf) -> None:
    first, second, other = shelf.put(PNG), shelf.put(PNG), shelf.put(PNG + b"!")
    assert first == second != other
    assert first.endswith(".png")
    assert Path(first).read_bytes() == PNG
    assert len(list(shelf.folder.iterdir())) == 2


def test_what_this_run_wrote_goes_again_and_what_was_there_stays(shelf: Shelf, tmp_path: Path) -> None:
    kept = Shelf(tmp_path / "media").put(PNG)
    shelf.put(PNG)
    shelf.put(PNG + b"!")
    shelf.discard()
    assert [str(path) for path in shelf.folder.iterdir()] == [kept]
    fresh = Shelf(tmp_path / "fresh")
    with pytest.raises(KeyboardInterrupt), fresh:
        fresh.put(PNG)
        raise KeyboardInterrupt
    assert not fresh.folder.exists()
    with pytest.raises(Incomplete), fresh:
        fresh.put(PNG)
        raise Incomplete("later")
    assert len(list(fresh.folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    (tmp_path / "media").write_text("a file")
    with pytest.raises(UsageError, match="cannot write pictures there"):
        Shelf(tmp_path / "media").put(PNG)


def test_a_full_disk_leaves_no_half_picture(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        path.open("wb").close()
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UsageError, match="No space left on device"):
        shelf.put(PNG)
    assert list(shelf.folder.iterdir()) == []


def test_an_address_is_asked_once(shelf: Shelf, tmp_path: Path) -> None:
    with answering((200, PNG)) as (address, asked):
        path = shelf.fetch(address, hashlib.sha256(PNG).hexdigest().upper())
        assert isinstance(path, str)
        assert Path(path).read_bytes() == PNG
        assert shelf.fetch(address, None) == path
    assert Shelf(tmp_path / "media").fetch(address, None) == path
    assert asked == ["/a"]


@pytest.mark.parametrize(
    ("answer", "sha256", "reason"),
    [
        pytest.param((404, b""), None, "address-gone", id="gone"),
        pytest.param((403, b""), None, "address-gone", id="forbidden"),
        pytest.param((200, b"<html>gone</html>"), None, "not-a-picture", id="a-page-instead"),
        pytest.param((200, PNG), "00" * 32, "picture-changed", id="another-picture"),
    ],
)
def test_a_picture_that_cannot_be_had(
    shelf: Shelf, answer: tuple[int, bytes], sha256: str | None, reason: str
) -> None:
    with answering(answer) as (address, asked):
        assert shelf.fetch(address, sha256) == Lost(reason)
        assert len(asked) == 1
    assert not shelf.folder.exists()


def test_not_now_is_asked_again_and_is_not_gone(shelf: Shelf) -> None:
    with answering((503, b""), (429, b""), (200, PNG)) as (address, asked):
        assert isinstance(shelf.fetch(address, None), str)
        assert len(asked) == 3
    with answering((503, b"")) as (address, asked):
        with pytest.raises(Incomplete, match="HTTP 503"):
            shelf.fetch(address, None)
        assert len(asked) == 3


def test_a_refused_connection_is_not_gone(shelf: Shelf) -> None:
    with pytest.raises(Incomplete, match="cannot be fetched now"):
        shelf.fetch("http://127.0.0.1:9/a", None)


@pytest.mark.parametrize("address", ["http://[x/a", "http://a b/", "http://127.0.0.1:x/"])
def test_an_address_that_is_none(shelf: Shelf, address: str) -> None:
    assert shelf.fetch(address, None) == Lost("address-gone")


def test_unknown_hosts_are_gone_only_where_there_is_a_network(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(request: Any, timeout: float) -> Any:
        raise urllib.error.URLError(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))

    with monkeypatch.context() as patched:
        patched.setattr(urllib.request, "urlopen", unknown)
        assert shelf.fetch("http://gone.invalid/a", None) == Lost("address-gone")
        with pytest.raises(Incomplete, match="is there a network"):
            shelf.check()
    with answering((200, PNG)) as (address, _):
        shelf.fetch(address, None)
    shelf.check()
