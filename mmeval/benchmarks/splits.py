"""Which files of a dataset folder hold the rows of one subset and split."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from mmeval.benchmarks.card import Pattern
from mmeval.errors import UsageError
from mmeval.registry import nearest

SUFFIXES = (".jsonl", ".ndjson", ".json", ".parquet")
_NOT_DATA = frozenset(
    ("metadata.json", "dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json")
)
_SHARD = re.compile(r"-(\d{5,})-of-(\d{5,})(-[0-9a-f]+)?$")


def data_paths(paths: Iterable[str]) -> list[str]:
    """The paths that can hold rows, sorted."""
    return sorted(path for path in paths if _is_data(PurePosixPath(path)))


def _is_data(path: PurePosixPath) -> bool:
    hidden = any(part.startswith((".", "_")) for part in path.parts)
    return path.suffix.lower() in SUFFIXES and path.name not in _NOT_DATA and not hidden


def pick_subset(names: Sequence[str], wanted: str | None, where: str) -> str | None:
    """The subset that is meant: the one that was named, or the only one there is.

    Args:
        names: the subsets that the data declares; `*` stands for any.
        wanted: what `--subset` says.
        where: what to call the data in messages.

    Raises:
        UsageError: several subsets and none named, or one that is not there.
    """
    if "*" in names or not names:
        return wanted
    if wanted is None and len(names) > 1:
        raise UsageError(f"{where}: has several subsets ({', '.join(names)}); name one with --subset")
    if wanted is not None and wanted not in names:
        raise UsageError(f"{where}: has no subset {wanted!r}; {nearest(wanted, names)}")
    return wanted or names[0]


def split_files(
    paths: Sequence[str], card: Sequence[Pattern], subset: str | None, split: str | None, where: str
) -> tuple[str, list[str]]:
    """The split that is meant, and its files in order.

    The card's `configs` say it where they name the subset (or `default`); else the file names do:
    `test.jsonl`, `test-00000-of-00003.parquet` and `test/0.parquet` are split `test`, in the subset's folder
    if there is one.

    Raises:
        UsageError: no such split, several and none named, or a file of it is missing.
    """
    splits = _by_card(paths, card, subset) or _by_name(paths, subset, where)
    if not splits:
        raise UsageError(
            f"{where}: holds no rows in {', '.join(SUFFIXES)}; is it a dataset? a .tsv goes to --data"
        )
    if split is None and len(splits) > 1:
        raise UsageError(f"{where}: has several splits ({', '.join(splits)}); name one with --split")
    if split is not None and split not in splits:
        raise UsageError(f"{where}: has no split {split!r}; {nearest(split, splits)}")
    chosen = split or next(iter(splits))
    _check_whole(splits[chosen], where)
    return chosen, splits[chosen]


def _by_card(paths: Sequence[str], card: Sequence[Pattern], subset: str | None) -> dict[str, list[str]]:
    """Split to files, as the card says."""
    configs = {pattern.config for pattern in card}
    config = subset if subset in configs else "default"
    if config not in configs and len(configs) == 1:
        config = next(iter(configs))
    found: dict[str, list[str]] = {}
    for pattern in card:
        if pattern.config == config:
            fitting = [path for path in paths if fnmatchcase(path, pattern.glob)]
            for path in fitting:
                files = found.setdefault(pattern.split or split_name(PurePosixPath(path)), [])
                if path not in files:
                    files.append(path)
    return found


def _by_name(paths: Sequence[str], subset: str | None, where: str) -> dict[str, list[str]]:
    """Split to files, as their names say."""
    inside = [path for path in paths if subset is not None and subset in PurePosixPath(path).parts[:-1]]
    found: dict[str, list[str]] = {}
    for path in inside or paths:
        found.setdefault(split_name(PurePosixPath(path)), []).append(path)
    for name, files in found.items():
        folders = {str(PurePosixPath(path).parent) for path in files}
        if len(folders) > 1:
            raise UsageError(
                f"{where}: split {name!r} lies in several folders ({', '.join(sorted(folders))}); name one "
                "with --subset"
            )
    return found


def split_name(path: PurePosixPath) -> str:
    """The split that a file's name tells: its stem without the number of the shard, else its folder.

    >>> split_name(PurePosixPath("data/test-00000-of-00003.parquet")), split_name(PurePosixPath("val/0.json"))
    ('test', 'val')
    """
    stem = _SHARD.sub("", path.stem)
    bare = not stem.strip("0123456789-_") or stem in ("data", "part", "rows")
    return path.parent.name if bare and path.parent.name else stem


def _check_whole(files: Sequence[str], where: str) -> None:
    """That no shard of a split is missing.

    Raises:
        UsageError: one is; rows that are not read would change the score without a word.
    """
    shards = [found for path in files if (found := _SHARD.search(PurePosixPath(path).stem))]
    there = {int(found.group(1)) for found in shards}
    wanted = {number for found in shards for number in range(int(found.group(2)))}
    if missing := sorted(wanted - there):
        raise UsageError(
            f"{where}: shard {missing[0]} of {len(wanted)} is missing beside {files[0]}; "
            "fetch the whole split"
        )
