"""The files that a protocol reads beside the predictions, in words."""

from __future__ import annotations

from collections.abc import Mapping

from mmeval.metadata import Block, Resource
from mmeval.reports.figures import listed

KINDS = {"json": "", "coco": ", annotations as COCO and LVIS have them", "rows": ", a file for each row"}


def files_section(block: Block) -> list[str]:
    """A line for each file that the block declares."""
    return [_line(name, each) for name, each in sorted(block.score_resources.items())]


def _line(name: str, resource: Resource) -> str:
    if resource.paths:
        where = f"{len(resource.paths)} files, one for each {resource.by}"
    else:
        where = resource.path or "a file"
    below = listed([f"${each}" for each in resource.env], "or")
    if below:
        where += f" below {below}, else beside the run"
    absent = "; the run is scored without it where it is absent" if resource.optional else ""
    return f"* {name}: {where}{KINDS[resource.kind]}{absent}."


def asked_for(cls: type[object]) -> dict[str, list[str]]:
    """What a stage reads beside a row: files by name, and variables that stand for its parameters."""
    variables: Mapping[str, str] = getattr(cls, "environment", {})
    return {
        "resources": list(getattr(cls, "resources", ())),
        "environment": [f"{variable} for {name}" for name, variable in variables.items()],
    }
