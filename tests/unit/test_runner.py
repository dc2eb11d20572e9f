"""One run from file to score.json: what is written, what is skipped, and what survives a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval import score, scorefile
from mmeval.errors import MetadataError, ResultError, UsageError
from mmeval.protocol import Overrides
from mmeval.runner import Job, Scored, rows_path, score_path, score_run
from mmeval.stages.exact_match import ExactMatch
from mmeval.types import Case, Outcome, Score

Rows = list[dict[str, Any]]
Write = Callable[..., Path]
META = {"dataset_name": "T", "score_pipeline": ["exact-match"], "score_protocol": {"status": "official"}}
OPTIONS = {"A": "red", "B": "blue"}


@pytest.fixture
def rows(sample_row: Callable[..., dict[str, Any]]) -> Rows:
    return [sample_row(number, "B", "B" if number % 2 else "A", options=OPTIONS) for number in range(1, 9)]


@pytest.fixture
def fail_on(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`fail_on(3, 5)`: the stage raises on these samples from now on, and on no others."""
    real = ExactMatch.__call__

    def fail(*numbers: int) -> None:
        def call(self: ExactMatch, case: Case) -> Outcome:
            if case.sample.id in numbers:
                raise RuntimeError("the disk is on fire")
            return real(self, case)

        monkeypatch.setattr(ExactMatch, "__call__", call)

    return fail


def document(scored: Scored) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scored.score.read_bytes())
    return found


def job(force: bool = False, max_failed: float = 0.0, rows: Any = "inline", **overrides: Any) -> Job:
    return Job(Overrides(**overrides), None, rows, force, max_failed)


@pytest.mark.parametrize(
    ("result", "out", "target"),
    [
        ("r/result.json", None, "r/score.json"),
        ("r/model.result.json", None, "r/model.result.score.json"),
        ("r/preds.jsonl", None, "r/preds.score.json"),
        ("r/result.json", "o", "o/score.json"),
        ("r/result.json", "o/x.json", "o/x.json"),
        ("r/preds.jsonl", "o", "o/preds.score.json"),
    ],
)
def test_where_a_score_goes(result: str, out: str | None, target: str) -> None:
    assert score_path(Path(result), None if out is None else Path(out)) == Path(target)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("inline", None), ("jsonl", "score.rows.jsonl"), ("parquet", "score.rows.parquet")],
)
def test_where_the_rows_go(kind: str, name: str | None) -> None:
    assert rows_path(Path("r/score.json"), kind) == (None if name is None else Path("r") / name)


def test_a_score_says_everything(write_run: Write, rows: Rows) -> None:
    scored = score(write_run(rows, META))
    made = document(scored)
    assert list(made) == ["config", "provenance", "summary", "samples"]
    assert made["summary"]["headline"]["value"] == 0.5
    assert made["config"]["official_protocol"] is True
    assert made["config"]["deviations"] == []
    assert (scored.config, scored.summary) == (made["config"], made["summary"])
    assert [row["is_correct"] for row in made["samples"]] == [1, 0] * 4
    assert made["provenance"]["result"]["rows"] == 8
    assert scored.seconds > 0


def test_a_run_is_not_scored_twice(write_run: Write, rows: Rows) -> None:
    path = write_run(rows, META)
    first = score_run(path, Job())
    written = first.score.stat().st_mtime_ns
    second = score_run(path, Job())
    assert (first.up_to_date, second.up_to_date) == (False, True)
    assert second.score.stat().st_mtime_ns == written
    assert (second.config, second.summary) == (first.config, first.summary)


def test_progress_counts_every_row(write_run: Write, rows: Rows) -> None:
    told: list[int] = []
    score_run(write_run(rows * 1, META), Job(), told.append)
    assert sum(told) == len(rows)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(job(force=True), id="force"),
        pytest.param(job(params={"numeric_rel_tol": 0.1}), id="parameter"),
        pytest.param(job(params={"exact-match.settle_misses": True}), id="narrowed-parameter"),
        pytest.param(job(pipeline=("exact-match", "rule-match")), id="pipeline"),
        pytest.param(job(question_type="open"), id="question-type"),
        pytest.param(job(predictions="all"), id="predictions"),
        pytest.param(job(max_failed=0.5), id="max-failed"),
        pytest.param(job(rows="jsonl"), id="rows"),
    ],
)
def test_what_is_asked_differently_is_scored_again(write_run: Write, rows: Rows, second: Job) -> None:
    path = write_run(rows, META)
    score_run(path, Job())
    assert score_run(path, second).up_to_date is False
    assert score_run(path, Job(second.overrides, None, second.rows, False, second.max_failed)).up_to_date


