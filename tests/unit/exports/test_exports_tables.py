"""CSV and Parquet: exact values, read back as they were."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_files import HOSTILE, sample, write_score

from mmeval.exports import csv_table, parquet_table
from mmeval.exports.options import Options
from mmeval.exports.runs import RUN_COLUMNS, SAMPLE_COLUMNS, gather


def nothing(text: str) -> None:
    raise AssertionError(text)


def as_csv(path: Path, **options: Any) -> list[dict[str, str]]:
    data = b"".join(csv_table.export(gather([str(path)]), Options(**options), nothing))
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


@pytest.mark.parametrize(
    ("value", "guarded", "text"),
    [
        pytest.param(None, False, "", id="null"),
        pytest.param("", False, '""', id="empty"),
        pytest.param(0.0, False, "0.0", id="zero"),
        pytest.param(1 / 3, False, "0.3333333333333333", id="exact"),
        pytest.param(True, False, "true", id="true"),
        pytest.param('a"b', False, '"a""b"', id="quote"),
        pytest.param("a\rb", False, '"a\rb"', id="carriage-return"),
        pytest.param("=1", False, "=1", id="formula-exact"),
        pytest.param("=1", True, "'=1", id="formula-guarded"),
        pytest.param("＝1", True, "'＝1", id="full-width"),
        pytest.param("  @x", True, "'  @x", id="after-spaces"),
        pytest.param("\t1", True, "'\t1", id="tab"),
        pytest.param(-1.5, True, "-1.5", id="a-number-is-no-formula"),
        pytest.param("a=1", True, "a=1", id="inside"),
    ],
)
def test_a_cell(value: Any, guarded: bool, text: str) -> None:
    assert csv_table.cell(value, guarded) == text


@given(st.lists(st.text(), min_size=1))
def test_any_texts_are_read_back(texts: list[str]) -> None:
    line = csv_table.line([csv_table.cell(each) for each in texts]).decode()
    assert next(csv.reader(io.StringIO(line, newline=""))) == texts


def test_runs(tmp_path: Path) -> None:
    write_score(tmp_path / "a" / "x" / "score.json", 50.0)
    write_score(tmp_path / "a" / "y" / "score.json", None)
    rows = as_csv(tmp_path / "a")
    assert [(row["run"], row["model"], row["value"], row["failed"]) for row in rows] == [
        ("x", "a", "50.0", "0"),
        ("y", "a", "", "1"),
    ]
    assert (rows[0]["ci95_low"], rows[1]["ci95_low"], rows[1]["bounds_high"]) == ("48.0", "", "60.0")
    assert list(rows[0]) == list(RUN_COLUMNS)


def test_samples_without_a_verdict_have_no_score(tmp_path: Path) -> None:
    rows = as_csv(write_score(tmp_path / "score.json"), rows=True)
    assert [row["score"] for row in rows] == ["1.0", "0.0", "0.0", "0.0", "", ""]
    assert [row["eval-id"] for row in rows] == ["1", "2", "three", "4", "5", "6"]
    assert (rows[4]["gt"], rows[5]["evidence"], rows[0]["predictions"]) == ('["a","b"]', '{"n":1}', "")


def test_a_spreadsheet_is_guarded(tmp_path: Path) -> None:
    path = write_score(tmp_path / "score.json", samples=(sample(1, 0.0, pred="=1+1"),))
    data = b"".join(csv_table.export(gather([str(path)]), Options(rows=True, spreadsheet=True), nothing))
    assert data.startswith(b"\xef\xbb\xbfrun,")
    assert b",'=1+1," in data


@pytest.mark.parametrize("of_samples", [False, True], ids=["runs", "samples"])
def test_parquet_is_read_back(tmp_path: Path, of_samples: bool) -> None:
    pa = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    pq = pytest.importorskip("pyarrow.parquet", reason="parquet needs pyarrow")
    hostile = tuple(sample(number, 0.0, pred=text) for number, text in enumerate(HOSTILE))
    for name, samples in (("a", hostile), ("b", (sample(1, None, status="error"),))):
        write_score(tmp_path / "m" / name / "score.json", None if name == "b" else 1.0, samples)
    runs = gather([str(tmp_path / "m")])
    made = [b"".join(parquet_table.export(runs, Options(rows=of_samples), nothing)) for _ in range(2)]
    assert made[0] == made[1]
    table = pq.read_table(pa.BufferReader(made[0]))
    assert table.column_names == list(SAMPLE_COLUMNS if of_samples else RUN_COLUMNS)
    rows = table.to_pylist()
    if of_samples:
        assert tuple(row["pred"] for row in rows[:-1]) == HOSTILE
        assert (rows[-1]["score"], rows[0]["score"], rows[0]["eval-id"]) == (None, 0.0, "0")
    else:
        assert [row["value"] for row in rows] == [1.0, None]
        assert rows[0]["official_protocol"] is True


def test_hostile_texts_survive_csv(tmp_path: Path) -> None:
    samples = tuple(sample(number, 0.0, pred=text) for number, text in enumerate(HOSTILE))
    rows = as_csv(write_score(tmp_path / "score.json", samples=samples), rows=True)
    assert tuple(row["pred"] for row in rows) == HOSTILE


SEVERAL = {"subset": ["a", "b,c"], "split": ["x", "y"]}


@pytest.mark.parametrize(
    ("rows", "subset"), [(False, '["a","b,c"]'), (True, '["a","b,c"]')], ids=["runs", "samples"]
)
def test_several_subsets_are_one_cell(tmp_path: Path, rows: bool, subset: str) -> None:
    path = write_score(tmp_path / "score.json", config=SEVERAL)
    columns = SAMPLE_COLUMNS if rows else RUN_COLUMNS
    first = as_csv(path, rows=rows)[0]
    assert (list(first), first["subset"]) == (list(columns), subset)
    assert rows or first["split"] == '["x","y"]'
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    data = b"".join(parquet_table.export(gather([str(path)]), Options(rows=rows), nothing))
    assert parquet.read_table(io.BytesIO(data)).column("subset")[0].as_py() == subset


def test_a_sample_that_says_its_subset(tmp_path: Path) -> None:
    path = write_score(
        tmp_path / "score.json", samples=(sample(1, 1.0, group={"subset": "a"}),), config=SEVERAL
    )
    assert as_csv(path, rows=True)[0]["subset"] == "a"
