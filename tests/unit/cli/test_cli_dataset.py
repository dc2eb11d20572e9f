"""`mmeval score --dataset`: predictions in one file, questions and golds in a dataset."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval.cli import main

BLOCK = {
    "score_pipeline": ["exact-match", "rule-match"],
    "score_question_type": "mcq",
    "score_rows": 3,
    "score_protocol": {"status": "official"},
}
ROWS = [
    {"id": name, "question": f"Which is {name}?", "A": "cat", "B": "dog", "answer": "B", "kind": "x"}
    for name in ("a", "b", "c")
]
NAMED = [("index", "prediction"), ("eval-id", "response"), ("id", "prediction")]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main([str(each) for each in arguments])
        said = capsys.readouterr()
        return int(left.value.code or 0), said.out, said.err

    return call


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    folder = tmp_path / "pets"
    for subset in ("easy", "hard"):
        (folder / subset).mkdir(parents=True)
        (folder / subset / "test.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (folder / "metadata.json").write_text(json.dumps({"subsets": {"easy": BLOCK, "hard": BLOCK}}))
    return folder


def predictions(path: Path, names: tuple[str, str], answers: dict[str, str]) -> Path:
    rows = [dict(zip(names, pair, strict=True)) for pair in answers.items()]
    lines = [*("\t".join(each) for each in (names, *answers.items())), ""]
    texts = {
        ".json": json.dumps(rows),
        ".jsonl": "\n".join(map(json.dumps, rows)),
        ".tsv": "\n".join(lines),
    }
    path.write_text(texts[path.suffix])
    return path


def score_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


@pytest.mark.parametrize("names", NAMED, ids="+".join)
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".tsv"])
def test_predictions_are_joined_to_a_dataset(
    run: Run, pets: Path, tmp_path: Path, suffix: str, names: tuple[str, str]
) -> None:
    preds = predictions(tmp_path / f"preds{suffix}", names, {"c": "B", "a": "The answer is A.", "b": "dog"})
    code, _, err = run("score", "--results", preds, "--dataset", pets, "--subset", "easy", "--split", "test")
    assert (code, err.count("\n")) == (0, 1)
    score = score_of(tmp_path / "preds.score.json")
    config = score["config"]
    assert (config["dataset_name"], config["subset"], config["split"]) == ("pets", "easy", "test")
    assert (config["official_protocol"], config["protocol_source"]) == (True, "dataset_meta")
    assert [(row["eval-id"], row["is_correct"]) for row in score["samples"]] == [("a", 0), ("b", 1), ("c", 1)]
    assert [part["file"] for part in score["provenance"]["result"]["parts"]] == [preds.name, "pets"]


def test_what_does_not_match_is_told(run: Run, pets: Path, tmp_path: Path) -> None:
    preds = predictions(tmp_path / "preds.json", NAMED[0], {"a": "B", "z": "B"})
    assert run("score", "--results", preds, "--dataset", pets, "--subset", "easy")[0] == 0
    score = score_of(tmp_path / "preds.score.json")
    assert score["summary"]["invalid"] == 2
    said = " ".join(score["summary"]["warnings"])
    assert "2 of 3 rows of pets have no prediction" in said
    assert "1 predictions of preds.json belong to no row of pets" in said


def test_the_files_of_the_dataset_are_no_predictions(run: Run, pets: Path, tmp_path: Path) -> None:
    predictions(tmp_path / "preds.json", NAMED[0], {"a": "B", "b": "B", "c": "B"})
    assert run("score", "--results", tmp_path, "--dataset", pets, "--subset", "easy")[0] == 0
    assert sorted(path.name for path in tmp_path.rglob("*.score.json")) == ["preds.score.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(("--dataset", "{pets}"), "several subsets (easy, hard)", id="subset"),
        pytest.param(("--dataset", "{pets}", "--subset", "esy"), "did you mean 'easy'", id="near-subset"),
        pytest.param(
            ("--dataset", "{pets}", "--subset", "easy", "--split", "val"), "no split 'val'", id="split"
        ),
        pytest.param(("--dataset", "{pets}", "--data", "x.tsv"), "exactly one of --data", id="both"),
        pytest.param(("--subset", "easy"), "belong to --dataset", id="subset-of-nothing"),
        pytest.param(("--dataset", "{pets}", "--subset", "easy", "--combine"), "--combine", id="combine"),
    ],
)
def test_mistakes_are_one_sentence(
    run: Run, pets: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    preds = predictions(tmp_path / "preds.json", NAMED[0], {"a": "B"})
    code, out, err = run("score", "--results", preds, *(each.format(pets=pets) for each in arguments))
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not list(tmp_path.rglob("*.score.json"))
