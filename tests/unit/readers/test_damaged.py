"""Files that are not what their ending promises: each is named, and none is lost in silence."""

from __future__ import annotations

import builtins
import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers import discover
from mmeval.readers.foreign import Choice
from mmeval.readers.glimpse import form_of, glimpse
from mmeval.readers.importing import importable, unopened
from mmeval.readers.opening import read_foreign
from mmeval.readers.vlmevalkit import read


def book(rows: list[list[Any]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")
    made, data = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        made.active.append(row)
    made.save(data)
    return data.getvalue()


def packed(entries: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name, text)
    return data.getvalue()


HEAD = ["index", "question", "answer", "prediction"]
LOG = packed({"header.json": "{}", "samples/1_epoch_1.json": "{}"})
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 7\n"
DAMAGED = [
    (
        "cut-workbook",
        "m_POPE.xlsx",
        b"PK\x03\x04 and no more",
        r"is no workbook \(\.xlsx\), or one that was cut",
    ),
    ("archive-that-is-no-workbook", "m_POPE.xlsx", LOG, "is no workbook"),
    ("page-instead-of-a-workbook", "m_POPE.xlsx", b"<html>404</html>", "is no workbook"),
    ("cut-log", "a.eval", LOG[:40], r"is no log of Inspect \(\.eval\)"),
    ("cut-details", "details_x_2025.parquet", b"PAR1 and no more", "is no parquet file"),
    ("pointer", "m_POPE.xlsx", POINTER, "is a pointer of Git LFS"),
    ("pointer-to-lines", "samples_x_2025-01-02T03-04-05.6.jsonl", POINTER, "is a pointer of Git LFS"),
    ("empty-workbook", "m_POPE.xlsx", b"", "is empty; was the inference finished"),
    ("empty-table", "m_POPE.tsv", b"", "is empty; was the inference finished"),
    ("empty-lines", "samples_x_2025-01-02T03-04-05.6.jsonl", b"", "is empty; was the inference finished"),
    ("utf-16-lines", "samples_x_2025-01-02T03-04-05.6.jsonl", '{"doc_id":0}'.encode("utf-16"), "is UTF-16"),
    ("utf-16", "m_POPE.tsv", "index\tquestion\tanswer\tprediction\n".encode("utf-16"), "is UTF-16; save it"),
]
OTHERS = [
    ("lock-of-excel", "~$m_POPE.xlsx", b"\x04user"),
    ("empty-csv", "m_acc.csv", b""),
    ("anybody's-parquet", "train.parquet", POINTER),
    ("anybody's-archive", "photos.zip", b"PK\x03\x04 and no more"),
]


@pytest.mark.parametrize(
    ("name", "data", "said"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED]
)
def test_it_is_a_run_that_says_what_is_wrong(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert discover(tmp_path, None) == importable(tmp_path) == [path]
    with pytest.raises(ResultError, match=said):
        read_foreign(path, Choice())


@pytest.mark.parametrize(("name", "data"), [row[1:] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_what_promises_nothing_is_passed_over(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UsageError):
        discover(tmp_path, None)


def test_a_file_that_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m_POPE.json"
    path.write_bytes(b"[]")

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refused)
    assert discover(tmp_path, None) == [path]
    with pytest.raises(ResultError, match=r"cannot be read \(Permission denied\)"):
        read_foreign(path, Choice())


def test_links_to_nowhere_count_unless_their_file_lies_there_too(tmp_path: Path) -> None:
    table = "index\tquestion\tanswer\tprediction\n1\tq\tYes\tYes\n"
    moved = tmp_path / "m" / "T1" / "m_POPE.tsv"
    moved.parent.mkdir(parents=True)
    moved.write_text(table, encoding="utf-8")
    (tmp_path / "m" / "m_POPE.tsv").symlink_to("/nowhere/m/T1/m_POPE.tsv")
    (tmp_path / "m" / "m_MMBench.tsv").symlink_to("/nowhere/m/T1/m_MMBench.tsv")
    assert discover(tmp_path, None) == [moved, tmp_path / "m" / "m_MMBench.tsv"]


def test_a_damaged_file_of_verdicts_is_said_by_its_run(tmp_path: Path) -> None:
    path = tmp_path / "m_POPE.xlsx"
    path.write_bytes(book([HEAD, [1, "q", "Yes", "Yes"]]))
    whole = book([[*HEAD, "extracted", "score"], [1, "q", "Yes", "Yes", "Yes", True]])
    (tmp_path / "m_POPE_auxmatch.xlsx").write_bytes(whole[: len(whole) // 2])
    assert read(path, Choice()).warnings == (
        "m_POPE_auxmatch.xlsx beside it cannot be read: no verdict of it was recorded",
    )
    assert [each.name for each in discover(tmp_path, None)] == ["m_POPE.xlsx", "m_POPE_auxmatch.xlsx"]


def test_details_without_the_library_that_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "details_x_2025.parquet"
    path.write_bytes(b"PAR1")
    (tmp_path / "train.parquet").write_bytes(b"PAR1")
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    assert form_of(glimpse(path)) == "lighteval"
    assert discover(tmp_path, None) == [path]


def test_pickles_are_named_and_left_shut(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"m_POPE_{number}.pkl").write_bytes(b"\x80\x04K\x01.")
    shown = ", ".join(f"m_POPE_{number}.pkl" for number in range(5))
    said = f"7 pickles were not opened, for that can run code of its author ({shown}, ...)"
    assert unopened(tmp_path) == (said,)
    for look in (importable, lambda root: discover(root, None)):
        with pytest.raises(UsageError) as told:
            look(tmp_path)
        assert said in str(told.value)


@pytest.mark.parametrize("text", ['{"datasets":', '{"datasets": []}', "[]"])
def test_a_status_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "m_POPE.tsv"
    path.write_text("index\tquestion\tanswer\tprediction\n1\tq\tYes\tYes\n", encoding="utf-8")
    (tmp_path / "status.json").write_text(text, encoding="utf-8")
    assert any(
        each.startswith("status.json beside it cannot be read") for each in read(path, Choice()).warnings
    )
    (tmp_path / "status.json").write_text('{"datasets": {}}', encoding="utf-8")
    assert not any("status.json beside it" in each for each in read(path, Choice()).warnings)
