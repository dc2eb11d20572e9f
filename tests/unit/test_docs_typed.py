"""The pages that a newcomer types do what they say, typed as they stand."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typed_pages import missing, typed

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"quickstart.md": 8, "own-benchmark.md": 7, "ci-gate.md": 9, "troubleshooting.md": 13}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_works_when_it_is_typed(page: str, tmp_path: Path) -> None:
    folder = tmp_path / "repository"
    for runs in ("runs", "pairs"):
        shutil.copytree(
            ROOT / "tests" / "fixtures" / runs,
            folder / "tests" / "fixtures" / runs,
            ignore=shutil.ignore_patterns("*score.json", "*.per_row*"),
        )
    assert typed(ROOT / "docs" / page, folder, tmp_path) >= PAGES[page]


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
