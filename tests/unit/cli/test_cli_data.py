"""`mmeval score --data`: predictions here, questions and golds there."""

from __future__ import annotations

import csv
import hashlib
import http.server
import importlib.util
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from mmeval import library
from mmeval.metadata import DataFile

Mmeval = Callable[..., Any]
MANY = 10_000
COMMIT = "b" * 40
# visual_input, set, figure, question, as the index of HallusionBench has them.
GROUPS = [(int(f > 0), s, f, q) for s in range(2) for f in range(3) for q in range(2)]


def table(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    return path


def yes_no(folder: Path, count: int = 4) -> Path:
    rows = [[n, f"Is it {n}?", ("Yes", "No")[n % 2], "random"] for n in range(count)]
    return table(folder / "POPE.tsv", [["index", "question", "answer", "category"], *rows])


def loaded(path: Path) -> Any:
    return json.loads(path.read_bytes())


def test_predictions_and_golds_are_joined_and_both_are_on_record(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path)
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], [0, "Yes."], [1, "No"], [3, "Yes"]])
    ran = mmeval("score", "--results", preds, "--data", data)
    assert ran.code == 0, ran.err
    score = loaded(tmp_path / "preds.score.json")
    assert score["config"]["protocol"] == "POPE"
    assert score["config"]["protocol_source"] == "library"
    told = score["provenance"]["result"]
    assert (told["format"], told["rows"]) == ("joined", 4)
    assert told["parts"] == [
        {"file": each.name, "rows": rows, "sha256": hashlib.sha256(each.read_bytes()).hexdigest()}
        for each, rows in ((preds, 3), (data, 4))
    ]
    assert [row["is_correct"] for row in score["samples"]] == [True, True, False, False]
    assert score["samples"][2]["reason"] == "missing-prediction"
    assert any("1 of 4 rows of POPE.tsv have no prediction" in each for each in score["summary"]["warnings"])
    assert str(tmp_path) not in json.dumps(score)


def test_the_score_is_the_same_byte_for_byte_until_a_file_changes(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path)
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], [0, "Yes."], [1, "No"]])
    arguments = ("score", "--results", preds, "--data", data)
    assert mmeval(*arguments).code == 0
    first = (tmp_path / "preds.score.json").read_bytes()
    assert mmeval(*arguments, "--force").code == 0
    assert (tmp_path / "preds.score.json").read_bytes() == first
    data.write_bytes(data.read_bytes().replace(b"random", b"popular"))
    assert mmeval(*arguments).code == 0
    changed = loaded(tmp_path / "preds.score.json")
    assert changed["config"]["fingerprint"] != json.loads(first)["config"]["fingerprint"]


@pytest.mark.parametrize("same", [True, False], ids=["as-declared", "another-md5"])
def test_another_version_of_the_data_costs_the_stamp(
    mmeval: Mmeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same: bool
) -> None:
    data = yes_no(tmp_path)
    md5 = hashlib.md5(data.read_bytes()).hexdigest() if same else "0" * 32
    monkeypatch.setattr(library, "data_file", lambda name: DataFile(md5=md5))
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], *([n, "Yes"] for n in range(4))])
    assert mmeval("score", "--results", preds, "--data", data).code == 0
    config = loaded(tmp_path / "preds.score.json")["config"]
    said = [each for each in config["deviations"] if "the protocol library declares " + "0" * 32 in each]
    assert len(said) == (0 if same else 1)
    assert config["official_protocol"] is (same and not config["deviations"])


def test_the_stamp_goes_for_the_md5_alone(
    mmeval: Mmeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "data_file", lambda name: DataFile(md5="0" * 32))
    data = yes_no(tmp_path, 9000)
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], *([n, "Yes"] for n in range(9000))])
    assert mmeval("score", "--results", preds, "--data", data).code == 0
    config = loaded(tmp_path / "preds.score.json")["config"]
    assert (config["official_protocol"], len(config["deviations"])) == (False, 1)
    monkeypatch.setattr(library, "data_file", lambda name: DataFile())
    assert mmeval("score", "--results", preds, "--data", data, "--force").code == 0
    config = loaded(tmp_path / "preds.score.json")["config"]
    assert (config["official_protocol"], config["deviations"]) == (True, [])


