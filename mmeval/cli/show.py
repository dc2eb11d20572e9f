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
    from mmeval.reports import outlook, scorefile_reader, terminal

    document = scorefile_reader.load(score)
    shown = {"config": document.config, "provenance": document.provenance, "summary": document.summary}
    if as_json:
        import orjson

        say(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    with scorefile_reader.intact(document):
        found = outlook.buckets(document)
        first = [
            terminal.listed("look at first", outlook.striking(document, found)),
            outlook.stage_bars(found),
            outlook.worst_groups(document.config, document.summary),
        ]
        last = [outlook.readings(found), outlook.next_commands(str(document.path), found)]
        text = terminal.run_in_full(shown, str(document.path), first, last)
    say(text)
