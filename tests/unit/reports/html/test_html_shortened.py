"""Answers too long for a page: both ends stay, and what was read is marked where it still stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from report_pages import LETTERS, OPTIONS, sample, scored

from mmeval.reports.html import report
from mmeval.reports.html.report import Wanted, write
from mmeval.reports.html.shortened import FEWEST, cut, most, shortened, size_of

LONG = "a" * 400 + "b" * 1200 + "The answer is C."


@pytest.mark.parametrize(
    ("lengths", "budget", "keep"),
    [
        pytest.param([], 10, None, id="none"),
        pytest.param([5, 5], 10, None, id="all-fit"),
        pytest.param([1000, 3000, 5000], 7000, 3000, id="short-ones-leave-room"),
        pytest.param([4000] * 4, 4000, 1000, id="all-alike"),
        pytest.param([4000] * 4, 4, FEWEST, id="never-too-few"),
        pytest.param([FEWEST] * 4, 4, None, id="too-short-to-cut"),
    ],
)
def test_what_each_may_keep(lengths: list[int], budget: int, keep: int | None) -> None:
    assert most(lengths, budget) == keep


@pytest.mark.parametrize(
    ("span", "marks"),
    [
        pytest.param([0, 3], "aaa", id="at-the-start"),
        pytest.param([len(LONG) - 2, len(LONG) - 1], "C", id="at-the-end"),
        pytest.param([500, 510], None, id="left-out"),
        pytest.param([90, 110], None, id="across-the-cut"),
        pytest.param(None, None, id="no-span"),
    ],
)
def test_what_was_read_is_marked_where_it_still_stands(span: list[int] | None, marks: str | None) -> None:
    step = {"stage": "s", "outcome": "score", "extracted": "C", **({"span": span} if span else {})}
    row = shortened({"pred": LONG, "extracted": "C", "trace": [step]}, 300)
    assert row["pred"].startswith("a" * 100 + "\n[... 1,316 characters are left out")
    assert row["pred"].endswith("b" * 100 + "The answer is C.")
    told = row["trace"][0]
    assert (told["span"] and row["pred"][slice(*told["span"])] if "span" in told else None) == marks


def test_short_answers_and_others_stay() -> None:
    row: dict[str, Any] = {"pred": "B", "extracted": None, "trace": [{"stage": "s", "span": [0, 1]}]}
    assert shortened(row, 300) == row
    assert shortened({"pred": None}, 300) == {"pred": None}
    assert shortened(row, None) is row
    assert cut("x" * 310, 300).text == "x" * 310


def test_several_predictions_share() -> None:
    row = {"pred": LONG, "predictions": [{"pred": LONG}, {"pred": LONG}]}
    assert size_of(row) == 3 * len(LONG)
    told = shortened(row, 1200)
    assert [len(each["pred"]) < 600 for each in (told, *told["predictions"])] == [True] * 3


def test_letters_of_several_bytes_keep_fewer() -> None:
    assert size_of({"pred": "\u6f22" * 10}) == 30
    assert shortened({"pred": "\u6f22" * 2000}, 900)["pred"].count("\u6f22") == 300


def test_the_report_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        sample(n, "A", f"{'word ' * 200}The answer is A.", kind="k", question_type="mcq", options=OPTIONS)
        for n in range(40)
    ]
    scored(tmp_path / "runs", rows, LETTERS)
    assert "left out" not in " ".join(write(Wanted([tmp_path / "runs"], tmp_path / "a.html")).notes)
    monkeypatch.setattr(report, "ANSWERS", 20_000)
    notes = write(Wanted([tmp_path / "runs"], tmp_path / "b.html")).notes
    assert "in 1 run the middle of answers of more than 500 bytes" in " ".join(notes)
