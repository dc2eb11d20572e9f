"""`mmeval import`: from other harnesses' files to ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.readers.layout import load

VLM = {"index": 1, "question": "q", "A": "cat", "B": "dog", "answer": "A", "prediction": "A"}


def put(path: Path, *rows: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_a_file(tmp_path: Path, mmeval: Any) -> None:
    source = put(tmp_path / "m_POPE.json", VLM, {**VLM, "index": 2, "prediction": None})
    put(tmp_path / "m_POPE_gpt.json", {**VLM, "hit": 1, "log": "x"})
    out = tmp_path / "new" / "result.json"
    ran = mmeval("import", source, "-o", out)
    assert ran.code == 0, ran.err
    assert "vlmevalkit (task POPE, model m): 2 samples, 1 with a recorded verdict" in ran.out
    assert "1 prediction has no verdict in m_POPE_gpt.json" in ran.err
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert rows[0]["recorded"] == {"score": 1, "extracted": None, "by": "vlmevalkit", "metric": "hit"}
    assert rows[0]["dataset_meta"] == {"dataset_name": "POPE"}
    assert load(out).format == "result.json"


def test_lines_and_writing_over(tmp_path: Path, mmeval: Any) -> None:
    source, out = put(tmp_path / "m_POPE.json", VLM), tmp_path / "out.jsonl"
    assert mmeval("import", source, "-o", out).code == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 1
    again = mmeval("import", source, "-o", out)
    assert (again.code, "--force" in again.err) == (2, True)
    assert mmeval("import", source, "-o", out, "--force").code == 0


def test_a_folder(tmp_path: Path, mmeval: Any) -> None:
    put(tmp_path / "in" / "a" / "m_POPE.json", VLM)
    put(tmp_path / "in" / "b" / "m_MME.json", VLM)
    listed = mmeval("import", tmp_path / "in", "--list", "--json")
    assert [each["task"] for each in json.loads(listed.out)] == ["POPE", "MME"]
    assert mmeval("import", tmp_path / "in", "-o", tmp_path / "one.json").code == 2
    assert mmeval("import", tmp_path / "in", "-o", tmp_path / "out").code == 0
    made = sorted(str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*.json"))
    assert made == ["a/m_POPE/result.json", "b/m_MME/result.json"]


def test_one_broken_run_does_not_stop_the_others(tmp_path: Path, mmeval: Any) -> None:
    put(tmp_path / "in" / "a_POPE.json", VLM)
    (tmp_path / "in" / "b_POPE.json").write_text(
        '[{"index": 1, "answer": "A", "prediction": ', encoding="utf-8"
    )
    ran = mmeval("import", tmp_path / "in", "-o", tmp_path / "out")
    assert (ran.code, "b_POPE.json" in ran.err, "1 sample," in ran.out) == (2, True, True)


REFUSED = [
    ("nothing-to-do", ["{in}"], "give -o FILE"),
    ("both", ["{in}", "--list", "-o", "x.json"], "give -o FILE"),
    ("absent", ["absent", "--list"], "no such file or folder"),
    ("empty-folder", ["{empty}", "--list"], "no run of another harness"),
    ("no-such-filter", ["{in}", "--list", "--filter", "x"], "--filter"),
]


@pytest.mark.parametrize(("arguments", "message"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused(tmp_path: Path, mmeval: Any, arguments: list[str], message: str) -> None:
    (tmp_path / "empty").mkdir()
    places = {"{in}": str(put(tmp_path / "m_POPE.json", VLM)), "{empty}": str(tmp_path / "empty")}
    ran = mmeval("import", *(places.get(each, each) for each in arguments))
    assert (ran.code, message in ran.err) == (2, True)


def test_what_cannot_be_trusted_is_missing(tmp_path: Path, mmeval: Any) -> None:
    path = tmp_path / "m_POPE.tsv"
    path.write_text("index\tquestion\tanswer\tprediction\n1\tq\tA\t" + "x" * 32_767 + "\n", encoding="utf-8")
    ran = mmeval("import", path, "-o", tmp_path / "out.json")
    assert "1 prediction not to be trusted (cell-truncated): null in what was written" in ran.err
    (row,) = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert row["messages"][1]["response"] is None


def test_ours_is_not_imported(tmp_path: Path, mmeval: Any) -> None:
    put(
        tmp_path / "result.json",
        {"eval-id": 1, "messages": [{"question": "q"}, {"response": "A"}], "answer": "A"},
    )
    ran = mmeval("import", tmp_path / "result.json", "--list")
    assert (ran.code, "there is nothing to import" in ran.err) == (2, True)
