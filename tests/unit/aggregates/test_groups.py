"""macro-mean, all-correct, pair-plus."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from mmeval import stats
from mmeval.aggregates.groups import AllCorrect, MacroMean, PairPlus
from mmeval.aggregates.rates import Mean
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]


def test_macro_is_the_mean_of_group_means(table: Table) -> None:
    """EvolvingLMMs-Lab/lmms-eval#534: 3 of 4 and 1 of 10 are 42.5 macro, 28.57 micro."""
    rows = table([1.0] * 3 + [0.0] + [1.0] + [0.0] * 9, task=["x"] * 4 + ["y"] * 10)
    macro = MacroMean(by=("task",))(rows)
    assert (macro.value, macro.n, macro.parts) == (0.425, 14, {"x": 0.75, "y": 0.1})
    assert macro.stderr == pytest.approx(math.sqrt(0.75 * 0.25 / 3 + 0.1 * 0.9 / 9) / 2)
    assert macro.method == "macro"
    assert Mean()(rows).value == pytest.approx(4 / 14)


def test_nested_macro_goes_up_level_by_level(table: Table) -> None:
    """Ability a holds tasks of 1 and 0 (mean 0.5), ability b one task of 1: 0.75, not 2/3."""
    rows = table([1.0, 1.0, 0.0, 0.0, 1.0, 1.0], l2=list("aaaabb"), category=list("xxyyzz"))
    macro = MacroMean(by=("l2", "category"))(rows)
    assert macro.value == 0.75
    assert list(macro.parts.items()) == [("a", 0.5), ("a/x", 1.0), ("a/y", 0.0), ("b", 1.0), ("b/z", 1.0)]
    assert (macro.stderr, macro.ci95) == (None, None)


def test_macro_with_a_group_of_one_has_no_error(table: Table) -> None:
    macro = MacroMean(by="g")(table([1.0, 0.0, 1.0], g=["a", "a", "b"]))
    assert (macro.value, macro.stderr, macro.method) == (0.75, None, None)
    assert macro.notes == ("1 of 2 groups have one row, so no standard error",)


def test_macro_of_nothing_or_of_measured_rows(table: Table) -> None:
    assert MacroMean(by="g")([]).value is None
    reduced = MacroMean(by="g")(table([None], g=["a"]))
    assert reduced.value is None and reduced.notes


HALLUSION = [("1", "1", 1.0), ("1", "2", 0.0), ("2", "1", 1.0), ("2", "2", 1.0)]


def test_all_correct_over_figures_and_questions(table: Table) -> None:
    """open-compass/VLMEvalKit#113, #133: aAcc 75, fAcc 50, qAcc 50."""
    rows = table(
        [s for *_, s in HALLUSION], figure=[f for f, *_ in HALLUSION], q=[q for _, q, _ in HALLUSION]
    )
    assert Mean()(rows).value == 0.75
    assert AllCorrect(by=("figure",))(rows).value == 0.5
    assert AllCorrect(by=("q",))(rows).value == 0.5


def test_all_correct_needs_category_qualified_keys(table: Table) -> None:
    """facts: VD_ocr and VS_ocr collapse on the bare subcategory; proper keys give fAcc 75, qAcc 66.67."""
    keys = [("VD", "0", "0"), ("VD", "1", "0"), ("VD", "0", "1"), ("VS", "1", "0"), ("VS", "2", "0")]
    scores = [1.0, 0.0, 1.0, 1.0, 1.0]
    rows = table(scores, c=[k[0] for k in keys], f=[k[1] for k in keys], q=[k[2] for k in keys])
    assert AllCorrect(by=("c", "f"))(rows).value == 0.75
    assert AllCorrect(by=("c", "q"))(rows).value == pytest.approx(2 / 3)
    assert AllCorrect(by=("f",))(rows).value == pytest.approx(2 / 3)
    assert AllCorrect(by=("q",))(rows).value == 0.5


def test_the_group_is_the_unit(table: Table) -> None:
    reduced = AllCorrect(by="g")(table([1.0, 1.0, 1.0, 0.0], g=list("aabb")))
    assert (reduced.n, reduced.ci95, reduced.method) == (2, stats.wilson(1, 2), "wilson")


@pytest.mark.parametrize(
    ("size", "sizes"), [(4, None), ("size", ["4", "4", "4"])], ids=["declared", "told-by-a-field"]
)
def test_a_missing_pass_is_reported_and_never_right(table: Table, size: Any, sizes: Any) -> None:
    """open-compass/VLMEvalKit#121: a missing rotation must not count as right."""
    fields = {"size": sizes} if sizes else {}
    reduced = AllCorrect(by="q", expected_size=size)(table([1.0] * 3, q=["7"] * 3, **fields))
    assert reduced.value == 0.0
    assert reduced.notes == ("1 of 1 groups are incomplete (1 rows missing), so not all-correct",)


def test_an_unread_pass_is_not_right_either(table: Table) -> None:
    rows = table([1.0, 1.0, 1.0, 0.0], decided=[True, True, True, False], q=["7"] * 4)
    reduced = AllCorrect(by="q", expected_size=4)(rows)
    assert reduced.value == 0.0
    assert reduced.notes == ("1 of 4 rows have no verdict, so their groups are not all-correct",)


