"""Spreadsheets: what they keep, and what they do to texts."""

from __future__ import annotations

import datetime
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import Flaw
from mmeval.readers.predictions import open_predictions
from mmeval.readers.sheet import read_sheet

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
CUT = 32_767


def saved(path: Path, *rows: list[Any], more: tuple[str, ...] = ()) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title).append(["index"])
    book.save(path)
    return path


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("A", "A"),
        ("None", "None"),
        ("NA", "NA"),
        ("nan", "nan"),
        ("007", "007"),
        (" A\nB ", " A\nB "),
        (None, None),
        (5, 5),
        (2.5, 2.5),
        (True, True),
        ("x" * (CUT - 1), "x" * (CUT - 1)),
        ("a_x000D_b_x005F_x000D_", "a\rb_x000D_"),
        ("=1+1", "cell-formula"),
        ("#N/A", "cell-error"),
        (datetime.datetime(2024, 1, 2), "cell-date"),
        (datetime.time(3, 30), "cell-date"),
        ("x" * CUT, "cell-truncated"),
        ("x" * (CUT + 5), "cell-truncated"),
    ],
)
def test_a_cell_is_what_it_holds_or_what_was_done_to_it(tmp_path: Path, given: Any, read: Any) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1, given])
    ((_, value),) = read_sheet(path).rows
    assert (value.reason if isinstance(value, Flaw) else value) == read


def test_whole_numbers_that_became_fractions_are_the_same_names(tmp_path: Path) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1.0, "A"], ["2", "B"], [3, "C"])
    found = open_predictions(path)
    assert found.names == ("1", "2", "3")
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_blank_rows_and_nameless_columns_are_left_out(tmp_path: Path) -> None:
    path = saved(tmp_path / "p.xlsx", [None, "index", "prediction"], [0, 1, "A"], [], [2, 2])
    sheet = read_sheet(path)
    assert sheet.columns == ("index", "prediction")
    assert sheet.rows == [[1, "A"], [2, None]]


def test_other_sheets_are_told(tmp_path: Path) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1, "A"], more=("notes",))
    assert read_sheet(path).warnings == ("p.xlsx: only its first sheet was read, not notes",)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "holds no rows"),
        ([["index", "prediction"]], "holds no rows"),
        ([["index", "index"], [1, 2]], "'index' occurs twice"),
    ],
)
def test_a_sheet_that_is_no_table_is_refused(tmp_path: Path, rows: list[list[Any]], says: str) -> None:
    with pytest.raises(ResultError, match=says):
        read_sheet(saved(tmp_path / "p.xlsx", *rows))


def test_a_file_that_is_no_workbook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.xlsx"
    path.write_bytes(b"index\tprediction\n1\tA\n")
    with pytest.raises(ResultError, match=r"is no \.xlsx workbook"):
        read_sheet(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(ResultError, match=r"is no \.xlsx workbook"):
        read_sheet(path)
    with pytest.raises(ResultError, match="cannot be read"):
        read_sheet(tmp_path / "missing.xlsx")


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_torn_workbook_is_refused(tmp_path: Path, share: float) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], *([n, f"A {n}"] for n in range(50)))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(ResultError):
        read_sheet(path)


def test_broken_xml_inside_is_refused(tmp_path: Path) -> None:
    whole = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1, "A"])
    broken = tmp_path / "q.xlsx"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(broken, "w") as new:
        for item in old.namelist():
            data = old.read(item)
            new.writestr(item, data[: len(data) // 2] if item.endswith("sheet1.xml") else data)
    with pytest.raises(ResultError, match="is damaged; save it again"):
        read_sheet(broken)


def test_without_the_library_the_remedy_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1, "A"])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(UsageError, match=r"pip install 'mmeval-score\[tables\]'"):
        read_sheet(path)


def test_a_workbook_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "p.xlsx", ["index", "prediction"], [1, "A" * 30_000])
    monkeypatch.setattr("mmeval.readers.sheet.MAX_UNPACKED", 10_000)
    with pytest.raises(ResultError, match="more than is read of a workbook"):
        read_sheet(path)


def test_columns_without_a_name_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    for line in (["index", None, "prediction"], [1, "lost", "A"], [2, None, "B"]):
        book.active.append(line)
    book.save(path)
    sheet = read_sheet(path)
    assert sheet.columns == ("index", "prediction")
    assert sheet.warnings == ("x.xlsx: left out for want of a name in the first row: column 2",)


def test_merged_cells_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    book = openpyxl.Workbook()
    for line in (["index", "prediction", "category"], [1, "A", "cat"], [2, "B", None], [3, "C", None]):
        book.active.append(line)
    book.active.merge_cells("C2:C4")
    book.save(path)
    assert [row[2] for row in read_sheet(path).rows] == ["cat", None, None]
    assert read_sheet(path).warnings == (
        "x.xlsx: cells are merged (C2:C4); all but the first of each are empty",
    )
