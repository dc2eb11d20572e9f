"""docs/aggregates.md shows every reducer, with an example that can be declared as it stands."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import MetadataError
from mmeval.metadata import Aggregate
from mmeval.registry import aggregate_classes, build

PAGE = Path(__file__).resolve().parents[3] / "docs" / "aggregates.md"
SECTIONS = dict(re.findall(r"^### `([^`]+)`\n(.*?)(?=^##|\Z)", PAGE.read_text(), re.S | re.M))


def test_every_reducer_has_a_section_and_no_other() -> None:
    assert set(SECTIONS) == set(aggregate_classes())


@pytest.mark.parametrize("reduce", sorted(SECTIONS))
def test_its_example_can_be_built(reduce: str) -> None:
    blocks = re.findall(r"```json\n(.*?)```", SECTIONS[reduce], re.S)
    assert len(blocks) == 1
    spec = Aggregate.model_validate(json.loads(blocks[0]))
    assert spec.reduce == reduce
    made = build(aggregate_classes()[reduce], spec.params, reduce)
    assert all(isinstance(name, str) for name in made.fields())


@pytest.mark.parametrize("reduce", sorted(SECTIONS))
def test_every_parameter_is_named_on_the_page(reduce: str) -> None:
    section = SECTIONS[reduce]
    # What all combining reducers share is said once, above their sections.
    names = {field.name for field in dataclasses.fields(aggregate_classes()[reduce])} - {"of", "disjoint"}
    assert [name for name in sorted(names) if f"`{name}" not in section and f'"{name}"' not in section] == []


@pytest.mark.parametrize(
    ("reduce", "params", "message"),
    [
        ("mean", {"feild": "x"}, "unknown parameter 'feild'; did you mean 'field'"),
        ("pass@k", {"k": "five"}, "Expected `int`"),
        ("macro-mean", {}, "missing required field `by`"),
        ("prf1", {"value": "f2"}, "Invalid enum value 'f2'"),
        ("all-correct", {"by": []}, "'by' must name at least one sample field"),
    ],
)
def test_wrong_declarations_are_refused(reduce: str, params: dict[str, Any], message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        build(aggregate_classes()[reduce], params, "metadata.json: aggregate x")
