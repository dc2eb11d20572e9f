"""Judged rows as a user sees them: before anybody is asked, and explained afterwards."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer, prompt_text
from whole_runs import flags, write

Mmeval = Callable[..., Any]
META = {"dataset_name": "mine", "score_pipeline": ["exact-match", "llm-judge"]}
SEVERAL = ("--score_predictions", "all")


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    def reply(body: dict[str, Any]) -> str:
        return json.dumps({"verdict": "correct" if "fine" in prompt_text(body) else "incorrect"})

    with JudgeServer(reply) as found:
        yield found


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two rows of four predictions: by rule, by the judge, wrong, and empty; one row that rules settle."""
    path = write(tmp_path, 3, meta=META)
    rows = json.loads(path.read_text())
    for row, said in zip(
        rows, (["gold 0", "fine", "no", ""], ["gold 1", "fine", "no", ""], ["gold 2"]), strict=True
    ):
        row["messages"][-1]["response"] = said
    path.write_text(json.dumps(rows))
    return path


def rehearsed(mmeval: Mmeval, *arguments: object) -> dict[str, Any]:
    ran = mmeval("score", "--dry_run", "--json", *map(str, arguments))
    assert ran.code == 0, ran.err
    found: dict[str, Any] = json.loads(ran.out)[0]
    return found


def test_a_dry_run_counts_rows_not_predictions(
    mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path
) -> None:
    asked = ["--results", run, *SEVERAL, *flags(server.url, tmp_path / "cache")]
    before = rehearsed(mmeval, *asked)
    assert {name: before[name] for name in ("total", "by_rules", "need_judge", "cached", "calls")} == {
        "total": 3,
        "by_rules": 1,
        "need_judge": 2,
        "cached": 0,
        "calls": 4,
    }
    assert mmeval("score", *map(str, asked)).code == 0
    again = rehearsed(mmeval, *asked, "--force")
    assert (again["need_judge"], again["cached"], again["calls"]) == (2, 2, 0)
    current = rehearsed(mmeval, *asked)
    assert (current["up_to_date"], current["total"], current["need_judge"]) == (True, 3, 0)
    assert "(up to date)" in mmeval("score", "--dry_run", *map(str, asked)).out
    assert json.loads((run.parent / "score.json").read_bytes())["summary"]["judge"]["asked"] == 2


def test_an_empty_prediction_needs_no_judge(mmeval: Mmeval, server: JudgeServer, tmp_path: Path) -> None:
    run = write(tmp_path, 3, lambda item: "" if item else "something", META)
    found = rehearsed(mmeval, "--results", run, *flags(server.url, tmp_path / "cache"))
    assert (found["by_rules"], found["need_judge"], found["cached"], found["calls"]) == (2, 1, 0, 1)


def test_without_a_judge_the_cost_is_unknown(mmeval: Mmeval, tmp_path: Path) -> None:
    found = rehearsed(mmeval, "--results", write(tmp_path, 3, meta=META))
    assert (found["need_judge"], found["cached"], found["cost_usd"]) == (3, 0, None)
    told = mmeval("score", "--dry_run", "--results", str(tmp_path)).out
    assert "no judge is named: give --judge_model to see calls, tokens and cost" in told
    named = mmeval("score", "--dry_run", "--results", str(tmp_path), "--judge_model", "m").out
    assert "no judge is named" not in named


def test_every_prediction_is_explained(
    mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path
) -> None:
    mmeval("score", "--results", str(run), *SEVERAL, *flags(server.url, tmp_path / "cache"))
    told = mmeval("explain", str(run.parent), "0").out
    assert told.count("replied: ") == 2 and "ruled 'correct'" in told and "ruled 'incorrect'" in told
    assert "partly right, score 0.5: the mean of 4 predictions against the gold gold 0" in told
    assert "judge     openai at " in told
    assert "judge_inputs" not in told


def test_a_prompt_that_extracts_grades_nothing(
    mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path
) -> None:
    asked = ["--results", str(run), "--judge_prompt", "default-extract"]
    ran = mmeval("score", *asked, *flags(server.url, tmp_path / "cache"))
    assert ran.code == 2 and "asks for an answer (extract-value), not for a verdict" in ran.err
    assert server.received == 0


def test_what_the_prompt_shows_and_no_row_has_is_named(
    mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path
) -> None:
    asked = ["--results", str(run), "--score_pipeline", "llm-judge", "--judge_prompt", "mmbrowsecomp"]
    ran = mmeval("score", *asked, *flags(server.url, tmp_path / "cache"))
    assert ran.code == 2
    assert "judge-input-missing: checklist (3); the rows lack what the judge is to see" in ran.err


def test_combined_runs_show_the_pictures_beside_their_own_files(
    mmeval: Mmeval, server: JudgeServer, tmp_path: Path
) -> None:
    """Two subsets, each with a picture of the same name."""
    for name in ("one", "two"):
        meta = {**META, "subset": name, "score_params": {"judge_inputs": ["image"]}}
        run = write(tmp_path / name, 1, meta=meta)
        rows = json.loads(run.read_text())
        run.write_text(json.dumps([{**row, "image": "a.png"} for row in rows]))
        (run.parent / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + name.encode())
    asked = ["--results", str(tmp_path), "--combine"]
    ran = mmeval("score", *asked, *flags(server.url, tmp_path / "cache"))
    assert ran.code == 0, ran.err
    shown = [
        base64.b64decode(part["image_url"]["url"].partition(",")[2])[8:].decode()
        for seen in server.seen
        for part in seen.body["messages"][-1]["content"]
        if part["type"] == "image_url"
    ]
    assert sorted(shown) == ["one", "two"]
