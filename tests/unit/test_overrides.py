"""What a user sets over a protocol."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import Aggregate
from mmeval.overrides import Overrides
from mmeval.params import from_environment


def test_parameters_are_taken_apart_by_stage() -> None:
    said = Overrides(params={"a": 1, "mra.previous": "ignore"}).declared()
    assert (said.common, said.stages) == ({"a": 1}, {"mra": {"previous": "ignore"}})


def test_stages_is_no_parameter() -> None:
    with pytest.raises(UsageError, match=r"stage\.name=value"):
        Overrides(params={"stages": {}}).declared()


AGGREGATES = tuple(
    Aggregate(name=name, reduce=name) for name in ("mean", "box-ap", "box-counts", "no-such-reducer")
)


def test_a_parameter_goes_to_the_aggregates_that_have_it() -> None:
    changed = Overrides(aggregate_params={"backend": "reference"}).over(AGGREGATES)
    assert [each.params for each in changed] == [{}, {"backend": "reference"}, {}, {}]
    assert Overrides().over(AGGREGATES) is AGGREGATES


@pytest.mark.parametrize(
    ("names", "environment", "expected"),
    [
        (["box-ap"], {"SCORE_MODE": "constant"}, {"box-ap": {"score_mode": "constant"}}),
        (["box-ap"], {"SCORE_MODE": ""}, {}),
        (["box-ap"], {}, {}),
        (["exact-match", "no-such-stage"], {"SCORE_MODE": "constant"}, {}),
    ],
)
def test_what_variables_set(names: list[str], environment: dict[str, str], expected: dict[str, Any]) -> None:
    assert from_environment(names, environment).stages == expected


def test_a_variable_with_a_wrong_value_is_named() -> None:
    with pytest.raises(MetadataError, match="the environment's SCORE_MODE"):
        from_environment(["box-ap"], {"SCORE_MODE": "x"})
