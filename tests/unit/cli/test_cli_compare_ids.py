"""Scores whose samples cannot be joined, ids that stand for several rows, and samples of which few differ."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Mmeval = Callable[..., Any]


@pytest.mark.parametrize(
    ("ids", "says"),
    [
        pytest.param(("q0", "q1"), "b/score.json has 2 ids: q0, q1", id="other-ids"),
        pytest.param(("q", "q"), "b/score.json has several rows of every id: q", id="one-id-for-all"),
    ],
)
def test_scores_without_a_common_sample_are_told(
    mmeval: Mmeval, write_run: Any, sample_row: Any, tmp_path: Path, ids: tuple[str, str], says: str
) -> None:
    for name in "ab":
        mmeval("score", "--results", write_run([sample_row(n, "yes", "no") for n in range(2)], name=name))
    path = tmp_path / "b" / "score.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    for row, eval_id in zip(document["samples"], ids, strict=True):
        row["eval-id"] = eval_id
    path.write_text(json.dumps(document), encoding="utf-8")
    ran = mmeval("compare", tmp_path / "a", tmp_path / "b")
    assert (ran.code, ran.out) == (2, "")
    assert "no sample is in both, so there is nothing to compare" in ran.err
    assert "a/score.json has 2 ids: 0, 1;" in ran.err
    assert says in ran.err
    told = mmeval("explain", tmp_path / "b", ids[0])
    assert told.code == 0
    assert ("2 rows have the id q; this is the first of them" in told.err) == (ids[0] == ids[1])


@pytest.mark.parametrize(("better", "said"), [(4, True), (8, False), (0, False)])
def test_where_interval_and_p_disagree_it_is_said(
    mmeval: Mmeval, write_run: Any, sample_row: Any, tmp_path: Path, better: int, said: bool
) -> None:
    for name, right in (("a", 0), ("b", better)):
        rows = [sample_row(n, "yes", "yes" if n < right else "no") for n in range(200)]
        mmeval("score", "--results", write_run(rows, name=name))
    out = mmeval("compare", tmp_path / "a", tmp_path / "b", "--anyway").out
    assert ("interval and p-value disagree" in out) is said
