"""The dataset contract: what is understood, and how every mistake is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.metadata import (
    Route,
    Unsupported,
    metadata_schema,
    parse_block,
    parse_metadata,
    read_metadata,
)


def of(block: dict[str, Any]) -> bytes:
    return json.dumps({"dataset_name": "X", "subsets": {"main": block}}).encode()


def test_a_full_block_is_understood() -> None:
    block = {
        "task_type": "yes_no_qa",
        "score_pipeline": ["exact-match", "rule-match"],
        "score_params": {"settle_misses": True, "stages": {"rule-match": {"numeric_rel_tol": 0.05}}},
        "score_fields": {"gt": "gpt4_ans", "pred": "reply"},
        "score_derive": [{"from": "index", "split": "_", "into": ["category", "figure_id"]}],
        "score_filter": [{"field": "visual_input", "not": ["0"]}, {"field": "split", "is": ["val"]}],
        "score_resources": {"boxes": {"env": ["BOXES"], "path": "boxes.json"}},
        "score_aggregates": [
            {"name": "aAcc", "reduce": "mean"},
            {"name": "score", "reduce": "mean-of", "of": ["aAcc"], "scale": 100, "headline": True},
        ],
        "score_judge": {"contract": "binary", "prompt": "yes-no-match", "official_model": "gpt-4o"},
        "score_rows": 951,
        "score_protocol": {"note": "n", "official": "o/r p@c", "status": "official", "paper": "arXiv:1"},
        "score_note": "a note",
        "prompt_template": "{{ question }}",
        "variants": {"authors": {"score_pipeline": ["rule-match"]}},
    }
    subset = parse_metadata(of(block), "m").subsets["main"]
    assert subset.score_pipeline == ("exact-match", "rule-match")
    assert subset.score_derive[0].from_ == "index"
    assert subset.score_derive[0].into == ("category", "figure_id")
    assert subset.score_filter[0].not_ == ("0",)
    assert subset.score_filter[1].is_ == ("val",)
    assert subset.score_aggregates[1].params == {"of": ["aAcc"]}
    assert subset.score_fields.gt == "gpt4_ans"
    assert subset.variants["authors"].score_pipeline == ("rule-match",)


@pytest.mark.parametrize(
    ("pipeline", "kind"),
    [
        pytest.param(["anls"], tuple, id="list"),
        pytest.param([], tuple, id="no-official-protocol"),
        pytest.param({"unsupported": "boxes", "reason": "later"}, Unsupported, id="unsupported"),
        pytest.param({"unsupported": "boxes"}, Unsupported, id="unsupported-without-reason"),
        pytest.param(
            {"route": ["task"], "cases": [{"when": {"task": ["a"]}, "pipeline": ["mra"]}]}, Route, id="route"
        ),
        pytest.param(None, type(None), id="undeclared"),
    ],
)
def test_forms_of_a_pipeline(pipeline: object, kind: type) -> None:
    subset = parse_metadata(of({"score_pipeline": pipeline}), "m").subsets["main"]
    assert isinstance(subset.score_pipeline, kind)


@pytest.mark.parametrize("value", [0, 0.0, False, "", [], None])
def test_a_falsy_parameter_is_a_value(value: object) -> None:
    subset = parse_metadata(of({"score_params": {"numeric_rel_tol": value}}), "m").subsets["main"]
    assert subset.score_params == {"numeric_rel_tol": value}


AGGREGATE = {"name": "a", "reduce": "mean", "headline": True}
MISTAKES = [
    pytest.param({"score_pipelin": []}, ("$.subsets.main", "score_pipelin", "score_pipeline"), id="key"),
    pytest.param({"score_parms": {}}, ("did you mean 'score_params'?",), id="did-you-mean"),
    pytest.param({"xyzzy": 1}, ("unknown key 'xyzzy'", "remove it"), id="nothing-near"),
    pytest.param({"score_pipeline": "anls"}, ("$.subsets.main.score_pipeline", "'anls'"), id="pipeline-text"),
    pytest.param({"score_pipeline": [1]}, ("$.subsets.main.score_pipeline",), id="pipeline-numbers"),
    pytest.param({"score_pipeline": {"unsuported": "x"}}, ("did you mean 'unsupported'?",), id="unsuported"),
    pytest.param({"score_params": [1]}, ("$.subsets.main.score_params", "[1]"), id="params-list"),
    pytest.param({"score_rows": 0}, ("$.subsets.main.score_rows:",), id="no-rows"),
    pytest.param({"score_rows": [3]}, ("$.subsets.main.score_rows:",), id="a-list-of-one"),
    pytest.param({"score_rows": [3, "4"]}, ("$.subsets.main.score_rows.1:", "'4'"), id="a-text-among-rows"),
    pytest.param({"score_rows": "many"}, ("score_rows", "'many'"), id="rows-text"),
    pytest.param({"score_predictions": "some"}, ("score_predictions", "first"), id="predictions"),
    pytest.param({"score_question_type": "mcqs"}, ("score_question_type", "mcq"), id="question-type"),
    pytest.param({"score_protocol": {"status": "oficial"}}, ("score_protocol.status",), id="status"),
    pytest.param({"score_filter": [{"field": "f"}]}, ("exactly one",), id="filter-without-condition"),
    pytest.param({"score_derive": [{"from": "f", "into": ["a", "b"]}]}, ("copied",), id="copy-into-two"),
    pytest.param(
        {"score_derive": [{"from": "f", "split": "_", "into": ["a", "a"]}]}, ("twice",), id="derive-twice"
    ),
    pytest.param({"score_derive": [{"from": "f", "split": "", "into": ["a"]}]}, ("split",), id="no-cut"),
    pytest.param(
        {"score_derive": [{"from": "f", "split": "_", "modulo": 9, "into": ["a"]}]},
        ("one of them",),
        id="both",
    ),
    pytest.param({"score_derive": [{"from": "f", "modulo": 0, "into": ["a"]}]}, ("modulo",), id="modulo-0"),
    pytest.param({"score_derive": [{"form": "f", "into": ["a"]}]}, ("'from'",), id="derive-misspelt"),
    pytest.param(
        {"score_filter": [{"field": "f", "is": ["a"], "not": ["b"]}]}, ("exactly one",), id="filter-with-two"
    ),
    pytest.param({"score_filter": [{"field": "f", "is": []}]}, ("score_filter",), id="filter-empty"),
    pytest.param({"score_aggregates": [AGGREGATE, AGGREGATE]}, ("'a' is used twice",), id="twice"),
    pytest.param(
        {"score_aggregates": [{"name": "a", "reduce": "mean"}]}, ("exactly one aggregate",), id="no-headline"
    ),
    pytest.param(
        {"score_aggregates": [AGGREGATE, {**AGGREGATE, "name": "b"}]}, ("exactly one",), id="two-headlines"
    ),
    pytest.param({"score_aggregates": [{"name": "a"}]}, ("reduce",), id="aggregate-without-reduce"),
    pytest.param(
        {"score_pipeline": {"route": [], "cases": []}}, ("score_pipeline.route",), id="route-by-nothing"
    ),
    pytest.param(
        {"score_pipeline": {"route": ["t"], "cases": [{"when": {"t": [3]}, "pipeline": ["mra"]}]}},
        ("$.subsets.main.score_pipeline.cases.0.when.t.0", "Input should be a text", "3"),
        id="route-number",
    ),
    pytest.param(
        {"score_pipeline": {"route": ["t"], "case": []}}, ("did you mean 'cases'?",), id="route-key"
    ),
    pytest.param({"score_type": "exact"}, ("retired score_type", "re-push", "score_pipeline"), id="retired"),
    pytest.param(
        {"variants": {"v": {"score_type": 1}}}, ("variants.v", "retired score_type"), id="retired-variant"
    ),
    pytest.param({"x": 1, "score_type": "exact"}, ("retired score_type",), id="retired-first"),
    pytest.param({"variants": {"v": {"variants": {}}}}, ("variants.v", "unknown key"), id="nested-variants"),
]


@pytest.mark.parametrize(("block", "says"), MISTAKES)
def test_a_mistake_names_file_path_and_remedy(block: dict[str, Any], says: tuple[str, ...]) -> None:
    with pytest.raises(MetadataError) as caught:
        parse_metadata(of(block), "there/metadata.json")
    message = str(caught.value)
    assert message.startswith("there/metadata.json at $.subsets.main")
    assert "\n" not in message
    for text in says:
        assert text in message


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"{", "not JSON", id="broken"),
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b"[]", "must be an object", id="list"),
        pytest.param(b"3", "must be an object", id="number"),
        pytest.param(b"{}", "subsets", id="no-subsets"),
        pytest.param(b'{"subsets": [1]}', "subsets", id="subsets-list"),
        pytest.param(b'{"subsets": "x"}', "subsets", id="subsets-text"),
        pytest.param(b'{"subsets": {"main": 3}}', "$.subsets.main", id="subset-number"),
        pytest.param(b'{"subsets": {}, "alias": ["a"]}', "did you mean 'aliases'?", id="top-level-key"),
    ],
)
def test_a_file_that_is_no_metadata(data: bytes, says: str) -> None:
    with pytest.raises(MetadataError, match=r"^m(:| at) ") as caught:
        parse_metadata(data, "m")
    assert says in str(caught.value)


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_metadata(b"\xef\xbb\xbf" + of({}), "m").dataset_name == "X"


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(MetadataError, match="cannot be read"):
        read_metadata(tmp_path / "metadata.json")


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "metadata.json"
    path.write_bytes(of({}))
    assert read_metadata(path).dataset_name == "X"


def test_a_dataset_meta_may_carry_what_is_not_ours() -> None:
    block = parse_block({"dataset_name": "X", "subset": "s", "language": "en", "score_rows": 3}, "run")
    assert (block.dataset_name, block.subset, block.score_rows) == ("X", "s", 3)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param({"score_pipelines": []}, "did you mean 'score_pipeline'?", id="unknown-score-key"),
        pytest.param({"score_type": "rule"}, "retired score_type", id="retired"),
        pytest.param({"score_rows": "x"}, "$.score_rows", id="type"),
    ],
)
def test_a_dataset_meta_may_not_carry_a_mistake_about_scoring(raw: dict[str, Any], says: str) -> None:
    with pytest.raises(MetadataError) as caught:
        parse_block(raw, "run")
    assert says in str(caught.value)


def test_the_schema_describes_itself() -> None:
    schema = metadata_schema()
    assert schema["$schema"].endswith("2020-12/schema")
    assert {"dataset_name", "aliases", "subsets"} <= schema["properties"].keys()


HEADLINE = {"name": "h", "reduce": "mean", "headline": True}


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ({"score_rows": "8"}, "$.score_rows: Input should be a valid integer (found '8')"),
        ({"score_rows": True}, "$.score_rows: Input should be a valid integer (found True)"),
        ({"score_rows": 2**70}, "holds a whole number beyond 64 bits"),
        ({"score_params": {"scale": [-(2**64)]}}, "holds a whole number beyond 64 bits"),
        ({"score_pipeline": "anls"}, "$.score_pipeline: Input should be a list (found 'anls')"),
        ({"score_params": []}, "$.score_params: Input should be an object (found [])"),
        ({"score_judge": "gpt"}, "$.score_judge: Input should be an object (found 'gpt')"),
        ({"score_filter": [{"field": "a"}]}, '$.score_filter.0: give exactly one of "is" and "not"'),
        ({"score_aggregates": [{**HEADLINE, "scale": 0}]}, "should be greater than 0"),
        ({"score_aggregates": [{**HEADLINE, "scale": 1e308}]}, "should be less than or equal to 1000000"),
        ({"score_aggregates": [{**HEADLINE, "scale": "100"}]}, "should be a valid number (found '100')"),
        ({"score_aggregates": [{**HEADLINE, "headline": "true"}]}, "should be a valid boolean"),
        ({"score_aggregates": [{**HEADLINE, "name": ""}]}, "$.score_aggregates.0.name: "),
    ],
)
def test_values_are_taken_as_they_are_written(block: dict[str, Any], says: str) -> None:
    with pytest.raises(MetadataError) as error:
        parse_block(block, "run")
    assert says in str(error.value)
    with pytest.raises(MetadataError):
        parse_metadata(of(block), "file")


def test_a_key_of_another_floor_is_not_explained_by_itself() -> None:
    with pytest.raises(MetadataError, match="unknown key 'dataset_name'; it does not belong here"):
        parse_metadata(of({"dataset_name": "X"}), "file")


def test_the_path_of_a_very_deep_value_stays_readable() -> None:
    deep: Any = 1
    for _ in range(180):
        deep = [deep]
    block = {"score_pipeline": {"route": ["a"], "cases": [{"when": {"a": deep}, "pipeline": ["anls"]}]}}
    with pytest.raises(MetadataError) as error:
        parse_block({**block, "prompt_template": deep}, "run")
    assert len(str(error.value)) < 400