def test_a_group_with_more_rows_than_declared_is_reported(table: Table) -> None:
    reduced = AllCorrect(by="q", expected_size=2)(table([1.0] * 3, q=["7"] * 3))
    assert reduced.value == 1.0
    assert reduced.notes == ("1 of 1 groups have more rows than expected; all of their rows must be right",)


def test_partial_scores_are_not_right(table: Table) -> None:
    assert AllCorrect(by="q")(table([1.0, 0.9], q=["1", "1"])).value == 0.0


def test_all_correct_parts_by_category(table: Table) -> None:
    rows = table([1.0, 1.0, 0.0, 1.0], q=["1", "1", "2", "2"], c=["x", "x", "y", "y"], d=["e"] * 4)
    assert AllCorrect(by="q", parts_by="c")(rows).parts == {"x": 1.0, "y": 0.0}
    assert AllCorrect(by="q", parts_by=("d", "c"))(rows).parts == {"e/x": 1.0, "e/y": 0.0}


def test_all_correct_of_measured_or_no_rows(table: Table) -> None:
    assert AllCorrect(by="q")(table([None], q=["1"])).value is None
    assert AllCorrect(by="q")([]).value is None


@pytest.mark.parametrize(
    ("aggregate", "message"),
    [
        (
            AllCorrect(by="q", parts_by="c"),
            r"2 rows of group '1' must have one and the same value in field 'c'",
        ),
        (AllCorrect(by="q", expected_size="c"), "one and the same value in field 'c'"),
        (AllCorrect(by="q", expected_size="d"), "must tell the size of group '1' as a whole number, not 'x'"),
        (AllCorrect(by="nowhere"), "2 of 2 rows lack one value in field 'nowhere'"),
        (MacroMean(by="nowhere"), "2 of 2 rows lack one value in field 'nowhere'"),
        (PairPlus(pair="nowhere", category="c"), "2 of 2 rows lack one value in field 'nowhere'"),
    ],
)
def test_unusable_fields_are_refused(table: Table, aggregate: Any, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        aggregate(table([1.0, 0.0], q=["1", "1"], c=["x", "y"], d=["x", "x"]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: AllCorrect(by=()),
        lambda: AllCorrect(by="q", expected_size=0),
        lambda: MacroMean(by=()),
        lambda: PairPlus(pair=()),
    ],
)
def test_unusable_parameters_are_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(MetadataError):
        make()


def test_mme_of_two_images(table: Table) -> None:
    """jhCOR/EgoOrientBench#2: acc 75, acc+ 50, score 125."""
    rows = table([1.0, 1.0, 1.0, 0.0], category=["OCR"] * 4, image=["1", "1", "2", "2"])
    reduced = PairPlus(pair="image")(rows)
    assert reduced.value == 125.0
    assert reduced.parts == {"OCR": 125.0, "OCR.acc": 75.0, "OCR.acc_plus": 50.0}
    # The pairs score 200 and 50, their mean is the category's score.
    assert reduced.stderr == pytest.approx(75.0)
    assert (reduced.n, reduced.method) == (2, "pairs")


def test_mme_half_pair_is_never_both_right(table: Table) -> None:
    """VLMEvalKit's MME_rating raises IndexError here."""
    reduced = PairPlus(pair="image")(table([1.0] * 3, category=["OCR"] * 3, image=["1", "1", "2"]))
    assert reduced.parts["OCR.acc_plus"] == 50.0
    assert reduced.notes == ("1 of 2 pairs do not have two rows and count as not both right",)
    assert (reduced.stderr, reduced.ci95) == (None, None)


def test_mme_declared_categories_keep_their_order_and_gaps_are_told(table: Table) -> None:
    rows = table([1.0] * 4, category=["b", "b", "a", "a"], image=["1"] * 4)
    reduced = PairPlus(pair=("image",), categories=("b", "c"))(rows)
    assert reduced.value == 200.0
    assert list(reduced.parts) == ["b", "b.acc", "b.acc_plus"]
    assert reduced.notes == ("no rows of category 'c': it adds nothing to the sum",)
    assert PairPlus(pair="image")(rows).value == 400.0


def test_mme_without_rows_or_scores(table: Table) -> None:
    assert PairPlus(pair="image")([]).value is None
    assert PairPlus(pair="image")(table([None], category=["a"], image=["1"])).value is None
    rows = table([1.0], category=["a"], image=["1"])
    assert PairPlus(pair="image", categories=("z",))(rows).value is None


def test_mme_totals_of_ten_and_four_categories(table: Table) -> None:
    """facts 8.6: every category with one image both right and one half right is 125; ten make 1250."""
    names = [f"c{i}" for i in range(10)]
    rows = table(
        [1.0, 1.0, 1.0, 0.0] * 10,
        category=[n for n in names for _ in range(4)],
        image=["1", "1", "2", "2"] * 10,
    )
    assert PairPlus(pair="image", categories=tuple(names))(rows).value == 1250.0


def test_fields_name_everything_that_is_read() -> None:
    assert AllCorrect(by=("a",), expected_size="s", parts_by="p").fields() == ("a", "s", "p")
    assert AllCorrect(by="a", expected_size=3).fields() == ("a",)
    assert PairPlus(pair="i").fields() == ("category", "i")
    assert MacroMean(by=("a", "b"), field="f").fields() == ("f", "a", "b")
