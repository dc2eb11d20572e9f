"""`mmeval export`: scores in the forms that others read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mmeval.cli.output import put, say


def export(
    scores: Annotated[
        list[str], typer.Argument(help="Score files, or folders of them; MODEL=PATH says whose they are.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="The file to write; a folder for a file a run. Else it is printed."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv, parquet, markdown, latex, huggingface, eval-yaml, junit, inspect or inspect-scores; "
            "else by the file's ending.",
        ),
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Samples, not runs.")] = False,
    spreadsheet: Annotated[
        bool, typer.Option("--spreadsheet", help="csv: guard cells that a spreadsheet would compute.")
    ] = False,
    columns: Annotated[
        Literal["benchmark", "model"] | None,
        typer.Option("--columns", help="markdown, latex: what the columns of a table of models are."),
    ] = None,
    intervals: Annotated[
        Literal["pm", "range", "none"],
        typer.Option("--intervals", help="How 95 % intervals are written there: ±, [low, high] or not."),
    ] = "pm",
    digits: Annotated[
        int, typer.Option("--digits", min=0, max=6, help="Decimals there of a value out of 100.")
    ] = 1,
    dataset_id: Annotated[
        str | None, typer.Option("--dataset_id", help="huggingface: the dataset on the Hub, owner/name.")
    ] = None,
    task_id: Annotated[
        str | None, typer.Option("--task_id", help="huggingface: the task in the dataset's eval.yaml.")
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", help="huggingface, inspect: when the run was made, ISO 8601.")
    ] = None,
    source_url: Annotated[
        str | None, typer.Option("--source_url", help="huggingface: where the result is explained.")
    ] = None,
    source_name: Annotated[str | None, typer.Option("--source_name", help="What is there.")] = None,
    source_user: Annotated[str | None, typer.Option("--source_user", help="Whose it is, a user.")] = None,
    source_org: Annotated[str | None, typer.Option("--source_org", help="Whose it is, a group.")] = None,
    notes: Annotated[
        str | None, typer.Option("--notes", help="huggingface: said before what the score says of itself.")
    ] = None,
    fail_under: Annotated[
        float | None, typer.Option("--fail_under", help="junit: a headline below this fails, and exit 1.")
    ] = None,
    min_coverage: Annotated[
        float | None,
        typer.Option(
            "--min_coverage",
            min=0.0,
            max=1.0,
            help="junit: a smaller share of decided rows fails, and exit 1.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is no export.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write scores as CSV, Parquet, Markdown, LaTeX, Hugging Face results, JUnit XML or an Inspect log."""
    from mmeval.errors import UsageError
    from mmeval.exports import junit, writing
    from mmeval.exports.options import Options, Source
    from mmeval.exports.runs import gather

    wanted = writing.format_of(form, out)
    options = Options(
        rows=rows,
        spreadsheet=spreadsheet,
        columns=columns,
        intervals=intervals,
        digits=digits,
        dataset_id=dataset_id,
        task_id=task_id,
        date=date,
        source=Source(source_url, source_name, source_user, source_org),
        notes=notes,
        fail_under=fail_under,
        min_coverage=min_coverage,
    )
    runs = gather(scores)
    if out is not None:
        written = writing.write(wanted, runs, options, out, force, tell=_tell)
        _told([str(path) for path in written], len(runs), as_json)
    elif not wanted.text:
        raise UsageError(f"{wanted.name} is no text; give -o FILE")
    elif as_json:
        raise UsageError("--json tells what was written; give -o FILE")
    else:
        put(b"".join(writing.pieces(wanted, runs, options, _tell)))
    raise typer.Exit(1 if junit.missed(runs, options) else 0)


def _tell(text: str) -> None:
    say(text, err=True)


def _told(written: list[str], runs: int, as_json: bool) -> None:
    if as_json:
        import msgspec

        say(msgspec.json.format(msgspec.json.encode({"written": written, "runs": runs}), indent=2).decode())
        return
    say("\n".join(f"{path} written" for path in written))
