"""The formats, which one is meant, and where an export may be written."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from mmeval.errors import UsageError
from mmeval.exports.options import Exporter, Options, Tell
from mmeval.exports.runs import Run
from mmeval.readers.discover import is_own
from mmeval.scorefile import atomic


class Format(NamedTuple):
    """A format: how files of it end, where its exporter is, and what a file of ours holds near an end.

    `single` says that a file is of one run.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    function: str = "export"
    mark: bytes = b"mmeval export"
    single: bool = False
    text: bool = True


FORMATS = {
    each.name: each
    for each in (
        Format("csv", (".csv",), "csv_table", mark=b"run,model,"),
        Format("parquet", (".parquet",), "parquet_table", text=False),
        Format("markdown", (".md", ".markdown"), "markdown"),
        Format("latex", (".tex",), "latex"),
        Format("huggingface", (".yaml", ".yml"), "huggingface"),
        Format("eval-yaml", (), "huggingface", "tasks"),
        Format("junit", (".xml",), "junit"),
        Format("inspect", (".json",), "inspect_log", mark=b'"by":"mmeval"', single=True),
        Format("inspect-scores", (), "inspect_log", "scores", mark=b'"by":"mmeval"', single=True),
    )
}
ENDINGS = {"eval-yaml": ".yaml", "inspect-scores": ".scores.json"}
# How much of each end of a file is looked at: Parquet keeps what we say of it behind its figures.
GLANCE = 65_536


def format_of(name: str | None, out: Path | None) -> Format:
    """The format that `--format` names, or that the file's name ends in.

    Raises:
        UsageError: there is none of that name or ending.
    """
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"--format {name!r}: choose one of {', '.join(FORMATS)}")
        return FORMATS[name]
    if out is None:
        raise UsageError(f"say what to write: -o FILE, or --format with one of {', '.join(FORMATS)}")
    if out.name == "eval.yaml":
        return FORMATS["eval-yaml"]
    for each in FORMATS.values():
        if out.suffix.lower() in each.suffixes:
            return each
    endings = ", ".join(suffix for each in FORMATS.values() for suffix in each.suffixes)
    raise UsageError(f"-o {out}: of no known ending ({endings}); end it in one, or give --format")


def pieces(form: Format, runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """The export, piece by piece."""
    module = importlib.import_module(f"mmeval.exports.{form.module}")
    exporter: Exporter = getattr(module, form.function)
    return exporter(runs, options, tell)


def write(
    form: Format,
    runs: Sequence[Run],
    options: Options,
    out: Path,
    force: bool = False,
    tell: Callable[[str], None] = lambda text: None,
) -> list[Path]:
    """Write an export whole or not at all; into a folder, a file a run.

    Raises:
        UsageError: something else lies there, or it cannot be written.
    """
    folder = out.is_dir() or not out.suffix
    parts = _parts(form, runs, out) if folder else [(out, runs)]
    for target, _ in parts:
        refuse_foreign(target, form, runs, force)
    for target, some in parts:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with atomic(target) as file:
                _copy(pieces(form, some, options, tell), file)
        except OSError as error:
            raise UsageError(f"{target}: cannot be written ({error.strerror}); give another -o") from None
    return [target for target, _ in parts]


def _copy(source: Iterator[bytes], file: IO[bytes]) -> None:
    for piece in source:
        file.write(piece)


def _parts(form: Format, runs: Sequence[Run], folder: Path) -> list[tuple[Path, list[Run]]]:
    """A file a run, called by the benchmark, and by the model too where there are several."""
    ending = ENDINGS.get(form.name) or form.suffixes[0]
    several = len({run.model for run in runs}) > 1
    taken: dict[str, list[Run]] = {}
    for run in runs:
        stem = name = _slug(f"{run.model}_{run.benchmark}" if several else run.benchmark)
        number = 2
        while name in taken:
            name, number = f"{stem}_{number}", number + 1
        taken[name] = [run]
    return [(folder / f"{name}{ending}", some) for name, some in taken.items()]


def _slug(name: str) -> str:
    """A name that every file system takes and no folder hides."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("._") or "run"


def refuse_foreign(target: Path, form: Format, runs: Sequence[Run], force: bool) -> None:
    """Never write over anything but an export of the same format, unless told; over a score never.

    Raises:
        UsageError: it would.
    """
    if is_own(target.name) or target.name == "result.json":
        raise UsageError(f"-o {target}: is the name of a file that is scored or was; give another name")
    if any(target.resolve() == run.document.path.resolve() for run in runs):
        raise UsageError(f"-o {target}: is one of the scores themselves; give another name")
    if force or not (target.exists() or target.is_symlink()):
        return
    if not target.is_file() or not _ours(target, form):
        raise UsageError(f"-o {target}: holds something else; give a free name, or --force to write over it")


def _ours(target: Path, form: Format) -> bool:
    try:
        with target.open("rb") as file:
            start = file.read(GLANCE)
            file.seek(0, 2)
            file.seek(max(0, file.tell() - GLANCE))
            return form.mark in start or form.mark in file.read()
    except OSError as error:
        raise UsageError(f"-o {target}: cannot be read ({error.strerror}); give another name") from None
