"""A run that was judged, and the same from the replies that its cache exports: one verdict, one reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from judge_server import Answer, JudgeServer
from judged_runs import MODEL, court
from whole_runs import Script, score_of, write

from mmeval.judge.cache import Cache
from mmeval.judge.session import Judging, Session
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.upkeep import export
from mmeval.runner import Job, score_run


def lives(run: Path, url: str, cache: Path, times: int, **settings: Any) -> dict[str, Any]:
    """The score after so many calls, each of which asks what is missing."""
    for _ in range(times):
        with court(url, cache, max_retry=0, **settings) as judge:
            score_run(run, Job(judge=judge))
    return score_of(run)


def replayed(run: Path, replies: Path) -> dict[str, Any]:
    again = run.parent / "again" / "result.json"
    again.parent.mkdir()
    again.write_bytes(run.read_bytes())
    given = JudgeSettings(provider="replay", models=(MODEL,), replies=replies, max_retry=0)
    with Session(given) as session:
        score_run(again, Job(judge=lambda folder: Judging(session)))
    return score_of(again)


def exported(folder: Path) -> Path:
    with Cache.open(folder / "cache") as cache:
        assert export(cache, folder / "replies.jsonl")
    return folder / "replies.jsonl"


def samples(score: dict[str, Any]) -> list[dict[str, Any]]:
    return list(score["samples"])


def test_every_attempt_of_an_export_is_read(tmp_path: Path) -> None:
    """Three calls found a verdict where each may try once: the replay does not stop after one."""
    run = write(tmp_path, 5)
    with JudgeServer(Script(lambda item: [Answer("hm")] * (item % 4))) as server:
        live = lives(run, server.url, tmp_path / "cache", times=3)
    replies = exported(tmp_path)
    assert [row["status"] for row in samples(live)] == ["ok", "ok", "ok", "llm_error", "ok"]
    again = replayed(run, replies)
    assert samples(again) == samples(live)
    assert json.dumps(again["summary"]["headline"]) == json.dumps(live["summary"]["headline"])
    assert again["summary"]["judge"]["failures"] == {"judge-unreadable: off-menu": 1}


def test_another_model_in_the_same_cache_is_not_heard(tmp_path: Path) -> None:
    run = write(tmp_path, 3)
    with JudgeServer('{"verdict": "incorrect"}') as server:
        lives(run, server.url, tmp_path / "cache", times=1, models=("another",))
    with JudgeServer(Script()) as server:
        live = lives(run, server.url, tmp_path / "cache", times=1)
    replies = exported(tmp_path)
    assert samples(replayed(run, replies)) == samples(live)


def test_a_row_that_nobody_recorded_says_so(tmp_path: Path) -> None:
    run = write(tmp_path, 3)
    with JudgeServer(Script()) as server:
        lives(run, server.url, tmp_path / "cache", times=1)
    replies = exported(tmp_path)
    replies.write_text("".join(replies.read_text().splitlines(keepends=True)[1:]))
    assert replayed(run, replies)["summary"]["judge"]["failures"] == {"judge-unrecorded": 1}
