"""What a user sets over a protocol: single knobs, each on record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mmeval.errors import UsageError
from mmeval.metadata import Aggregate
from mmeval.params import Declared, declared
from mmeval.registry import aggregate_class, aggregate_modules, declared_fields
from mmeval.types import Json, QuestionType


@dataclass(frozen=True)
class Overrides:
    """What the command line says. None and empty mean: not said.

    `aggregate_params` go to every aggregate that has them. `environment` holds the variables that a stage's
    parameters may be set by where nobody else decides.
    """

    protocol: str | None = None
    pipeline: tuple[str, ...] | None = None
    gt_field: str | None = None
    pred_field: str | None = None
    question_type: QuestionType | None = None
    predictions: Literal["first", "all"] | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    judge_prompt: str | None = None
    aggregate_params: Mapping[str, Json] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    def declared(self) -> Declared:
        """`name=value` and `stage.name=value`, taken apart."""
        if "stages" in self.params:
            raise UsageError("--score_param stages: write each parameter of a stage as stage.name=value")
        common = {name: value for name, value in self.params.items() if "." not in name}
        stages: dict[str, dict[str, Any]] = {}
        for name, value in self.params.items():
            stage, dot, own = name.partition(".")
            if dot:
                stages.setdefault(stage, {})[own] = value
        return declared({**common, "stages": stages}, "--score_param")

    def over(self, aggregates: tuple[Aggregate, ...]) -> tuple[Aggregate, ...]:
        """The aggregates with the parameters that are set for all that have them."""
        return tuple(map(self._over, aggregates)) if self.aggregate_params else aggregates

    def _over(self, aggregate: Aggregate) -> Aggregate:
        known = aggregate.reduce in aggregate_modules()
        fields = declared_fields(aggregate_class(aggregate.reduce)) if known else ()
        own = {name: value for name, value in self.aggregate_params.items() if name in fields}
        return aggregate.model_validate({**aggregate.model_dump(), **own}) if own else aggregate
