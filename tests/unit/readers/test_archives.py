"""Entries of archives: both ways of packing, and archives that lie about what is in them."""

from __future__ import annotations

import builtins
import zipfile
from pathlib import Path
from typing import Any

import pytest
from zip_files import ZSTD, zipped

from mmeval.errors import ResultError, UsageError
from mmeval.readers import archives
from mmeval.readers.archives import opened

TEXT = b'{"a": 1}' * 1000


@pytest.mark.parametrize("method", [ZSTD, 0])
def test_entries_are_read(tmp_path: Path, method: int) -> None:
    with opened(zipped(tmp_path / "a.eval", {"x.json": TEXT, "y/z.json": b""}, method)) as archive:
        assert archive.names == ["x.json", "y/z.json"]
        assert archive.read("x.json") == TEXT


def test_deflate(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("x.json", TEXT)
    with opened(tmp_path / "a.eval") as archive:
        assert archive.read("x.json") == TEXT


@pytest.mark.parametrize("declared", [10, len(TEXT) + 1], ids=["less", "more"])
def test_a_lie_about_the_size_is_damage_and_no_more_is_unpacked(tmp_path: Path, declared: int) -> None:
    path = zipped(tmp_path / "a.eval", {"x.json": TEXT}, ZSTD, declared)
    with opened(path) as archive, pytest.raises(ResultError, match=r"x\.json is damaged"):
        archive.read("x.json")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ENTRY", 1000)
    path = zipped(tmp_path / "a.eval", {"x.json": b"0" * 5000})
    with opened(path) as archive, pytest.raises(ResultError, match="unpacks to 5,000 bytes"):
        archive.read("x.json")


def test_many_small_bombs_are_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MAX_ALL", 1500)
    path = zipped(tmp_path / "a.eval", {f"{n}.json": b"0" * 600 for n in range(3)})
    with opened(path) as archive:
        archive.read("0.json")
        archive.read("1.json")
        with pytest.raises(ResultError, match="more than is read of an archive"):
            archive.read("2.json")


@pytest.mark.parametrize("name", ["../../escaped.json", "/tmp/escaped.json", "..\\escaped.json"])
def test_nothing_is_ever_written(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    with opened(zipped(inside / "a.eval", {name: TEXT})) as archive:
        assert archive.read(archive.names[0]) == TEXT
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.eval"]


@pytest.mark.parametrize("cut", [4, 30, 100])
def test_torn_archives(tmp_path: Path, cut: int) -> None:
    path = zipped(tmp_path / "a.eval", {"x.json": TEXT})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ResultError, match="no archive that can be read"), opened(path):
        pass


def test_without_a_codec_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: Any) -> Any:
        if name == "pyarrow":
            raise ImportError(name)
        return real(name, *rest)

    path = zipped(tmp_path / "a.eval", {"x.json": TEXT})
    monkeypatch.setattr(builtins, "__import__", importing)
    with opened(path) as archive, pytest.raises(UsageError, match=r"mmeval-score\[tables\]"):
        archive.read("x.json")
