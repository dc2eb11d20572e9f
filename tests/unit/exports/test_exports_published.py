"""Hugging Face, JUnit and Inspect: the layouts of their owners."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml
from score_files import HOSTILE, sample, write_score

from mmeval.errors import UsageError
from mmeval.exports import huggingface, inspect_log, junit
from mmeval.exports.options import Exporter, Options, Source
from mmeval.exports.runs import gather


def made(exporter: Exporter, path: Path, said: list[str] | None = None, **options: Any) -> bytes:
    told: list[str] = [] if said is None else said
    return b"".join(exporter(gather([str(path)]), Options(**options), told.append))


def results(path: Path, said: list[str] | None = None, **options: Any) -> Any:
    return yaml.safe_load(made(huggingface.export, path, said, **options))


def test_a_result(tmp_path: Path) -> None:
    told = results(write_score(tmp_path / "score.json", config={"revision": "abc"}))
    assert told == [
        {
            "dataset": {"id": "owner/pets", "task_id": "main", "revision": "abc"},
            "value": 50.0,
            "notes": "accuracy (of 100) by mmeval 0.1.0, protocol pets, n = 6, 95 % interval 48 to 52",
        }
    ]


def test_a_result_is_what_the_hub_library_makes(tmp_path: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    if not hasattr(hub, "EvalResultEntry"):
        pytest.skip("this huggingface_hub knows no EvalResultEntry")
    source = Source("https://x.y", "logs", "me", "us")
    path = write_score(tmp_path / "score.json", config={"official_protocol": False, "deviations": ["why"]})
    told = results(
        path, dataset_id="a/b", task_id="t", date="2025-01-15T10:30:00Z", source=source, notes="tools"
    )
    entry = hub.EvalResultEntry(
        dataset_id="a/b",
        task_id="t",
        value=50.0,
        date="2025-01-15T10:30:00Z",
        source_url="https://x.y",
        source_name="logs",
        source_user="me",
        source_org="us",
        notes="tools; accuracy (of 100) by mmeval 0.1.0, protocol pets, n = 6, 95 % interval 48 to 52, "
        "not official: why",
    )
    assert told == hub.eval_result_entries_to_yaml([entry])


def test_a_run_without_a_value_is_left_out_and_told(tmp_path: Path) -> None:
    write_score(tmp_path / "a" / "score.json", 1.0)
    write_score(tmp_path / "b" / "score.json", None)
    said: list[str] = []
    assert [each["value"] for each in results(tmp_path, said)] == [1.0]
    assert "left out" in said[0]
    with pytest.raises(UsageError, match="no run has a value"):
        results(tmp_path / "b")


@pytest.mark.parametrize(
    ("config", "options", "says"),
    [
        pytest.param({"dataset_name": "pets"}, {}, "--dataset_id", id="no-repository"),
        pytest.param({"dataset_name": None}, {}, "--dataset_id", id="no-dataset"),
        pytest.param({}, {"date": "yesterday"}, "--date", id="date"),
        pytest.param({}, {"source": Source(name="x")}, "--source_url", id="source-without-address"),
        pytest.param({}, {"source": Source("javascript:x")}, "web address", id="source-is-no-address"),
    ],
)
def test_what_the_hub_would_refuse(
    tmp_path: Path, config: dict[str, Any], options: dict[str, Any], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        results(write_score(tmp_path / "score.json", config=config), **options)


def test_two_results_of_one_task(tmp_path: Path) -> None:
    for name in "ab":
        write_score(tmp_path / name / "score.json")
    with pytest.raises(UsageError, match="two results of one task"):
        results(tmp_path)


def test_the_tasks_of_a_benchmark(tmp_path: Path) -> None:
    write_score(tmp_path / "a" / "score.json")
    write_score(tmp_path / "b" / "score.json", config={"subset": None, "split": None})
    said: list[str] = []
    assert yaml.safe_load(made(huggingface.tasks, tmp_path, said)) == {
        "name": "owner/pets",
        "description": "Cats and dogs.",
        "evaluation_framework": "mmeval",
        "tasks": [{"id": "main", "config": "main", "split": "test"}, {"id": "default"}],
    }
    assert said == [huggingface.UNLISTED]
    write_score(tmp_path / "c" / "score.json", config={"dataset_name": "x"})
    with pytest.raises(UsageError, match="of one dataset"):
        made(huggingface.tasks, tmp_path)


def suites(path: Path, **options: Any) -> list[ET.Element]:
    return list(ET.fromstring(made(junit.export, path, **options)))


def outcomes(suite: ET.Element) -> dict[str | None, str]:
    return {
        case.get("name"): case[0].tag + ":" + (case[0].get("type") or "") if len(case) else "passed"
        for case in suite.findall("testcase")
    }


@pytest.mark.parametrize(
    ("value", "options", "expected", "missed"),
    [
        pytest.param(50.0, {}, {"headline accuracy": "passed"}, False, id="no-gate"),
        pytest.param(50.0, {"fail_under": 50.0}, {"headline accuracy": "passed"}, False, id="just-met"),
        pytest.param(
            50.0, {"fail_under": 51.0}, {"headline accuracy": "failure:fail-under"}, True, id="under"
        ),
        pytest.param(50.0, {"min_coverage": 0.6}, {"coverage": "failure:min-coverage"}, True, id="coverage"),
        pytest.param(
            None,
            {},
            {"headline accuracy": "error:no-value", "complete": "error:rows-failed"},
            False,
            id="failed",
        ),
        pytest.param(
            None, {"fail_under": 0.0}, {"headline accuracy": "failure:no-value"}, True, id="no-value"
        ),
    ],
)
def test_gates(
    tmp_path: Path, value: float | None, options: dict[str, Any], expected: Any, missed: bool
) -> None:
    path = write_score(tmp_path / "m" / "score.json", value)
    (suite,) = suites(path, **options)
    found = outcomes(suite)
    assert expected.items() <= found.items()
    assert int(suite.attrib["tests"]) == len(found)
    assert junit.missed(gather([str(path)]), Options(**options)) is missed


def test_samples_as_test_cases(tmp_path: Path) -> None:
    (suite,) = suites(write_score(tmp_path / "m" / "score.json"), rows=True)
    assert outcomes(suite) == {
        "1": "passed",
        "2": "failure:wrong",
        "three": "failure:undecided",
        "4": "skipped:",
        "5": "error:error",
        "6": "skipped:",
    }
    counts = [suite.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["6", "2", "1", "2"]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_any_text_is_text_in_xml(tmp_path: Path, text: str) -> None:
    rows = (sample(text, 0.0, pred=text, extracted=text),)
    path = write_score(tmp_path / "m" / "score.json", samples=rows, config={"dataset_name": text})
    (suite,) = suites(path, rows=True)
    (case,) = suite.findall("testcase")
    plain = all(each.isprintable() for each in text)
    assert not plain or case.get("name") == text
    assert not plain or f"answer: {text}" in str(case[0].text)
    assert [each.tag for each in case] == ["failure"]


def test_an_inspect_log(tmp_path: Path) -> None:
    said: list[str] = []
    told = json.loads(made(inspect_log.export, write_score(tmp_path / "m" / "score.json"), said))
    assert (told["version"], told["status"], told["eval"]["model"]) == (2, "success", "m")
    assert told["eval"]["created"] == "1970-01-01T00:00:00+00:00"
    assert told["results"]["scores"][0]["metrics"]["accuracy"]["value"] == 50.0
    counts = {key: told["results"]["scores"][0][key] for key in ("scored_samples", "unscored_samples")}
    assert counts == {"scored_samples": 4, "unscored_samples": 2}
    assert [sample.get("scores", {}).get("mmeval", {}).get("value") for sample in told["samples"]] == [
        *(1.0, 0.0, 0.0, 0.0),
        *(None, None),
    ]
    assert told["samples"][4]["error"]["message"] == "error: stage-broke"
    assert told["samples"][4]["target"] == ["a", "b"]
    assert told["samples"][3]["output"]["choices"] == []
    assert "the questions are left out" in said[0]


def test_no_value_is_no_metric(tmp_path: Path) -> None:
    told = json.loads(made(inspect_log.export, write_score(tmp_path / "score.json", None)))
    assert told["results"]["scores"][0]["metrics"] == {}


def test_several_predictions_are_epochs(tmp_path: Path) -> None:
    one = {
        "pred": "B",
        "extracted": "B",
        "score": 1.0,
        "decided_by": "x",
        "status": "ok",
        "reason": None,
        "trace": [],
    }
    rows = (sample(1, 0.5, predictions=[one, {**one, "score": 0.0}]),)
    told = json.loads(made(inspect_log.export, write_score(tmp_path / "score.json", samples=rows)))
    found = [(each["id"], each["epoch"], each["scores"]["mmeval"]["value"]) for each in told["samples"]]
    assert found == [(1, 1, 1.0), (1, 2, 0.0)]


def test_a_scores_file(tmp_path: Path) -> None:
    said: list[str] = []
    told = json.loads(made(inspect_log.scores, write_score(tmp_path / "score.json"), said))
    assert [(each["id"], each["value"], each["answer"]) for each in told] == [
        *((1, 1.0, "B"), (2, 0.0, "A"), ("three", 0.0, None), (4, 0.0, None)),
    ]
    assert told[0]["explanation"] == "right, score 1: rule-match read 'B' against the gold B"
    assert told[0]["metadata"]["decided_by"] == "rule-match"
    assert "2 rows have no verdict" in said[0]
    assert {each["epoch"] for each in told} == {1}


def test_a_scores_file_says_which_epoch_a_verdict_is_of(tmp_path: Path) -> None:
    one = {key: value for key, value in sample(1, 1.0).items() if key not in ("eval-id", "gt", "group")}
    several = sample(1, 0.5, predictions=[one, {**one, "score": 0.0, "extracted": "A"}])
    told = json.loads(made(inspect_log.scores, write_score(tmp_path / "score.json", samples=(several,))))
    assert [(each["id"], each["epoch"], each["value"], each["answer"]) for each in told] == [
        *((1, 1, 1.0, "B"), (1, 2, 0.0, "A")),
    ]


def test_a_log_is_of_one_run(tmp_path: Path) -> None:
    for name in "ab":
        write_score(tmp_path / name / "score.json")
    with pytest.raises(UsageError, match="of one run"):
        made(inspect_log.export, tmp_path)


def test_a_value_over_several_subsets_is_of_no_task_but_one_that_is_named(tmp_path: Path) -> None:
    path = write_score(tmp_path / "score.json", config={"subset": ["a", "b"]})
    with pytest.raises(UsageError, match=r"over 2 subsets.* give --task_id"):
        results(path)
    assert results(path, task_id="overall")[0]["dataset"] == {"id": "owner/pets", "task_id": "overall"}


@pytest.mark.parametrize(
    ("subset", "split", "task_id", "tasks"),
    [
        ("main", "test", None, [{"id": "main", "config": "main", "split": "test"}]),
        (None, ["x", "y"], None, [{"id": "default"}]),
        (["a", "b"], None, None, [{"id": "a", "config": "a"}, {"id": "b", "config": "b"}]),
        (["a", "b"], "test", "overall", [{"id": "overall", "split": "test"}]),
    ],
    ids=["one", "splits", "several", "named"],
)
def test_tasks_of_subsets(
    tmp_path: Path, subset: Any, split: Any, task_id: str | None, tasks: list[Any]
) -> None:
    path = write_score(tmp_path / "score.json", config={"subset": subset, "split": split})
    assert yaml.safe_load(made(huggingface.tasks, path, task_id=task_id))["tasks"] == tasks
