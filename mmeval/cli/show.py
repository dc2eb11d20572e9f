"""`mmeval show`: one score in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mmeval.cli.output import say


def show(
    score: Annotated[Path, typer.Argument(help="A score.json, or a folder that holds one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print config and summary as JSON.")] = False,
) -> None:
    """Show what a score file says: headline, counts, aggregates, groups, deviations."""
    from mmeval.reports import scorefile_reader, terminal

    document = scorefile_reader.load(score)
    shown = {"config": document.config, "provenance": document.provenance, "summary": document.summary}
    if as_json:
        import orjson

        say(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    with scorefile_reader.intact(document):
        text = terminal.run_in_full(shown, str(document.path))
    say(text)
