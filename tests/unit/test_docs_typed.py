"""The pages that a newcomer types do what they say, typed as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from judge_server import JudgeServer
from typed_pages import blocks, commands, missing, run, typed

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "quickstart.md": 8,
    "own-benchmark.md": 7,
    "ci-gate.md": 9,
    "troubleshooting.md": 13,
    "cluster.md": 2,
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_when_it_is_typed(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    for runs in ("runs", "pairs"):
        shutil.copytree(
            ROOT / "tests" / "fixtures" / runs,
            folder / "tests" / "fixtures" / runs,
            ignore=shutil.ignore_patterns("*score.json", "*_per_row*"),
        )
    # The runs that pages on one's own runs speak of.
    for name in ("mcq_verbose", "pope", "textvqa"):
        shutil.copytree(folder / "tests" / "fixtures" / "runs" / name, folder / "runs" / name)
    assert typed(ROOT / "docs" / page, folder, tmp_path) >= PAGES[page]


def test_a_judge_behind_a_server_is_asked_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    shutil.copy(ROOT / "tests/fixtures/pairs/failed_judge/first/result.json", tmp_path / "runs")
    page = ROOT / "docs" / "local-judge.md"
    lines = [line for block in blocks(page) for line in commands(block.text) if "--judge_base_url" in line]
    with JudgeServer(lambda _: '{"verdict": "correct"}') as server:
        for line in lines:
            run(re.sub(r"http://localhost:\d+/v1", server.url, line), tmp_path, tmp_path)
    assert len(lines) == 3
    models = {str(seen.body["model"]) for seen in server.seen if seen.body}
    assert models == {"Qwen/Qwen2.5-7B-Instruct", "judge"}


@pytest.mark.parametrize(
    ("promised", "absent"),
    [
        pytest.param("a  b", [], id="spaces-aside"),
        pytest.param("a ... d", [], id="anything-between"),
        pytest.param("c\na", ["a"], id="order-counts"),
        pytest.param("e", ["e"], id="missing"),
    ],
)
def test_what_is_promised_is_looked_for(promised: str, absent: list[str]) -> None:
    assert missing("a b\n  c d\n", promised) == absent
