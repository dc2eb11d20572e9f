"""`explain` and `show`: what a score file says, to a person and as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mmeval = Callable[..., Any]
RUNS = Path(__file__).resolve().parents[2] / "fixtures" / "runs"


@pytest.fixture
def scored(mmeval: Mmeval, tmp_path: Path) -> Callable[..., Path]:
    def make(name: str, *flags: str) -> Path:
        folder = tmp_path / name
        shutil.copytree(RUNS / name, folder, ignore=shutil.ignore_patterns("*score.json"))
        assert mmeval("score", "--results", folder, *flags).code == 0
        return next(folder.glob("*score.json"))

    return make


@pytest.mark.parametrize(
    ("run", "sample", "says"),
    [
        pytest.param(
            "mcq_verbose",
            4,
            (
                "Which fruit",
                "A. apple",
                "1. exact-match",
                "2. rule-match",
                ">>C<<",
                "right, score 1",
                "read 'C'",
            ),
            id="right",
        ),
        pytest.param("mcq_verbose", 9, ("wrong, score 0", "read 'A' against the gold C"), id="wrong"),
        pytest.param("mcq_verbose", 10, ("undecided, score 0", "no stage could decide"), id="undecided"),
        pytest.param("mcq_verbose", 17, ('"" (empty)', "undecided"), id="empty"),
        pytest.param("textvqa", 9, ("partly right", "vqa-accuracy"), id="partly"),
        pytest.param("refused", 3, ("invalid:", "counts as wrong", "(nothing)"), id="invalid"),
        pytest.param("refused", 8, ("cannot grade this",), id="refused-by-a-stage"),
        pytest.param("sampled", 2, ("4 predictions count:", "1. score"), id="several"),
        pytest.param("open_answers", 1, ("no protocol declared",), id="default-protocol"),
        pytest.param("textvqa", 1, ("not official", "- 20 rows were scored"), id="deviations"),
        pytest.param("chartqa", 1, ("What does the bar",), id="jsonl"),
    ],
)
def test_one_sample_is_explained(
    mmeval: Mmeval, scored: Callable[..., Path], run: str, sample: int, says: tuple[str, ...]
) -> None:
    ran = mmeval("explain", scored(run), sample)
    assert ran.code == 0
    assert ran.err == ""
    for text in (f"sample {sample} of", "verdict", *says):
        assert text in ran.out


def test_a_folder_means_the_score_in_it(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    path = scored("mcq_verbose")
    assert (
        mmeval("explain", path.parent, 1).out.splitlines()[1:]
        == mmeval("explain", path, 1).out.splitlines()[1:]
    )
    assert mmeval("show", path.parent).code == 0


def test_without_the_run_the_rest_is_still_explained(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    path = scored("mcq_verbose")
    path.with_name("result.json").unlink()
    ran = mmeval("explain", path, 4)
    assert "right, score 1" in ran.out
    assert "Which fruit" not in ran.out
    assert "(not shown: the run is not beside this score file, or is another one by now)" in ran.out


def test_a_run_that_is_another_one_by_now_is_not_shown(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    path = scored("mcq_verbose")
    run = path.with_name("result.json")
    run.write_text(run.read_text().replace("Which fruit", "Which animal"))
    assert "Which animal" not in mmeval("explain", path, 4).out


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_beside_are_found(mmeval: Mmeval, scored: Callable[..., Path], kind: str) -> None:
    path = scored("mcq_verbose", "--rows", kind)
    assert "right, score 1" in mmeval("explain", path, 4).out
    beside = path.with_name(f"score.rows.{kind}")
    if kind == "parquet":
        beside.write_bytes(beside.read_bytes()[:100])
        assert mmeval("explain", path, 4).code == 2
    beside.unlink()
    ran = mmeval("explain", path, 4)
    assert (ran.code, ran.out) == (2, "")
    assert "the rows cannot be read" in ran.err
    assert "--force" in ran.err


def test_explain_json(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    row = json.loads(mmeval("explain", scored("mcq_verbose"), 4, "--json").out)
    assert (row["eval-id"], row["score"], row["decided_by"]) == (4, 1.0, "rule-match")


def test_show(mmeval: Mmeval, scored: Callable[..., Path]) -> None:
    out = mmeval("show", scored("mcq_verbose")).out
    for text in (
        "fixture/mcq (from dataset_meta, official: no)",
        "exact-match, rule-match",
        "accuracy = 0.7000",
        "total 20",
        "parts of accuracy",
        "by stage",
        "undecided",
        "why rows were not decided",
        "deviations from the official protocol",
        "invented for the tests",
    ):
        assert text in out


@pytest.mark.parametrize("run", ["spatial_route", "refused", "sampled", "pope", "mmbench_circular", "docvqa"])
def test_every_kind_of_run_can_be_shown(mmeval: Mmeval, scored: Callable[..., Path], run: str) -> None:
    path = scored(run)
    ran = mmeval("show", path)
    assert (ran.code, ran.err) == (0, "")
    assert "headline" in ran.out
    shown = json.loads(mmeval("show", path, "--json").out)
    assert list(shown) == ["config", "provenance", "summary"]
    assert shown["summary"]["total"] == 20
