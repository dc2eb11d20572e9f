"""Which files below a folder are runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from mmeval.errors import UsageError
from mmeval.text.counted import many

_OWN_SUFFIXES = (
    ".score.json",
    ".rows.jsonl",
    ".rows.parquet",
    "_per_row.csv",
    ".tmp",
    ".part",
    ".spool",
)
_OWN_NAMES = ("score.json", "judge_config.json", "judge_replies.jsonl")
_SHOWN = 5
PICKLES = (".pkl", ".pickle")


def discover(root: Path, pattern: str | None, suffixes: tuple[str, ...] = ()) -> list[Path]:
    """Every run below a folder, sorted; a file is a run by itself.

    Without a pattern a run is `result.json`, `<name>.result.json` or `<name>.jsonl`, and what is known by its
    content to be a run of another harness (see `foreign_runs`). Files that mmeval writes and anything hidden
    are never runs. Linked folders are entered once. Where `suffixes` are given, a run is
    any file that ends in one of them.

    Args:
        root: a folder, or one file.
        pattern: a glob below `root`; without a slash it is looked for at every depth.
        suffixes: endings of files that are runs.

    Raises:
        UsageError: nothing is there, or nothing of it is a run; the message says what lies there instead.
    """
    if not root.exists() and not root.is_symlink():
        raise UsageError(
            f"{root}: no such file or folder; give --results a folder of runs, or one result file"
        )
    if not root.is_dir():
        if is_own(root.name):
            raise UsageError(
                f"{root}: is a file that mmeval wrote, not predictions; give the result file itself"
            )
        return [root]
    files = list(files_below(root))
    runs = _matching(root, pattern, files) if pattern is not None else _without_pattern(files, suffixes)
    if not runs:
        wanted = f"nothing that matches {pattern!r}" if pattern is not None else _no_run(suffixes)
        raise UsageError(f"{root}: {wanted} below it; {_instead(root, files)}")
    return sorted(runs, key=lambda path: path.parts)


def _without_pattern(files: list[Path], suffixes: tuple[str, ...]) -> list[Path]:
    if suffixes:
        return [path for path in files if _is_run(path.name, suffixes)]
    from mmeval.readers.elsewhere import foreign_runs

    others = foreign_runs([path for path in files if not is_own(path.name)])
    runs = (path for path in files if _is_run(path.name, suffixes) and path not in others.companions)
    return list(dict.fromkeys((*runs, *others.runs)))


def _is_run(name: str, suffixes: tuple[str, ...]) -> bool:
    wanted = name.lower().endswith(suffixes) if suffixes else _is_result(name)
    return wanted and not is_own(name)


def _is_result(name: str) -> bool:
    return name == "result.json" or name.endswith((".result.json", ".jsonl"))


def _no_run(suffixes: tuple[str, ...]) -> str:
    return f"no file that ends in {', '.join(suffixes)}" if suffixes else "no result.json or .jsonl"


def is_own(name: str) -> bool:
    """Whether a file of this name is one that mmeval writes, or reads for something else than to score it."""
    return name in _OWN_NAMES or name.endswith(_OWN_SUFFIXES)


def files_below(root: Path) -> Iterator[Path]:
    """Every file below a folder that is not hidden, each folder once.

    Raises:
        UsageError: a folder cannot be looked into.
    """
    entered: set[str] = set()
    for folder, below, names in os.walk(root, onerror=_unreadable, followlinks=True):
        real = os.path.realpath(folder)
        if real in entered:
            below.clear()
            continue
        entered.add(real)
        below[:] = sorted(name for name in below if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _unreadable(error: OSError) -> None:
    raise UsageError(
        f"{error.filename}: cannot be looked into ({error.strerror}); make it readable, or move it"
    )


def _matching(root: Path, pattern: str, files: list[Path]) -> list[Path]:
    if not pattern.strip():
        raise UsageError(
            "--score_result_glob is empty; give a pattern such as 'result.json' or '*/pred*.jsonl'"
        )
    try:
        found = root.glob(pattern) if "/" in pattern else root.rglob(pattern)
        matched = set(found)
    except (NotImplementedError, ValueError) as error:
        raise UsageError(f"--score_result_glob {pattern!r} is no pattern below a folder: {error}") from None
    return [path for path in files if path in matched and not is_own(path.name)]


def _instead(root: Path, files: list[Path]) -> str:
    if not files:
        return "it holds no files; was the inference run, and is this its output folder?"
    shown = ", ".join(str(path.relative_to(root)) for path in files[:_SHOWN])
    more = f" and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
    pickles = [path.name for path in files if path.suffix.lower() in PICKLES]
    said = f"{pickles_said(pickles)}; " if pickles else ""
    return f"it holds {shown}{more}; {said}name the right ones with --score_result_glob"


def pickles_said(names: list[str]) -> str:
    """What is said of pickles that were passed over."""
    shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
    what = many(len(names), "pickle was", "pickles were")
    return f"{what} not opened, for that can run code of its author ({shown})"
