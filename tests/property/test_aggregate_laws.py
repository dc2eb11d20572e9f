"""Laws that every aggregate keeps, whatever the rows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval.aggregates.attempts import MajAtK, PassAtK
from mmeval.aggregates.classification import Prf1
from mmeval.aggregates.combine import MeanOf
from mmeval.aggregates.counts import CountErrors
from mmeval.aggregates.groups import AllCorrect, MacroMean, PairPlus
from mmeval.aggregates.judged import Checklist, LabelMean, ReplicateSpread
from mmeval.aggregates.labels import LabelRates, MultiLabelMean
from mmeval.aggregates.rates import Mean, Sum, ThresholdRate
from mmeval.aggregates.ratios import RatioOfMeans
from mmeval.types import Attempt, Reduced, Row

Reducer = Callable[[Sequence[Row]], Reduced]

SHARES: dict[str, Reducer] = {
    "mean": Mean(by="g", cluster="h"),
    "mean-binary": Mean(),
    "macro": MacroMean(by="g"),
    "macro-nested": MacroMean(by=("g", "h")),
    "all-correct": AllCorrect(by=("g", "h"), expected_size=2, parts_by="g"),
    "prf1": Prf1(by="many", explode=","),
    "prf1-exploded": Prf1(by="many", explode=",", explode_overall=True),
    "prf1-macro": Prf1(by="g", macro=True, value="accuracy"),
    "label-rates": LabelRates(labels=("1", "2", "yes"), correct="yes", attempted=("1", "yes"), value="f"),
    "multi-label": MultiLabelMean(labels="many", explode=",", exact_sets=True),
    "label-mean": LabelMean({"yes": 1.0, "1": 0.0}, by="g"),
    "threshold": ThresholdRate(">=", 0.5, by="g"),
    "exact": CountErrors(value="exact"),
    "pass@2": PassAtK(k=2),
    "maj@k": MajAtK(),
}
OTHERS: dict[str, Reducer] = {
    "sum": Sum(by="g"),
    "checklist": Checklist(value="items", by="g"),
    "pair-plus": PairPlus(pair="h", category="g"),
    "ratio": RatioOfMeans("score", "weight", by="g"),
    "mae": CountErrors(),
    "nae": CountErrors(value="nae"),
    "rmse": CountErrors(value="rmse"),
    "spread": ReplicateSpread(),
}
WORDS = ("1", "2", "yes", None)


@st.composite
def rows(draw: st.DrawFn, size: int = 14) -> list[Row]:
    graded = draw(st.booleans())
    scores = st.floats(0, 1, allow_nan=False) if graded else st.sampled_from([0.0, 1.0])
    attempt = st.builds(Attempt, scores, st.sampled_from(WORDS))
    return [
        Row(
            str(i),
            draw(scores),
            draw(st.sampled_from(["ok"] * 6 + ["invalid", "llm_error", "error"])),
            draw(st.sampled_from([True] * 6 + [False])),
            draw(st.sampled_from(WORDS)),
            draw(st.sampled_from(["0", "1", "2"])),
            None,
            {
                "g": draw(st.sampled_from("ab")),
                "h": draw(st.sampled_from("cde")),
                "many": draw(st.sampled_from(["a", "b", "a,b"])),
                "weight": str(draw(st.floats(0.1, 5))),
            },
            None,
            tuple(draw(st.lists(attempt, min_size=2, max_size=4))),
        )
        for i in range(draw(st.integers(0, size)))
    ]


@pytest.mark.parametrize("name", [*SHARES, *OTHERS])
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_permuting_rows_changes_no_bit(name: str, data: st.DataObject) -> None:
    table = data.draw(rows())
    reducer = (SHARES | OTHERS)[name]
    once, again = reducer(table), reducer(data.draw(st.permutations(table)))
    assert once == again
    assert list(once.parts) == list(again.parts)


@pytest.mark.parametrize("name", SHARES)
@settings(max_examples=12, deadline=None)
@given(table=rows())
def test_shares_and_their_intervals_stay_in_range(name: str, table: list[Row]) -> None:
    reduced = SHARES[name](table)
    assert (reduced.value is None) == (not table)
    parts = [value for part, value in reduced.parts.items() if part not in ("mae", "rmse", "nae")]
    told = [reduced.value, *parts, *(reduced.ci95 or ())]
    assert all(0 <= value <= 1 for value in told if value is not None)


@pytest.mark.parametrize("name", [*SHARES, *OTHERS])
@settings(max_examples=12, deadline=None)
@given(table=rows())
def test_an_interval_holds_its_value_and_has_a_method(name: str, table: list[Row]) -> None:
    reduced = (SHARES | OTHERS)[name](table)
    assert (reduced.ci95 is None) == (reduced.method is None)
    assert reduced.stderr is None or (reduced.stderr > 0 and math.isfinite(reduced.stderr))
    if reduced.ci95 is not None and reduced.value is not None:
        low, high = reduced.ci95
        assert low - 1e-9 <= reduced.value <= high + 1e-9


@settings(max_examples=30, deadline=None)
@given(table=rows())
def test_sums_of_groups_add_up_to_the_whole(table: list[Row]) -> None:
    reduced = Sum(by="g")(table)
    assert math.fsum(value or 0 for value in reduced.parts.values()) == pytest.approx(reduced.value or 0)
    sizes = Counter(row.fields["g"] for row in table)
    means = Mean(by="g")(table)
    weighted = math.fsum((means.parts[str(name)] or 0) * size for name, size in sizes.items())
    assert weighted == pytest.approx((means.value or 0) * len(table))
    assert set(means.parts) == set(sizes)


def _grid(hits: Sequence[Sequence[bool]]) -> list[Row]:
    """Groups as lists of right or wrong."""
    return [
        Row(f"{g}-{i}", float(hit), "ok", True, None, None, None, {"g": str(g)})
        for g, group in enumerate(hits)
        for i, hit in enumerate(group)
    ]


EQUAL = st.integers(1, 4).flatmap(
    lambda size: st.lists(st.lists(st.booleans(), min_size=size, max_size=size), min_size=1, max_size=8)
)


@settings(max_examples=30, deadline=None)
@given(hits=EQUAL)
def test_all_correct_is_at_most_the_mean_of_equal_groups(hits: list[list[bool]]) -> None:
    table = _grid(hits)
    strict, mean = AllCorrect(by="g")(table).value, Mean()(table).value
    assert strict is not None and mean is not None and strict <= mean + 1e-12
    assert strict == sum(map(all, hits)) / len(hits)


@settings(max_examples=30, deadline=None)
@given(hits=EQUAL)
def test_macro_of_equal_groups_is_micro(hits: list[list[bool]]) -> None:
    table = _grid(hits)
    assert MacroMean(by="g")(table).value == pytest.approx(Mean()(table).value)


@settings(max_examples=30, deadline=None)
@given(hits=EQUAL, size=st.integers(1, 5))
def test_incomplete_groups_are_never_right(hits: list[list[bool]], size: int) -> None:
    reduced = AllCorrect(by="g", expected_size=size)(_grid(hits))
    if size > len(hits[0]):
        assert reduced.value == 0.0 and reduced.notes


@settings(max_examples=30, deadline=None)
@given(table=rows())
def test_repeating_every_row_changes_no_mean_and_narrows_the_interval(table: list[Row]) -> None:
    once, twice = Mean()(table), Mean()([*table, *table])
    assert twice.value == pytest.approx(once.value)
    if once.stderr is not None and twice.stderr is not None:
        assert twice.stderr < once.stderr


@settings(max_examples=30, deadline=None)
@given(table=rows())
def test_repeating_every_row_of_a_cluster_does_not_narrow_it(table: list[Row]) -> None:
    once, twice = Mean(cluster="h")(table), Mean(cluster="h")([*table, *table])
    assert (twice.stderr is None) == (once.stderr is None)
    assert twice.stderr is None or twice.stderr == pytest.approx(once.stderr or 0.0, rel=1e-6)


@settings(max_examples=30, deadline=None)
@given(hits=EQUAL)
def test_all_right_and_all_wrong_reach_the_ends(hits: list[list[bool]]) -> None:
    for end in (True, False):
        table = _grid([[end] * len(group) for group in hits])
        for reducer in (Mean(), MacroMean(by="g"), AllCorrect(by="g")):
            assert reducer(table).value == float(end)


@settings(max_examples=30, deadline=None)
@given(table=rows())
def test_f1_lies_between_precision_and_recall(table: list[Row]) -> None:
    parts = Prf1(positive="1")(table).parts
    if parts:
        precision, recall, f1 = (parts[name] or 0.0 for name in ("precision", "recall", "f1"))
        assert min(precision, recall) - 1e-12 <= f1 <= max(precision, recall) + 1e-12


@settings(max_examples=30, deadline=None)
@given(table=rows())
def test_pass_at_k_grows_and_pass_hat_k_falls(table: list[Row]) -> None:
    for need, sign in (("any", 1), ("all", -1)):
        one, two = (PassAtK(k=k, need=need)(table).value or 0.0 for k in (1, 2))  # type: ignore[arg-type]
        assert sign * (two - one) >= -1e-12


@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_mean_of_lies_between_its_figures(values: list[float]) -> None:
    done = {str(i): Reduced(value, 1) for i, value in enumerate(values)}
    mean = MeanOf(of=tuple(done))(done).value
    assert mean is not None and min(values) - 1e-6 <= mean <= max(values) + 1e-6
