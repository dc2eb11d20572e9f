"""Files of other harnesses, damaged at will: a run comes of it, or one sentence; never a traceback."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from zip_files import zipped

from mmeval.errors import MmevalError
from mmeval.readers import Fields, ForeignRun
from mmeval.readers.foreign import Choice
from mmeval.readers.glimpse import form_of, glimpse
from mmeval.readers.importing import lines
from mmeval.readers.opening import read_foreign

CHAT = [{"role": "user", "content": [{"type": "text", "text": "q"}]}, {"role": "assistant", "content": "B"}]
OUTPUT = {"choices": [{"message": {"role": "assistant", "content": "B"}, "stop_reason": "stop"}]}
VLM = {
    "index": 1,
    "question": "q",
    "A": "cat",
    "B": "dog",
    "answer": "A",
    "prediction": "A",
    "hit": 1,
    "log": "x",
}
SAMPLE = {"id": 1, "epoch": 1, "input": CHAT, "choices": ["cat", "dog"], "target": ["A"], "output": OUTPUT}
SAMPLE |= {
    "scores": {"match": {"value": "C", "answer": "A"}},
    "metadata": {"x": 1},
    "attachments": {"1": "y"},
}
LOG = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {"sample_ids": [1]}}}
LM = {"doc_id": 0, "doc": {"choices": ["a"]}, "target": "['a']", "resps": [["b"]], "filtered_resps": ["b"]}
LM |= {"filter": "none", "metrics": ["acc"], "acc": 1.0, "arguments": {"gen_args_0": {"arg_0": CHAT}}}
REVIEW = {"index": 0, "target": ["B"], "messages": CHAT, "sample_score": {"score": {"value": {"acc": 1}}}}
PREDICTION = {"index": 0, "model_output": OUTPUT, "messages": CHAT, "metadata": {"x": 1}}
INSTANCE = {"id": "i", "input": {"text": "q"}, "references": [{"output": {"text": "a"}, "tags": ["correct"]}]}
REQUEST = {"instance": INSTANCE, "result": {"completions": [{"text": "a"}]}, "output_mapping": {"A": "a"}}
HELM = {"adapter_spec": {"model": "m"}, "request_states": [REQUEST]}
DETAIL = {
    "doc": {
        "id": "0",
        "task_name": "t",
        "query": "q",
        "choices": ["a"],
        "gold_index": [0],
        "specific": {"x": 1},
    },
    "model_response": {"text": ["a"]},
    "metric": {"acc": 1.0},
}

# The form, and the parts of a sound file that are damaged.
SOUND: dict[str, Any] = {
    "vlmevalkit.json": [VLM],
    "vlmevalkit.tsv": [VLM],
    "vlmevalkit.xlsx": [VLM],
    "lm.jsonl": [LM],
    "evalscope.jsonl": [[PREDICTION], [REVIEW]],
    "inspect.json": {**LOG, "samples": [SAMPLE]},
    "inspect.eval": [LOG, SAMPLE],
    "helm.json": HELM,
    "lighteval.parquet": [DETAIL],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def write(folder: Path, name: str, content: Any) -> Path:
    """Write what is left of a sound file, as its harness would."""
    path = folder / name
    if name.endswith(".eval"):
        head, sample = content
        entries = {
            "header.json": json.dumps(head).encode(),
            "samples/1_epoch_1.json": json.dumps(sample).encode(),
        }
        return zipped(path, entries)
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(content), path)
    elif name.endswith((".tsv", ".xlsx")):
        _table(path, content)
    elif name == "evalscope.jsonl":
        path = folder / "predictions" / "m.jsonl"
        for part, place in zip(content, (path, folder / "reviews" / "m.jsonl"), strict=True):
            place.parent.mkdir(exist_ok=True)
            place.write_text("".join(json.dumps(row) + "\n" for row in part), encoding="utf-8")
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def _table(path: Path, rows: list[dict[str, Any]]) -> None:
    cells = [list(rows[0]), *([json.dumps(value) for value in row.values()] for row in rows)]
    if path.suffix == ".tsv":
        path.write_text("".join("\t".join(map(str, line)) + "\n" for line in cells), encoding="utf-8")
        return
    book = openpyxl.Workbook()
    for line in cells:
        book.active.append(line)
    book.save(path)


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a value that can hold another one."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [(*before, key) for key, _ in inside]
    return found + [deeper for key, inner in inside for deeper in places(inner, (*before, key))]


def read_whole(path: Path) -> None:
    """Read a file to its last sample; what is wrong is said in one sentence."""
    try:
        found = read_foreign(path, Choice())
        if found is None:
            return
        assert all(json.loads(line) for line in lines(found))
        with ForeignRun(path, found) as run:
            assert sum(1 for _ in run.samples(Fields())) == len(found.rows)
    except MmevalError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", sorted(SOUND))
def test_sound_files_are_known(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, SOUND[name])
    assert form_of(glimpse(path)) in (name.partition(".")[0], "lm-eval")
    assert read_foreign(path, Choice()) is not None


@pytest.mark.parametrize("name", sorted(set(SOUND) - {"lighteval.parquet", "vlmevalkit.xlsx"}))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_value_anywhere(tmp_path: Path, name: str, data: st.DataObject) -> None:
    content = copy.deepcopy(SOUND[name])
    *way, last = data.draw(st.sampled_from(places(content)))
    owner = content
    for key in way:
        owner = owner[key]
    owner[last] = data.draw(VALUES)
    try:
        path = write(tmp_path, name, content)
    except (TypeError, AttributeError, ValueError):
        return
    read_whole(path)


@pytest.mark.parametrize("name", sorted(SOUND))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_anywhere(tmp_path: Path, name: str, data: st.DataObject) -> None:
    # Written once: a workbook holds the time of its writing.
    kept = tmp_path / "kept"
    if not kept.exists():
        path = write(tmp_path, name, SOUND[name])
        kept.write_bytes(path.read_bytes())
        (tmp_path / "place").write_text(str(path), encoding="utf-8")
    path = Path((tmp_path / "place").read_text(encoding="utf-8"))
    whole = bytearray(kept.read_bytes())
    if data.draw(st.booleans()):
        del whole[data.draw(st.integers(0, len(whole) - 1)) :]
    else:
        for place in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=4)):
            whole[place] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(whole))
    read_whole(path)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=200), suffix=st.sampled_from([".json", ".jsonl", ".tsv", ".eval", ".parquet"])
)
def test_any_bytes_are_of_some_kind(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"x{suffix}"
    path.write_bytes(content)
    read_whole(path)
