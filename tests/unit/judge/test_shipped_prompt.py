"""A prompt that a dataset brings along: whose text is put, what fills it, whether it is the official one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer, prompt_text

from mmeval.judge.judges import Judges
from mmeval.runner import Job, score_run

TEXT = "Is {guess} the same as {gold}? The question was {question}. Say correct: yes or correct: no."
PLACES = {"guess": "response", "gold": "reference"}
SHA = hashlib.sha256(TEXT.encode()).hexdigest()


def scored(
    write_run: Callable[..., Path], rows: list[dict[str, Any]], judge: dict[str, Any], **given: Any
) -> tuple[dict[str, Any], str]:
    meta = {
        "dataset_name": "T",
        "score_pipeline": ["llm-judge"],
        "score_judge": {"contract": "binary", "prompt": "judge-vdr", "official_model": "m", **judge},
    }
    path = write_run(rows, meta)
    with JudgeServer(lambda body: "correct: yes") as server:
        with Judges(models=("m",), base_url=server.url, cache=path.parent / "cache", **given) as judges:
            made = score_run(path, Job(judge=judges))
        asked = prompt_text(server.seen[0].body)
    document: dict[str, Any] = json.loads(made.score.read_bytes())
    assert document["summary"]["correct"] == 1
    return document["config"], asked


@pytest.fixture
def rows(sample_row: Callable[..., dict[str, Any]]) -> list[dict[str, Any]]:
    return [sample_row(1, "a lantern", "It is a lamp.", question="What is it?", question_type="open")]


@pytest.mark.parametrize(("sha", "official"), [(SHA, True), ("0" * 64, False), (None, False)])
def test_the_datasets_text_is_put(
    write_run: Callable[..., Path], rows: list[dict[str, Any]], sha: str | None, official: bool
) -> None:
    judge = {"prompt_text": TEXT, "placeholders": PLACES, "official_prompt_sha256": sha}
    config, asked = scored(write_run, rows, judge)
    assert "Is " in asked and "a lantern" in asked and "It is a lamp." in asked and "{" not in asked
    assert config["judge_prompt"] == "score_judge.prompt_text"
    assert config["official_judge"] is official


def test_the_users_prompt_goes_before_it(
    write_run: Callable[..., Path], rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    config, asked = scored(write_run, rows, {"prompt_text": TEXT, "placeholders": PLACES}, prompt="hle")
    assert config["judge_prompt"] == "hle" and "the same as" not in asked
    file = tmp_path / "mine.txt"
    file.write_text("Compare {guess} with {gold}: correct: yes or correct: no?")
    judge = {"prompt_text": TEXT, "placeholders": PLACES}
    config, asked = scored(write_run, rows, judge, prompt=str(file))
    assert config["judge_prompt"] == "mine.txt" and "Compare" in asked
