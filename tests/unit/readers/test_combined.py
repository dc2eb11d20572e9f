"""Several files of one dataset as one run: every subset once, or a clear refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError, ResultError, UsageError
from mmeval.readers import Fields, discover, open_combined

Write = Callable[..., Path]
MACRO = {"name": "macro", "reduce": "macro-mean", "by": ["subset"], "headline": True}
BLOCK = {"dataset_name": "Parts", "score_pipeline": ["exact-match"], "score_aggregates": [MACRO]}


@pytest.fixture
def parts(write_run: Write, sample_row: Callable[..., Any], tmp_path: Path) -> Path:
    """Two files of the dataset Parts: four rows of `big` (one right), one row of `small` (right)."""
    big = [
        sample_row(number, "yes", "yes" if number == 0 else "no", question_type="yes_no")
        for number in range(4)
    ]
    write_run(big, {**BLOCK, "subset": "big"}, "runs/big")
    write_run([sample_row(0, "no", "no", question_type="yes_no")], {**BLOCK, "subset": "small"}, "runs/small")
    return tmp_path / "runs"


def test_one_table_spans_the_files(parts: Path, mmeval: Any) -> None:
    ran = mmeval("score", "--results", parts, "--combine", "--json")
    assert ran.code == 0
    (told,) = json.loads(ran.out)
    assert told["summary"]["headline"]["value"] == (1 / 4 + 1) / 2
    assert told["summary"]["total"] == 5
    assert told["config"]["subset"] == ["big", "small"]
    document = json.loads((parts / "Parts.score.json").read_text())
    assert [each["eval-id"] for each in document["samples"]] == [
        "big/0",
        "big/1",
        "big/2",
        "big/3",
        "small/0",
    ]
    assert [each["file"] for each in document["provenance"]["result"]["parts"]] == [
        "big/result.json",
        "small/result.json",
    ]
    assert "yes" in mmeval("explain", parts / "Parts.score.json", "big/1").out


def test_it_is_up_to_date_until_a_file_changes(parts: Path, mmeval: Any) -> None:
    mmeval("score", "--results", parts, "--combine")
    assert "up to date" in mmeval("score", "--results", parts, "--combine").out
    path = parts / "small" / "result.json"
    path.write_text(path.read_text().replace('"no"\n', '"No"\n'))
    path.write_text(path.read_text() + "\n")
    assert "up to date" not in mmeval("score", "--results", parts, "--combine").out


def test_its_own_score_is_no_run(parts: Path, mmeval: Any) -> None:
    mmeval("score", "--results", parts, "--combine")
    assert [path.parent.name for path in discover(parts, None)] == ["big", "small"]


def test_samples_keep_their_subset(parts: Path) -> None:
    (run,) = open_combined(discover(parts, None), parts)
    with run:
        assert [item.subset for item in run.samples(Fields())] == ["big"] * 4 + ["small"]
        assert run.n_rows == 5


@pytest.mark.parametrize(
    ("second", "error", "says"),
    [
        pytest.param({**BLOCK, "subset": "big"}, UsageError, "both hold subset 'big' of Parts", id="overlap"),
        pytest.param(
            {**BLOCK, "subset": "small", "score_pipeline": ["rule-match"]},
            MetadataError,
            "declare different protocols for Parts",
            id="other-protocol",
        ),
        pytest.param(None, ResultError, "names no dataset in dataset_meta", id="nameless"),
    ],
)
def test_what_cannot_be_combined(
    write_run: Write,
    sample_row: Callable[..., Any],
    tmp_path: Path,
    mmeval: Any,
    second: dict[str, Any] | None,
    error: type[Exception],
    says: str,
) -> None:
    one = [sample_row(0, "yes", "yes")]
    write_run(one, {**BLOCK, "subset": "big"}, "runs/a")
    write_run(one, second, "runs/b")
    root = tmp_path / "runs"
    with pytest.raises(error, match=says):
        open_combined(discover(root, None), root)
    ran = mmeval("score", "--results", root, "--combine")
    assert ran.code == 2
    assert says in ran.err
    assert not list(root.rglob("*score.json"))


def test_two_datasets_are_two_scores(
    write_run: Write, sample_row: Callable[..., Any], tmp_path: Path, mmeval: Any
) -> None:
    one = [sample_row(0, "yes", "yes")]
    write_run(one, {**BLOCK, "subset": "big"}, "runs/a")
    write_run(one, {**BLOCK, "dataset_name": "owner/Others", "subset": "big"}, "runs/b")
    assert mmeval("score", "--results", tmp_path / "runs", "--combine").code == 0
    assert (tmp_path / "runs" / "Others.score.json").exists()
    ran = mmeval("score", "--results", tmp_path / "runs", "--combine", "--out", tmp_path / "one.json")
    assert ran.code == 2
    assert "there are 2 datasets" in ran.err
