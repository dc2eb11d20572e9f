"""`mmeval judge cache`."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.judge.cache import Cache, key
from mmeval.judge.submissions import Submissions
from mmeval.judge.wire import Completion, Identity, Message, Request

Mmeval = Callable[..., Any]
JUDGE = Identity("openai", "https://api.openai.com/v1", "gpt-4o")


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with three replies, in the folder that the environment names."""
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "cache"))
    with Cache.open() as cache:
        for number in range(3):
            request = Request((Message("user", f"Is it {number}?"),), prompt="hle")
            cache.put(key(JUDGE, request), JUDGE, request, Completion("yes", "gpt-4o", "stop", 10, 2))
        cache.connection.execute(
            "UPDATE replies SET created = ? WHERE rowid = 1", (time.time() // 1 - 9 * 86400,)
        )
    return tmp_path / "cache"


def test_stats(mmeval: Mmeval, cached: Path) -> None:
    ran = mmeval("judge", "cache", "stats")
    assert ran.code == 0, ran.err
    head, names, row = ran.out.splitlines()
    assert head.startswith(f"{cached / 'judge.sqlite'}: 3 replies, 0.")
    assert names.split() == [
        "model",
        "prompt",
        "replies",
        "tokens",
        "in",
        "tokens",
        "out",
        "oldest",
        "newest",
    ]
    assert row.split()[:5] == ["gpt-4o", "hle", "3", "30", "6"]
    told = json.loads(mmeval("judge", "cache", "stats", "--json").out)
    assert (told["replies"], told["groups"][0]["model"]) == (3, "gpt-4o")


def test_export_and_import(mmeval: Mmeval, cached: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert mmeval("judge", "cache", "export", "-o", out).out == f"3 replies in {out}\n"
    assert json.loads(mmeval("judge", "cache", "export", "--out", out, "--json").out)["replies"] == 3
    assert mmeval("judge", "cache", "import", out).out == "0 new, 3 known already\n"
    other = ("--cache-dir", tmp_path / "other")
    assert mmeval("judge", "cache", "import", out, *other).out == "3 new, 0 known already\n"
    told = json.loads(mmeval("judge", "cache", "import", out, *other, "--json").out)
    assert told == {"new": 0, "known": 3, "different": 0}


def test_import_names_the_bad_line(mmeval: Mmeval, cached: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    ran = mmeval("judge", "cache", "import", tmp_path / "bad.jsonl")
    assert ran.code == 2
    assert "bad.jsonl: line 1: " in ran.err
    assert "nothing was imported" in ran.err


def test_prune_says_first_and_then_does(mmeval: Mmeval, cached: Path) -> None:
    aged = ("judge", "cache", "prune", "--older_than", "8d")
    assert mmeval(*aged, "--dry_run").out == "1 reply would go\n"
    assert mmeval(*aged).out == "1 reply is gone\n"
    assert json.loads(mmeval(*aged, "--json").out) == {"replies": 0, "waiting": 0, "gone": True}
    assert mmeval("judge", "cache", "prune", "--model", "gpt-5").out == "0 replies are gone\n"
    assert mmeval("judge", "cache", "prune", "--all").out == "2 replies are gone\n"


def test_batches_on_record_are_told_and_forgotten(mmeval: Mmeval, cached: Path) -> None:
    with Cache.open() as cache:
        submissions = Submissions(cache, JUDGE)
        submissions.record({str(n): Request((Message("user", f"{n}"),)) for n in range(4)})
    assert "3 replies, 0.0 MB, 4 questions with a batch" in mmeval("judge", "cache", "stats").out
    forgetting = ("judge", "cache", "prune", "--batches")
    assert mmeval(*forgetting, "--dry_run").out == "0 replies and 4 waiting questions would go\n"
    assert mmeval(*forgetting, "--model", "gpt-4o").out == "3 replies and 4 waiting questions are gone\n"
    told = json.loads(mmeval(*forgetting, "--json").out)
    assert told == {"replies": 0, "waiting": 0, "gone": True}
    with Cache.open() as cache:
        assert Submissions(cache, JUDGE).open() == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "say which replies: --older_than 30d, --model, --prompt, or --all"),
        (["--all", "--model", "m"], "--all leaves nothing to choose"),
        (["--older_than", "soon"], "--older_than soon: is no age"),
        (["--older_than", "d"], "is no age"),
        (["--older_than", ""], "is no age"),
        (["--older_than", "-3d"], "is no age"),
        (["--older_than", "999999999999d"], "is no age"),
    ],
)
def test_prune_wants_to_know_which(mmeval: Mmeval, cached: Path, arguments: list[str], says: str) -> None:
    ran = mmeval("judge", "cache", "prune", *arguments)
    assert ran.code == 2
    assert says in ran.err


@pytest.mark.parametrize(
    "arguments", [["stats"], ["export", "-o", "out.jsonl"], ["prune", "--all"]], ids=lambda given: given[0]
)
def test_where_there_is_none_it_is_told_and_none_is_made(
    mmeval: Mmeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = mmeval("judge", "cache", *arguments, "--cache_dir", tmp_path / "none")
    assert ran.code == 2
    assert "holds no reply cache" in ran.err
    assert list(tmp_path.iterdir()) == []
