"""The JSON Schemas hold for what is really read and written."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval import schemas
from mmeval.protocol import Overrides
from mmeval.readers import is_own
from mmeval.registry import protocol_folders
from mmeval.runner import Job, score_run

jsonschema = pytest.importorskip("jsonschema")
RUNS = Path(__file__).resolve().parents[1] / "fixtures" / "runs"
NAMES = sorted(path.name for path in RUNS.iterdir())


def errors(kind: str, document: object) -> list[str]:
    validator = jsonschema.Draft202012Validator(schemas.of(kind))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


@pytest.mark.parametrize("kind", ["metadata", "result", "score"])
def test_a_schema_is_one(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemas.of(kind))


@pytest.mark.parametrize("folder", sorted(protocol_folders()))
def test_every_protocol_of_the_library_is_valid(folder: str) -> None:
    document = json.loads((protocol_folders()[folder] / "metadata.json").read_bytes())
    assert errors("metadata", document) == []


def rows(name: str) -> list[Any]:
    (path,) = (
        path
        for path in (RUNS / name).iterdir()
        if path.suffix in (".json", ".jsonl") and not is_own(path.name)
    )
    text = path.read_text(encoding="utf-8")
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "refused"])
def test_every_fixture_run_is_valid(name: str) -> None:
    assert errors("result", rows(name)) == []


@pytest.mark.parametrize("kind", ["inline", "jsonl"])
@pytest.mark.parametrize("name", NAMES)
def test_every_score_is_valid(tmp_path: Path, name: str, kind: Any) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(rows(name)))
    assert errors("score", json.loads(score_run(path, Job(rows=kind)).score.read_bytes())) == []


def test_a_score_with_failed_rows_is_valid(
    write_run: Callable[..., Path], sample_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mmeval.stages.mra import Mra

    monkeypatch.setattr(Mra, "__call__", lambda self, case: 3)
    scored = score_run(write_run([sample_row(1, "1", "1")]), Job(Overrides(pipeline=("mra",))))
    assert errors("score", json.loads(scored.score.read_bytes())) == []


BREAK: dict[str, Callable[[Any], object]] = {
    "no-config": lambda score: score.pop("config"),
    "no-samples": lambda score: score.pop("samples"),
    "no-headline": lambda score: score["summary"].pop("headline"),
    "no-counts": lambda score: score["summary"].pop("filtered"),
    "count-negative": lambda score: score["summary"].update(total=-1),
    "rate-text": lambda score: score["summary"].update(accuracy="0.5"),
    "stamp-text": lambda score: score["config"].update(official_protocol="yes"),
    "fingerprint": lambda score: score["config"].update(fingerprint="abc"),
    "row-without-status": lambda score: score["samples"][0].pop("status"),
    "row-score-text": lambda score: score["samples"][0].update(score="1"),
    "trace-text": lambda score: score["samples"][0].update(trace="none"),
}


@pytest.mark.parametrize("broken", BREAK)
def test_a_broken_score_is_not(broken: str) -> None:
    golden = json.loads((RUNS.parents[1] / "golden" / "sampled.score.json").read_bytes())
    assert errors("score", golden) == []
    document = copy.deepcopy(golden)
    BREAK[broken](document)
    assert errors("score", document) != []


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({}, id="object"),
        pytest.param([], id="no-rows"),
        pytest.param([{"eval-id": 1}], id="no-messages"),
        pytest.param([{"messages": []}], id="no-turn"),
        pytest.param([{"messages": [{"response": "B"}], "dataset_meta": 3}], id="meta-number"),
    ],
)
def test_a_broken_run_is_not(document: Any) -> None:
    assert errors("result", document) != []
