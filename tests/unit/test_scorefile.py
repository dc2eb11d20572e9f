"""How a score file is spelled and written: whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from mmeval import scorefile
from mmeval.errors import UsageError
from mmeval.scorefile import Spool, atomic, prediction_line, read_head, sample_line, write, write_rows
from mmeval.types import (
    Failed,
    Invalid,
    Json,
    Measured,
    Options,
    Outcome,
    Pass,
    Sample,
    Score,
    Step,
    Verdict,
)

HEAD: dict[str, Json] = {"config": {"fingerprint": "f"}, "provenance": {}, "summary": {"total": 2}}


def sample(number: int = 1) -> Sample:
    return Sample(number, "q", Options(()), "B", ("B",), ("so B",), "mcq")


def verdict(*outcomes: Outcome, score: float | None = 1.0, evidence: Json = None) -> Verdict:
    steps = tuple(Step("rule-match", 2, outcome) for outcome in outcomes)
    return Verdict(score, "ok", "rule-match", "cue", "B", (3, 4), evidence, steps)


def filled(folder: Path, rows: int = 2) -> Spool:
    spool = Spool(folder)
    for number in range(rows):
        spool.add(sample_line(sample(number), verdict(Score(1.0, "B", (3, 4), "cue")), {"c": "x"}, None))
    return spool


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.suffix == ".part")


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Pass("none"), ("pass", None, None, "none")),
        (Pass("miss", "C", (0, 1)), ("pass", "C", (0, 1), "miss")),
        (Score(1.0, "B", (3, 4), "cue"), ("score", "B", (3, 4), "cue")),
        (Measured({"iou": 1}, "box"), ("measured", "box", None, None)),
        (Invalid("blank"), ("invalid", None, None, "blank")),
        (Failed("broke"), ("failed", None, None, "broke")),
    ],
)
def test_a_trace_line_keeps_what_the_outcome_said(outcome: Outcome, line: tuple[Any, ...]) -> None:
    (made,) = scorefile.trace_lines((Step("rule-match", 2, outcome),))
    assert (made.stage, made.version) == ("rule-match", 2)
    assert (made.outcome, made.extracted, made.span, made.reason) == line


@pytest.mark.parametrize(
    ("score", "right", "matched"),
    [(1.0, 1, "B"), (0.0, 0, None), (0.75, 0, None), (None, None, None)],
)
def test_a_row_says_whether_it_is_right(score: float | None, right: int | None, matched: str | None) -> None:
    line = sample_line(sample(), verdict(score=score), {}, None)
    assert (line.score, line.is_correct, line.matched) == (score, right, matched)


def test_the_keys_of_a_row_are_in_order(tmp_path: Path) -> None:
    spool = filled(tmp_path, 1)
    (row,) = map(json.loads, spool.lines())
    assert list(row) == [
        "eval-id",
        "question_type",
        "gt",
        "pred",
        "extracted",
        "matched",
        "score",
        "is_correct",
        "decided_by",
        "status",
        "reason",
        "group",
        "evidence",
        "trace",
    ]
    spool.close()


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_file_reads_back_with_its_keys_in_order(tmp_path: Path, rows: int) -> None:
    path = tmp_path / "score.json"
    spool = filled(tmp_path, rows)
    write(path, HEAD, spool)
    spool.close()
    document = json.loads(path.read_bytes())
    assert list(document) == ["config", "provenance", "summary", "samples"]
    assert [row["eval-id"] for row in document["samples"]] == list(range(rows))
    assert {name: document[name] for name in HEAD} == HEAD
    assert path.read_bytes().endswith(b"}\n")
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("last", ["text", "", 3, None, [], {}, [1], {"a": {"b": "}\n}"}}, "}\n"])
def test_whatever_the_head_ends_with(tmp_path: Path, last: Json) -> None:
    path = tmp_path / "score.json"
    write(path, {**HEAD, "last": last}, None)
    document = json.loads(path.read_bytes())
    assert document["last"] == last
    assert document["samples"] == []


@pytest.mark.parametrize("text", ["line\nbreak", "\u2028", "\x00", "é", "𝄞", '"', "\\", "x" * 100_000, ",\n"])
def test_any_text_survives(tmp_path: Path, text: str) -> None:
    spool = Spool(tmp_path)
    made = Sample(text, text, Options(()), text, (text,), (text,), "open")
    for _ in range(2):
        spool.add(sample_line(made, verdict(Pass(text, text), evidence={text: text}), {"g": text}, None))
    write(tmp_path / "score.json", HEAD, spool)
    write_rows(tmp_path / "rows.jsonl", spool, "jsonl")
    rows = json.loads((tmp_path / "score.json").read_bytes())["samples"]
    assert rows[0] == rows[1]
    assert (rows[0]["eval-id"], rows[0]["pred"], rows[0]["evidence"]) == (text, text, {text: text})
    lines = (tmp_path / "rows.jsonl").read_bytes().split(b"\n")
    assert [json.loads(line) for line in lines if line] == rows
    spool.close()


def test_a_large_spool_goes_to_disk_and_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorefile, "SPOOL_IN_MEMORY", 256)
    spool = filled(tmp_path, 50)
    write(tmp_path / "score.json", HEAD, spool)
    spool.close()
    assert len(json.loads((tmp_path / "score.json").read_bytes())["samples"]) == 50
    assert [path.name for path in tmp_path.iterdir()] == ["score.json"]


def test_rows_as_parquet(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    several = (prediction_line("so B", verdict(Score(1.0, "B", (3, 4), "cue"))),)
    spool = Spool(tmp_path)
    spool.add(sample_line(sample(1), verdict(Score(1.0, "B")), {"c": ("x", "y")}, several))
    spool.add(sample_line(sample(2), verdict(Pass("none"), score=0.0, evidence={"k": 1}), {}, None))
    write_rows(tmp_path / "r.parquet", spool, "parquet")
    spool.close()
    first, second = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert (first["eval-id"], first["score"], json.loads(first["group"])) == ("1", 1.0, {"c": ["x", "y"]})
    assert len(json.loads(first["predictions"])) == 1
    assert json.loads(second["evidence"]) == {"k": 1}
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError("x"), KeyboardInterrupt(), SystemExit(3), MemoryError()])
def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "score.json"
    path.write_bytes(b"old")
    with pytest.raises(type(error)), atomic(path) as file:
        file.write(b"half of the ne")
        raise error
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["score.json"]


def test_a_first_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="x"), atomic(tmp_path / "score.json"):
        raise ValueError("x")
    assert list(tmp_path.iterdir()) == []


def test_a_file_has_ordinary_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.touch()
    with atomic(tmp_path / "made") as file:
        file.write(b"x")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_folder_that_cannot_take_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write there"), atomic(tmp_path / "file" / "score.json"):
        pass


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"{}",
        b'{"config": {}}',
        b"\xff\xfe",
        b'{"config": 1}',
        b'{"x": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_score_file_has_no_head(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "score.json"
    if data is not None:
        path.write_bytes(data)
    assert read_head(path) is None


def test_a_head_is_read_without_the_rows(tmp_path: Path) -> None:
    spool = filled(tmp_path)
    write(tmp_path / "score.json", HEAD, spool)
    spool.close()
    head = read_head(tmp_path / "score.json")
    assert head is not None
    assert (head.config, head.summary) == (HEAD["config"], HEAD["summary"])


def test_what_a_killed_process_left_goes_with_the_next_score(tmp_path: Path) -> None:
    """And what another process may be writing right now stays."""
    target = tmp_path / "a[1].score.json"
    old, new, others = (
        tmp_path / f".{name}.part" for name in (f"{target.name}.x", f"{target.name}.y", "b.x")
    )
    for part in (old, new, others):
        part.touch()
    for part in (old, others):
        os.utime(part, (0, 0))
    with atomic(target) as file:
        file.write(b"{}")
    assert sorted(tmp_path.iterdir()) == sorted([target, new, others])


def test_half_a_character_does_not_cost_a_run(tmp_path: Path) -> None:
    """An escape inside a reply is sound JSON; UTF-8 cannot hold what it says."""
    spool = Spool(tmp_path)
    spool.add(sample_line(sample(), verdict(evidence={"label \ud800": ["\udfff", 1.5]}), {}, None))
    write(tmp_path / "score.json", HEAD, spool)
    spool.close()
    (row,) = json.loads((tmp_path / "score.json").read_text())["samples"]
    assert row["evidence"] == {"label ?": ["?", 1.5]}
