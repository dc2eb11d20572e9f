"""`score` with a judge from a file, from the environment, or from a file beside the run; keys stay hidden."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer

Mmeval = Callable[..., Any]
SECRET = "sk-secret-5678"
META = {"dataset_name": "mine", "score_pipeline": ["exact-match", "llm-judge"]}
VARIABLES = ("JUDGE_MODEL", "JUDGE_API_BASE", "JUDGE_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    for name in (*VARIABLES, "MMDR_JUDGE_PROMPT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "cache"))
    with JudgeServer(lambda body: '{"verdict": "correct"}') as found:
        yield found


@pytest.fixture
def run(write_run: Callable[..., Path], sample_row: Callable[..., Any]) -> Path:
    return write_run([sample_row(1, "a red cat", "It is a cat, and red."), sample_row(2, "b", "b")], META)


def score_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.with_name("score.json").read_bytes())
    return found


def test_the_form_of_openvlharness(
    mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_API_KEY", SECRET)
    monkeypatch.setenv("JUDGE_API_BASE", f"{server.url}/chat/completions")
    path = tmp_path / "judge.yaml"
    path.write_text(
        "model_name: gpt-4o\napi_base: ${JUDGE_API_BASE}\nkey: ${JUDGE_API_KEY}\n"
        "nproc: 2\njudge_max_tokens: 64\n",
        encoding="utf-8",
    )
    ran = mmeval("score", "--results", run.parent, "--judge_config", path)
    assert ran.code == 0
    (seen,) = server.seen
    assert seen.headers["authorization"] == f"Bearer {SECRET}"
    assert seen.body["model"] == "gpt-4o-2024-05-13"
    config = score_of(run)["config"]
    assert (config["judge_model"], config["judge_max_tokens"]) == ("gpt-4o-2024-05-13", 64)
    assert config["knob_sources"]["judge_model"] == "judge_config"
    assert "gpt-4o is read as gpt-4o-2024-05-13, as OpenVLHarness does" in config["protocol_notes"]
    written = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file() and each != path)
    assert SECRET.encode() not in written
    assert SECRET not in ran.out + ran.err


def test_the_file_beside_a_run_counts_again(mmeval: Mmeval, run: Path, server: JudgeServer) -> None:
    run.with_name("judge_config.yaml").write_text(f"model: m\nbase_url: {server.url}\n", encoding="utf-8")
    assert mmeval("score", "--results", run.parent).code == 0
    first = run.with_name("score.json").read_bytes()
    assert mmeval("score", "--results", run.parent, "--force").code == 0
    assert run.with_name("score.json").read_bytes() == first
    assert len(server.seen) == 1, "the reply was there already"
    assert (
        "the judge is set up by judge_config.yaml beside the run" in score_of(run)["config"]["protocol_notes"]
    )
    assert "authorization" not in server.seen[0].headers


def test_the_file_beside_a_run_gets_no_key(
    mmeval: Mmeval, run: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    text = f"model: m\nbase_url: {server.url}\nkey: ${{OPENAI_API_KEY}}\n"
    run.with_name("judge_config.yaml").write_text(text, encoding="utf-8")
    ran = mmeval("score", "--results", run.parent)
    assert (ran.code, "would send a key of yours to an address of its own" in ran.err) == (2, True)
    assert server.seen == []


def test_the_environment_alone(
    mmeval: Mmeval, run: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_MODEL", "m")
    monkeypatch.setenv("JUDGE_API_BASE", server.url)
    assert mmeval("score", "--results", run.parent).code == 0
    assert score_of(run)["config"]["knob_sources"]["judge_model"] == "environment"


def test_rules_only(mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path) -> None:
    path = tmp_path / "judge.yaml"
    path.write_text("model_name: null\n", encoding="utf-8")
    assert mmeval("score", "--results", run.parent, "--judge_config", path).code == 0
    summary = score_of(run)["summary"]
    assert (summary["undecided"], summary["llm_errors"], server.seen) == (1, 0, [])


def test_nobody_is_named(mmeval: Mmeval, run: Path, server: JudgeServer) -> None:
    assert mmeval("score", "--results", run.parent).code == 3
    assert score_of(run)["summary"]["headline"]["value"] is None


def test_a_key_that_nobody_reads(mmeval: Mmeval, run: Path, server: JudgeServer, tmp_path: Path) -> None:
    path = tmp_path / "judge.yaml"
    path.write_text("modell: m\n", encoding="utf-8")
    ran = mmeval("score", "--results", run.parent, "--judge_config", path)
    assert (ran.code, "nobody reads 'modell'; did you mean 'model'" in ran.err) == (2, True)


def test_reports_name_the_judge(mmeval: Mmeval, run: Path, server: JudgeServer) -> None:
    ran = mmeval("score", "--results", run.parent, "--judge_model", "m", "--judge_base_url", server.url)
    assert "judge: 1 row, m, prompt default-binary (no official one is known)" in ran.out
    shown = mmeval("show", run.parent).out
    assert f"judge     openai at {server.url}: asked m" in shown
    assert "1 row put to the judge, 1 reply counted" in shown
    explained = mmeval("explain", run.parent, 1).out
    assert "judge:   asked m (prompt default-binary): ruled 'correct'" in explained
    assert 'replied: {"verdict": "correct"}' in explained
    assert "judge     openai" not in mmeval("explain", run.parent, 2).out
