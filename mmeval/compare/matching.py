"""Which score files of two folders belong together: the same dataset and subset, then the same name."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from mmeval.errors import UsageError
from mmeval.types import Json


class _Head(msgspec.Struct, frozen=True):
    config: dict[str, Json]


class Found(NamedTuple):
    """One score file: where it lies, whose it is, and how its run is called below the folder."""

    path: Path
    dataset: str
    run: str


class Matched(NamedTuple):
    """Pairs of files that belong together, and files without a partner."""

    pairs: tuple[tuple[Path, Path], ...]
    alone: tuple[Path, ...]


def found_below(root: Path) -> list[Found]:
    """Every score file below a folder, or the one file; hidden ones never.

    Raises:
        UsageError: there is none.
    """
    if not root.is_dir():
        return [Found(root, _dataset(root), root.name)]
    paths = sorted(
        Path(folder, name)
        for folder, below, names in _walk(root)
        for name in names
        if name == "score.json" or name.endswith(".score.json")
    )
    if not paths:
        raise UsageError(f"{root}: no score.json below it; score the runs first, or name the files")
    return [Found(path, _dataset(path), _run(path, root)) for path in paths]


def _walk(root: Path) -> Iterable[tuple[str, list[str], list[str]]]:
    for folder, below, names in os.walk(root):
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield folder, below, [name for name in names if not name.startswith(".")]


def _dataset(path: Path) -> str:
    """Dataset, subset and split of a score file; empty where it cannot be read, which is told later."""
    try:
        config = msgspec.json.decode(path.read_bytes(), type=_Head).config
    except (OSError, msgspec.MsgspecError, RecursionError):
        return ""
    return "/".join(str(config.get(name)) for name in ("dataset_name", "subset", "split"))


def _run(path: Path, root: Path) -> str:
    relative = path.relative_to(root)
    return str(relative.parent if path.name == "score.json" else relative)


def matched(a: Path, b: Path) -> Matched:
    """The files of two sides that belong together.

    Two single files are a pair whatever they hold. Among several, those of the same dataset, subset and split
    are one where each side has one such file, else where they have the same name below their folder.

    Raises:
        UsageError: a side has no score file, or none of them has a partner.
    """
    first, second = found_below(a), found_below(b)
    if len(first) == len(second) == 1:
        return Matched(((first[0].path, second[0].path),), ())
    pairs: list[tuple[Path, Path]] = []
    pools = _pools(first), _pools(second)
    for dataset, own in pools[0].items():
        pairs += _within(own, pools[1].get(dataset, []))
    taken = {path for pair in pairs for path in pair}
    alone = tuple(each.path for each in (*first, *second) if each.path not in taken)
    if not pairs:
        raise UsageError(
            f"{a} and {b}: no score of the one has a partner in the other (same dataset and subset, or the "
            "same folder name); name the two files"
        )
    return Matched(tuple(pairs), alone)


def _pools(found: Sequence[Found]) -> dict[str, list[Found]]:
    pools: dict[str, list[Found]] = defaultdict(list)
    for each in found:
        pools[each.dataset].append(each)
    return pools


def _within(own: Sequence[Found], others: Sequence[Found]) -> list[tuple[Path, Path]]:
    if len(own) == len(others) == 1:
        return [(own[0].path, others[0].path)]
    named = {each.run: each.path for each in others}
    return [(each.path, named[each.run]) for each in own if each.run in named]
