"""pass@k and maj@k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import pytest

from mmeval.aggregates.attempts import MajAtK, PassAtK
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]


def tries(scores: Sequence[float | None]) -> list[tuple[float | None, str | None]]:
    return [(score, None) for score in scores]


@pytest.mark.parametrize("need", ["any", "all"])
@pytest.mark.parametrize("scores", [[1, 0, 0, 1, 0], [0] * 5, [1] * 5, [1, 0, 0, 0, 0]], ids=str)
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
def test_the_estimator_is_the_mean_over_all_draws(
    table: Table, need: Any, scores: list[float], k: int
) -> None:
    draws = [(any if need == "any" else all)(draw) for draw in combinations(scores, k)]
    reduced = PassAtK(k=k, need=need)(table([0.0], attempts=[tries(scores)]))
    assert reduced.value == pytest.approx(sum(draws) / len(draws), rel=1e-15)


def test_pass_at_k_is_the_mean_over_samples(table: Table) -> None:
    rows = table([0.0] * 2, attempts=[tries([1, 0, 0]), tries([0, 0])])
    reduced = PassAtK(k=2)(rows)
    assert (reduced.value, reduced.n, reduced.method) == (pytest.approx(1 / 3), 2, "t")
    assert PassAtK(k=2)(rows[:1] * 2).stderr is None
    assert PassAtK(k=1)(table([0.0] * 2, attempts=[tries([1]), tries([0])])).method == "wilson"


def test_partial_and_scoreless_attempts_are_not_right(table: Table) -> None:
    reduced = PassAtK()(table([0.0], attempts=[tries([0.9, None])]))
    assert reduced.value == 0.0
    assert reduced.notes == ("1 attempts carry no score of their own and count as not right",)


@pytest.mark.parametrize(
    ("make", "attempts", "message"),
    [
        (
            lambda: PassAtK(k=3),
            [tries([1, 1])],
            "sample 0 has 2 attempts, fewer than k = 3; record more responses",
        ),
        (lambda: MajAtK(k=3), [tries([1, 1])], "sample 0 has 2 attempts, fewer than k = 3"),
        (lambda: PassAtK(), [[]], "sample 0 has 0 attempts"),
        (lambda: PassAtK(k=0), [[]], "k must be at least 1, not 0"),
        (lambda: MajAtK(k=-1), [[]], "k must be at least 1, not -1"),
    ],
)
def test_too_few_attempts_are_refused(
    table: Table, make: Callable[[], Any], attempts: Any, message: str
) -> None:
    with pytest.raises(MetadataError, match=message):
        make()(table([0.0], attempts=attempts))


def test_an_ungraded_row_counts_as_wrong_and_is_told(table: Table) -> None:
    rows = table([1.0, 0.0], attempts=[tries([1]), []], status=["ok", "invalid"])
    reduced = PassAtK()(rows)
    assert (reduced.value, reduced.notes) == (0.5, ("1 of 2 samples could not be graded and count as wrong",))
    assert MajAtK()(rows[1:]).value == 0.0


@pytest.mark.parametrize(
    ("attempts", "k", "expected"),
    [
        ([(1, "A"), (0, "B"), (1, "A")], None, 1.0),
        ([(1, "A"), (0, "B"), (0, "B")], None, 0.0),
        ([(1, "A"), (0, "B"), (0, "B")], 1, 1.0),
        ([(1, "A"), (0, None), (0, None)], None, 1.0),
        ([(1, "A"), (0, "B")], None, 0.0),
        ([(0, None)], None, 0.0),
        ([(0.5, "A"), (1, "A")], None, 0.75),
        ([(None, "A")], None, 0.0),
    ],
    ids=["right", "wrong", "first-k", "silent-do-not-vote", "tie", "no-vote", "graded", "no-score"],
)
def test_majority(table: Table, attempts: Any, k: int | None, expected: float) -> None:
    assert MajAtK(k=k)(table([0.0], attempts=[attempts])).value == expected


def test_ties_and_silence_are_told(table: Table) -> None:
    rows = table([0.0] * 2, attempts=[[(1, "A"), (0, "B")], [(0, None)]])
    assert MajAtK()(rows).notes == (
        "1 of 2 samples have a tie, which counts as wrong",
        "1 of 2 samples have no attempt that could be read; they count as wrong",
    )


def test_no_rows_and_no_fields() -> None:
    assert (PassAtK()([]).value, MajAtK()([]).value) == (None, None)
    assert PassAtK().fields() == MajAtK().fields() == ()
