"""Resolution: one source for the whole block, single knobs over it, and an honest stamp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import parse_block
from mmeval.protocol import DEFAULT_PIPELINE, Overrides, Plan, identity, resolve
from mmeval.types import Json, Options, Sample

Block = dict[str, Any]
OFFICIAL = {"status": "official", "official": "o/r p@c", "note": "as published"}
LIBRARY: Block = {
    "dataset_name": "Lib",
    "aliases": ["org/Lib"],
    "subsets": {
        "*": {
            "score_pipeline": ["rule-match"],
            "score_params": {"settle_misses": True, "numeric_rel_tol": 0.05},
            "score_aggregates": [{"name": "acc", "reduce": "mean", "headline": True, "scale": 100}],
            "score_filter": [{"field": "split", "is": ["val"]}],
            "score_question_type": "mcq",
            "score_protocol": OFFICIAL,
            "variants": {"other": {"score_pipeline": ["exact-match"], "score_protocol": OFFICIAL}},
        }
    },
}


@pytest.fixture(autouse=True)
def _library(protocols: Callable[..., None]) -> None:
    split = {
        "dataset_name": "Split",
        "subsets": {"a": {"score_pipeline": ["mra"]}, "b": {"score_pipeline": ["anls"]}},
    }
    protocols(lib=LIBRARY, split=split)


def plan(*blocks: Block, **overrides: Any) -> Plan:
    return resolve(blocks, Overrides(**overrides), "run")


def names(made: Plan) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(stage.name for stage in stages) for stages in made.steps.all)


OWN = {"dataset_name": "Lib", "score_pipeline": ["anls"]}
UNSUPPORTED = {"score_pipeline": {"unsupported": "boxes", "reason": "needs images"}}


@pytest.mark.parametrize(
    ("blocks", "protocol", "source", "name", "pipeline"),
    [
        pytest.param([], None, "default", None, DEFAULT_PIPELINE, id="nothing"),
        pytest.param([{"subset": "x"}], None, "default", None, DEFAULT_PIPELINE, id="identity-only"),
        pytest.param([{"dataset_name": "?"}], None, "default", None, DEFAULT_PIPELINE, id="unknown-name"),
        pytest.param([{"dataset_name": "Lib"}], None, "library", "Lib", ("rule-match",), id="library"),
        pytest.param([{"dataset_name": "ORG/lib"}], None, "library", "Lib", ("rule-match",), id="alias"),
        pytest.param([OWN], None, "dataset_meta", "Lib", ("anls",), id="dataset-beats-library"),
        pytest.param(
            [{"dataset_name": "Lib", "score_pipeline": []}],
            None,
            "dataset_meta",
            "Lib",
            DEFAULT_PIPELINE,
            id="empty-list-is-declared",
        ),
        pytest.param([OWN], "Lib", "cli", "Lib", ("rule-match",), id="cli-beats-dataset"),
        pytest.param([OWN], "Lib@other", "cli", "Lib@other", ("exact-match",), id="cli-variant"),
        pytest.param([{"dataset_name": "Lib"}], "@other", "cli", "Lib@other", ("exact-match",), id="at"),
        pytest.param([], "Lib", "cli", "Lib", ("rule-match",), id="cli-without-a-block"),
        pytest.param(
            [{"dataset_name": "Lib", **UNSUPPORTED}],
            None,
            "library",
            "Lib",
            ("rule-match",),
            id="unsupported-counts-as-undeclared",
        ),
        pytest.param(
            [{"dataset_name": "Split", "subset": "b"}], None, "library", "Split", ("anls",), id="subset"
        ),
    ],
)
def test_who_decides(
    blocks: list[Block], protocol: str | None, source: str, name: str | None, pipeline: tuple[str, ...]
) -> None:
    made = plan(*blocks, protocol=protocol)
    assert (made.source, made.name) == (source, name)
    assert names(made) == (pipeline,)
    assert made.pipeline == list(pipeline)


def test_a_block_is_never_mixed_with_the_library() -> None:
    made = plan(OWN)
    assert made.params.common == {}
    assert made.block.score_filter == ()
    assert [each.name for each in made.aggregates] == ["mean_score"]
    assert made.question_type is None
    assert made.official is False


def test_a_variant_of_the_datasets_own_block_comes_whole() -> None:
    own = {**OWN, "score_params": {"threshold": 0.9}, "variants": {"v": {"score_pipeline": ["mra"]}}}
    made = plan(own, protocol="@v")
    assert (made.source, names(made), made.params.common) == ("cli", (("mra",),), {})


@pytest.mark.parametrize(
    ("pipeline", "headline"),
    [(["rule-match"], "accuracy"), (["exact-match", "anls"], "mean_score"), (["mra"], "mean_score")],
)
def test_without_aggregates_the_headline_fits_the_pipeline(pipeline: list[str], headline: str) -> None:
    made = plan({"score_pipeline": pipeline})
    assert [(each.name, each.headline) for each in made.aggregates] == [(headline, True)]


@pytest.mark.parametrize(
    ("blocks", "overrides", "error", "says"),
    [
        pytest.param(
            [UNSUPPORTED], {}, MetadataError, ("boxes", "needs images", "--score_pipeline"), id="no"
        ),
        pytest.param([], {"protocol": "Lbi"}, UsageError, ("did you mean 'Lib'?",), id="protocol"),
        pytest.param([], {"protocol": "Lib@othr"}, UsageError, ("did you mean 'other'?",), id="variant"),
        pytest.param([], {"protocol": "@other"}, UsageError, ("names no dataset", "NAME@other"), id="at"),
        pytest.param([], {"pipeline": ("anl",)}, MetadataError, ("did you mean 'anls'?",), id="stage"),
        pytest.param([], {"pipeline": ()}, MetadataError, ("empty",), id="empty-pipeline"),
        pytest.param([], {"params": {"numeric_rel": 1}}, MetadataError, ("'numeric_rel_tol'",), id="param"),
        pytest.param([], {"params": {"anl.threshold": 1}}, MetadataError, ("'anls'",), id="param-stage"),
        pytest.param(
            [], {"params": {"rule-match.settle": True}}, MetadataError, ("settle_misses",), id="stage-param"
        ),
        pytest.param([], {"params": {"stages": {}}}, UsageError, ("stage.name=value",), id="param-stages"),
        pytest.param([], {"params": {"x": 1}}, MetadataError, ("run: score_params: unknown",), id="label"),
        pytest.param(
            [{"score_pipeline": ["anls", "mra"]}], {}, MetadataError, ("make it the last",), id="grader-order"
        ),
        pytest.param(
            [{"score_pipeline": ["anls"], "score_params": {"treshold": 1}}],
            {},
            MetadataError,
            ("did you mean 'threshold'?",),
            id="declared-param",
        ),
        pytest.param(
            [{"dataset_name": "Split", "subset": "a"}, {"dataset_name": "Split", "subset": "b"}],
            {},
            MetadataError,
            ("'a' and 'b'", "one file each"),
            id="subsets-under-two-protocols",
        ),
    ],
)
def test_what_cannot_be_resolved(
    blocks: list[Block], overrides: Block, error: type[Exception], says: tuple[str, ...]
) -> None:
    with pytest.raises(error) as caught:
        plan(*blocks, **overrides)
    assert "\n" not in str(caught.value)
    for text in says:
        assert text in str(caught.value)


def test_an_explicit_pipeline_forces_an_unsupported_protocol() -> None:
    made = plan(UNSUPPORTED, pipeline=("rule-match",))
    assert (names(made), made.official) == ((("rule-match",),), False)
    assert any("--score_pipeline" in text for text in made.deviations)


DECLARED = {"dataset_name": "Lib"}
DERIVED = {"score_pipeline": ["anls"], "score_protocol": {"status": "derived"}}


@pytest.mark.parametrize(
    ("blocks", "overrides", "official", "says"),
    [
        pytest.param([], {}, None, [], id="nothing-declared"),
        pytest.param(
            [], {"params": {"numeric_rel_tol": 0.1}}, None, ["numeric_rel_tol"], id="nothing-and-knob"
        ),
        pytest.param([DECLARED], {}, True, [], id="official"),
        pytest.param([DERIVED], {}, False, ["derived"], id="derived"),
        pytest.param([OWN], {}, False, ["does not say that it is official"], id="status-not-stated"),
        pytest.param([{"score_pipeline": []}], {}, False, ["no official protocol exists"], id="empty-list"),
        pytest.param([DECLARED], {"pipeline": ("anls",)}, False, ["pipeline by anls"], id="pipeline"),
        pytest.param([DECLARED], {"pipeline": ("rule-match",)}, True, [], id="same-pipeline"),
        pytest.param([DECLARED], {"gt_field": "gold"}, False, ["--score_gt_field"], id="gold"),
        pytest.param([DECLARED], {"pred_field": "reply"}, False, ["--score_pred_field"], id="prediction"),
        pytest.param([DECLARED], {"question_type": "open"}, False, ["--score_question_type"], id="type"),
        pytest.param([DECLARED], {"question_type": "mcq"}, True, [], id="same-type"),
        pytest.param([DECLARED], {"predictions": "all"}, False, ["--score_predictions"], id="predictions"),
        pytest.param([DECLARED], {"predictions": "first"}, True, [], id="same-predictions"),
        pytest.param(
            [DECLARED], {"params": {"numeric_rel_tol": 0.0}}, False, ["numeric_rel_tol is 0.0"], id="zero"
        ),
        pytest.param([DECLARED], {"params": {"settle_misses": False}}, False, ["settle_misses"], id="false"),
        pytest.param([DECLARED], {"params": {"numeric_rel_tol": 0.05}}, True, [], id="same-value"),
        pytest.param([DECLARED], {"params": {"numeric_abs_tol": 0}}, True, [], id="same-as-default"),
        pytest.param(
            [DECLARED],
            {"params": {"rule-match.settle_misses": False}},
            False,
            ["settle_misses"],
            id="narrowed",
        ),
        pytest.param(
            [DECLARED], {"params": {"rule-match.settle_misses": True}}, True, [], id="narrowed-same-value"
        ),
        pytest.param([DECLARED], {"params": {"threshold": 0.1}}, True, [], id="parameter-nobody-uses"),
        pytest.param([DECLARED], {"protocol": "@other"}, True, [], id="official-variant"),
        pytest.param(
            [
                {
                    **DERIVED,
                    "score_protocol": {"status": "official"},
                    "score_resources": {"names": {"path": "n.json"}},
                }
            ],
            {},
            False,
            ["score_resources has 'names', which no stage or aggregate here reads"],
            id="resource-nobody-reads",
        ),
    ],
)
def test_the_stamp_is_strict(
    blocks: list[Block], overrides: Block, official: bool | None, says: list[str]
) -> None:
    made = plan(*blocks, **overrides)
    assert made.official is official
    assert len(made.deviations) == len(says), made.deviations
    for text, deviation in zip(says, made.deviations, strict=True):
        assert text in deviation


@pytest.mark.parametrize(
    ("blocks", "overrides", "knob", "who"),
    [
        pytest.param([], {}, "score_pipeline", "default", id="pipeline-default"),
        pytest.param([DECLARED], {}, "score_pipeline", "library", id="pipeline-library"),
        pytest.param([OWN], {}, "score_pipeline", "dataset_meta", id="pipeline-dataset"),
        pytest.param([OWN], {"pipeline": ("mra",)}, "score_pipeline", "cli", id="pipeline-cli"),
        pytest.param([DECLARED], {"protocol": "Lib"}, "score_pipeline", "cli", id="pipeline-by-protocol"),
        pytest.param([DECLARED], {}, "score_params.numeric_rel_tol", "library", id="param-library"),
        pytest.param(
            [DECLARED],
            {"params": {"numeric_rel_tol": 0.0}},
            "score_params.numeric_rel_tol",
            "cli",
            id="param-cli",
        ),
        pytest.param(
            [{"score_pipeline": ["anls"], "score_params": {"stages": {"anls": {"threshold": 0.0}}}}],
            {},
            "score_params.anls.threshold",
            "dataset_meta",
            id="param-narrowed",
        ),
        pytest.param([DECLARED], {}, "score_gt_field", "default", id="field-default"),
        pytest.param([DECLARED], {"gt_field": "g"}, "score_gt_field", "cli", id="field-cli"),
        pytest.param([DECLARED], {}, "score_filter", "library", id="filter"),
        pytest.param([DECLARED], {}, "score_question_type", "library", id="question-type"),
        pytest.param([DECLARED], {}, "score_predictions", "default", id="predictions"),
        pytest.param([OWN], {}, "score_aggregates", "default", id="aggregates-default"),
        pytest.param([DECLARED], {}, "score_aggregates", "library", id="aggregates-library"),
    ],
)
def test_every_knob_says_who_decided_it(blocks: list[Block], overrides: Block, knob: str, who: str) -> None:
    assert plan(*blocks, **overrides).knob_sources[knob] == who


def test_params_that_no_stage_of_the_pipeline_uses_are_recorded() -> None:
    made = plan({**OWN, "score_params": {"threshold": 0.2, "numeric_rel_tol": 0.1, "rubric": "r"}})
    assert made.params_unused == {"numeric_rel_tol": 0.1, "rubric": "r"}
    assert made.params_effective["anls"]["threshold"] == 0.2


ROUTE = {
    "route": ["task"],
    "cases": [
        {"when": {"task": ["depth", "size"]}, "pipeline": ["mra"]},
        {"when": {"task": ["doc"]}, "pipeline": ["exact-match", "anls"], "params": {"threshold": 0.25}},
        {"when": {"task": ["3"]}, "pipeline": ["count-parse"]},
    ],
    "default": ["rule-match"],
}


def routed(task: Json, route: Block = ROUTE, **overrides: Any) -> tuple[str, ...] | None:
    made = plan({"score_pipeline": route, "score_params": {"threshold": 0.75}}, **overrides)
    sample = Sample(1, "q", Options(()), "1", ("1",), ("1",), "open", fields={"task": task})
    stages = made.steps.of(sample)
    return None if stages is None else tuple(stage.name for stage in stages)


@pytest.mark.parametrize(
    ("task", "stages"),
    [
        ("depth", ("mra",)),
        ("size", ("mra",)),
        ("doc", ("exact-match", "anls")),
        (3, ("count-parse",)),
        (3.0, ("count-parse",)),
        ("other", ("rule-match",)),
        (None, ("rule-match",)),
        (["depth"], ("rule-match",)),
    ],
)
def test_a_route_picks_the_pipeline_by_canonical_text(task: Json, stages: tuple[str, ...]) -> None:
    assert routed(task) == stages


def test_a_route_without_default_leaves_the_rest_without_a_pipeline() -> None:
    assert routed("other", {**ROUTE, "default": None}) is None


def test_a_flag_replaces_a_route() -> None:
    assert routed("depth", pipeline=("anls",)) == ("anls",)


def test_a_route_case_narrows_parameters_and_a_flag_beats_it() -> None:
    block = {"score_pipeline": ROUTE, "score_params": {"threshold": 0.75}}
    assert plan(block).params_effective["1.anls"]["threshold"] == 0.25
    assert plan(block, params={"threshold": 0.5}).params_effective["1.anls"]["threshold"] == 0.5


@pytest.mark.parametrize(
    ("case", "says"),
    [
        pytest.param({"when": {"tsk": ["a"]}, "pipeline": ["mra"]}, "'tsk'", id="field-not-routed"),
        pytest.param({"when": {"task": ["a"]}, "pipeline": ["mrra"]}, "did you mean 'mra'?", id="stage"),
        pytest.param(
            {"when": {"task": ["a"]}, "pipeline": ["anls"], "params": {"treshold": 0}},
            "did you mean 'threshold'?",
            id="parameter",
        ),
    ],
)
def test_a_route_case_with_a_mistake(case: Block, says: str) -> None:
    with pytest.raises(MetadataError) as caught:
        plan({"score_pipeline": {"route": ["task"], "cases": [case]}})
    assert says in str(caught.value)


def test_identity_names_all_subsets_and_splits() -> None:
    blocks = [{"dataset_name": "D", "subset": s, "split": "val", "revision": "r"} for s in ("a", "b")]
    found = identity([parse_block(block, "run") for block in blocks])
    assert (found.dataset_name, found.subsets, found.splits) == ("D", ("a", "b"), ("val",))
    assert found.revision == "r"


def test_notes_tell_source_and_caveats() -> None:
    assert plan(DECLARED).notes == ("as published", "official code: o/r p@c")
    assert any("no protocol is declared" in note for note in plan().notes)
    paper = {"score_pipeline": ["anls"], "score_note": "n", "score_protocol": {"paper": "arXiv:1"}}
    assert plan(paper).notes == ("n", "paper: arXiv:1")
