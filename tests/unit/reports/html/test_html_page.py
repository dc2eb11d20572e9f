"""A page: inert data, the same bytes, nothing of the machine, a policy that holds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from report_pages import LETTERS, Page, letters, sample, scored

from mmeval.errors import ResultError, UsageError
from mmeval.reports.html.page import SCRIPTS, inert
from mmeval.reports.html.report import Wanted, Written, write

HOSTILE = "</script><script>x()</script><!--<script>\u2028\u2029&amp;\"'`${x}<img src=x onerror=x()>"


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., tuple[Written, Page]]:
    def make(*scores: Path, **wanted: object) -> tuple[Written, Page]:
        done = write(Wanted(scores or [tmp_path / "runs"], tmp_path / "report.html", **wanted))  # type: ignore[arg-type]
        return done, Page(done.page.read_text(encoding="utf-8"))

    return make


def test_what_is_said_in_json_cannot_end_a_script() -> None:
    told = inert({"a": HOSTILE, HOSTILE: 1})
    assert not set("<>&\u2028\u2029") & set(told)
    assert json.loads(told) == {"a": HOSTILE, HOSTILE: 1}


def test_hostile_texts_add_no_element(tmp_path: Path, made: Callable[..., tuple[Written, Page]]) -> None:
    scored(tmp_path / "runs" / "plain", letters(8, 1), LETTERS)
    plain = made()[1]
    row = sample(HOSTILE, "A", HOSTILE, question=HOSTILE, options={"A": HOSTILE, "B": "b"}, kind=HOSTILE)
    scored(tmp_path / "runs" / "plain", [row, *letters(7, 1)], {**LETTERS, "dataset_name": HOSTILE})
    page = made()[1]
    assert page.tags == plain.tags
    assert page.attributes == plain.attributes
    assert page.comments == []
    assert page.head["benchmarks"][0]["name"] == HOSTILE
    assert page.rows()[0]["pred"] == HOSTILE
    assert page.unpacked("columns-0")["groups"]["kind"]["values"][0] == HOSTILE


def test_the_policy_names_what_is_there(tmp_path: Path, made: Callable[..., tuple[Written, Page]]) -> None:
    scored(tmp_path / "runs" / "a", letters(4, 1), LETTERS)
    done, page = made()
    (policy,) = [
        value or "" for name, value in page.attributes if name == "content" and "default-src" in (value or "")
    ]
    for kind, block in (("script-src", "script"), ("style-src", "style")):
        sha256 = base64.b64encode(hashlib.sha256(page.blocks[block].encode()).digest()).decode()
        assert f"{kind} 'sha256-{sha256}';" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    text = done.page.read_text()
    assert not re.search(r"\b(?:src|href)=\"(?!#main)", text)
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_makes_elements_of_nothing_that_is_data(name: str) -> None:
    text = (files("mmeval.reports.html") / "assets" / name).read_text(encoding="utf-8")
    forbidden = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|setTimeout\(['\"]|https?://(?!www\.w3)"
    assert re.findall(forbidden, text) == []
    assert "</script" not in text
    assert len(text.splitlines()) <= 400


def test_every_asset_is_used() -> None:
    there = {each.name for each in (files("mmeval.reports.html") / "assets").iterdir()}
    assert there == {*SCRIPTS, "style.css"}


def test_the_same_inputs_give_the_same_bytes(tmp_path: Path) -> None:
    pages = []
    for place in ("one", "two/deeper"):
        runs = tmp_path / place / "runs"
        scored(runs / "a", letters(30, 1), LETTERS)
        scored(runs / "b", letters(30, 3), LETTERS)
        pages.append(write(Wanted([runs], tmp_path / place / "report.html")).page.read_bytes())
    assert pages[0] == pages[1]
    assert str(tmp_path).encode() not in pages[0]
    assert tmp_path.name.encode() not in pages[0]


def test_runs_of_one_benchmark_stand_together(
    tmp_path: Path, made: Callable[..., tuple[Written, Page]]
) -> None:
    scored(tmp_path / "runs" / "a", letters(12, 1), LETTERS)
    scored(tmp_path / "runs" / "other", [sample(1, "x", "x")])
    scored(tmp_path / "runs" / "b", letters(12, 3), LETTERS)
    head = made()[1].head
    assert [run["name"] for run in head["runs"]] == ["a", "b", "other"]
    assert [each["runs"] for each in head["benchmarks"]] == [[0, 1], [2]]
    assert head["benchmarks"][0]["name"] == "Letters"


def test_rows_in_blocks_are_the_rows_of_the_table(
    tmp_path: Path, made: Callable[..., tuple[Written, Page]]
) -> None:
    score = scored(tmp_path / "runs" / "a", letters(1203, 1), LETTERS)
    done, page = made()
    assert done.samples == 1203
    columns, rows = page.unpacked("columns-0"), page.rows()
    assert page.head["runs"][0]["blocks"] == 3
    told = json.loads(score.read_text())["samples"]
    assert columns["id"] == [str(row["eval-id"]) for row in told]
    assert columns["score"] == [row["score"] for row in told]
    assert [row["pred"] for row in rows] == [row["pred"] for row in told]
    assert [row["trace"] for row in rows] == [row["trace"] for row in told]
    assert rows[7]["question"].startswith("Question 7")
    assert rows[7]["options"][0] == ["A", "a dog"]


def test_fewer_samples_are_evenly_spread(tmp_path: Path, made: Callable[..., tuple[Written, Page]]) -> None:
    scored(tmp_path / "runs" / "a", letters(100, 1), LETTERS)
    _, page = made(max_samples=4)
    assert page.unpacked("columns-0")["id"] == ["0", "25", "50", "75"]
    run = page.head["runs"][0]
    assert (run["shown"], run["rows"], run["flow"]["total"]) == (4, 100, 100)
    assert len(made(max_samples=1000)[1].rows()) == 100


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_beside_the_score_are_read(
    kind: str, tmp_path: Path, made: Callable[..., tuple[Written, Page]]
) -> None:
    scored(tmp_path / "runs" / "a", letters(9, 1), LETTERS)
    inline = made()[1].rows()
    scored(tmp_path / "runs" / "a", letters(9, 1), LETTERS, rows=kind, force=True)
    assert made()[1].rows() == inline


def test_reasons_are_in_words(tmp_path: Path, made: Callable[..., tuple[Written, Page]]) -> None:
    scored(tmp_path / "runs" / "a", letters(8, 1), LETTERS)
    words = made()[1].head["words"]
    assert words["cue"] == ["it follows an announcement such as 'the answer is'"] * 2
    assert all(len(pair) == 2 for pair in words.values())


def test_questions_are_left_out_where_the_run_is_another_one(tmp_path: Path) -> None:
    score = scored(tmp_path / "runs" / "a", letters(8, 1), LETTERS)
    moved = tmp_path / "elsewhere" / "a"
    moved.mkdir(parents=True)
    score.with_name("result.json").rename(moved / "result.json")
    done = write(Wanted([tmp_path / "runs"], tmp_path / "r.html"))
    assert "question" not in Page(done.page.read_text()).rows()[0]
    assert "questions of 1 of 1 runs are not shown (a)" in done.notes[0]
    done = write(Wanted([tmp_path / "runs"], tmp_path / "r.html", results=[moved.parent]))
    assert Page(done.page.read_text()).rows()[0]["question"].startswith("Question 0")
    assert done.notes == ()
    (moved / "result.json").write_text("[]")
    done = write(Wanted([tmp_path / "runs"], tmp_path / "r.html", results=[moved.parent]))
    assert "question" not in Page(done.page.read_text()).rows()[0]


def test_a_folder_takes_the_page(tmp_path: Path) -> None:
    scored(tmp_path / "a", letters(4, 1), LETTERS)
    assert write(Wanted([tmp_path / "a"], tmp_path)).page == tmp_path / "report.html"


def test_what_is_no_score_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match=r"holds no score\.json; score the runs first"):
        write(Wanted([tmp_path / "empty"], tmp_path / "r.html"))
    with pytest.raises(UsageError, match="no such file or folder"):
        write(Wanted([tmp_path / "nowhere"], tmp_path / "r.html"))
    with pytest.raises(UsageError, match="choose one of none, link, embed"):
        write(Wanted([tmp_path / "empty"], tmp_path / "r.html", images="all"))
    score = scored(tmp_path / "a", letters(4, 1), LETTERS)
    told = json.loads(score.read_text())
    del told["samples"][1]["trace"]
    score.write_text(json.dumps(told))
    with pytest.raises(ResultError, match="is damaged"):
        write(Wanted([score], tmp_path / "r.html"))
    assert not (tmp_path / "r.html").exists()


def test_the_size_of_many_samples(tmp_path: Path, made: Callable[..., tuple[Written, Page]]) -> None:
    scored(tmp_path / "runs" / "a", letters(4000, 1), LETTERS)
    done, _ = made()
    assert done.size < 4000 * 600, "100,000 samples have to stay under 60 MB"
