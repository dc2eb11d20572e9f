"""Which scores one call of `mmeval score` makes, from which files, and where each goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mmeval.cli.opening import answers

if TYPE_CHECKING:
    from mmeval.benchmarks.dataset import Dataset
    from mmeval.benchmarks.table import Table
    from mmeval.runner import Job, Scored


class Task(NamedTuple):
    """One score to make: what it is called, where `--out` puts it, and how it is made."""

    path: Path
    target: Path | None
    run: Callable[[Job, Callable[[int], None]], Scored]


def single(found: list[Path], root: Path, out: Path | None) -> list[Task]:
    """One task per file."""
    from mmeval.runner import score_run

    return [
        Task(path, target, partial(score_run, path))
        for path, target in zip(found, targets(found, root, out), strict=True)
    ]


def joined(
    root: Path, pattern: str | None, out: Path | None, open_data: Callable[[], Table | Dataset], combine: bool
) -> list[Task]:
    """One task per file of predictions; the files of questions and golds are none of them.

    Raises:
        UsageError: `--combine` was given too, or there is no such data.
    """
    from mmeval.errors import UsageError
    from mmeval.readers import SUFFIXES, discover
    from mmeval.runner import score_run

    if combine:
        raise UsageError("--combine and --data or --dataset: that is one run already; leave out --combine")
    benchmark = open_data()
    found = answers(discover(root, pattern, SUFFIXES), root, benchmark)
    return [
        Task(path, target, partial(score_run, path, benchmark=benchmark))
        for path, target in zip(found, targets(found, root, out), strict=True)
    ]


def combined(found: list[Path], root: Path, out: Path | None) -> list[Task]:
    """One task per dataset.

    Raises:
        UsageError: `out` is one file, and there are several datasets.
    """
    from mmeval.errors import UsageError
    from mmeval.readers import open_combined
    from mmeval.runner import combined_path, score_open

    runs = open_combined(found, root)
    if out is not None and out.suffix == ".json" and len(runs) > 1:
        raise UsageError(f"--out {out} is one file, but there are {len(runs)} datasets; give a folder")
    return [Task(run.path, out, partial(score_open, run, combined_path(run, out))) for run in runs]


def targets(found: list[Path], root: Path, out: Path | None) -> list[Path | None]:
    """Where each run's score goes: beside it, or below `out` in the same folders as below `root`.

    Raises:
        UsageError: `out` is one file, and there are several runs; or two runs would have one score file.
    """
    from mmeval.errors import UsageError
    from mmeval.runner import score_path

    if out is not None and out.suffix == ".json":
        if len(found) > 1:
            raise UsageError(f"--out {out} is one file, but there are {len(found)} runs; give a folder")
        return [out]
    base = root if root.is_dir() else root.parent
    made = [None if out is None else out / path.parent.relative_to(base) for path in found]
    owners: dict[Path, Path] = {}
    for path, target in zip(found, made, strict=True):
        place = score_path(path, target)
        other = owners.setdefault(place, path)
        if other != path:
            raise UsageError(f"{other} and {path} would both be scored into {place}; rename one")
    return made
