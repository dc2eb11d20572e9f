"""`score_mode` of a judge's configuration: for the stage of boxes, told where nobody reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.judge.judges import Judges
from mmeval.runner import Job, score_run

BOX = {"score_pipeline": ["box-ap"], "score_params": {"grid": "pixels", "form": "xywh"}}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "judge.yaml"
    path.write_text("model_name: null\nscore_mode: constant\n")
    return path


def test_it_reaches_the_stage_of_boxes(
    write_run: Callable[..., Path], sample_row: Callable[..., dict[str, Any]], config: Path
) -> None:
    reply = '[{"bbox": [1, 2, 30, 40], "category_id": 1, "score": 0.9}]'
    row = sample_row(1, [{"bbox": [1, 2, 30, 40], "category_id": 1}], reply, width=100, height=100)
    path = write_run([row], BOX)
    with Judges(config=config) as judges:
        scored = score_run(path, Job(judge=judges))
    params: Any = scored.config["params_effective"]
    assert params["box-ap"]["score_mode"] == "constant"
    assert scored.config["judge_provider"] is None, "nobody is asked about boxes"


def test_where_nobody_reads_it_the_score_says_so(
    write_run: Callable[..., Path], sample_row: Callable[..., dict[str, Any]], config: Path
) -> None:
    path = write_run([sample_row(1, "a", "a", question_type="open")], {"score_pipeline": ["llm-judge"]})
    with Judges(config=config) as judges:
        scored = score_run(path, Job(judge=judges))
    notes: Any = scored.config["protocol_notes"]
    assert "score_mode constant of the judge's configuration: no stage here reads it" in notes