def test_every_file_of_predictions_in_a_folder_gets_its_own_score(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path)
    rows = [["index", "prediction"], *([n, "Yes"] for n in range(4))]
    for name in ("one.tsv", "two.tsv"):
        table(tmp_path / name, rows)
    (tmp_path / "three.json").write_text(json.dumps([{"index": n, "prediction": "No"} for n in range(4)]))
    ran = mmeval("score", "--results", tmp_path, "--data", data)
    assert ran.code == 0, ran.err
    made = sorted(path.name for path in tmp_path.glob("*.score.json"))
    assert made == ["one.score.json", "three.score.json", "two.score.json"]


def test_one_file_that_is_no_predictions_does_not_stop_the_others(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path)
    table(tmp_path / "one.tsv", [["index", "prediction"], [0, "Yes"]])
    (tmp_path / "one_acc.csv").write_text("split,Overall\nnone,0.5\n")
    ran = mmeval("score", "--results", tmp_path, "--data", data)
    assert ran.code == 2
    assert "one_acc.csv: has no column 'index'; its columns are split, Overall" in ran.err
    assert (tmp_path / "one.score.json").is_file()


def test_a_benchmark_is_found_by_its_name(
    mmeval: Mmeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "LMU").mkdir()
    yes_no(tmp_path / "LMU")
    monkeypatch.setenv("LMUData", str(tmp_path / "LMU"))
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], [0, "Yes"]])
    assert mmeval("score", "--results", preds, "--data", "POPE").code == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--data", "no/such.tsv"), "no such file; give a table"),
        (("--data", "NoSuchBenchmark"), "declares no address"),
        (("--data", "POPE.tsv", "--combine"), "leave out --combine"),
        (("--data", "preds.tsv"), "give --results the predictions"),
        (("--data", "Unknown.tsv"), "the library has no benchmark Unknown"),
        (
            ("--data", "POPE.tsv", "--score_pred_field", "x"),
            "no column 'x'; its columns are index, prediction",
        ),
    ],
)
def test_a_mistake_is_one_sentence(
    mmeval: Mmeval,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.setenv("LMUData", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    yes_no(tmp_path)
    table(tmp_path / "preds.tsv", [["index", "prediction"], [0, "Yes"]])
    table(tmp_path / "Unknown.tsv", [["index", "question", "answer"], [0, "Is it?", "Yes"]])
    ran = mmeval("score", "--results", "preds.tsv", *arguments)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "preds.score.json").exists()


def test_an_unknown_table_can_be_scored_by_a_protocol_that_is_named(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path).rename(tmp_path / "Mine.tsv")
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], *([n, "Yes"] for n in range(4))])
    for flags in (("--protocol", "POPE"), ("--score_pipeline", "rule-match")):
        assert mmeval("score", "--results", preds, "--data", data, *flags).code == 0


@pytest.mark.parametrize("form", ["tsv", "xlsx"])
def test_ten_thousand_rows_are_joined_and_scored(mmeval: Mmeval, tmp_path: Path, form: str) -> None:
    draw = random.Random(7)
    rows = [
        [
            n,
            "QUJD" * 30,
            f'Which "one"\nis {n}?',
            "cat",
            "dog",
            "None" if n % 2 else "",
            "ABC"[n % 2],
            "animals",
        ]
        for n in range(MANY)
    ]
    head = ["index", "image", "question", "A", "B", "C", "answer", "category"]
    data = table(tmp_path / "Pets.tsv", [head, *rows])
    answers = [[float(n), draw.choice(["A", "B", "The answer is A.", "It is B."])] for n in range(MANY)]
    draw.shuffle(answers)
    preds = tmp_path / f"preds.{form}"
    if form == "tsv":
        table(preds, [["index", "prediction"], *answers])
    else:
        openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
        book = openpyxl.Workbook(write_only=True)
        sheet = book.create_sheet()
        for line in [["index", "prediction"], *answers]:
            sheet.append(line)
        book.save(preds)
    assert mmeval("score", "--results", preds, "--data", data).code == 0
    score = loaded(tmp_path / "preds.score.json")
    gold = {row[0]: row[6] for row in rows}
    right = sum(("A" if "A" in text else "B") == gold[int(n)] for n, text in answers)
    assert score["summary"]["total"] == MANY
    assert score["summary"]["correct"] == right
    assert score["summary"]["warnings"] == []
    assert score["config"]["official_protocol"] is False


