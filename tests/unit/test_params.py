"""Parameters: declared once, narrowed per stage, never swallowed."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.params import Declared, build_stages, declared, effective, judged, unused


def given(common: dict[str, Any] | None = None, **stages: dict[str, Any]) -> Declared:
    return Declared(common or {}, {name.replace("_", "-"): own for name, own in stages.items()})


@pytest.mark.parametrize("value", [0.0, 0, False, 0.25, True])
def test_zero_and_false_are_values(value: object) -> None:
    name = "settle_misses" if isinstance(value, bool) else "numeric_rel_tol"
    (stage,) = build_stages(["rule-match"], given({name: value}), "w")
    assert effective([stage])["rule-match"][name] == value
    assert stage.params == {name: value}


def test_what_is_not_said_has_its_default() -> None:
    stages = build_stages(["exact-match", "rule-match"], given(), "w")
    params = effective(stages)
    assert list(params) == ["exact-match", "rule-match"]
    assert params["rule-match"]["numeric_rel_tol"] == 0.0
    assert params["rule-match"]["settle_misses"] is False


def test_a_stage_takes_the_common_value_unless_it_has_its_own() -> None:
    stages = build_stages(
        ["exact-match", "rule-match"],
        given({"numeric_rel_tol": 0.05}, rule_match={"numeric_rel_tol": 0.1}),
        "w",
    )
    assert effective(stages)["exact-match"]["numeric_rel_tol"] == 0.05
    assert effective(stages)["rule-match"]["numeric_rel_tol"] == 0.1


@pytest.mark.parametrize(
    ("common", "stages", "threshold"),
    [
        pytest.param({"anls_threshold": 0.0}, {}, 0.0, id="alias-zero"),
        pytest.param({"threshold": 0.3}, {}, 0.3, id="own-name"),
        pytest.param({"threshold": 0.3, "anls_threshold": 0.4}, {}, 0.3, id="own-name-first"),
        pytest.param({"threshold": 0.3}, {"anls": {"threshold": 0.7}}, 0.7, id="narrowed"),
        pytest.param({}, {}, 0.5, id="default"),
    ],
)
def test_the_two_names_of_the_anls_threshold(
    common: dict[str, Any], stages: dict[str, Any], threshold: float
) -> None:
    built = build_stages(["anls"], Declared(common, stages), "w")
    assert effective(built)["anls"]["threshold"] == threshold


MISTAKES = [
    pytest.param([], {}, ("empty",), id="empty"),
    pytest.param(["anls", "anls"], {}, ("'anls' is named twice",), id="twice"),
    pytest.param(["anls", "rule-match"], {}, ("anls always decides", "last"), id="grader-not-last"),
    pytest.param(["rule-mach"], {}, ("unknown stage 'rule-mach'", "'rule-match'"), id="unknown-stage"),
    pytest.param(["anls"], {"threshold": "x"}, ("stage anls", "threshold"), id="type"),
    pytest.param(["anls"], {"threshold": 2}, ("stage anls", "0 to 1"), id="range"),
    pytest.param(["rule-match"], {"numeric_rel_tol": -1}, ("at least 0",), id="negative"),
    pytest.param(["rule-match"], {"numeric_rel_tol": True}, ("numeric_rel_tol",), id="bool-is-no-number"),
    pytest.param(["rule-match"], {"string_match": "fuzzy"}, ("string_match", "rule-match"), id="vocabulary"),
    pytest.param(["rule-match"], {"option_rules": "robus"}, ("'robust'",), id="rule-set"),
    pytest.param(["rule-match"], {"settle_misses": None}, ("settle_misses",), id="null"),
]


@pytest.mark.parametrize(("names", "common", "says"), MISTAKES)
def test_a_pipeline_that_cannot_be_built(
    names: list[str], common: dict[str, Any], says: tuple[str, ...]
) -> None:
    with pytest.raises(MetadataError) as caught:
        build_stages(names, given(common), "where")
    assert "\n" not in str(caught.value)
    for text in says:
        assert text in str(caught.value)


def test_a_parameter_of_another_stage_is_recorded_not_used() -> None:
    params = given({"numeric_rel_tol": 0.1, "threshold": 0.4}, mra={"previous": "ignore"})
    stages = build_stages(["rule-match"], params, "w")
    assert unused(params, [stages], "w") == {"threshold": 0.4, "mra.previous": "ignore"}


@pytest.mark.parametrize("name", ["rubric", "scale", "official_judge_model", "judge_inputs", "metrics"])
def test_mm_evals_judge_parameters_are_known(name: str) -> None:
    params = given({name: 1})
    assert unused(params, [build_stages(["rule-match"], params, "w")], "w") == {name: 1}


@pytest.mark.parametrize(
    ("params", "says"),
    [
        pytest.param(given({"numeric_rel_tl": 1}), "did you mean 'numeric_rel_tol'?", id="common"),
        pytest.param(given(mra={"previus": 1}), "did you mean 'previous'?", id="stage-that-does-not-run"),
    ],
)
def test_an_unknown_parameter_is_refused(params: Declared, says: str) -> None:
    with pytest.raises(MetadataError) as caught:
        unused(params, [build_stages(["rule-match"], params, "w")], "w")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        pytest.param({"stages": []}, "object of objects", id="list"),
        pytest.param({"stages": {"anls": 1}}, "object of objects", id="value"),
        pytest.param({"stages": {"anl": {}}}, "did you mean 'anls'?", id="unknown"),
    ],
)
def test_stages_must_name_stages(raw: dict[str, Any], says: str) -> None:
    with pytest.raises(MetadataError) as caught:
        declared(raw, "w.score_params")
    assert says in str(caught.value)


BLOCK = given({"numeric_rel_tol": 0.05, "threshold": 0.4}, rule_match={"numeric_rel_tol": 0.1})


@pytest.mark.parametrize(
    ("cli", "exact", "rule"),
    [
        pytest.param(given(), 0.05, 0.1, id="nothing-said"),
        pytest.param(given({"numeric_rel_tol": 0}), 0, 0, id="common-beats-narrowed"),
        pytest.param(given(rule_match={"numeric_rel_tol": 0.2}), 0.05, 0.2, id="one-stage"),
        pytest.param(
            given({"numeric_rel_tol": 0.3}, rule_match={"numeric_rel_tol": 0.2}), 0.3, 0.2, id="both"
        ),
    ],
)
def test_overrides_lie_over_the_block(cli: Declared, exact: float, rule: float) -> None:
    params = effective(build_stages(["exact-match", "rule-match"], cli.over(BLOCK), "w"))
    assert params["exact-match"]["numeric_rel_tol"] == exact
    assert params["rule-match"]["numeric_rel_tol"] == rule


@pytest.mark.parametrize(
    "block",
    [given({"threshold": 0.4}), given(anls={"threshold": 0.4}), given({"anls_threshold": 0.4}), given()],
)
def test_the_flag_for_the_anls_threshold_beats_either_name(block: Declared) -> None:
    params = given({"anls_threshold": 0.0}).over(block)
    assert effective(build_stages(["anls"], params, "w"))["anls"]["threshold"] == 0.0


@pytest.mark.parametrize("name", ["llm-match", "llm-extract", "llm-judge"])
def test_a_stage_that_asks_a_judge_says_so(name: str) -> None:
    stages = build_stages(["rule-match", name], Declared({}, {}), "somewhere")
    assert [stage.asks for stage in stages] == [False, True]
    assert judged(name) and not judged("rule-match") and not judged("no-such-stage")
