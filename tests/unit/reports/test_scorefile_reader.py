"""Score files read back, whoever wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import ResultError, UsageError
from mmeval.reports import scorefile_reader

GOOD: dict[str, Any] = {
    "config": {"schema_version": 1},
    "provenance": {"mmeval": "0"},
    "summary": {"total": 3},
    "samples": [{"eval-id": 1, "v": "a"}, {"eval-id": "x", "v": "b"}, {"eval-id": 2.0, "v": "c"}],
}

DAMAGE = (
    ("config", "official_protocol", {"a": None}),
    ("config", "score_aggregates", [True]),
    ("config", "params_effective", "NaN"),
    ("config", "params_effective", {"rule-match": 1}),
    ("config", "judge_prompts", "no table"),
    ("summary", "total", "3"),
    ("summary", "accuracy", "0.5"),
    ("summary", "headline", None),
    ("summary", "headline", {"value": "80.0"}),
    ("summary", "headline", {"ci95": [1]}),
    ("summary", "aggregates", {"accuracy": 1}),
    ("summary", "by_stage", {"rule-match": {"total": 1}}),
    ("provenance", "resources", 1e308),
    ("provenance", "resources", {"annotations": "x"}),
    ("provenance", "aggregates", -1),
    ("provenance", "result", "x"),
    ("provenance", "result", None),
)


def write(folder: Path, document: object, name: str = "score.json") -> Path:
    path = folder / name
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return path


@pytest.mark.parametrize(("wanted", "value"), [("1", "a"), ("x", "b"), ("2", "c")])
def test_a_sample_is_found_by_its_canonical_id(tmp_path: Path, wanted: str, value: str) -> None:
    document = scorefile_reader.load(write(tmp_path, GOOD))
    assert scorefile_reader.find_sample(document, wanted)["v"] == value


def test_a_folder_and_its_head(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    document = scorefile_reader.load(tmp_path)
    assert (document.config, document.summary) == (GOOD["config"], GOOD["summary"])
    assert document.provenance == {"mmeval": "0"}


def test_an_unknown_sample_names_some_that_exist(tmp_path: Path) -> None:
    rows = [{"eval-id": number} for number in range(10)]
    document = scorefile_reader.load(write(tmp_path, {**GOOD, "summary": {"total": 10}, "samples": rows}))
    with pytest.raises(UsageError, match=r"no sample '77'; it has 10: 0, 1, 2, 3, 4, \.\.\."):
        scorefile_reader.find_sample(document, "77")


def test_rows_beside(tmp_path: Path) -> None:
    lines = "".join(json.dumps(row) + "\n" for row in GOOD["samples"])
    write(tmp_path, lines, "score.rows.jsonl")
    document = scorefile_reader.load(
        write(tmp_path, {**GOOD, "rows_file": "score.rows.jsonl", "samples": []})
    )
    assert scorefile_reader.find_sample(document, "x")["v"] == "b"


@pytest.mark.parametrize("cut", [pytest.param(0, id="none"), pytest.param(2, id="some")])
def test_rows_that_are_not_all_there_are_told(tmp_path: Path, cut: int) -> None:
    document = scorefile_reader.load(write(tmp_path, {**GOOD, "samples": GOOD["samples"][:cut]}))
    with pytest.raises(ResultError, match=f"3 rows were scored and {cut} are there"):
        scorefile_reader.samples(document)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param("", "not a score file", id="empty"),
        pytest.param("{", "not a score file", id="torn"),
        pytest.param("[]", "not a score file", id="list"),
        pytest.param('{"x": ' + "[" * 100_000, "not a score file", id="deep"),
        pytest.param('{"config": [], "summary": {}}', "not a score file", id="config-list"),
        pytest.param({**GOOD, "config": {}}, "another scorer", id="no-version"),
        pytest.param(
            {**GOOD, "config": {"matching_order": ["exact"]}}, "another scorer", id="old-generation"
        ),
        pytest.param({**GOOD, "config": {"schema_version": 2}}, "version 2, .* reads up to 1", id="newer"),
        pytest.param({**GOOD, "config": {"schema_version": "1"}}, "reads up to 1", id="odd-version"),
        pytest.param(
            {**GOOD, "config": {"schema_version": 1, "deviations": None}},
            r"is damaged.*array.*null.*config\.deviations",
            id="null-list",
        ),
        *(
            pytest.param(
                {**GOOD, part: {**GOOD[part], name: value}},
                rf"is damaged.*\$\.{part}\.{name}",
                id=f"{part}-{name}",
            )
            for part, name, value in DAMAGE
        ),
    ],
)
def test_what_is_no_score_is_told(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(ResultError, match=says):
        scorefile_reader.load(write(tmp_path, content))


def test_what_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        scorefile_reader.load(tmp_path / "nowhere")
