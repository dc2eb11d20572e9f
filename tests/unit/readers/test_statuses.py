"""Which model and dataset a file is of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.readers.statuses import Named, named

STATUS = {"model_name": "my_model", "datasets": {"MMBench": {}, "MMBench_DEV_EN": {"judge_model": "gpt-4o"}}}

CASES: list[tuple[str, str, Any, Named]] = [
    ("status", "x/my_model_MMBench_DEV_EN.xlsx", STATUS, Named("my_model", "MMBench_DEV_EN", "gpt-4o")),
    (
        "status-verdicts",
        "x/my_model_MMBench_DEV_EN_gpt-4o.xlsx",
        STATUS,
        Named("my_model", "MMBench_DEV_EN", "gpt-4o"),
    ),
    ("status-of-others", "x/other_POPE.xlsx", STATUS, Named("other", "POPE")),
    ("status-broken", "x/m_POPE.xlsx", "{", Named("m", "POPE")),
    ("folder", "my_model/my_model_New_Set.xlsx", None, Named("my_model", "New_Set")),
    ("folder-above", "my_model/T20250102-030405/my_model_POPE.xlsx", None, Named("my_model", "POPE")),
    ("folder-judged", "m/m_POPE_gpt-4o_result.xlsx", None, Named("m", "POPE")),
    ("library", "x/a_b_POPE.xlsx", None, Named("a_b", "POPE")),
    ("library-judged", "x/a_b_POPE_gpt.xlsx", None, Named("a_b", "POPE")),
    ("dataset-alone", "x/POPE.xlsx", None, Named(None, "POPE")),
    ("unknown", "x/predictions.xlsx", None, Named(None, None)),
]


@pytest.mark.parametrize(("place", "status", "wanted"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_named(tmp_path: Path, place: str, status: Any, wanted: Named) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    if status is not None:
        text = status if isinstance(status, str) else json.dumps(status)
        (path.parent / "status.json").write_text(text, encoding="utf-8")
    assert named(path) == wanted
