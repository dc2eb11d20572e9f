"""Parameters to stages: declared once for the pipeline, narrowed per stage, and never swallowed."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mmeval.errors import MetadataError
from mmeval.registry import build, nearest, stage_class, stage_fields, stage_modules
from mmeval.types import Outcome

# What mm-eval's datasets declare for corpus metrics (simple-mmeval, mmeval/scoring/protocol.py at b10e70b).
FOREIGN = frozenset({"compare", "metric", "metric_field", "metrics"})
# mm-eval writes either name for the one threshold; 0.0 is a value there, not an absence.
ALIASES = {"anls_threshold": ("threshold", "anls")}


class Stage(NamedTuple):
    """One stage of a pipeline, ready to be asked.

    One that `asks` is called with a judge, and awaited. One of its `own_gold` looks for the gold itself: a
    row without one is its business.
    """

    name: str
    version: int
    call: Callable[..., Outcome | Awaitable[Outcome]]
    grader: bool
    params: dict[str, Any]
    asks: bool = False
    own_gold: bool = False


class Declared(NamedTuple):
    """`score_params` taken apart: for every stage, and per stage."""

    common: dict[str, Any]
    stages: dict[str, dict[str, Any]]

    def over(self, other: Declared) -> Declared:
        """These parameters, over those of `other`."""
        names = {*self.stages, *other.stages}
        stages = {name: {**other.stages.get(name, {}), **self.stages.get(name, {})} for name in sorted(names)}
        # An override for all stages also beats what the block narrowed for one, and either name of one knob.
        said = {*self.common, *(ALIASES[name][0] for name in self.common if name in ALIASES)}
        narrowed = {
            name: {k: v for k, v in own.items() if k not in said or k in self.stages.get(name, {})}
            for name, own in stages.items()
        }
        left = {name: value for name, value in other.common.items() if name not in said}
        return Declared({**left, **self.common}, narrowed)


def declared(score_params: Mapping[str, Any], where: str) -> Declared:
    """Take `score_params` apart.

    Raises:
        MetadataError: `stages` is not an object of objects, or names a stage that does not exist.
    """
    common = {name: value for name, value in score_params.items() if name != "stages"}
    stages = score_params.get("stages", {})
    if not isinstance(stages, Mapping) or not all(isinstance(own, Mapping) for own in stages.values()):
        raise MetadataError(f"{where}.stages: must be an object of objects, one per stage")
    for name in stages:
        if name not in stage_modules():
            raise MetadataError(f"{where}.stages: unknown stage {name!r}; {nearest(name, stage_modules())}")
    return Declared(common, {name: dict(own) for name, own in stages.items()})


def build_stages(names: Sequence[str], given: Declared, where: str) -> tuple[Stage, ...]:
    """The pipeline `names` with its parameters.

    Raises:
        MetadataError: no stage, an unknown or repeated one, a grader that is not last, or a bad parameter.
    """
    if not names:
        raise MetadataError(f"{where}: the pipeline is empty; name at least one stage")
    twice = sorted({name for name in names if list(names).count(name) > 1})
    if twice:
        raise MetadataError(f"{where}: stage {twice[0]!r} is named twice; once is enough")
    stages = tuple(_stage(name, given, where) for name in names)
    for stage in stages[:-1]:
        if stage.grader:
            raise MetadataError(
                f"{where}: {stage.name} always decides, so no stage after it can be reached; "
                "make it the last one"
            )
    return stages


def _stage(name: str, given: Declared, where: str) -> Stage:
    if name not in stage_modules():
        raise MetadataError(f"{where}: unknown stage {name!r}; {nearest(name, stage_modules())}")
    cls, fields = stage_class(name), stage_fields(name)
    params = {key: value for key, value in given.common.items() if key in fields}
    for alias, (field, stage) in ALIASES.items():
        if stage == name and alias in given.common and field not in given.common:
            params[field] = given.common[alias]
    params.update(given.stages.get(name, {}))
    call = build(cls, params, f"{where}: stage {name}")
    grader, own_gold = (bool(getattr(cls, trait, False)) for trait in ("grader", "own_gold"))
    return Stage(name, cls.version, call, grader, params, asks(cls), own_gold)


def from_environment(names: Sequence[str], environment: Mapping[str, str]) -> Declared:
    """The parameters that variables set for the stages of these names: what nobody else decides.

    Raises:
        MetadataError: a variable has a value that its parameter cannot have.
    """
    stages: dict[str, dict[str, Any]] = {}
    for name in names:
        cls = stage_class(name) if name in stage_modules() else None
        for param, variable in getattr(cls, "environment", {}).items():
            if environment.get(variable):
                stages[name] = {param: environment[variable]}
                _check_variable(name, stages[name], variable)
    return Declared({}, stages)


def _check_variable(name: str, params: dict[str, Any], variable: str) -> None:
    try:
        build(stage_class(name), params, f"the environment's {variable}")
    except MetadataError as error:
        raise MetadataError(f"{error}; unset it, or give it a value that {name} takes") from None


def judged(name: str) -> bool:
    """Whether the stage of this name asks a judge; a name that no stage has does not."""
    return name in stage_modules() and asks(stage_class(name))


def asks(cls: type[Any]) -> bool:
    """Whether a stage's class asks a judge: its call is a coroutine."""
    return inspect.iscoroutinefunction(cls.__call__)


def unused(given: Declared, pipelines: Sequence[Sequence[Stage]], where: str) -> dict[str, Any]:
    """Declared parameters that no stage of these pipelines takes.

    Raises:
        MetadataError: a name that no known stage declares at all; names the nearest.
    """
    stages = {stage.name for pipeline in pipelines for stage in pipeline}
    taken = {field for name in stages for field in stage_fields(name)}
    taken |= {alias for alias, (_, stage) in ALIASES.items() if stage in stages}
    left = {name: value for name, value in given.common.items() if name not in taken}
    for name in left:
        known = {field for stage in stage_modules() for field in stage_fields(stage)} | FOREIGN | set(ALIASES)
        if name not in known:
            raise MetadataError(f"{where}: unknown parameter {name!r}; {nearest(name, known)}")
    _check_narrowed(given, where)
    left.update(
        {
            f"{name}.{key}": value
            for name, own in given.stages.items()
            if name not in stages
            for key, value in own.items()
        }
    )
    return left


def _check_narrowed(given: Declared, where: str) -> None:
    for stage, own in given.stages.items():
        fields = stage_fields(stage)
        for name in own:
            if name not in fields:
                hint = nearest(name, fields)
                raise MetadataError(f"{where}: stage {stage}: unknown parameter {name!r}; {hint}")


def effective(stages: Sequence[Stage]) -> dict[str, dict[str, Any]]:
    """Every parameter of every stage as it is in force, defaults included."""
    return {
        stage.name: {name: getattr(stage.call, name) for name in stage_fields(stage.name)} for stage in stages
    }
