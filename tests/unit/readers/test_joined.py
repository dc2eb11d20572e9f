"""Predictions and benchmark data, joined on the row's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.benchmarks.table import open_table
from mmeval.errors import ResultError
from mmeval.readers import BadRow, Fields, JoinedRun, open_joined
from mmeval.types import Sample

DATA = (
    "index\timage\tquestion\tA\tB\tanswer\tcategory\n"
    "1\tAA\tWhich?\tcat\tdog\tA\tx\n"
    "2\tAA\tWho?\tcat\tdog\tB\ty\n"
    "3\tAA\tWhere?\tcat\tdog\tB\t\n"
)
Join = Callable[..., JoinedRun]


@pytest.fixture
def join(tmp_path: Path) -> Join:
    def made(predictions: str, data: str = DATA, name: str = "p.tsv") -> JoinedRun:
        (tmp_path / "Pets.tsv").write_text(data)
        (tmp_path / name).write_text(predictions)
        return open_joined(tmp_path / name, open_table(str(tmp_path / "Pets.tsv")))

    return made


def read(run: JoinedRun, **fields: Any) -> list[Sample | BadRow]:
    return list(run.samples(Fields(**fields)))


def test_each_row_takes_the_prediction_of_its_name(join: Join) -> None:
    run = join("index\tprediction\n3.0\tC3\n1\tC1\n2\tC2\n")
    first, second, third = read(run)
    assert isinstance(first, Sample)
    assert (first.id, first.question, first.answer, first.predictions) == (1, "Which?", "A", ("C1",))
    assert first.options.texts == ("cat", "dog")
    assert first.fields["category"] == "x"
    assert isinstance(second, Sample)
    assert second.predictions == ("C2",)
    assert isinstance(third, Sample)
    assert (third.predictions, third.fields["category"]) == (("C3",), None)
    assert read(run) == [first, second, third]


def test_it_has_the_surface_of_a_run(join: Join) -> None:
    run = join("index\tprediction\n1\tA\n2\tA\n3\tA\n")
    with run as entered:
        assert entered is run
    assert (run.format, run.n_rows, run.rows_without_id, run.duplicate_ids) == ("joined", 3, 0, {})
    assert [meta.block["dataset_name"] for meta in run.metas] == ["Pets"]
    assert [(part.file, part.rows) for part in run.parts] == [("p.tsv", 3), ("Pets.tsv", 3)]
    assert run.warnings == ()


def test_what_does_not_match_is_told_with_examples(join: Join) -> None:
    run = join("index\tprediction\n1\tA\n7\tA\n8\tA\n\tA\n")
    _, second, third = read(run)
    assert isinstance(second, Sample)
    assert isinstance(third, Sample)
    assert second.predictions == third.predictions == (None,)
    assert second.answer == "B"
    missing, unasked, nameless = run.warnings
    assert missing.startswith("2 of 3 rows of Pets.tsv have no prediction")
    assert missing.endswith("(2, 3)")
    assert unasked == "2 predictions of p.tsv belong to no row of Pets.tsv and were left out (7, 8)"
    assert nameless == "1 rows of p.tsv have no index and were left out"


def test_names_that_occur_twice_count_for_nobody(join: Join) -> None:
    run = join("index\tprediction\n1\tA\n1.0\tB\n2\tA\n3\tA\n9\tA\n9\tB\n")
    assert run.duplicate_ids == {"1": 2}
    bad = read(run)[0]
    assert isinstance(bad, BadRow)
    assert (bad.reason, bad.fields["category"]) == ("duplicate-id", "x")
    twice = join("index\tprediction\n1\tA\n2\tA\n3\tA\n", DATA + "2\tAA\tWho?\tcat\tdog\tB\ty\n")
    assert twice.duplicate_ids == {"2": 2}
    assert [isinstance(each, BadRow) for each in read(twice)] == [False, True, False, True]


def test_a_cell_that_cannot_be_trusted_costs_its_row(join: Join) -> None:
    cut = "x" * 32_767
    first, second, _ = read(join(f"index\tprediction\n1\t{cut}\n2\tB\n3\tB\n"))
    assert isinstance(first, BadRow)
    assert (first.id, first.reason) == (1, "cell-truncated")
    assert isinstance(second, Sample)


def test_rows_without_a_name_of_their_own_have_no_prediction(join: Join) -> None:
    run = join("index\tprediction\n1\tA\n", "index\tanswer\n1\tA\n\tB\n")
    assert "1 rows have no index" in run.warnings[0]
    nameless = read(run)[1]
    assert isinstance(nameless, Sample)
    assert nameless.predictions == (None,)


def test_another_question_for_the_same_name_is_told(join: Join) -> None:
    run = join("index\tquestion\tprediction\n1\tWhich? \tA\n2\tOther?\tA\n3\tWhere?\tA\n")
    (said,) = run.warnings
    assert said.startswith("1 predictions of p.tsv carry another question")
    assert said.endswith("(2)")


def test_the_columns_can_be_named(join: Join) -> None:
    run = join("index\tprediction\tlast\n1\tA\tB\n2\tA\tB\n3\tA\tB\n")
    first = read(run, pred="last", gt="category")[0]
    assert isinstance(first, Sample)
    assert (first.answer, first.predictions) == ("x", ("B",))
    with pytest.raises(ResultError, match="no column 'end'; its columns are index, prediction, last"):
        read(run, pred="end")
    with pytest.raises(ResultError, match="no row has a field 'gold'"):
        read(run, gt="gold")


def test_several_predictions_of_a_row_come_as_a_list(join: Join) -> None:
    run = join('[{"index": 1, "prediction": ["A", "B"]}]', name="p.json")
    first = read(run)[0]
    assert isinstance(first, Sample)
    assert first.predictions == ("A", "B")


def test_the_hash_is_over_both_files(join: Join) -> None:
    answers = "index\tprediction\n1\tA\n"
    base = join(answers).sha256
    assert join(answers).sha256 == base
    assert join(answers.replace("A", "B")).sha256 != base
    assert join(answers, DATA.replace("cat", "cow")).sha256 != base
    assert join(answers, name="q.tsv").sha256 != base
