"""`mmeval export`: which format, whose runs, where to, and what it never writes over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from score_files import write_score

from mmeval.exports.runs import gather
from mmeval.exports.writing import FORMATS

Ran = Callable[..., Any]


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    write_score(tmp_path / "runs" / "pets" / "score.json")
    return tmp_path / "runs"


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_written_again_with_the_same_bytes(mmeval: Ran, runs: Path, name: str) -> None:
    out = runs.parent / f"out{(*FORMATS[name].suffixes, '.txt')[0]}"
    if name == "parquet":
        pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    written = []
    for _ in range(2):
        ran = mmeval("export", runs, "--format", name, "-o", out)
        assert (ran.code, ran.out) == (0, f"{out} written\n")
        written.append(out.read_bytes())
    assert written[0] == written[1]
    assert str(runs.parent).encode() not in written[0]
    out.write_bytes(b"mine")
    ran = mmeval("export", runs, "--format", name, "-o", out)
    assert (ran.code, out.read_bytes()) == (2, b"mine")
    assert "holds something else" in ran.err
    assert mmeval("export", runs, "--format", name, "-o", out, "--force").code == 0
    assert out.read_bytes() == written[0]
    assert list(runs.parent.glob(".*")) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["-o", "x.doc"], "of no known ending", id="ending"),
        pytest.param([], "say what to write", id="nothing-told"),
        pytest.param(["--format", "xls"], "choose one of csv, parquet", id="format"),
        pytest.param(["--format", "parquet"], "give -o FILE", id="parquet-to-the-terminal"),
        pytest.param(["--format", "csv", "--json"], "give -o FILE", id="json-of-nothing"),
        pytest.param(["--format", "inspect", "-o", "result.json"], "give another name", id="result"),
        pytest.param(
            ["--format", "inspect", "-o", "x.score.json", "--force"], "give another name", id="score"
        ),
    ],
)
def test_what_cannot_be_done(
    mmeval: Ran, runs: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], says: str
) -> None:
    monkeypatch.chdir(runs)
    ran = mmeval("export", ".", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert [path.name for path in runs.iterdir()] == ["pets"]


def test_a_score_is_never_written_over(mmeval: Ran, runs: Path) -> None:
    path = write_score(runs / "odd.json")
    ran = mmeval("export", path, "-o", path, "--force")
    assert ran.code == 2
    assert "one of the scores themselves" in ran.err


def test_printed(mmeval: Ran, runs: Path) -> None:
    ran = mmeval("export", runs, "--format", "csv", "--rows")
    assert ran.code == 0
    assert ran.out.startswith("run,model,dataset_name,")
    assert len(ran.out.splitlines()) == 7


def test_a_folder_gets_a_file_a_run(mmeval: Ran, runs: Path) -> None:
    write_score(runs / "more" / "score.json")
    ran = mmeval("export", runs, "--format", "inspect", "-o", runs.parent / "logs", "--json")
    assert ran.code == 0
    names = sorted(path.name for path in (runs.parent / "logs").iterdir())
    assert names == ["owner_pets_main.json", "owner_pets_main_2.json"]
    assert json.loads(ran.out)["runs"] == 2
    assert "questions are left out" in ran.err


def test_eval_yaml_by_its_name(mmeval: Ran, runs: Path) -> None:
    assert mmeval("export", runs, "-o", runs.parent / "eval.yaml").code == 0
    assert "evaluation_framework: mmeval" in (runs.parent / "eval.yaml").read_text()


@pytest.mark.parametrize(
    ("flags", "code"),
    [([], 0), (["--fail_under", "50"], 0), (["--fail_under", "51"], 1), (["--min-coverage", "0.6"], 1)],
    ids=["none", "met", "headline", "coverage"],
)
def test_a_missed_gate_is_told_and_written(mmeval: Ran, runs: Path, flags: list[str], code: int) -> None:
    out = runs.parent / "junit.xml"
    assert mmeval("export", runs, "-o", out, *flags).code == code
    assert ("<failure" in out.read_text()) == bool(code)


def test_whose_runs(tmp_path: Path) -> None:
    for model in "ab":
        write_score(tmp_path / model / "x" / "score.json")
        write_score(tmp_path / model / "y" / "n.score.json")
    deep = [(run.model, run.name) for run in gather([str(tmp_path)])]
    assert deep == [("a", "a/x"), ("a", "a/y/n"), ("b", "b/x"), ("b", "b/y/n")]
    told = gather([f"Mine={tmp_path / 'a'}", str(tmp_path / "b"), str(tmp_path / "a" / "x" / "score.json")])
    assert [(run.model, run.name) for run in told] == [
        ("Mine", "x"),
        ("Mine", "y/n"),
        ("b", "x"),
        ("b", "y/n"),
    ]
    single = gather([str(tmp_path / "a" / "x" / "score.json"), str(tmp_path / "a" / "y" / "n.score.json")])
    assert [(run.model, run.name) for run in single] == [("x", "x"), ("n", "n")]


def test_rows_in_parquet_are_the_rows(mmeval: Ran, write_run: Callable[..., Path], sample_row: Ran) -> None:
    pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    path = write_run(
        [
            sample_row(1, "B", "B"),
            sample_row(2, "B", "A", recorded={"score": 1, "extracted": None, "by": "x"}),
        ]
    )
    told = []
    for kind in ("inline", "parquet"):
        flags = [] if kind == "inline" else ["--rows", kind]
        assert mmeval("score", "--results", path, "--force", *flags).code == 0
        told.append(mmeval("export", path.parent, "--format", "csv", "--rows").out)
    assert told[0] == told[1]
    assert '""by"":""x""' in told[0]


@pytest.mark.parametrize(
    "damage", ["{}", '{"config": {"schema_version": 1}, "summary": {}}'], ids=["empty", "bare"]
)
def test_a_damaged_score_is_a_sentence(mmeval: Ran, tmp_path: Path, damage: str) -> None:
    (tmp_path / "score.json").write_text(damage)
    ran = mmeval("export", tmp_path, "--format", "csv")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "Traceback" not in ran.err


def test_half_a_character_of_a_question_becomes_a_question_mark(
    mmeval: Ran, write_run: Callable[..., Path], sample_row: Callable[..., dict[str, Any]]
) -> None:
    given = sample_row(1, "A", "A", question="HALF")
    path = write_run([given])
    path.write_bytes(path.read_bytes().replace(b"HALF", b"a\\ud800b"))
    assert mmeval("score", "--results", path).code == 0
    ran = mmeval("export", path.parent, "--format", "inspect")
    assert ran.code == 0
    assert json.loads(ran.out)["samples"][0]["input"] == "a?b"
