"""mean-of, weighted-mean, sum-of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval.aggregates.combine import MeanOf, SumOf, WeightedMean
from mmeval.errors import MetadataError
from mmeval.types import Reduced

DONE = {
    "a": Reduced(0.75, 4, 0.03, parts={"x.f1": 0.5, "y": None}),
    "b": Reduced(0.5, 2, 0.04),
    "a.b": Reduced(0.1, 1, parts={"c": 0.2}),
    "none": Reduced(None, 0),
}


def test_mean_of_is_unweighted_without_an_error() -> None:
    reduced = MeanOf(of=("a", "b"))(DONE)
    assert (reduced.value, reduced.n, reduced.parts) == (0.625, 4, {"a": 0.75, "b": 0.5})
    assert (reduced.stderr, reduced.ci95, reduced.method) == (None, None, None)


def test_hallusionbench_average() -> None:
    """open-compass/VLMEvalKit#113: 75, 50 and 50 make 58.3333."""
    done = {name: Reduced(value, 4) for name, value in [("aAcc", 0.75), ("fAcc", 0.5), ("qAcc", 0.5)]}
    assert MeanOf(of=("aAcc", "fAcc", "qAcc"))(done).value == pytest.approx(0.583333, abs=1e-6)


def test_disjoint_figures_have_an_error() -> None:
    reduced = MeanOf(of=("a", "b"), disjoint=True)(DONE)
    assert reduced.stderr == pytest.approx(0.025)
    assert (reduced.n, reduced.method) == (6, "disjoint")
    assert SumOf(of=("a", "b"), disjoint=True)(DONE).stderr == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.x.f1", 0.5), ("a.b", 0.1), ("a.b.c", 0.2)],
    ids=["part", "dotted-name", "its-part"],
)
def test_parts_are_reached_by_name(name: str, expected: float) -> None:
    assert MeanOf(of=(name,))(DONE).value == expected


@pytest.mark.parametrize("name", ["none", "a.y"])
def test_one_undefined_figure_makes_the_whole_undefined(name: str) -> None:
    reduced = MeanOf(of=("b", name))(DONE)
    assert reduced.value is None
    assert reduced.notes == (f"undefined, since {name} is",)


def test_sum_of() -> None:
    assert SumOf(of=("a", "b"))(DONE).value == 1.25


def test_weighted_by_name() -> None:
    assert WeightedMean(of=("a", "b"), weights={"a": 1, "b": 3})(DONE).value == pytest.approx(2.25 / 4)


def test_weighted_by_n_pools_the_rows() -> None:
    """HongbangYuan/OmniReward#3: 0.815, 0.942 and 0.604 over 183, 749 and 318 rows make 0.8374."""
    done = {
        "general": Reduced(0.815, 183),
        "hallucination": Reduced(0.942, 749),
        "reasoning": Reduced(0.604, 318),
    }
    assert WeightedMean(of=tuple(done))(done).value == pytest.approx(0.8374, abs=5e-5)


def test_weighted_by_n_of_nothing_is_undefined() -> None:
    assert WeightedMean(of=("z",))({"z": Reduced(0.0, 0)}).value is None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MeanOf(of=()), "at least one"),
        (lambda: SumOf(of=("a", "a")), "'a' twice"),
        (lambda: WeightedMean(of=("a", "b"), weights={"a": 1.0}), "must name the same; see b"),
        (lambda: WeightedMean(of=("a",), weights={"a": 0.0}), "not all 0"),
        (lambda: WeightedMean(of=("a",), weights={"a": -1.0}), "not negative"),
        (lambda: MeanOf(of=("zz",))(DONE), "'zz', which these rows do not give; there are: a, b, a.b"),
        (lambda: MeanOf(of=("a.zz",))({}), "there are: none"),
        (lambda: WeightedMean(of=("a.x.f1",))(DONE), "'a.x.f1' is a part"),
    ],
)
def test_unusable_parameters_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        make()


def test_they_combine_and_read_no_field() -> None:
    for made in (MeanOf(of=("a",)), SumOf(of=("a",)), WeightedMean(of=("a",))):
        assert made.combines and made.fields() == ()