@pytest.fixture
def loopback(tmp_path: Path) -> Iterator[str]:
    """The address of a server that answers as the Hub does for one file of any dataset."""
    body = yes_no(tmp_path).read_bytes()

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            there = self.path.startswith("/datasets/owner/pope/resolve/")
            self.send_response(200 if there else 404)
            self.send_header("Content-Length", str(len(body) if there else 0))
            self.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if there and self.command == "GET":
                self.wfile.write(body)

        do_HEAD = do_GET

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


FETCHED = """
import sys
from mmeval import library
from mmeval.cli import main
from mmeval.metadata import DataFile
library.data_file = lambda name: DataFile(repo=sys.argv[1], file="data/POPE.tsv", md5=sys.argv[2])
main(["score", "--results", sys.argv[3], "--data", "POPE"])
"""


@pytest.mark.skipif(
    not importlib.util.find_spec("huggingface_hub"), reason="huggingface_hub is not installed"
)
@pytest.mark.parametrize(
    ("repository", "changed", "says"),
    [
        ("owner/pope", False, ""),
        ("owner/pope", True, "it was changed, or damaged on the way"),
        ("owner/other", False, "cannot be fetched"),
    ],
    ids=["as-declared", "another-md5", "not-there"],
)
def test_a_table_is_fetched_and_held_against_its_md5(
    tmp_path: Path, loopback: str, repository: str, changed: bool, says: str
) -> None:
    md5 = "0" * 32 if changed else hashlib.md5((tmp_path / "POPE.tsv").read_bytes()).hexdigest()
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], *([n, "Yes"] for n in range(4))])
    clean = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    home = {"HF_ENDPOINT": loopback, "HF_HOME": str(tmp_path / "hub"), "HOME": str(tmp_path), "NO_PROXY": "*"}
    ran = subprocess.run(
        [sys.executable, "-c", FETCHED, repository, md5, str(preds)],
        env={**clean, **home, "LMUData": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == (2 if says else 0), ran.stderr
    assert says in ran.stderr
    assert "Traceback" not in ran.stderr
    assert (tmp_path / "preds.score.json").exists() is not bool(says)


def test_a_sample_is_explained_with_the_question_of_the_table(mmeval: Mmeval, tmp_path: Path) -> None:
    data = yes_no(tmp_path)
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], [0, "Yes"], [1, "No"]])
    assert mmeval("score", "--results", preds, "--data", data).code == 0
    score = tmp_path / "preds.score.json"
    assert "Is it 1?" in mmeval("explain", score, "1").out
    data.write_bytes(data.read_bytes() + b"9\tIs it 9?\tYes\trandom\n")
    assert "Is it 1?" not in mmeval("explain", score, "1").out


def test_a_table_with_its_groups_in_the_index_scores_as_its_protocol_says(
    mmeval: Mmeval, tmp_path: Path
) -> None:
    names = [f"{c}_ocr_{v}_{s}_{f}_{q}" for c in ("VS", "VD") for v, s, f, q in GROUPS]
    rows = [[name, "" if name.split("_")[2] == "0" else "QUJD", "Is it?", "Yes"] for name in names]
    data = table(tmp_path / "HallusionBench.tsv", [["index", "image", "question", "answer"], *rows])
    seen = [name for name in names if name.split("_")[2] != "0"]
    answers = [[name, "No" if name == seen[0] else "Yes"] for name in seen]
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], *answers])
    assert mmeval("score", "--results", preds, "--data", data).code == 0
    summary = loaded(tmp_path / "preds.score.json")["summary"]
    assert (summary["total"], summary["filtered"], summary["invalid"]) == (
        len(seen),
        len(names) - len(seen),
        0,
    )
    assert summary["correct"] == len(seen) - 1
    assert any(f"{len(names) - len(seen)} of {len(names)} rows" in each for each in summary["warnings"])


def test_where_no_name_matches_the_names_of_both_files_are_shown(mmeval: Mmeval, tmp_path: Path) -> None:
    preds = table(tmp_path / "preds.tsv", [["index", "prediction"], ["q0", "Yes."], ["q1", "No"]])
    ran = mmeval("score", "--results", preds, "--data", yes_no(tmp_path))
    assert ran.code == 2
    assert "4 of 4 rows of POPE.tsv have no prediction" in ran.err
    assert "(0, 1, 2, 3); 2 predictions of preds.tsv belong to no row of POPE.tsv" in ran.err
    assert "(q0, q1); both files must name their rows alike" in ran.err
    assert "--score_gt_field" not in ran.err
