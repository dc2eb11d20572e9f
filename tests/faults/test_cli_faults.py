"""A user's mistake of any kind: one sentence with the remedy, exit code 2, nothing written, no traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROW = {
    "eval-id": 1,
    "answer": "B",
    "messages": [{"role": "user", "question": "?", "options": {"A": "x", "B": "y"}}, {"response": ["B"]}],
}
OTHER = {**ROW, "eval-id": 2}


def with_meta(**meta: Any) -> str:
    return json.dumps([{**ROW, "dataset_meta": meta}])


def pipeline(*stages: str, **more: Any) -> str:
    return with_meta(score_pipeline=list(stages), **more)


GOOD = json.dumps([ROW, OTHER])
OLD = json.dumps([{"eval-id": 1, "messages": [{"question": "?", "answer": "B"}, {"response": ["B"]}]}])
BOXES = json.dumps([{"eval-id": 1, "answer": [{"bbox": [0, 0, 1, 1]}], "messages": [{}, {"response": "[]"}]}])
BLANK = json.dumps([{**ROW, "answer": " "}, {**OTHER, "answer": None}])
CUT = GOOD[: len(GOOD) // 2]

FILES = [
    pytest.param("", ("is empty", "finished"), id="empty-file"),
    pytest.param("[]", ("holds no rows",), id="no-rows"),
    pytest.param(CUT, ("broken JSON at byte", "cut off", "run the inference again"), id="cut-off"),
    pytest.param(
        GOOD.replace('"answer": ', '"answer" '), ("broken JSON at byte", "mend"), id="missing-colon"
    ),
    pytest.param('{"a": 1}', ("not an array", "one object per sample"), id="object"),
    pytest.param('{"samples": [{}]}', ("under 'samples'", "write that list alone"), id="list-inside"),
    pytest.param("3", ("not an array",), id="number"),
    pytest.param("eval-id,answer\n1,B\n", ("not an array",), id="csv"),
    pytest.param(OLD, ("non-conforming result format", "mmeval import"), id="old-layout"),
    pytest.param(with_meta(score_type="exact"), ("score_type", "re-push", "score_pipeline"), id="score-type"),
    pytest.param(BOXES, ("reference-is-no-text (1)", "no stage of this pipeline can grade"), id="boxes"),
    pytest.param(BLANK, ("every one of its 2 rows is invalid", "--score_gt_field"), id="every-row-invalid"),
    pytest.param(pipeline("rule-mach"), ("'rule-mach'", "did you mean 'rule-match'?"), id="unknown-stage"),
    pytest.param(pipeline("anls", "anls"), ("named twice",), id="stage-twice"),
    pytest.param(pipeline("anls", "rule-match"), ("always decides", "last"), id="grader-first"),
    pytest.param(
        pipeline("anls", score_params={"treshold": 0.5}), ("did you mean 'threshold'?",), id="unknown-param"
    ),
    pytest.param(
        pipeline("anls", score_params={"threshold": "half"}), ("anls", "float", "str"), id="parameter-type"
    ),
    pytest.param(pipeline("anls", score_params=[1]), ("$.score_params", "[1]"), id="params-type"),
    pytest.param(with_meta(score_pipeline="anls"), ("$.score_pipeline", "'anls'"), id="pipeline-type"),
    pytest.param(pipeline("anls", score_parms={}), ("did you mean 'score_params'?",), id="unknown-key"),
    pytest.param(
        with_meta(score_pipeline={"unsupported": "boxes", "reason": "r"}),
        ("not supported", "boxes", "--score_pipeline"),
        id="unsupported",
    ),
    pytest.param(
        pipeline("anls", score_aggregates=[{"name": "a", "reduce": "maen", "headline": True}]),
        ("did you mean 'mean'?",),
        id="unknown-reducer",
    ),
    pytest.param(
        pipeline(
            "exact-match", score_aggregates=[{"name": "a", "reduce": "mean", "by": "kind", "headline": True}]
        ),
        ("result.json", "field 'kind'", "add it to the samples"),
        id="group-field-missing",
    ),
    pytest.param(
        pipeline("exact-match", score_filter=[{"field": "kind", "is": ["x"]}]),
        ("filter leaves none of its 1 rows", "check score_filter"),
        id="filter-leaves-nothing",
    ),
    pytest.param(
        json.dumps([{**ROW, "dataset_meta": {"dataset_name": name}} for name in "xy"]),
        ("disagree", "dataset_name", "separate files"),
        id="two-datasets",
    ),
    pytest.param(json.dumps([{**ROW, "dataset_meta": 3}]), ("dataset_meta is a number",), id="meta-number"),
]

FLAGS = [
    pytest.param(["--protocol", "MMBnech"], ("did you mean 'MMBench'?",), id="unknown-protocol"),
    pytest.param(["--protocol", "MMBench@vlmeval"], ("did you mean 'vlmevalkit'?",), id="unknown-variant"),
    pytest.param(["--protocol", "@sane"], ("names no dataset", "NAME@sane"), id="variant-of-nothing"),
    pytest.param(["--score_pipeline", "exactmatch"], ("did you mean 'exact-match'?",), id="unknown-stage"),
    pytest.param(["--score_pipeline", ","], ("empty", "name at least one stage"), id="empty-pipeline"),
    pytest.param(["--score_param", "tolerance"], ("name=value",), id="param-without-value"),
    pytest.param(["--score_param", "=3"], ("name=value",), id="param-without-name"),
    pytest.param(
        ["--score_param", "numeric_rel=1"], ("did you mean 'numeric_rel_tol'?",), id="param-unknown"
    ),
    pytest.param(["--score_param", "anl.threshold=1"], ("did you mean 'anls'?",), id="param-of-no-stage"),
    pytest.param(["--score_param", "numeric_rel_tol=wide"], ("float", "numeric_rel_tol"), id="param-type"),
    pytest.param(["--score_numeric_rel_tol", "-1"], ("at least 0",), id="negative-tolerance"),
    pytest.param(["--score_numeric_rel_tol", "wide"], ("--score_numeric_rel_tol", "number"), id="no-number"),
    pytest.param(["--score_anls_threshold", "2"], ("0..1",), id="threshold-beyond-range"),
    pytest.param(["--score_string_match", "fuzzy"], ("'exact', 'contains', 'anls'",), id="string-match"),
    pytest.param(["--score_question_type", "yesno"], ("'mcq', 'yes_no'",), id="question-type"),
    pytest.param(["--score_predictions", "some"], ("'first', 'all'",), id="predictions"),
    pytest.param(["--rows", "csv"], ("'inline', 'jsonl', 'parquet'",), id="rows"),
    pytest.param(["--score_gt_field", "gold"], ("no row has a field 'gold'", "answer"), id="gold-field"),
    pytest.param(["--score_pred_field", "reply"], ("no row has a field 'reply'",), id="prediction-field"),
    pytest.param(["--max_failed", "2"], ("--max_failed", "1"), id="share-beyond-range"),
    pytest.param(["--min_coverage", "-1"], ("--min_coverage", "0"), id="coverage-beyond-range"),
    pytest.param(["--score_result_glob", "*.xml"], ("nothing that matches '*.xml'",), id="glob"),
    pytest.param(["--reslts", "x"], ("--reslts", "--results"), id="unknown-flag"),
    pytest.param(["stray"], ("unexpected extra argument", "stray"), id="stray-argument"),
]

COMMANDS = [
    pytest.param(["score"], ("--results", "mmeval score --help"), id="score-without-results"),
    pytest.param(["score", "--results", "nowhere"], ("no such file or folder", "--results"), id="no-folder"),
    pytest.param(["score", "--results", "."], ("no result.json or .jsonl below it",), id="nothing-to-score"),
    pytest.param(["scoer"], ("'scoer'", "Did you mean 'score'?"), id="unknown-command"),
    pytest.param(["explain"], ("Missing argument",), id="explain-what"),
    pytest.param(["explain", "nowhere", "1"], ("cannot be read", "score.json"), id="explain-no-file"),
    pytest.param(["explain", "odd", "1"], ("not a score file", "score the run first"), id="explain-no-score"),
    pytest.param(["explain", "foreign", "1"], ("another scorer", "score the run"), id="explain-foreign"),
    pytest.param(["explain", "fine", "77"], ("no sample '77'", "it has 1: 1"), id="explain-no-sample"),
    pytest.param(["show", "."], ("cannot be read",), id="show-nothing"),
    pytest.param(["show", "odd"], ("not a score file",), id="show-no-score"),
    pytest.param(["stages", "show", "anl"], ("did you mean 'anls'?",), id="stage"),
    pytest.param(["protocols", "show", "MMBnech"], ("did you mean 'MMBench'?",), id="protocol"),
    pytest.param(["protocols", "show", "MMBench@x"], ("no variant 'x'",), id="variant"),
    pytest.param(["schema", "scores"], ("'metadata', 'result', 'score'",), id="schema"),
]


def files(folder: Path) -> list[tuple[str, bytes]]:
    return sorted((str(path), path.read_bytes()) for path in folder.rglob("*") if path.is_file())


def one_sentence(text: str, prefix: str = "error: ") -> str:
    said = [line for line in text.splitlines() if not line.startswith("[")]
    assert len(said) == 1, text
    assert said[0].startswith(prefix)
    assert "Traceback" not in text
    return said[0]


def check(ran: Any, says: tuple[str, ...], folder: Path, before: list[tuple[str, bytes]]) -> None:
    message = one_sentence(ran.err)
    assert ran.code == 2
    for text in says:
        assert text in message
    assert files(folder) == before


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "odd": "{}",
        "foreign": '{"config": {"score_pipeline": []}, "summary": {}, "samples": []}',
        "fine": '{"config": {"schema_version": 1}, "summary": {}, "samples": [{"eval-id": 1}]}',
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "score.json").write_text(content)
    return tmp_path


@pytest.mark.parametrize(("content", "says"), FILES)
def test_a_file_that_cannot_be_scored(
    mmeval: Callable[..., Any], tmp_path: Path, content: str, says: tuple[str, ...]
) -> None:
    path = tmp_path / "result.json"
    path.write_text(content)
    before = files(tmp_path)
    ran = mmeval("score", "--results", path)
    check(ran, ("result.json", *says), tmp_path, before)
    assert ran.out == "no run was scored\n"


@pytest.mark.parametrize(("flags", "says"), FLAGS)
def test_a_flag_that_cannot_be_meant(
    mmeval: Callable[..., Any], tmp_path: Path, flags: list[str], says: tuple[str, ...]
) -> None:
    (tmp_path / "result.json").write_text(GOOD)
    before = files(tmp_path)
    check(mmeval("score", "--results", tmp_path, *flags), says, tmp_path, before)


@pytest.mark.parametrize(("arguments", "says"), COMMANDS)
def test_a_command_that_cannot_be_meant(
    mmeval: Callable[..., Any], here: Path, arguments: list[str], says: tuple[str, ...]
) -> None:
    before = files(here)
    check(mmeval(*arguments), says, here, before)


@pytest.mark.parametrize("out", ["file", "file/below", "file/score.json"])
def test_a_folder_that_cannot_be_written_to(mmeval: Callable[..., Any], tmp_path: Path, out: str) -> None:
    """A path below a regular file: nobody can write there, not even root."""
    (tmp_path / "result.json").write_text(GOOD)
    (tmp_path / "file").write_text("not a folder")
    before = files(tmp_path)
    ran = mmeval("score", "--results", tmp_path / "result.json", "--out", tmp_path / out)
    check(ran, ("cannot write there", "--out"), tmp_path, before)


def test_one_file_for_several_scores(mmeval: Callable[..., Any], tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text(GOOD)
    before = files(tmp_path)
    ran = mmeval("score", "--results", tmp_path, "--out", tmp_path / "all.json")
    check(ran, ("2 runs", "give a folder"), tmp_path, before)


def test_a_score_is_not_a_run(mmeval: Callable[..., Any], here: Path) -> None:
    before = files(here)
    ran = mmeval("score", "--results", here / "fine" / "score.json")
    check(ran, ("is a file that mmeval wrote",), here, before)


def test_one_broken_run_does_not_stop_the_others(mmeval: Callable[..., Any], tmp_path: Path) -> None:
    for name, content in {"a": GOOD, "b": CUT, "c": GOOD, "d": pipeline("rule-mach")}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "result.json").write_text(content)
    ran = mmeval("score", "--results", tmp_path)
    assert ran.code == 2
    errors = [line for line in ran.err.splitlines() if line.startswith("error: ")]
    assert [f"{name}/result.json" in line for name, line in zip("bd", errors, strict=True)] == [True, True]
    written = sorted(path.parent.name for path in tmp_path.rglob("score.json"))
    assert written == ["a", "c"]
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["score", "--results", "nowhere"], "no such file or folder"),
        (["score", "--results", "."], "broken JSON at byte"),
        (["score"], "Missing option '--results'"),
        (["explain", "odd", "1"], "not a score file"),
    ],
)
def test_the_installed_command_says_the_same(here: Path, arguments: list[str], says: str) -> None:
    (here / "result.json").write_text(CUT)
    before = files(here)
    command = Path(sys.executable).with_name("mmeval")
    ran = subprocess.run([command, *arguments], cwd=here, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert says in one_sentence(ran.stderr)
    assert files(here) == before
