"""`mmeval import`: runs of other harnesses as files of our own layout."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmeval.cli.output import say

if TYPE_CHECKING:
    from mmeval.readers.foreign import Choice, Foreign


def import_(
    path: Annotated[Path, typer.Argument(help="A file of another harness, or a folder of such runs.")],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="File for the samples (.json or .jsonl); a folder for several runs."
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Only say what is there.")] = False,
    filter_: Annotated[
        str | None,
        typer.Option("--filter", help="Of several filters (lm-eval) the one whose verdict is kept."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option("--metric", help="Of several metrics or scorers the one that is kept.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")] = False,
) -> None:
    """Write runs of VLMEvalKit, lmms-eval, lm-eval, Inspect, lighteval, evalscope or HELM as ours."""
    import msgspec

    from mmeval.errors import UsageError
    from mmeval.readers.foreign import Choice
    from mmeval.readers.importing import importable, unopened

    if listed == (out is not None):
        raise UsageError("give -o FILE to write the run, or --list to see what is there")
    found = importable(path)
    if out is not None and len(found) > 1 and out.suffix in (".json", ".jsonl"):
        raise UsageError(f"{path} holds {len(found)} runs and -o {out} is one file; give a folder, or --list")
    choice = Choice(filter_, metric)
    for text in unopened(path):
        say(f"{path}: {text}", err=True)
    code, done = 0, []
    for each in found:
        target = None if out is None else _target(each, path, out, len(found) == 1)
        told, failed = _one(each, target, choice, force)
        code = max(code, failed)
        if told is not None:
            done.append(told)
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(done), indent=2).decode())
    else:
        for told in done:
            say(_line(told))
    raise typer.Exit(code)


def _one(
    path: Path, target: Path | None, choice: Choice, force: bool
) -> tuple[dict[str, object] | None, int]:
    """Read one run, and write it; a run that cannot be read does not stop the others."""
    from mmeval.errors import MmevalError
    from mmeval.readers.importing import flawed, imported

    try:
        found = imported(path, choice)
        if target is not None:
            _write(found, target, force)
    except MmevalError as error:
        text = str(error)
        say(f"error: {text if str(path) in text else f'{path}: {text}'}", err=True)
        return None, error.exit_code
    for text in (*found.warnings, *flawed(found)):
        say(f"{path}: {text}", err=True)
    told: dict[str, object] = {
        "file": str(path),
        "by": found.by,
        "rows": len(found.rows),
        "recorded": sum("recorded" in row for row in found.rows),
        **{name: value for name, value in found.about.items() if value is not None},
        "with": [part.file for part in found.parts[1:]],
        "out": None if target is None else str(target),
        "warnings": list(found.warnings),
    }
    return told, 0


def _target(path: Path, root: Path, out: Path, single: bool) -> Path:
    """Where a run goes: the file itself, or `result.json` in a folder of its own below `out`."""
    if single and out.suffix in (".json", ".jsonl"):
        return out
    base = root if root.is_dir() else root.parent
    return out / path.parent.relative_to(base) / path.stem / "result.json"


def _write(found: Foreign, target: Path, force: bool) -> None:
    """Write the samples whole or not at all.

    Raises:
        UsageError: something lies there already, or the folder cannot be written to.
    """
    from mmeval.errors import UsageError
    from mmeval.readers.importing import lines
    from mmeval.scorefile import atomic

    if target.exists() and not force:
        raise UsageError(f"{target}: is there already; give --force to write over it")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with atomic(target) as file:
            if target.suffix == ".jsonl":
                for line in lines(found):
                    file.write(line + b"\n")
                return
            for number, line in enumerate(lines(found)):
                file.write((b",\n" if number else b"[\n") + line)
            file.write(b"\n]\n")
    except OSError as error:
        raise UsageError(f"{target}: cannot be written ({error.strerror}); give another -o") from None


def _line(told: dict[str, object]) -> str:
    """One run in one line."""
    from mmeval.text.counted import many

    what = ", ".join(f"{name} {told[name]}" for name in ("task", "model", "metric") if name in told)
    rows = f"{many(int(str(told['rows'])), 'sample', 'samples')}, {told['recorded']} with a recorded verdict"
    where = f" in {told['out']}" if told["out"] else ""
    return f"{told['file']}: {told['by']}{f' ({what})' if what else ''}: {rows}{where}"
