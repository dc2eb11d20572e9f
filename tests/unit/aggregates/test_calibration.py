"""calibration-error. Expected: calib_err of kflu/hle run_judge_results.py@ce3f6f123819, run on our rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval.aggregates.calibration import CalibrationError
from mmeval.errors import MetadataError
from mmeval.types import Row

Table = Callable[..., list[Row]]

ORDER = [(turn * 97) % 330 for turn in range(330)]
OFFICIAL: list[Any] = [
    # no two rows of one confidence stand at the border of a bin
    pytest.param(
        [p * 100 / 329 for p in ORDER], [i * i % 7 < 3 for i in range(330)], 100, 0.35073241301305763
    ),
    pytest.param([10, 90, 35, 60, 77, 5, 100], [0, 1, 1, 0, 1, 0, 1], 2, 0.04225771273642583),
    pytest.param([100, 80, 60, 40, 20, 0], [1, 1, 0, 1, 0, 0], 2, 0.05773502691896258),
    pytest.param([50, 10, 90, 70], [1, 0, 1, 1], 2, 0.14142135623730953),
]


def said(confidences: list[Any]) -> list[Any]:
    return [None if each is None else {"confidence": each} for each in confidences]


@pytest.mark.parametrize(("confidences", "right", "size", "expected"), OFFICIAL)
def test_the_official_function(
    table: Table, confidences: list[float], right: list[Any], size: int, expected: float
) -> None:
    rows = table([float(each) for each in right], evidence=said(confidences))
    reduced = CalibrationError(bin_size=size)(rows)
    assert reduced.value == pytest.approx(expected, abs=1e-12)
    assert CalibrationError(bin_size=size)(rows[::-1]) == reduced
    assert (reduced.n, reduced.notes) == (len(rows), ())


def test_all_bins(table: Table) -> None:
    """By hand: bins (0, 20) with 0 right, (40, 60) with 1 of 2, (80, 100) with 2 of 2."""
    rows = table([1.0, 1.0, 0.0, 1.0, 0.0, 0.0], evidence=said([100, 80, 60, 40, 20, 0]))
    reduced = CalibrationError(bin_size=2)(rows)
    assert reduced.parts["all_bins"] == pytest.approx(((0.1**2 + 0.0 + 0.1**2) / 3) ** 0.5)
    assert (reduced.parts["confidence"], reduced.parts["right"]) == (0.5, 0.5)


def test_equal_confidences_at_a_border_do_not_depend_on_the_order(table: Table) -> None:
    rows = table([1.0, 0.0, 0.0, 0.0], evidence=said([100, 100, 100, 100]))
    figures = {CalibrationError(bin_size=2)(order).value for order in (rows, rows[::-1], rows[1:] + rows[:1])}
    (figure,) = figures
    assert figure == pytest.approx((0.5 * 0.75**2) ** 0.5)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_below_two_bins_there_is_no_value(table: Table, count: int) -> None:
    reduced = CalibrationError(bin_size=2)(table([1.0] * count, evidence=said([90] * count)))
    assert reduced.value is None and reduced.notes


def test_rows_without_a_confidence_are_left_out_and_told(table: Table) -> None:
    evidence = [*said([10, 20, 80, 90, None]), {"confidence": 150}, {"confidence": "high"}]
    reduced = CalibrationError(bin_size=2)(table([0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0], evidence=evidence))
    assert (reduced.n, reduced.notes) == (4, ("3 of 7 rows without a confidence or a verdict are left out",))
    nobody = CalibrationError()(table([1.0, 0.0]))
    assert (nobody.value, nobody.notes) == (None, ("no row has a confidence: no judge was asked for one",))


def test_a_field_of_the_sample(table: Table) -> None:
    rows = table([0.0, 0.0, 1.0, 1.0], sure=["10", "20", "80", "90"])
    made = CalibrationError("sure", 2)
    assert made.fields() == ("sure",)
    assert made(rows).value == pytest.approx((0.5 * 0.15**2) ** 0.5)


def test_a_bin_holds_rows() -> None:
    with pytest.raises(MetadataError, match="bin_size must be at least 1, not 0"):
        CalibrationError(bin_size=0)
