"""`mmeval samples`: from a benchmark to samples, through an inference tool, to an official score."""

from __future__ import annotations

import base64
import csv
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from mmeval.cli import main

PNG = b"\x89PNG\r\n\x1a\n" + bytes(60)
CODED = base64.b64encode(PNG).decode()
OFFICIAL = {
    "dataset_name": "Pets",
    "subsets": {
        "easy": {
            "score_pipeline": ["exact-match", "rule-match"],
            "score_question_type": "mcq",
            "score_rows": 3,
            "score_aggregates": [
                {"name": "accuracy", "reduce": "mean", "scale": 100, "headline": True},
                {"name": "by_kind", "reduce": "macro-mean", "by": ["kind"], "scale": 100},
            ],
            "score_protocol": {"status": "official", "official": "owner/pets score.py@0123456"},
        }
    },
}
ROWS = [
    {"id": "a", "question": "Which?", "A": "cat", "B": "dog", "answer": "B", "image": CODED, "kind": "x"},
    {"id": "b", "question": "Which?\nA. cat\nB. dog", "answer": "A", "image": "a", "kind": "x"},
    {
        "id": "c",
        "question": "Which?",
        "choices": ["cat", "dog"],
        "answer": "B",
        "image": "c.png",
        "kind": "y",
    },
]

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
    folder.mkdir()
    (folder / "metadata.json").write_text(json.dumps(OFFICIAL))
    (folder / "test.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return folder


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    return path


def answered(samples: Path, result: Path, answers: list[str]) -> None:
    """What any inference tool does: it reads each sample and adds the assistant's turn."""
    rows = read(samples)
    for row, answer in zip(rows, answers, strict=True):
        assert row["messages"][0]["question"]
        row["messages"].append({"role": "assistant", "response": [answer]})
    result.parent.mkdir(parents=True, exist_ok=True)
    result.write_text(json.dumps(rows))


def test_there_and_back_with_the_official_stamp(run: Run, pets: Path, tmp_path: Path) -> None:
    samples, result = tmp_path / "samples.jsonl", tmp_path / "run" / "result.json"
    code, out, err = run("samples", "--dataset", pets, "--split", "test", "-o", samples)
    assert (code, out, err) == (0, f"3 samples in {samples}\n", "")
    answered(samples, result, ["B", "The answer is B.", "dog"])
    assert run("score", "--results", result)[0] == 0
    score = json.loads((result.parent / "score.json").read_bytes())
    config, summary = score["config"], score["summary"]
    assert config["official_protocol"] is True
    assert config["deviations"] == []
    assert (config["dataset_name"], config["subset"], config["split"]) == ("Pets", "easy", "test")
    assert [row["is_correct"] for row in score["samples"]] == [1, 0, 1]
    assert [row["eval-id"] for row in score["samples"]] == ["a", "b", "c"]
    assert round(summary["headline"]["value"], 2) == 66.67
    assert {row["group"]["kind"] for row in score["samples"]} == {"x", "y"}


def test_samples_are_whole(run: Run, pets: Path, tmp_path: Path) -> None:
    samples = tmp_path / "out" / "samples.jsonl"
    assert run("samples", "--dataset", pets, "-o", samples)[0] == 0
    first, second, third = read(samples)
    (picture,) = first["media"]
    assert Path(picture).parent == tmp_path / "out" / "samples.media"
    assert Path(picture).read_bytes() == PNG
    assert (second["media"], third["media"]) == ([picture], ["c.png"])
    assert [each["messages"][0]["options"] for each in (first, second, third)] == [
        {"A": "cat", "B": "dog"}
    ] * 3
    assert "answer" in first
    assert not [each for each in first if each in ("image", "A", "B")]
    assert first["dataset_meta"]["score_pipeline"] == ["exact-match", "rule-match"]
    before = samples.read_bytes()
    assert run("samples", "--dataset", pets, "-o", samples)[0] == 0
    assert samples.read_bytes() == before


def test_a_table_takes_the_protocol_of_the_library(run: Run, tmp_path: Path) -> None:
    rows = [
        {"index": "0", "image": CODED, "question": "How many cups?", "answer": "3"},
        {"index": "1", "image": "0", "question": "How many forks?", "answer": "0"},
    ]
    data = table(tmp_path / "CountQA.tsv", rows)
    samples, result = tmp_path / "samples.jsonl", tmp_path / "run" / "result.json"
    assert run("samples", "--data", data, "-o", samples)[0] == 0
    first, second = read(samples)
    assert first["media"] == second["media"]
    assert first["dataset_meta"]["score_pipeline"] == ["count-parse"]
    answered(samples, result, ["There are 3.", "2"])
    assert run("score", "--results", result)[0] == 0
    score = json.loads((result.parent / "score.json").read_bytes())
    assert score["config"]["protocol_source"] == "dataset_meta"
    assert score["summary"]["headline"]["value"] == 50.0
    assert "2 rows were scored, the protocol has 1528" in score["config"]["deviations"]


def test_a_reduced_benchmark(run: Run, tmp_path: Path) -> None:
    rows = [{"index": str(n + 1), "question": "How many?", "answer": "1"} for n in range(1000)]
    data = table(tmp_path / "CountQA.tsv", rows)
    code, out, err = run("samples", "--data", data, "--sample", 300)
    samples = [json.loads(line) for line in out.splitlines()]
    assert (code, len(samples), err) == (0, 300, "")
    # pandas 3.1.1: sample(n=300, random_state=42) of 1,000 rows starts at positions 521, 737, 740.
    assert [each["eval-id"] for each in samples[:3]] == [522, 738, 741]
    assert samples[0]["dataset_meta"]["sampled"] == {"n": 300, "seed": 42, "of": 1000}


def test_pictures_behind_addresses(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            there = self.path != "/gone"
            self.send_response(200 if there else 404)
            self.send_header("Content-Length", str(len(PNG) if there else 0))
            self.end_headers()
            self.wfile.write(PNG if there else b"")

    monkeypatch.setenv("NO_PROXY", "*")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    at = f"http://127.0.0.1:{server.server_address[1]}"
    folder = tmp_path / "pixmo"
    folder.mkdir()
    rows = [{"image_url": f"{at}/{name}", "count": 4, "label": "cups"} for name in ("a", "gone", "b")]
    (folder / "validation.jsonl").write_text("\n".join(map(json.dumps, rows)))
    samples = tmp_path / "samples.jsonl"
    try:
        code, out, err = run(
            *("samples", "--dataset", folder, "-o", samples, "--protocol", "PixmoCount_val", "--json"),
            *("--question", "How many {label} are in the picture?", "--gt_field", "count"),
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert code == 0
    assert "1 of 3 samples were dropped: address-gone (1)" in err
    said = json.loads(out)
    assert (said["rows"], said["written"], said["dropped"]) == (3, 2, {"address-gone": ["1"]})
    first, second = read(samples)
    assert first["messages"][0]["question"] == "How many cups are in the picture?"
    assert (first["answer"], second["eval-id"]) == (4, 2)
    assert first["dataset_meta"]["dataset_name"] == "PixmoCount_val"
    assert Path(first["media"][0]).read_bytes() == PNG


def test_standard_output_leaves_pictures_in_the_data(run: Run, pets: Path, tmp_path: Path) -> None:
    code, out, err = run("samples", "--dataset", pets)
    assert code == 0
    assert [json.loads(line)["media"] for line in out.splitlines()] == [[], [], ["c.png"]]
    assert "the pictures of 2 samples lie in the data and were left there; give --media DIR" in err
    assert (
        len(run("samples", "--dataset", pets, "--limit", 1, "--media", tmp_path / "m")[1].splitlines()) == 1
    )
    assert len(list((tmp_path / "m").iterdir())) == 1


WRONG = [
    pytest.param((), "exactly one of --data (a table) and --dataset", id="nothing"),
    pytest.param(("--data", "x.tsv", "--dataset", "{pets}"), "exactly one of", id="both"),
    pytest.param(("--data", "x.tsv", "--split", "test"), "belong to --dataset", id="split-of-a-table"),
    pytest.param(
        ("--dataset", "{pets}", "--limit", "1", "--sample", "1"), "give one of them", id="two-choices"
    ),
    pytest.param(("--dataset", "{pets}", "--json"), "give -o FILE", id="json-and-samples"),
    pytest.param(("--dataset", "{pets}", "--sample", "9"), "the data has 3 rows", id="too-many"),
    pytest.param(("--dataset", "{pets}", "--split", "tset"), "did you mean 'test'", id="split"),
    pytest.param(("--dataset", "{pets}", "--protocol", "PPE"), "no protocol 'PPE'", id="protocol"),
    pytest.param(("--dataset", "{pets}", "-o", "{pets}"), "holds something else", id="a-folder"),
    pytest.param(("--dataset", "{pets}", "-o", "."), "holds something else", id="this-folder"),
    pytest.param(("--dataset", "{pets}", "-o", "/"), "holds something else", id="the-root"),
    pytest.param(("--dataset", "{pets}", "-o", "{pets}/test.jsonl"), "holds something else", id="the-data"),
    pytest.param(("--dataset", "{pets}", "-o", "{pets}/test.jsonl/s.jsonl"), "cannot", id="below-a-file"),
    pytest.param(
        ("--dataset", "{pets}", "-o", "{pets}/s", "--media", "{pets}/test.jsonl"), "--media", id="media"
    ),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_mistakes_are_one_sentence_and_leave_nothing(
    run: Run, pets: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = {path: path.read_bytes() for path in pets.iterdir()}
    code, out, err = run("samples", *(each.format(pets=pets) for each in arguments))
    assert (code, out) == (2, "")
    assert said in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert {path: path.read_bytes() for path in pets.iterdir()} == before


def test_answers_are_never_written_over(run: Run, pets: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    run("samples", "--dataset", pets, "-o", samples)
    rows = read(samples)
    rows[0]["messages"].append({"role": "assistant", "response": ["B"]})
    samples.write_text("\n".join(map(json.dumps, rows)))
    before = samples.read_bytes()
    code, _, err = run("samples", "--dataset", pets, "-o", samples)
    assert code == 2
    assert "holds something else than samples without answers" in err
    assert samples.read_bytes() == before


def test_a_broken_row_leaves_nothing_half_written(run: Run, pets: Path, tmp_path: Path) -> None:
    with (pets / "test.jsonl").open("a") as file:
        file.write("\n[1]")
    code, _, err = run("samples", "--dataset", pets, "-o", tmp_path / "new" / "samples.jsonl")
    assert code == 2
    assert "row 3: the row is a list" in err
    assert not list((tmp_path / "new").rglob("*"))


def test_pictures_in_parquet(run: Run, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    import pyarrow.parquet as pq

    rows = [
        {"image": {"bytes": PNG, "path": "0.png"}, "questions": ["How many cups?"], "answers": ["3"]},
        {"image": {"bytes": b"<html>", "path": "1.png"}, "questions": ["a?", "b?"], "answers": ["1", "2"]},
    ]
    folder = tmp_path / "CountQA"
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "data" / "test-00000-of-00001.parquet")
    samples = tmp_path / "samples.jsonl"
    code, _, err = run("samples", "--dataset", folder, "-o", samples)
    assert code == 0
    assert "2 of 3 samples were dropped: not-a-picture (1-0, 1-1)" in err
    (sample,) = read(samples)
    assert Path(sample["media"][0]).read_bytes() == PNG
    assert sample["dataset_meta"]["score_pipeline"] == ["count-parse"]


def test_a_disk_that_fills_up(run: Run, pets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    code, out, err = run("samples", "--dataset", pets, "-o", tmp_path / "new" / "samples.jsonl")
    assert (code, out) == (2, "")
    assert "cannot be written (No space left on device)" in err
    assert not list((tmp_path / "new").rglob("*"))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_behind_standard_output(pets: Path) -> None:
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "mmeval", "samples", "--dataset", str(pets)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert ran.returncode == 2
    assert "No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_names_of_several_rows_are_told_before_anybody_answers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "Twice.tsv").write_text("index\tquestion\tanswer\n1\tq\ta\n1\tp\tb\n2\tr\tc\n")
    code, _, err = run("samples", "--data", tmp_path / "Twice.tsv", "-o", tmp_path / "s.jsonl")
    assert code == 0
    assert "1 names belong to several rows each, which no score takes (1)" in err
