"""Which score files a report is about, and how each is called."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mmeval.errors import UsageError


class Found(NamedTuple):
    """A score file, the folder that was asked for, and a name that holds nothing of the machine."""

    path: Path
    root: Path
    name: str


def found(asked: Sequence[Path]) -> list[Found]:
    """The score files that these files and folders mean, each once, in the order asked for.

    Below a folder every `score.json` and `<name>.score.json` counts, but nothing hidden. A run is called by
    its place below the folder that was asked for, or by the folder it lies in.

    Raises:
        UsageError: a path does not exist, or a folder holds no score.
    """
    told: dict[Path, Found] = {}
    for path in asked:
        for each in _of(path):
            told.setdefault(each.path.resolve(), each)
    return _distinct(list(told.values()))


def _of(path: Path) -> list[Found]:
    if not path.exists():
        raise UsageError(f"{path}: no such file or folder; give a score.json, or a folder of scored runs")
    if not path.is_dir():
        return [Found(path, path.parent, _name(path, path.parent))]
    below = [
        Found(each, path, _name(each, path)) for each in sorted(_scores(path), key=lambda one: one.parts)
    ]
    if not below:
        raise UsageError(f"{path}: holds no score.json; score the runs first: mmeval score --results {path}")
    return below


def _scores(root: Path) -> Iterator[Path]:
    for folder, inside, names in os.walk(root):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        for name in names:
            if not name.startswith(".") and (name == "score.json" or name.endswith(".score.json")):
                yield Path(folder, name)


def _name(path: Path, root: Path) -> str:
    below = path.relative_to(root)
    if path.name == "score.json":
        name = str(below.parent) if below.parent != Path(".") else root.resolve().name
    else:
        name = str(below)[: -len(".score.json")] if path.name.endswith(".score.json") else str(below)
    return name.encode("utf-8", "replace").decode() or "run"


def _distinct(runs: Sequence[Found]) -> list[Found]:
    """The same runs; those that share a name get a number."""
    counts, seen = Counter(run.name for run in runs), Counter[str]()
    named = []
    for run in runs:
        seen[run.name] += 1
        many = counts[run.name] > 1
        named.append(run._replace(name=f"{run.name} ({seen[run.name]})") if many else run)
    return named
