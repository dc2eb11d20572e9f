"""Rows for the tests of aggregates, made from as little as a test needs to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from mmeval.types import Attempt, Row

Table = Callable[..., list[Row]]


def make(
    scores: Sequence[float | None],
    *,
    label: Sequence[str | None] | None = None,
    gold: Sequence[str | None] | None = None,
    status: Sequence[str] | None = None,
    decided: Sequence[bool] | None = None,
    evidence: Sequence[Any] | None = None,
    attempts: Sequence[Sequence[tuple[float | None, str | None]]] | None = None,
    subset: str | None = None,
    **fields: Sequence[Any],
) -> list[Row]:
    """One row per score; every other argument is one column of the table."""
    return [
        Row(
            str(i),
            score,
            status[i] if status else "ok",  # type: ignore[arg-type]
            decided[i] if decided else True,
            label[i] if label else None,
            gold[i] if gold else None,
            subset,
            {name: column[i] for name, column in fields.items()},
            evidence[i] if evidence else None,
            tuple(Attempt(*each) for each in attempts[i]) if attempts else (),
        )
        for i, score in enumerate(scores)
    ]


@pytest.fixture
def table() -> Table:
    """The maker of rows."""
    return make
