"""`mmeval protocols`: the benchmarks that the library knows."""

from __future__ import annotations

from typing import Annotated

import typer

from mmeval.cli.output import say

app = typer.Typer(
    help="List the protocol library, or show one benchmark.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("list")
def list_protocols(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List every benchmark and variant: rows, pipeline, headline, status, and whether it needs a judge."""
    from mmeval.reports import catalogue

    say(catalogue.protocols_json() if as_json else catalogue.protocols_table())


@app.command("show")
def show_protocol(
    name: Annotated[str, typer.Argument(help="NAME or NAME@variant.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the metadata as JSON.")] = False,
) -> None:
    """Show one benchmark like the methods section of a paper: rows, reading, headline, source, variants."""
    from mmeval.reports import catalogue

    say(catalogue.protocol_json(name) if as_json else catalogue.protocol_text(name))
