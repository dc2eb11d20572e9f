"""Which parameters of a stage a protocol changed: what a reader needs to follow a verdict."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from mmeval.errors import MmevalError
from mmeval.registry import stage_class


def changed(config: Mapping[str, Any], stage: str) -> dict[str, Any]:
    """The parameters of a stage that are not at their defaults, by the score's own record.

    Empty where the score does not tell (a stage in several arms of a route), or the stage is not installed.
    """
    in_force = config.get("params_effective", {}).get(stage)
    if not isinstance(in_force, Mapping):
        return {}
    try:
        fields = dataclasses.fields(stage_class(stage))
    except MmevalError:
        return {}
    # A score file knows lists where a stage has tuples.
    defaults = {
        field.name: list(field.default) if isinstance(field.default, tuple) else field.default
        for field in fields
    }
    return {name: value for name, value in in_force.items() if name in defaults and defaults[name] != value}


def line(config: Mapping[str, Any], stage: str) -> str:
    """Those parameters as `name=value` pairs; empty where there are none."""
    return ", ".join(f"{name}={value}" for name, value in changed(config, stage).items())
