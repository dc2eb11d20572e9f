"""The flags of `mmeval score` for boxes, and for the files that a protocol reads."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class Backends(StrEnum):
    """What computes AP."""

    auto = "auto"
    hotcoco = "hotcoco"
    reference = "reference"


Resource: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--resource", help="NAME=PATH of a file or folder that the protocol reads."),
]
Backend: TypeAlias = Annotated[
    Backends | None,
    typer.Option(
        "--box_backend",
        help="What computes AP: hotcoco (fast), or reference (pycocotools, lvis); one result.",
    ),
]


def resources(given: list[str]) -> dict[str, Path]:
    """`NAME=PATH` pairs.

    Raises:
        UsageError: no such pair, or a name twice.
    """
    from mmeval.errors import UsageError

    found: dict[str, Path] = {}
    for pair in given:
        name, equals, path = pair.partition("=")
        name = name.strip()
        if not equals or not name or not path.strip():
            raise UsageError(f"--resource {pair!r}: write it as NAME=PATH")
        if name in found:
            raise UsageError(f"--resource {name}: is given twice; give one path")
        found[name] = Path(path.strip()).expanduser()
    return found