def _change_prediction(rows: Rows) -> None:
    rows[1]["messages"][-1]["response"] = "B"


def _change_gold(rows: Rows) -> None:
    rows[1]["answer"] = "A"


def _change_id(rows: Rows) -> None:
    rows[1]["eval-id"] = "other"


def _add_note(rows: Rows) -> None:
    for row in rows:
        row["dataset_meta"] = {**row["dataset_meta"], "score_note": "new"}


@pytest.mark.parametrize("change", [_change_prediction, _change_gold, _change_id, _add_note])
def test_what_changed_in_the_run_is_scored_again(
    write_run: Write, rows: Rows, change: Callable[[Rows], None]
) -> None:
    path = write_run(rows, META)
    before = score_run(path, Job())
    made = json.loads(path.read_text())
    change(made)
    path.write_text(json.dumps(made))
    after = score_run(path, Job())
    assert after.up_to_date is False
    assert after.config["fingerprint"] != before.config["fingerprint"]


def test_a_new_stage_version_is_scored_again(
    write_run: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(rows, META)
    score_run(path, Job())
    monkeypatch.setattr(ExactMatch, "version", ExactMatch.version + 1)
    assert score_run(path, Job()).up_to_date is False


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"config": {}, "summary": {}}', b"\x00"])
def test_a_broken_score_is_replaced(write_run: Write, rows: Rows, content: bytes) -> None:
    path = write_run(rows, META)
    path.with_name("score.json").write_bytes(content)
    assert document(score_run(path, Job()))["summary"]["total"] == 8


def test_failed_rows_leave_no_headline_and_are_tried_again(
    write_run: Write, rows: Rows, fail_on: Callable[..., None]
) -> None:
    path = write_run(rows, META)
    fail_on(3, 5)
    first = score_run(path, Job())
    headline: Any = first.summary["headline"]
    assert (headline["value"], headline["bounds"]) == (None, [0.25, 0.5])
    assert (first.failed, first.failed_share) == (2, 0.25)
    assert first.config["official_protocol"] is False
    assert first.config["deviations"] == ["2 rows failed on our side"]
    row = document(first)["samples"][2]
    assert (row["status"], row["reason"]) == ("error", "exact-match raised RuntimeError")
    assert score_run(path, Job()).up_to_date is False
    fail_on()
    mended: Any = score_run(path, Job()).summary["headline"]
    assert mended["value"] == 0.5
    assert score_run(path, Job()).up_to_date is True


@pytest.mark.parametrize(("share", "value"), [(0.1, None), (0.125, 0.375), (1.0, 0.375)])
def test_a_share_of_failed_rows_may_be_accepted(
    write_run: Write, rows: Rows, fail_on: Callable[..., None], share: float, value: float | None
) -> None:
    fail_on(3)
    scored = score_run(write_run(rows, META), job(max_failed=share))
    headline: Any = scored.summary["headline"]
    assert headline["value"] == value
    assert headline["bounds"] == [0.375, 0.5]
    assert scored.config["max_failed"] == share
    assert scored.config["official_protocol"] is False


def test_a_score_beyond_its_range_fails_the_row(
    write_run: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ExactMatch, "__call__", lambda self, case: Score(float("nan")))
    scored = score_run(write_run(rows, META), Job())
    assert scored.failed == 8
    assert "NaN" not in scored.score.read_text()


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_rows_may_lie_beside(write_run: Write, rows: Rows, kind: Any) -> None:
    path = write_run(rows, META)
    made = document(score_run(path, job(rows=kind)))
    assert made["samples"] == []
    beside = path.with_name(made["rows_file"])
    assert beside.name == f"score.rows.{kind}"
    if kind == "jsonl":
        inline = document(score_run(path, job(force=True)))["samples"]
        assert [json.loads(line) for line in beside.read_text().splitlines()] == inline
        score_run(path, job(rows=kind))
    assert score_run(path, job(rows=kind)).up_to_date is True
    beside.unlink()
    assert score_run(path, job(rows=kind)).up_to_date is False


def test_several_predictions_by_policy(write_run: Write, sample_row: Callable[..., dict[str, Any]]) -> None:
    path = write_run([sample_row(n, "B", ["A", "B", "B"], options=OPTIONS) for n in (1, 2)], META)
    first = document(score_run(path, Job()))
    assert first["summary"]["headline"]["value"] == 0.0
    assert any("several predictions" in text for text in first["summary"]["warnings"])
    every = document(score_run(path, job(predictions="all")))
    assert every["summary"]["headline"]["value"] == pytest.approx(2 / 3)
    assert [len(row["predictions"]) for row in every["samples"]] == [3, 3]
    assert every["config"]["official_protocol"] is False


