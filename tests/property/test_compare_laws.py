"""Laws of comparing: nothing differs from itself, and exchanging the sides changes signs alone."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.compare.causes import Pair, causes
from mmeval.compare.paired import false_discovery, holm, paired
from mmeval.compare.rows import Line

SCORES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1, width=32))
TRIPLES = st.lists(st.tuples(SCORES, SCORES, st.integers(0, 5)), max_size=12)
BINARY = st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 5)), max_size=30)
REASONS = st.sampled_from(["cue", "boxed", "no-option-found", "cue-is-not-the-gold"])


@settings(max_examples=40, deadline=None)
@given(TRIPLES)
def test_nothing_differs_from_itself(rows: list[tuple[float, float, int]]) -> None:
    a, units = [row[0] for row in rows], [row[2] for row in rows]
    found = paired(a, a, units)
    assert found.difference == (0.0 if rows else None)
    assert found.p == (1.0 if len(set(units)) > 1 else None)
    assert found.ci95 is None


@settings(max_examples=40, deadline=None)
@given(st.one_of(TRIPLES, BINARY))
def test_exchanging_the_sides_changes_signs_alone(rows: list[tuple[float, float, int]]) -> None:
    a, b = [float(row[0]) for row in rows], [float(row[1]) for row in rows]
    units = [row[2] for row in rows]
    one, other = paired(a, b, units), paired(b, a, units)
    assert (one.a, one.b) == (other.b, other.a)
    assert one.difference == (None if other.difference is None else pytest.approx(-other.difference))
    assert one.p == (None if other.p is None else pytest.approx(other.p))
    assert one.detectable == (None if other.detectable is None else pytest.approx(other.detectable))
    if one.ci95 is not None and other.ci95 is not None:
        assert one.ci95 == pytest.approx((-other.ci95[1], -other.ci95[0]), abs=1e-12)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=8))
def test_adjusted_p_values_are_ordered(values: list[float | None]) -> None:
    for p, claim, screen in zip(values, holm(values), false_discovery(values), strict=True):
        if p is None or claim is None or screen is None:
            assert (p, claim, screen) == (None, None, None)
        else:
            assert p <= screen + 1e-12 <= claim + 2e-12 <= 1 + 3e-12


@st.composite
def _line(draw: st.DrawFn, name: int) -> Line:
    decided = draw(st.booleans())
    stage = "rule-match" if decided else None
    score = draw(st.sampled_from([0.0, 1.0])) if decided else 0.0
    group: dict[str, object] = {"scene": draw(st.sampled_from("xy"))}
    return Line(eval_id=name, score=score, decided_by=stage, reason=draw(REASONS), group=group)


@given(st.data())
def test_a_difference_is_the_sum_of_its_moves(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 12))
    pairs = [
        Pair(a, b, (b.score or 0.0) - (a.score or 0.0))
        for name in range(count)
        for a, b in [(data.draw(_line(name)), data.draw(_line(name)))]
    ]
    found = causes(pairs, "mean score")
    assert math.fsum(move.points for move in found.moves) == pytest.approx(found.points)
    assert sum(move.rows for move in found.moves) == count
    assert all(move.better + move.worse <= move.rows for move in found.moves)
