"""Logs of Inspect: archives and documents, epochs, values, attachments. Layout: inspect_ai 0.3.285."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from zip_files import zipped

from mmeval.errors import ResultError, UsageError
from mmeval.readers.foreign import Choice, Foreign
from mmeval.readers.opening import read_foreign

HEAD = {"version": 2, "status": "success", "eval": {"task": "pets", "model": "m/x", "dataset": {"name": "d"}}}


def sample(name: Any = 1, epoch: int = 1, said: Any = "B", **columns: Any) -> dict[str, Any]:
    return {
        "id": name,
        "epoch": epoch,
        "input": "Which?",
        "target": "B",
        "output": {"model": "m/x", "choices": [{"message": {"role": "assistant", "content": said}}]},
        "scores": {"match": {"value": "C", "answer": "b"}},
        "metadata": {"topic": "pets"},
        **columns,
    }


def archive(folder: Path, *samples: dict[str, Any], head: Any = HEAD, start: Any = None) -> Path:
    entries = {
        f"samples/{each['id']}_epoch_{each['epoch']}.json": json.dumps(each).encode() for each in samples
    }
    entries["summaries.json"] = b"[]"
    if head is not None:
        entries["header.json"] = json.dumps(head).encode()
    if start is not None:
        entries["_journal/start.json"] = json.dumps(start).encode()
    return zipped(folder / "log.eval", entries)


def made(path: Path, choice: Choice | None = None) -> Foreign:
    found = read_foreign(path, choice or Choice())
    assert found is not None
    return found


def score_of(found: Foreign, position: int = 0) -> Any:
    return found.rows[position]["recorded"]["score"]  # type: ignore[index,call-overload]


VALUES: list[tuple[Any, Any]] = [
    ("C", 1),
    ("I", 0),
    ("P", 0.5),
    ("N", 0),
    (0.25, 0.25),
    (True, 1),
    (float("nan"), None),
    ("unknown", None),
    ([1, 0], None),
    ({"a": 1}, None),
]


@pytest.mark.parametrize(("value", "score"), VALUES, ids=[str(value) for value, _ in VALUES])
def test_values(tmp_path: Path, value: Any, score: Any) -> None:
    found = made(archive(tmp_path, sample(scores={"match": {"value": value, "answer": "b"}})))
    assert found.rows[0]["recorded"] == {"score": score, "extracted": "b", "by": "inspect", "metric": "match"}


def test_both_forms_give_the_same(tmp_path: Path) -> None:
    samples = [sample(1), sample("x", said="A")]
    document = tmp_path / "log.json"
    document.write_text(json.dumps({**HEAD, "samples": samples}), encoding="utf-8")
    packed, plain = made(archive(tmp_path, *samples)), made(document)
    assert (packed.rows, packed.about, packed.warnings) == (plain.rows, plain.about, plain.warnings)
    assert packed.rows[0] == {
        "eval-id": 1,
        "messages": [{"role": "user", "question": "Which?"}, {"role": "assistant", "response": "B"}],
        "answer": "B",
        "topic": "pets",
        "dataset_meta": {"dataset_name": "pets"},
        "recorded": {"score": 1, "extracted": "b", "by": "inspect", "metric": "match"},
    }


def test_epochs_are_predictions_in_their_order(tmp_path: Path) -> None:
    scores = [{"match": {"value": value}} for value in ("C", "I")]
    log = archive(tmp_path, sample(1, 2, "two", scores=scores[1]), sample(1, 1, "one", scores=scores[0]))
    found = made(log)
    assert found.rows[0]["messages"][1]["response"] == ["one", "two"]  # type: ignore[index,call-overload]
    assert score_of(found) == 0.5
    assert len(found.rows) == 1


def test_an_epoch_that_occurs_twice_is_told(tmp_path: Path) -> None:
    log = {**HEAD, "samples": [sample(1, 1, "one"), sample(1, 1, "two"), sample(2, 1)]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log), encoding="utf-8")
    found = made(path)
    assert [len(row["messages"][1]["response"]) for row in found.rows] == [2, 1]  # type: ignore[index,call-overload]
    assert "1 row: an epoch occurs twice: both are among the predictions (1)" in found.warnings


def test_an_entry_that_was_written_twice_counts_once(tmp_path: Path) -> None:
    path = archive(tmp_path, sample(1, 1, "old"))
    with zipfile.ZipFile(path, "a") as log, pytest.warns(UserWarning, match="Duplicate name"):
        log.writestr("samples/1_epoch_1.json", json.dumps(sample(1, 1, "new")))
    assert made(path).rows[0]["messages"][1]["response"] == "new"  # type: ignore[index,call-overload]


def test_an_unscored_epoch_leaves_no_mean(tmp_path: Path) -> None:
    unscored = {"match": {"value": float("nan")}}
    assert score_of(made(archive(tmp_path, sample(1, 1), sample(1, 2, scores=unscored)))) is None


def test_samples_come_in_the_order_of_the_dataset(tmp_path: Path) -> None:
    head = {**HEAD, "eval": {**HEAD["eval"], "dataset": {"sample_ids": [1, "b", "a"]}}}  # type: ignore[dict-item]
    found = made(archive(tmp_path, sample("a"), sample("c"), sample("b"), sample(1), head=head))
    assert [row["eval-id"] for row in found.rows] == [1, "b", "a", "c"]


def test_attachments_are_put_in_their_places(tmp_path: Path) -> None:
    log = archive(
        tmp_path,
        sample(
            said="attachment://1",
            input="attachment://2",
            attachments={"1": "long answer", "2": "long question"},
        ),
    )
    turns = made(log).rows[0]["messages"]
    assert [turns[0]["question"], turns[1]["response"]] == ["long question", "long answer"]  # type: ignore[index,call-overload]


def test_a_conversation_with_pictures(tmp_path: Path) -> None:
    chat = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "image", "image": "a.png"}, {"type": "text", "text": "Which?"}],
        },
    ]
    said = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "B"}]
    row = made(archive(tmp_path, sample(input=chat, said=said))).rows[0]
    assert row["messages"] == [{"role": "user", "question": "Which?"}, {"role": "assistant", "response": "B"}]
    assert row["media"] == ["a.png"]


GOLDS: list[tuple[str, Any, Any, Any]] = [
    ("letter", ["cat", "dog"], "B", "B"),
    ("letters-all-to-be-chosen", ["cat", "dog"], ["A", "B"], "A, B"),
    ("alternatives", None, ["4", "four"], ["4", "four"]),
    ("list-of-one", None, ["4"], "4"),
]


@pytest.mark.parametrize(("choices", "target", "gold"), [g[1:] for g in GOLDS], ids=[g[0] for g in GOLDS])
def test_golds(tmp_path: Path, choices: Any, target: Any, gold: Any) -> None:
    row = made(archive(tmp_path, sample(choices=choices, target=target))).rows[0]
    assert row["answer"] == gold
    assert row["messages"][0].get("choices") == choices  # type: ignore[index,call-overload,union-attr]


def test_errors_and_unfinished_runs(tmp_path: Path) -> None:
    broken = sample(output={"model": "m", "choices": []}, error={"message": "no"}, scores={})
    found = made(archive(tmp_path, broken, head=None, start={"version": 2, "eval": HEAD["eval"]}))
    assert found.rows[0]["messages"][1]["response"] is None  # type: ignore[index,call-overload]
    assert "recorded" not in found.rows[0]
    assert "the log says of its run: started; samples may be missing" in found.warnings
    assert "1 row: the sample ended in an error (1)" in found.warnings


def test_scorers_are_chosen(tmp_path: Path) -> None:
    log = archive(tmp_path, sample(scores={"a": {"value": "C"}, "b": {"value": "I"}}))
    assert "recorded" not in made(log).rows[0]
    assert any("choose with mmeval import --metric a" in text for text in made(log).warnings)
    assert score_of(made(log, Choice(metric="b"))) == 0
    with pytest.raises(UsageError, match="has a, b"):
        made(log, Choice(metric="c"))
    with pytest.raises(UsageError, match="--metric names a scorer"):
        made(log, Choice(filter="x"))


@pytest.mark.parametrize(
    "text", ['{"version": 2, "status": "x", "eval": {}}', '{"version": 2, "status": 1, "eval": 2']
)
def test_logs_without_samples(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.json").write_text(text, encoding="utf-8")
    with pytest.raises(ResultError, match=r"holds no samples|broken JSON"):
        made(tmp_path / "log.json")


def test_a_broken_entry_is_named(tmp_path: Path) -> None:
    path = zipped(
        tmp_path / "log.eval", {"header.json": json.dumps(HEAD).encode(), "samples/1_epoch_1.json": b"{"}
    )
    with pytest.raises(ResultError, match=r"samples/1_epoch_1\.json is broken JSON"):
        made(path)