def test_several_predictions_at_k(write_run: Write, sample_row: Callable[..., dict[str, Any]]) -> None:
    meta = {
        **META,
        "score_predictions": "all",
        "score_aggregates": [{"name": "p", "reduce": "pass@k", "k": 2, "headline": True}],
    }
    path = write_run([sample_row(1, "B", ["A", "B", "A", "A"], options=OPTIONS)], meta)
    headline: Any = score_run(path, Job()).summary["headline"]
    assert headline["value"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("meta", "says"),
    [
        pytest.param({"score_rows": 9}, "8 rows were scored, the protocol has 9", id="rows"),
        pytest.param({"score_rows": 8}, None, id="right-number-of-rows"),
        pytest.param({"score_rows": [7, 8]}, None, id="one-of-the-numbers-of-rows"),
        pytest.param(
            {"score_rows": [7, 9]},
            "8 rows were scored, the protocol has 7 or 9",
            id="none-of-the-numbers-of-rows",
        ),
    ],
)
def test_a_wrong_number_of_rows_is_a_deviation(
    write_run: Write, rows: Rows, meta: dict[str, Any], says: str | None
) -> None:
    config = score_run(write_run(rows, {**META, **meta}), Job()).config
    assert config["official_protocol"] is (says is None)
    assert config["deviations"] == ([] if says is None else [says])


def _blank_golds(rows: Rows) -> None:
    for row in rows:
        row["answer"] = " "


def _no_responses(rows: Rows) -> None:
    for row in rows:
        row["messages"][-1]["response"] = None


@pytest.mark.parametrize(
    ("change", "says"),
    [(_blank_golds, "blank-reference (8)"), (_no_responses, "missing-prediction (8)")],
)
def test_a_run_of_invalid_rows_has_no_score(
    write_run: Write, rows: Rows, change: Callable[[Rows], None], says: str
) -> None:
    change(rows)
    path = write_run(rows, META)
    with pytest.raises(ResultError) as caught:
        score_run(path, Job())
    assert says in str(caught.value)
    assert "--score_gt_field" in str(caught.value)
    assert [each.name for each in path.parent.iterdir()] == ["result.json"]
    with pytest.raises(ResultError):
        score_run(path, Job(out=path.parent / "new" / "deep"))
    assert [each.name for each in path.parent.iterdir()] == ["result.json"]


def test_a_filter_that_leaves_nothing_is_told(write_run: Write, rows: Rows) -> None:
    path = write_run(rows, {**META, "score_filter": [{"field": "split", "is": ["val"]}]})
    with pytest.raises(ResultError, match="leaves none of its 8 rows"):
        score_run(path, Job())


def test_nothing_is_written_where_the_protocol_is_wrong(write_run: Write, rows: Rows) -> None:
    path = write_run(rows, {**META, "score_aggregates": [{"name": "a", "reduce": "maen", "headline": True}]})
    with pytest.raises(MetadataError, match="did you mean 'mean'"):
        score_run(path, Job())
    assert [each.name for each in path.parent.iterdir()] == ["result.json"]


@pytest.mark.parametrize("place", ["file", "file/score.json", "file/deeper/still"])
def test_a_folder_that_cannot_be_written_to_is_told_before_the_work(
    write_run: Write, rows: Rows, tmp_path: Path, place: str
) -> None:
    (tmp_path / "file").touch()
    target = tmp_path / place
    told: list[int] = []
    with pytest.raises(UsageError, match="cannot write there"):
        score_run(write_run(rows, META), Job(out=target / "o"), told.append)
    assert told == []


def test_a_folder_in_the_place_of_the_score_is_told(write_run: Write, rows: Rows) -> None:
    path = write_run(rows, META)
    path.with_name("score.json").mkdir()
    with pytest.raises(UsageError, match=r"a folder has the name of the score file"):
        score_run(path, Job())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_the_old_score(
    write_run: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    path = write_run(rows, META)
    old = score_run(path, Job()).score.read_bytes()

    def full(self: scorefile.Spool, target: Any) -> None:
        target.write(b"half a row")
        raise error

    monkeypatch.setattr(scorefile.Spool, "copy_array", full)
    with pytest.raises((KeyboardInterrupt, UsageError)):
        score_run(path, job(force=True))
    assert path.with_name("score.json").read_bytes() == old
    assert sorted(each.name for each in path.parent.iterdir()) == ["result.json", "score.json"]
