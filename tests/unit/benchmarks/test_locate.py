"""Where a table is looked for, and what is said where it is not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from mmeval import library
from mmeval.benchmarks import hub, locate
from mmeval.errors import UsageError
from mmeval.metadata import DataFile

TABLE = b"index\tanswer\n1\tyes\n"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without tables, and nothing in the environment."""
    monkeypatch.delenv("LMUData", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def declared(monkeypatch: pytest.MonkeyPatch, data: DataFile | None) -> None:
    monkeypatch.setattr(library, "data_file", lambda name: data)


def test_a_path_is_that_file(home: Path, tmp_path: Path) -> None:
    (tmp_path / "My.Table.tsv").write_bytes(TABLE)
    found = locate.locate(str(tmp_path / "My.Table.tsv"))
    assert (found.name, found.path) == ("My.Table", tmp_path / "My.Table.tsv")


def test_a_name_is_looked_for_where_vlmevalkit_keeps_its_tables(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (home / "LMUData", tmp_path / "there"):
        folder.mkdir(parents=True)
        (folder / "MME.tsv").write_bytes(TABLE)
    assert locate.locate("MME").path == home / "LMUData" / "MME.tsv"
    monkeypatch.setenv("LMUData", str(tmp_path / "there"))
    assert locate.locate("MME").path == tmp_path / "there" / "MME.tsv"
    monkeypatch.setenv("LMUData", str(tmp_path / "no such folder"))
    assert locate.locate("MME").path == home / "LMUData" / "MME.tsv"


@pytest.mark.parametrize("name", ["HallusionBench", "NoSuchBenchmark"])
def test_without_an_address_one_sentence_says_so(home: Path, name: str) -> None:
    with pytest.raises(UsageError) as caught:
        locate.locate(name)
    said = str(caught.value)
    assert said.startswith(f"--data {name}: no such file, nor {home / 'LMUData' / name}.tsv")
    assert "declares no address" in said
    assert "\n" not in said


@pytest.mark.parametrize("reference", ["there/MME.tsv", "MME.tsv", "there/MME"])
def test_a_path_to_nothing_is_told_as_such(
    home: Path, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.parent)
    with pytest.raises(UsageError, match="no such file; give a table, or the name of a benchmark"):
        locate.locate(reference)


def test_what_is_fetched_is_held_against_its_md5(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = tmp_path / "sent.tsv"
    sent.write_bytes(TABLE)
    asked: list[tuple[str, str, str | None]] = []

    def fetch(repository: str, path: str, revision: str | None = None) -> Path:
        asked.append((repository, path, revision))
        return sent

    monkeypatch.setattr(hub, "fetch", fetch)
    md5 = hashlib.md5(TABLE).hexdigest()
    declared(monkeypatch, DataFile(repo="owner/pets", file="a/Pets.tsv", revision="v1", md5=md5))
    found = locate.locate("Pets")
    assert found == ("Pets", sent, "owner/pets/a/Pets.tsv", "v1")
    assert asked == [("owner/pets", "a/Pets.tsv", "v1")]
    declared(monkeypatch, DataFile(repo="owner/pets", file="a/Pets.tsv", md5="0" * 32))
    with pytest.raises(UsageError, match=f"has MD5 {md5}, declared is {'0' * 32}"):
        locate.locate("Pets")


@pytest.mark.parametrize("ending", ["xlsx", "xls", "json", "jsonl", "parquet"])
def test_a_file_that_is_no_table_of_text_is_refused_by_its_ending(
    home: Path, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"MME.{ending}"
    path.write_bytes(b'{"index":1}\n')
    with pytest.raises(UsageError, match=r"is no table of text; save it as \.tsv.*--dataset"):
        locate.locate(str(path))
