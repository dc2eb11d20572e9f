"""A judged score survives a run for which no judge can be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judge_server import JudgeServer

from mmeval.errors import Incomplete
from mmeval.judge.judges import Judges
from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

META = {"dataset_name": "T", "score_pipeline": ["llm-judge"]}


@pytest.fixture
def judged(write_run: Callable[..., Path], sample_row: Callable[..., dict[str, Any]]) -> Path:
    rows = [sample_row(number, "a lamp", "A lamp.", question_type="open") for number in range(3)]
    path = write_run(rows, META)
    with JudgeServer(lambda body: "correct") as server:
        _judge(path, server.url)
    return path


def _judge(path: Path, url: str) -> None:
    with Judges(models=("m",), base_url=url, cache=path.parent / "cache") as judges:
        score_run(path, Job(judge=judges))


def test_a_score_with_a_value_is_kept(judged: Path) -> None:
    before = judged.with_name("score.json").read_bytes()
    with pytest.raises(Incomplete, match="kept, for it has a value: 3 rows failed this time"):
        score_run(judged, Job())
    assert judged.with_name("score.json").read_bytes() == before


def test_unless_the_user_insists(judged: Path) -> None:
    scored = score_run(judged, Job(force=True))
    assert scored.summary["llm_errors"] == 3


def test_rules_alone_are_another_score(judged: Path) -> None:
    with Judges(provider="none") as judges:
        scored = score_run(judged, Job(judge=judges))
    assert scored.summary["undecided"] == 3


def test_other_predictions_are_another_run(judged: Path) -> None:
    judged.write_text(judged.read_text().replace("A lamp.", "A lantern."))
    assert score_run(judged, Job()).summary["llm_errors"] == 3


def test_a_share_of_failed_rows_that_is_accepted_gives_a_value(judged: Path) -> None:
    scored = score_run(judged, Job(max_failed=1.0))
    assert scored.summary["headline"]["value"] == 0.0  # type: ignore[index,call-overload]


def test_a_foreign_pipeline_is_no_matter(judged: Path) -> None:
    scored = score_run(judged, Job(Overrides(pipeline=("exact-match",))))
    assert scored.summary["errors"] == scored.summary["llm_errors"] == 0
