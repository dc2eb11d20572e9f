"""`mmeval score`: discovery, flags in both spellings, gates and exit codes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.cli import snake
from mmeval.cli.score import worst
from mmeval.stages.exact_match import ExactMatch

Mmeval = Callable[..., Any]
RUNS = Path(__file__).resolve().parents[2] / "fixtures" / "runs"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in ("mcq_verbose", "textvqa"):
        shutil.copytree(RUNS / name, tmp_path / "runs" / name, ignore=shutil.ignore_patterns("*score.json"))
    return tmp_path / "runs"


@pytest.fixture
def one(runs: Path) -> Path:
    return runs / "mcq_verbose" / "result.json"


def config(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "score.json").read_bytes())["config"]
    return found


def test_every_run_below_a_folder_is_scored_beside_itself(mmeval: Mmeval, runs: Path) -> None:
    ran = mmeval("score", "--results", runs)
    assert ran.code == 0
    assert (runs / "mcq_verbose" / "score.json").is_file()
    assert (runs / "textvqa" / "score.json").is_file()
    assert ran.err.splitlines() == [
        f"[1/2] {runs / 'mcq_verbose' / 'result.json'}",
        f"[2/2] {runs / 'textvqa' / 'result.json'}",
    ]
    for text in ("mcq_verbose", "textvqa", "accuracy", "vqa_accuracy", "not official: "):
        assert text in ran.out


def test_what_is_up_to_date_is_said(mmeval: Mmeval, runs: Path) -> None:
    mmeval("score", "--results", runs)
    assert mmeval("score", "--results", runs).out.count("up to date") == 2
    assert "up to date" not in mmeval("score", "--results", runs, "--force").out


def test_json(mmeval: Mmeval, runs: Path) -> None:
    scored = json.loads(mmeval("score", "--results", runs, "--json").out)
    assert [each["up_to_date"] for each in scored] == [False, False]
    assert scored[0]["summary"]["total"] == 20
    assert scored[0]["config"]["dataset_name"] == "fixture/mcq"


def test_out_keeps_the_folders(mmeval: Mmeval, runs: Path, tmp_path: Path) -> None:
    mmeval("score", "--results", runs, "--out", tmp_path / "o")
    written = sorted(str(path.relative_to(tmp_path / "o")) for path in (tmp_path / "o").rglob("*.json"))
    assert written == ["mcq_verbose/score.json", "textvqa/score.json"]
    assert not list(runs.rglob("score.json"))


def test_out_may_be_a_file_for_one_run(mmeval: Mmeval, one: Path, tmp_path: Path) -> None:
    assert mmeval("score", "--results", one, "--out", tmp_path / "new" / "x.json").code == 0
    assert (tmp_path / "new" / "x.json").is_file()


def test_a_glob_chooses_runs(mmeval: Mmeval, runs: Path) -> None:
    (runs / "mcq_verbose" / "result.json").rename(runs / "mcq_verbose" / "answers.json")
    ran = mmeval("score", "--results", runs, "--score_result_glob", "answers.json")
    assert ran.code == 0
    assert [path.name for path in runs.rglob("*score.json")] == ["answers.score.json"]


@pytest.mark.parametrize(
    ("flags", "knob", "value"),
    [
        (["--score_pipeline", "rule-match"], "score_pipeline", ["rule-match"]),
        (["--score-pipeline", "exact-match, rule-match"], "score_pipeline", ["exact-match", "rule-match"]),
        (["--score-pipeline=anls"], "score_pipeline", ["anls"]),
        (["--score_gt_field", "category"], "score_gt_field", "category"),
        (["--score-pred-field", "question"], "score_pred_field", "question"),
        (["--score_question_type", "mcq"], "score_question_type", "mcq"),
        (["--score-predictions", "all"], "score_predictions", "all"),
        (["--protocol", "ScienceQA-IMG"], "protocol", "ScienceQA-IMG"),
        (["--protocol", "MMStar@robust"], "protocol", "MMStar@robust"),
        (["--max-failed", "0.25"], "max_failed", 0.25),
    ],
)
def test_flags_in_both_spellings(
    mmeval: Mmeval, one: Path, flags: list[str], knob: str, value: object
) -> None:
    assert mmeval("score", "--results", one, *flags).code == 0
    assert config(one.parent)[knob] == value


@pytest.mark.parametrize(
    ("flags", "stage", "name", "value"),
    [
        (["--score_numeric_rel_tol", "0.05"], "exact-match", "numeric_rel_tol", 0.05),
        (["--score-numeric-abs-tol", "0"], "rule-match", "numeric_abs_tol", 0),
        (["--score_string_match", "contains"], "rule-match", "string_match", "contains"),
        (["--score_anls_threshold", "0.0"], "rule-match", "anls_threshold", 0.0),
        (["--score_param", "settle_misses=false"], "rule-match", "settle_misses", False),
        (["--score-param", "rule-match.option_rules=letter"], "rule-match", "option_rules", "letter"),
        (["--score_param", "percent=fraction"], "exact-match", "percent", "fraction"),
        (["--score_param", "numeric_rel_tol=0"], "exact-match", "numeric_rel_tol", 0),
        (
            ["--score_param", "numeric_rel_tol=1", "--score_param", "exact-match.numeric_rel_tol=2"],
            "exact-match",
            "numeric_rel_tol",
            2,
        ),
    ],
)
def test_parameters(
    mmeval: Mmeval, one: Path, flags: list[str], stage: str, name: str, value: object
) -> None:
    assert mmeval("score", "--results", one, *flags).code == 0
    made = config(one.parent)
    assert made["params_effective"][stage][name] == value
    said = [knob for knob, who in made["knob_sources"].items() if who == "cli"]
    assert said
    assert all(knob.startswith("score_params.") for knob in said)


@pytest.mark.parametrize(
    ("flags", "code", "says"),
    [
        (["--fail_under", "0.5"], 0, None),
        (["--fail_under", "0.71"], 1, "below --fail_under 0.71"),
        (["--fail_under", "nan"], 1, "below --fail_under nan"),
        (["--min_coverage", "0.8"], 0, None),
        (["--min-coverage", "0.81"], 1, "below --min_coverage 0.81"),
        (["--fail_under", "0.9", "--min_coverage", "0.9"], 1, "--min_coverage"),
    ],
)
def test_gates(mmeval: Mmeval, one: Path, flags: list[str], code: int, says: str | None) -> None:
    ran = mmeval("score", "--results", one, *flags)
    assert ran.code == code
    assert (says is None) or says in ran.err
    assert (one.parent / "score.json").is_file()


@pytest.mark.parametrize(
    ("flags", "code"),
    [([], 3), (["--max_failed", "0.04"], 3), (["--max_failed", "0.05"], 0), (["--fail_under", "0"], 3)],
)
def test_failed_rows_are_incomplete(
    mmeval: Mmeval, one: Path, monkeypatch: pytest.MonkeyPatch, flags: list[str], code: int
) -> None:
    real = ExactMatch.__call__

    def call(self: ExactMatch, case: Any) -> Any:
        if case.sample.id == 1:
            raise ValueError("x")
        return real(self, case)

    monkeypatch.setattr(ExactMatch, "__call__", call)
    ran = mmeval("score", "--results", one, *flags)
    assert ran.code == code
    assert ("run again" in ran.err) is (code == 3)
    assert "1 of 20 rows failed: the value lies in 0.6500..0.7000" in ran.out
    assert "Traceback" not in ran.err


def test_an_interrupt_is_130_and_leaves_nothing(
    mmeval: Mmeval, one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(self: ExactMatch, case: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(ExactMatch, "__call__", call)
    ran = mmeval("score", "--results", one)
    assert ran.code == 130
    assert "interrupted" in ran.err
    assert [path.name for path in one.parent.iterdir()] == ["result.json"]


@pytest.mark.parametrize(
    ("codes", "expected"),
    [((0,), 0), ((0, 1), 1), ((1, 3), 3), ((3, 2, 0), 2), ((2, 130), 130), ((1, 3, 2, 130, 0), 130)],
)
def test_the_worst_code_speaks(codes: tuple[int, ...], expected: int) -> None:
    assert worst(*codes) == expected


@pytest.mark.parametrize(
    ("told", "heard"),
    [
        (["--a-b", "c-d"], ["--a_b", "c-d"]),
        (["--a-b=c-d"], ["--a_b=c-d"]),
        (["--a", "--", "--b-c"], ["--a", "--", "--b-c"]),
        (["-1", "-x-y"], ["-1", "-x-y"]),
        (["--score_param", "a-b.c=d-e"], ["--score_param", "a-b.c=d-e"]),
        (["--A-b"], ["--A-b"]),
    ],
)
def test_dashes_in_flags_only(told: list[str], heard: list[str]) -> None:
    assert snake(told) == heard


def test_two_runs_may_not_share_a_score(mmeval: Mmeval, one: Path) -> None:
    for name in ("a.json", "a.jsonl"):
        shutil.copyfile(one, one.with_name(name))
    ran = mmeval("score", "--results", one.parent, "--score_result_glob", "a.*")
    assert ran.code == 2
    assert "would both be scored into" in ran.err
    assert not list(one.parent.glob("*score.json"))
