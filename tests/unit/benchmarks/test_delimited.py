"""Tables of text: what a cell is, and what is refused with which words."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import pytest

from mmeval.benchmarks import delimited
from mmeval.benchmarks.delimited import iterate, read_grid
from mmeval.errors import ResultError


def written(folder: Path, data: bytes, name: str = "t.tsv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        pytest.param(b"index\ta\n1\tx\n2\ty", [("1", "x"), ("2", "y")], id="no-end-of-line-at-the-end"),
        pytest.param(b"\xef\xbb\xbfindex\ta\n1\tx\n", [("1", "x")], id="byte-order-mark"),
        pytest.param(b"index\ta\r\n1\tx\r\n", [("1", "x")], id="crlf"),
        pytest.param(b'index\ta\n1\t"say ""x""\nor\ty"\n', [("1", 'say "x"\nor\ty')], id="quoted"),
        pytest.param(b'index\ta\n1\t"x\r\ny"\r\n', [("1", "x\r\ny")], id="crlf-inside-quotes"),
        pytest.param(b'index\ta\n1\t5" tv\n', [("1", '5" tv')], id="quote-inside-a-bare-cell"),
        pytest.param(b"index\ta\n\n1\tx\n\n", [("1", "x")], id="blank-lines"),
        pytest.param(b"index\ta\n1\t\n", [("1", None)], id="empty-is-null"),
        pytest.param(b"index\ta\n1\n", [("1", None)], id="short-row"),
        pytest.param(b"\tindex\ta\n0\t1\tx\n", [("1", "x")], id="column-without-a-name"),
        pytest.param(b"index\ta\n1\t x \n", [("1", " x ")], id="space-stays"),
        pytest.param("index\ta\n1\t\u732b\x00\n".encode(), [("1", "\u732b\x00")], id="any-character"),
        *(
            pytest.param(f"index\ta\n1\t{text}\n".encode(), [("1", text)], id=f"text-{text}")
            for text in ("None", "NA", "N/A", "nan", "NaN", "null", "NULL", "#N/A", "-1.#IND", "True")
        ),
    ],
)
def test_a_cell_is_the_text_that_stands_there(tmp_path: Path, data: bytes, rows: list[object]) -> None:
    grid = read_grid(written(tmp_path, data))
    assert grid.header == ("index", "a")
    assert grid.rows == rows
    assert grid.sha256 == hashlib.sha256(data).hexdigest()
    assert grid.md5 == hashlib.md5(data).hexdigest()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b"\n\n", "is empty", id="blank"),
        pytest.param(b"index\ta\n", "no rows below its header", id="header-alone"),
        pytest.param(b"index\ta\n1\tx\ty\n", "row at line 2 has 3 cells, the header has 2", id="long-row"),
        pytest.param(
            b'index\ta\n1\tx\n2\t"y\n3\tz\n', "opens in the row at line 3 is never", id="open-quote"
        ),
        pytest.param(
            b'index\ta\n1\t"y', "opens in the row at line 2 is never closed", id="open-quote-at-end"
        ),
        pytest.param(b"index\ta\n1\tx\ry\n", "line 2: a carriage return stands alone", id="carriage-return"),
        pytest.param(b"index\ta\n1\tcaf\xe9\n", "not UTF-8 at byte 13 (line 2)", id="latin-1"),
        pytest.param(b"\xff\xfei\x00\n\x00", "is UTF-16", id="utf-16"),
        pytest.param(b"\x1f\x8b\x08", "compressed with gzip", id="gzip"),
        pytest.param(b"PK\x03\x04", "is a spreadsheet", id="zip"),
        pytest.param(b"<!DOCTYPE html><html>", "is a web page", id="web-page"),
        pytest.param(b"version https://git-lfs.github.com/spec/v1\n", "pointer of Git LFS", id="lfs"),
        pytest.param(b"a\ta\n1\t2\n", "'a' occurs twice", id="column-twice"),
    ],
)
def test_what_is_broken_is_refused_with_its_place(tmp_path: Path, data: bytes, says: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(ResultError) as caught:
        read_grid(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_path_that_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="is a folder"):
        read_grid(tmp_path)
    with pytest.raises(ResultError, match="cannot be read"):
        read_grid(tmp_path / "missing.tsv")


def test_short_rows_are_counted(tmp_path: Path) -> None:
    assert read_grid(written(tmp_path, b"index\ta\tb\n1\n2\tx\ty\n3\tx\n")).short == 2


def test_a_comma_separates_in_csv(tmp_path: Path) -> None:
    assert read_grid(written(tmp_path, b'index,a\n1,"x,y"\n', "t.csv")).rows == [("1", "x,y")]


def test_columns_can_be_dropped(tmp_path: Path) -> None:
    grid = read_grid(written(tmp_path, b"index\timage\ta\n1\tAAAA\tx\n"), lambda name: name == "image")
    assert (grid.header, grid.rows, grid.dropped) == (("index", "a"), [("1", "x")], ("image",))


def test_long_cells_are_read_and_the_limit_of_the_process_is_put_back(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    data = b"index\ta\n1\t" + b"x" * (before + 1) + b"\n"
    ((_, cell),) = read_grid(written(tmp_path, data)).rows
    assert cell is not None
    assert len(cell) == before + 1
    assert csv.field_size_limit() == before


def test_a_cell_without_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "MAX_CELL", 1000)
    with pytest.raises(ResultError, match="line 2: a cell is longer than 1,000 characters"):
        read_grid(written(tmp_path, b"index\ta\n1\t" + b"x" * 1001 + b"\n"))


def test_rows_come_one_by_one_with_every_column(tmp_path: Path) -> None:
    path = written(tmp_path, b"\tindex\timage\n0\t1\tAAAA\n1\t2\n")
    assert list(iterate(path)) == [{"index": "1", "image": "AAAA"}, {"index": "2", "image": None}]
