"""Where resources are found, what is told of them, and what they hold."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from mmeval import Job, resources, score
from mmeval.boxes.annotations import Annotations, AnnotationSets
from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import Resource
from mmeval.overrides import Overrides

COCO = json.dumps({"images": [{"id": 1}], "annotations": [], "categories": []})
NAMES = frozenset({"annotations", "categories", "tool_detections"})


def found(
    folder: Path,
    declared: dict[str, dict[str, Any]],
    given: dict[str, Path] | None = None,
    environment: dict[str, str] | None = None,
) -> resources.Resources:
    built = {name: Resource(**each) for name, each in declared.items()}
    return resources.find(built, given or {}, NAMES, folder, environment or {})


def put(path: Path, text: str = COCO) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


PLACES = [
    pytest.param({"path": "a.json"}, "run/a.json", {}, id="beside-the-run"),
    pytest.param({"path": "a.json", "env": ["ROOT"]}, "run/a.json", {}, id="no-variable-set"),
    pytest.param({"path": "a.json", "env": ["ROOT"]}, "root/a.json", {"ROOT": "root"}, id="variable"),
    pytest.param({"path": "a.json", "env": ["X", "ROOT/in"]}, "root/in/a.json", {"ROOT": "root"}, id="below"),
    pytest.param({"path": "a.json", "env": ["ROOT"]}, "root/b.json", {"ROOT": "root/b.json"}, id="the-file"),
    pytest.param({"env": ["ROOT"]}, "root/b.json", {"ROOT": "root/b.json"}, id="the-file-without-a-path"),
    pytest.param(
        {"path": "a.json", "env": ["ONE", "TWO"]}, "1/a.json", {"TWO": "2", "ONE": "1"}, id="first-variable"
    ),
]


@pytest.mark.parametrize(("declared", "file", "environment"), PLACES)
def test_where_a_file_lies(
    declared: dict[str, Any], file: str, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "run").mkdir()
    put(tmp_path / file, '{"here": 1}')
    variables = {name: str(tmp_path / value) for name, value in environment.items()}
    got = found(tmp_path / "run", {"categories": declared}, None, variables)
    assert got.values["categories"] == {"here": 1}
    assert got.told["categories"]["sha256"] == sha256('{"here": 1}')  # type: ignore[index,call-overload]
    assert str(tmp_path) not in json.dumps(got.told)
    assert got.deviations == ()


MISSING = [
    pytest.param(
        {"path": "a.json", "env": ["GLIP_ROOT", "LMUData"]},
        {},
        "resource 'annotations' is missing: set GLIP_ROOT to the folder that holds a.json "
        "(looked for {run}/a.json), or give --resource annotations=PATH",
        id="no-variable",
    ),
    pytest.param(
        {"path": "a.json", "env": ["GLIP_ROOT"]},
        {"GLIP_ROOT": "/nowhere"},
        "resource 'annotations' is missing: GLIP_ROOT is set, but /nowhere/a.json is not there; put it "
        "there, or give --resource annotations=PATH",
        id="variable",
    ),
    pytest.param(
        {"path": "a.json"},
        {},
        "resource 'annotations' is missing: {run}/a.json is not there; put it there, or give --resource "
        "annotations=PATH",
        id="beside-the-run",
    ),
    pytest.param(
        {"by": "domain", "paths": {"x": "x/a.json"}, "env": ["GLIP_ROOT"]},
        {"GLIP_ROOT": "/nowhere"},
        "resource 'annotations' is missing: GLIP_ROOT is set, but /nowhere/x/a.json is not there; put it "
        "there, or give --resource annotations=PATH",
        id="one-of-several",
    ),
]


@pytest.mark.parametrize(("declared", "environment", "message"), MISSING)
def test_a_missing_file_is_one_sentence(
    declared: dict[str, Any], environment: dict[str, str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(MetadataError) as error:
        found(tmp_path, {"annotations": declared}, None, environment)
    assert str(error.value) == message.format(run=tmp_path)


def test_what_may_be_absent_is(tmp_path: Path) -> None:
    optional = {"kind": "rows", "path": "tool_detections", "optional": True}
    assert not found(tmp_path, {"tool_detections": optional}).values


def test_what_nobody_reads_is_not_looked_for(tmp_path: Path) -> None:
    assert not found(tmp_path, {"other": {"path": "nowhere.json"}}).values


def test_another_file_than_the_declared_one_is_a_deviation(tmp_path: Path) -> None:
    put(tmp_path / "a.json")
    declared = {"annotations": {"path": "a.json", "kind": "coco", "sha256": sha256(COCO)}}
    assert found(tmp_path, declared).deviations == ()
    put(tmp_path / "a.json", COCO + " ")
    (said,) = found(tmp_path, declared).deviations
    assert said.startswith("resource 'annotations' has SHA-256 ")


def test_a_file_of_the_command_line_stands_above(tmp_path: Path) -> None:
    put(tmp_path / "a.json", "[1]")
    other = put(tmp_path / "other.json", "[2]")
    got = found(tmp_path, {"categories": {"path": "a.json"}}, {"categories": other})
    assert (got.values["categories"], got.deviations) == ([2], ())
    assert got.told == {"categories": {"file": "other.json", "sha256": sha256("[2]")}}


def test_a_file_that_the_protocol_does_not_declare_is_a_deviation(tmp_path: Path) -> None:
    got = found(tmp_path, {}, {"categories": put(tmp_path / "c.json", "[]")})
    assert got.deviations == ("--resource gives 'categories', which the protocol does not declare",)


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("anotations", "a.json", "no stage or aggregate of this run reads it; did you mean 'annotations'?"),
        ("annotations", "nowhere.json", "nowhere.json; check the path"),
    ],
)
def test_a_wrong_flag(name: str, path: str, message: str, tmp_path: Path) -> None:
    put(tmp_path / "a.json")
    with pytest.raises(UsageError, match=message):
        found(tmp_path, {}, {name: tmp_path / path})


def test_annotations_are_typed_and_read_once(tmp_path: Path) -> None:
    path = put(tmp_path / "a.json")
    declared = {"annotations": {"path": "a.json", "kind": "coco"}}
    first = found(tmp_path, declared).values["annotations"]
    assert isinstance(first, Annotations)
    assert found(tmp_path, declared).values["annotations"] is first
    put(path, COCO + " ")
    assert found(tmp_path, declared).values["annotations"] is not first


@pytest.mark.parametrize(
    ("kind", "text"),
    [("coco", "{"), ("coco", '{"images": [{"id": null}]}'), ("json", "{"), ("json", "NaN")],
)
def test_a_broken_file_is_named(kind: str, text: str, tmp_path: Path) -> None:
    path = put(tmp_path / "a.json", text)
    got = found(tmp_path, {"annotations": {"path": "a.json", "kind": kind}})
    with pytest.raises(MetadataError, match=f"resource 'annotations': {path}: .*; fetch the file again"):
        dict(got.values)


def test_a_file_for_each_value_of_a_field(tmp_path: Path) -> None:
    for name in ("x", "y"):
        put(tmp_path / name / "a.json")
    declared = {"by": "domain", "paths": {"x": "x/a.json", "y": "y/a.json"}, "kind": "coco"}
    got = found(tmp_path, {"annotations": declared})
    sets = got.values["annotations"]
    assert isinstance(sets, AnnotationSets)
    assert sets.of("x") is not None
    assert sets.of("z") is sets.of(None) is None
    both = "\n".join([sha256(COCO)] * 2)
    assert got.told["annotations"]["sha256"] == sha256(both)  # type: ignore[index,call-overload]
    plain = found(tmp_path, {"categories": {**declared, "kind": "json"}}).values["categories"]
    assert plain["y"] == json.loads(COCO)


def test_a_folder_given_for_several_files(tmp_path: Path) -> None:
    put(tmp_path / "else" / "x.json", "1")
    declared = {"categories": {"by": "domain", "paths": {"x": "x.json"}, "env": ["GLIP_ROOT"]}}
    got = found(tmp_path, declared, {"categories": tmp_path / "else"})
    assert got.values["categories"]["x"] == 1


def test_a_folder_of_row_files(tmp_path: Path) -> None:
    folder = tmp_path / "tool_detections"
    for name, text in (("1.json", "[1]"), ("b.json", "{"), (".json", "[]"), ("x.txt", "?")):
        put(folder / name, text)
    declared = {"tool_detections": {"kind": "rows", "path": "tool_detections"}}
    got = found(tmp_path, declared)
    rows = got.values["tool_detections"]
    assert (list(rows), len(rows), rows["1"], "../1" in rows) == (["1", "b"], 2, [1], False)
    with pytest.raises(MetadataError, match=r"b\.json"):
        _ = rows["b"]
    put(folder / "1.json", "[2]")
    assert found(tmp_path, declared).told != got.told


ROW = {
    "eval-id": 1,
    "image_id": 1,
    "width": 10,
    "height": 10,
    "messages": [{"question": "?"}, {"response": "[]"}],
}
PROTOCOL: dict[str, Any] = {
    "score_pipeline": ["box-ap"],
    "score_aggregates": [{"name": "counts", "reduce": "box-counts", "headline": True}],
    "score_resources": {"annotations": {"path": "a.json", "kind": "coco", "env": ["BOXES_HERE"]}},
}


def run(folder: Path, **more: Any) -> Path:
    rows = [{**ROW, "dataset_meta": {**PROTOCOL, **more}}]
    return put(folder / "result.json", json.dumps(rows))


def test_a_score_tells_of_its_files_and_is_made_again_for_others(tmp_path: Path) -> None:
    path = run(tmp_path)
    put(tmp_path / "a.json")
    first = score(path)
    assert score(path).up_to_date
    told = json.loads(first.score.read_bytes())["provenance"]["resources"]
    assert told == {"annotations": {"file": "a.json", "sha256": sha256(COCO)}}
    put(tmp_path / "a.json", COCO + " ")
    again = score(path)
    assert not again.up_to_date
    assert again.config["fingerprint"] != first.config["fingerprint"]


def test_the_environment_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run(tmp_path)
    with pytest.raises(MetadataError, match=r"set BOXES_HERE to the folder that holds a\.json"):
        score(path)
    put(tmp_path / "root" / "a.json")
    monkeypatch.setenv("BOXES_HERE", str(tmp_path / "root"))
    assert score(path).summary["total"] == 1


def test_a_broken_file_stops_the_run_and_not_one_row(tmp_path: Path) -> None:
    put(tmp_path / "a.json", "{")
    with pytest.raises(MetadataError, match="fetch the file again"):
        score(run(tmp_path))
    assert not (tmp_path / "score.json").exists()


def test_a_flag_of_the_job(tmp_path: Path) -> None:
    job = Job(resources={"annotations": put(tmp_path / "b.json")})
    scored = score(run(tmp_path), job)
    assert not [text for text in scored.config["deviations"] if "resource" in str(text)]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("params", "variable", "flags", "mode", "source"),
    [
        # facts of the harness, section 7: configured value, then the environment, then `auto`
        pytest.param({}, None, {}, "auto", None, id="nobody"),
        pytest.param({}, "constant", {}, "constant", "environment", id="environment"),
        pytest.param({"score_mode": "response"}, "constant", {}, "response", "dataset_meta", id="dataset"),
        pytest.param(
            {"score_mode": "response"}, "original", {"score_mode": "constant"}, "constant", "cli", id="flag"
        ),
        pytest.param(
            {}, "response", {"box-ap.score_mode": "constant"}, "constant", "cli", id="narrowed-flag"
        ),
    ],
)
def test_who_decides_the_score_mode(
    params: dict[str, Any],
    variable: str | None,
    flags: dict[str, Any],
    mode: str,
    source: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("SCORE_MODE", raising=False)
    if variable:
        monkeypatch.setenv("SCORE_MODE", variable)
    put(tmp_path / "a.json")
    config: Any = score(run(tmp_path, score_params=params), Job(Overrides(params=flags))).config
    assert config["params_effective"]["box-ap"]["score_mode"] == mode
    sources = {who for knob, who in config["knob_sources"].items() if knob.endswith("score_mode")}
    assert sources == {source} - {None}
    changed = [text for text in config["deviations"] if "score_mode" in text]
    assert bool(changed) is (source in ("environment", "cli"))


def test_a_wrong_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCORE_MODE", "best")
    with pytest.raises(MetadataError, match=r"the environment's SCORE_MODE: .*best"):
        score(run(tmp_path))


KINDS = {"annotations": "coco", "tool_detections": "rows"}


def test_a_file_of_the_command_line_is_read_as_its_reader_needs_it(tmp_path: Path) -> None:
    """Without a declaration, `--resource annotations=FILE` was read as any JSON, and passed over."""
    path = put(tmp_path / "a.json")
    got = resources.find({}, {"annotations": path}, NAMES, tmp_path, {}, KINDS)
    assert isinstance(got.values["annotations"], Annotations)
    with pytest.raises(UsageError, match="no folder"):
        resources.find({}, {"tool_detections": path}, NAMES, tmp_path, {}, KINDS)


def test_a_declared_kind_that_its_reader_cannot_use_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "a.json")
    declared = {"annotations": Resource(path="a.json")}
    with pytest.raises(MetadataError, match="'annotations' as of the kind 'json', and a stage reads it as"):
        resources.find(declared, {}, NAMES, tmp_path, {}, KINDS)


@pytest.mark.parametrize("what", ["folder", "link-to-nothing", "link-in-a-circle"])
def test_what_may_be_absent_and_is_broken_is_an_error(what: str, tmp_path: Path) -> None:
    path = tmp_path / "categories.json"
    if what == "folder":
        path.mkdir()
    else:
        path.symlink_to(path if what == "link-in-a-circle" else tmp_path / "nothing")
    with pytest.raises(MetadataError, match=r"categories\.json is no file that can be read; put one there"):
        found(tmp_path, {"categories": {"path": "categories.json", "optional": True}})


def test_several_files_are_told_as_they_are_declared(tmp_path: Path) -> None:
    paths = {"x": "x/a.json", "y": "y/a.json"}
    for each in paths.values():
        put(tmp_path / each)
    got = found(tmp_path, {"annotations": {"by": "domain", "paths": paths, "kind": "coco"}})
    assert got.told["annotations"]["file"] == "x/a.json, y/a.json"  # type: ignore[index,call-overload]
