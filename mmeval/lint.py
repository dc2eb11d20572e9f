"""Whether a metadata.json could score a run: everything that a run would stumble over, found without one."""

from __future__ import annotations

from pathlib import Path

from mmeval.errors import MetadataError, UsageError
from mmeval.metadata import Block, MetaBlock, Unsupported, read_metadata
from mmeval.params import declared
from mmeval.protocol import Overrides, Plan, resolve
from mmeval.summary import reducers


def lint(path: Path) -> list[str]:
    """Check one metadata.json; returns what it declares, one line per block.

    Raises:
        MetadataError: the first thing that is wrong, with file, JSON path and remedy.
    """
    metadata = read_metadata(path)
    said = []
    for name, subset in metadata.subsets.items():
        said.append(lint_block(subset, f"{path} at $.subsets.{name}", name))
        for variant, block in subset.variants.items():
            said.append(
                lint_block(block, f"{path} at $.subsets.{name}.variants.{variant}", f"{name}@{variant}")
            )
    return said


def lint_block(block: Block, where: str, title: str) -> str:
    """Check one block; returns a line that says what it declares."""
    declared(block.score_params, f"{where}.score_params")
    if block.score_pipeline is None:
        reducers(block.score_aggregates, where)
        return f"{title}: declares no pipeline; the library or the default pipeline decides"
    if isinstance(block.score_pipeline, Unsupported):
        return f"{title}: unsupported ({block.score_pipeline.unsupported})"
    raw = block.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"variants"})
    plan = resolve(
        [{name: value for name, value in raw.items() if name in MetaBlock.model_fields}], Overrides(), where
    )
    reducers(block.score_aggregates, where)
    if plan.judged or block.score_judge is not None:
        _judge(block, plan, where)
    unused = f"; unused parameters: {', '.join(sorted(plan.params_unused))}" if plan.params_unused else ""
    pipelines = " | ".join(",".join(stage.name for stage in stages) for stages in plan.steps.all)
    headline = next(each.name for each in plan.aggregates if each.headline)
    return f"{title}: {pipelines} -> {headline}{unused}"


def _judge(block: Block, plan: Plan, where: str) -> None:
    """Check who is asked what: names of prompts and contracts, and whether the stages can use them."""
    from mmeval.judge import declared, templates

    if block.score_judge is not None:
        declared.check(block.score_judge, where)
    try:
        declared.refuse_misfits(plan, {name: templates.prompt(name) for name in plan.prompts})
    except UsageError as error:
        raise MetadataError(f"{where}: {error}") from None
