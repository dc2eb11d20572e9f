"""Hostile files of predictions: every one ends in rows with a status, or in one sentence; none in a crash."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mmeval.errors import MmevalError
from mmeval.readers import BadRow, Fields, open_run
from mmeval.types import Sample

ROW = '{"eval-id":%d,"messages":[{"role":"user","question":"q"},{"response":[%s]}],"answer":"B"}'


def read(path: Path) -> list[Sample | BadRow]:
    with open_run(path) as run:
        return list(run.samples(Fields()))


def reasons(path: Path) -> list[str | None]:
    return [row.reason if isinstance(row, BadRow) else None for row in read(path)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "result.json"


# One bad row between two good ones: what becomes of it.
ONE_BAD_ROW = [
    ("nan-literal", ROW % (1, "NaN"), "prediction-not-a-text"),
    ("infinity-literal", ROW % (1, "-Infinity"), "prediction-not-a-text"),
    ("half-character", ROW % (1, r'"\ud800"'), "unreadable-text"),
    ("reversed-pair", ROW % (1, r'"\ude00\ud83d"'), "unreadable-text"),
    ("nested-list", ROW % (1, '["A"]'), "prediction-not-a-text"),
    ("null", "null", "row-not-an-object"),
    ("empty-object", "{}", "missing-prediction"),
    ("duplicate-key", '{"eval-id":1,"answer":"A","answer":"B"}', "duplicate-key"),
    ("deep", '{"eval-id":1,"x":' + "[" * 10_000 + "]" * 10_000 + "}", "too-deep"),
    ("deep-objects", '{"eval-id":1,"x":' + '{"a":' * 10_000 + "1" + "}" * 10_000 + "}", "too-deep"),
    ("deep-row", "[" * 10_000 + "]" * 10_000, "too-deep"),
    ("deep-prediction", ROW % (1, "[" * 500 + "]" * 500), "too-deep"),
]


@pytest.mark.parametrize("text,reason", [c[1:] for c in ONE_BAD_ROW], ids=[c[0] for c in ONE_BAD_ROW])
@pytest.mark.parametrize("name", ["result.json", "run.jsonl"])
def test_one_bad_row_costs_one_row(tmp_path: Path, name: str, text: str, reason: str) -> None:
    rows = [ROW % (0, '"A"'), text, ROW % (2, '"B"')]
    path = tmp_path / name
    path.write_text("\n".join(rows) if name.endswith("l") else "[" + ",".join(rows) + "]", encoding="utf-8")
    assert reasons(path) == [None, reason, None]
    found = read(path)
    assert [row.id for row in found] == [0, 1, 2]
    json.dumps([row.id for row in found], ensure_ascii=False).encode("utf-8")


# (id, source, responses, what is read), from problems that users of other scorers reported.
REPORTED = [
    ("I255", "open-compass/VLMEvalKit#1559", ["None", "NA", "null", "nan", "N/A", ""], None),
    ("I256", "open-compass/VLMEvalKit#1704", "", ("",)),
    ("I262", "EleutherAI/lm-evaluation-harness#3351", ["A", "B", "A"], None),
]


@pytest.mark.parametrize("said,expected", [case[2:] for case in REPORTED], ids=[case[0] for case in REPORTED])
def test_reported_texts_survive(file: Path, said: str | list[str], expected: tuple[str, ...] | None) -> None:
    row = json.loads(ROW % (0, "null"))
    row["messages"][-1]["response"] = said
    file.write_text("\ufeff" + json.dumps([row]), encoding="utf-8")
    (sample,) = read(file)
    assert isinstance(sample, Sample)
    assert sample.predictions == (tuple(said) if expected is None else expected)


def test_reported_ids(file: Path) -> None:
    """I258 (cocodataset/cocoapi#600) and I261 (#299): an id twice counts for neither; 1 is "1"."""
    rows = [ROW % (1, '"A"'), (ROW % (1, '"B"')).replace('"eval-id":1', '"eval-id":"1"'), ROW % (2, '"B"')]
    file.write_text("[" + ",".join(rows) + "]", encoding="utf-8")
    assert reasons(file) == ["duplicate-id", "duplicate-id", None]


def test_bytes_that_are_not_utf8_in_a_prediction(file: Path) -> None:
    file.write_bytes(
        b"[" + (ROW % (0, '"caf\xe9"')).encode("latin-1") + b"," + (ROW % (1, '"B"')).encode() + b"]"
    )
    assert reasons(file) == ["unreadable-text", None]


@pytest.mark.parametrize("filler", ["word ", "\U0001f600", "\x00", '"', "\\", "\ufeff"], ids=repr)
def test_five_megabytes_of_prediction(file: Path, filler: str) -> None:
    text = filler * (5_000_000 // len(filler.encode()))
    row = json.loads(ROW % (0, '"A"'))
    row["messages"][-1]["response"] = [text + "Answer: C"]
    for ascii_only in (True, False):
        file.write_text(json.dumps([row], ensure_ascii=ascii_only), encoding="utf-8")
        started = time.process_time()
        (sample,) = read(file)
        assert isinstance(sample, Sample)
        assert sample.predictions == (text + "Answer: C",)
        assert time.process_time() - started < 2


def test_a_long_last_cell_is_not_cut(file: Path) -> None:
    """Reported as open-compass/VLMEvalKit#1172: table cells hold 32,767 characters."""
    row = json.loads(ROW % (0, '"A"'))
    row["messages"][-1]["response"] = ["word " * 8000 + "Answer: C"]
    file.write_text(json.dumps([row]), encoding="utf-8")
    (sample,) = read(file)
    assert isinstance(sample, Sample)
    assert (sample.predictions[0] or "").endswith("Answer: C")


@pytest.mark.parametrize("form", ["result.json", "run.jsonl"])
def test_a_file_cut_anywhere_is_refused_in_one_sentence(tmp_path: Path, form: str) -> None:
    rows = [ROW[:-1] % (n, r'"a \"q\" \ud83d\ude00"') + ',"x":[true,null,-1.5e-3]}' for n in range(3)]
    text = "\n".join(rows) if form == "run.jsonl" else "[" + ",\n".join(rows) + "]"
    path = tmp_path / form
    for length in range(len(text)):
        path.write_text(text[:length], encoding="utf-8")
        if form == "run.jsonl" and text[:length].rstrip("\n") in ("\n".join(rows[:n]) for n in (1, 2)):
            assert len(read(path)) < 3
            continue
        with pytest.raises(MmevalError) as caught:
            read(path)
        message = str(caught.value)
        assert "cut off" in message or "is empty" in message, (length, message)
        assert "\n" not in message


def test_a_hundred_thousand_rows(file: Path) -> None:
    filler = "x" * 900
    with file.open("w", encoding="utf-8") as out:
        out.write("[")
        for number in range(100_000):
            out.write(("," if number else "") + ROW % (number, f'"{filler}{number}"'))
        out.write("]")
    assert file.stat().st_size > 95_000_000
    started = time.process_time()
    with open_run(file) as run:
        assert run.n_rows == 100_000
        count = sum(isinstance(row, Sample) for row in run.samples(Fields()))
    assert count == 100_000
    assert time.process_time() - started < 6


def test_memory_does_not_hold_the_decoded_rows(tmp_path: Path) -> None:
    """40 MB of rows: what is held beside the file itself stays far below the size of the decoded rows."""
    path = tmp_path / "result.json"
    meta = json.dumps({"dataset_name": "D", "score_pipeline": ["exact-match"]})
    rows = [
        ROW[:-1] % (n, '"A"') + f',"dataset_meta":{meta},"tags":[{",".join(["1"] * 400)}]}}'
        for n in range(40_000)
    ]
    path.write_text("[" + ",".join(rows) + "]", encoding="utf-8")
    del rows
    code = (
        "import resource, sys\nfrom pathlib import Path\n"
        "from mmeval.readers import Fields, layout, open_run\n"
        "layout.MAP_FROM = 1\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "with open_run(Path(sys.argv[1])) as run:\n"
        "    n = sum(1 for _ in run.samples(Fields()))\n"
        "print(n, peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    count, kilobytes = map(int, done.stdout.split())
    assert count == 40_000
    assert kilobytes * 1024 < path.stat().st_size + 30_000_000


def test_the_reader_loads_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "pydantic", "rich", "typer")
    code = f"import sys, mmeval.readers; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
