"""Names to stages and aggregates: parameters are what a class declares, and nothing else."""

from __future__ import annotations

import pytest

from mmeval import registry
from mmeval.errors import MetadataError


def test_class_variables_are_no_parameters() -> None:
    assert "version" not in registry.stage_fields("rule-match")
    with pytest.raises(MetadataError, match="unknown parameter 'version'"):
        registry.build(registry.aggregate_classes()["mean"], {"version": 7}, "aggregate x")
