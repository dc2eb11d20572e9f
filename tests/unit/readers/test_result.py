"""A run as the engine sees it, and the real runs, where they lie beside the repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.readers import BadRow, Fields, open_run
from mmeval.types import Sample

RUNS = sorted((Path(__file__).resolve().parents[4] / "shared" / "runs").glob("*/result.json"))
Write, Make = Callable[..., Path], Callable[..., dict[str, Any]]


def test_an_open_run(write: Write, make_row: Make) -> None:
    with open_run(write([make_row(0), 5, make_row(2)])) as run:
        first = list(run.samples(Fields()))
        again = list(run.samples(Fields(question_type="open")))
    assert (run.n_rows, run.format, run.rows_without_id, run.duplicate_ids) == (3, "result.json", 1, {})
    assert [type(row) for row in first] == [Sample, BadRow, Sample]
    assert [row.question_type for row in again if isinstance(row, Sample)] == ["open", "open"]


def test_a_closed_run_gives_nothing(write: Write, make_row: Make) -> None:
    with open_run(write([make_row(0)])) as run:
        pass
    assert list(run.samples(Fields())) == []


def test_one_bad_sample_does_not_share_fields(write: Write) -> None:
    with open_run(write([{}, {}])) as run:
        first, second = run.samples(Fields())
    assert first.fields is not second.fields


@pytest.mark.skipif(not RUNS, reason="the recorded runs are not beside the repository")
@pytest.mark.parametrize("path", RUNS, ids=[path.parent.name for path in RUNS])
def test_real_runs_have_no_bad_row(path: Path) -> None:
    with open_run(path) as run:
        rows = list(run.samples(Fields()))
    assert len(rows) == run.n_rows
    assert not [row for row in rows if isinstance(row, BadRow)]
    assert not run.duplicate_ids
    assert run.metas
