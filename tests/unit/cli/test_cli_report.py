"""`mmeval report`: what it prints, writes, and finds of the questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from report_pages import LETTERS, Page, letters, scored

Run = Callable[..., Any]


def test_it_writes_a_page_and_says_so(tmp_path: Path, mmeval: Run) -> None:
    scored(tmp_path / "runs" / "a", letters(6, 1), LETTERS)
    out = tmp_path / "report.html"
    ran = mmeval("report", tmp_path / "runs", "-o", out, "--max_samples", 3)
    assert (ran.code, ran.err) == (0, "[1/1] a\n")
    assert ran.out == f"{out}: 1 run, 3 samples, {out.stat().st_size / 1e6:.1f} MB\n"
    assert len(Page(out.read_text()).rows()) == 3


def test_it_says_so_in_json(tmp_path: Path, mmeval: Run) -> None:
    scored(tmp_path / "runs" / "a", letters(6, 1), LETTERS)
    out = tmp_path / "report.html"
    told = json.loads(mmeval("report", tmp_path / "runs", "--out", out, "--json").out)
    assert told == {"page": str(out), "size": out.stat().st_size, "runs": 1, "samples": 6, "notes": []}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "no such file or folder"),
        (["runs", "--images", "all"], "choose one of none, link, embed"),
        (["runs", "-o", "no/such/folder/r.html"], "cannot write there"),
        (["runs", "--max_samples", "0"], "max_samples"),
        (["runs/a/result.json"], "not a score file of mmeval"),
        (["runs", "-o", "runs/a/result.json"], "is the name of a file that is scored"),
        (["runs", "-o", "runs/a/score.json", "--force"], "is the name of a file that is scored"),
        (["runs", "-o", "mine.html"], "holds something else"),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_mistakes_are_one_sentence(
    arguments: list[str], said: str, tmp_path: Path, mmeval: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scored(tmp_path / "runs" / "a", letters(6, 1), LETTERS)
    (tmp_path / "mine.html").write_text("<!doctype html><title>mine</title>")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    ran = mmeval("report", *arguments)
    assert ran.code == 2
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_combined_runs_find_their_questions(tmp_path: Path, mmeval: Run) -> None:
    for subset in ("x", "y"):
        scored(tmp_path / "runs" / subset, letters(3, 1), {**LETTERS, "subset": subset})
        (tmp_path / "runs" / subset / "score.json").unlink()
    assert mmeval("score", "--results", tmp_path / "runs", "--combine").code == 0
    assert mmeval("report", tmp_path / "runs", "-o", tmp_path / "r.html").code == 0
    page = Page((tmp_path / "r.html").read_text())
    assert page.unpacked("columns-0")["id"] == ["x/0", "x/1", "x/2", "y/0", "y/1", "y/2"]
    assert [row["question"].split(":")[0] for row in page.rows()] == [f"Question {n}" for n in (0, 1, 2)] * 2


def test_joined_runs_find_their_questions(tmp_path: Path, mmeval: Run) -> None:
    table = "index\tquestion\tA\tB\tanswer\n0\tWhich <b>one</b>?\tleft\tright\tA\n1\tAnd now?\tup\tdown\tB\n"
    (tmp_path / "bench.tsv").write_text(table)
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "preds.csv").write_text("index,prediction\n0,A\n1,A\n")
    ran = mmeval(
        "score",
        "--results",
        tmp_path / "runs" / "preds.csv",
        "--data",
        tmp_path / "bench.tsv",
        "--score_pipeline",
        "exact-match",
    )
    assert ran.code == 0, ran.err
    arguments = ("report", tmp_path / "runs", "-o", tmp_path / "r.html")
    ran = mmeval(*arguments)
    assert "questions of 1 of 1 runs are not shown" in ran.err
    assert mmeval(*arguments, "--results", tmp_path).code == 0
    rows = Page((tmp_path / "r.html").read_text()).rows()
    assert "Which <b>one</b>?" in rows[0]["question"]
    assert rows[1]["options"] == [["A", "up"], ["B", "down"]]


def test_rows_without_ids_find_their_questions(tmp_path: Path, mmeval: Run) -> None:
    rows = [{key: value for key, value in row.items() if key != "eval-id"} for row in letters(3, 1)]
    scored(tmp_path / "runs" / "a", rows, LETTERS)
    assert mmeval("report", tmp_path / "runs", "-o", tmp_path / "r.html").code == 0
    told = Page((tmp_path / "r.html").read_text()).rows()
    assert [row["question"].split(":")[0] for row in told] == ["Question 0", "Question 1", "Question 2"]


def test_a_page_is_written_over_a_page_and_by_force_over_anything(tmp_path: Path, mmeval: Run) -> None:
    scored(tmp_path / "a", letters(6, 1), LETTERS)
    out = tmp_path / "page.html"
    out.write_text("mine")
    assert mmeval("report", tmp_path / "a", "-o", out, "--force").code == 0
    assert mmeval("report", tmp_path / "a", "-o", out).code == 0
    assert mmeval("compare", tmp_path / "a", tmp_path / "a", "--html", out).code == 0
    assert mmeval("compare", tmp_path / "a", tmp_path / "a", "--html", out).code == 0
    out.write_text("mine")
    ran = mmeval("compare", tmp_path / "a", tmp_path / "a", "--html", out)
    assert (ran.code, ran.out, out.read_text()) == (2, "", "mine")
