"""`mmeval stages`: what can decide a sample."""

from __future__ import annotations

from typing import Annotated

import typer

from mmeval.cli.output import say

app = typer.Typer(
    help="List the stages, or show one with its parameters.", no_args_is_help=True, rich_markup_mode=None
)


@app.command("list")
def list_stages(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """List every stage, built in or plugged in."""
    from mmeval.reports import catalogue

    say(catalogue.stages_json() if as_json else catalogue.stages_table())


@app.command("show")
def show_stage(
    name: Annotated[str, typer.Argument(help="A stage, such as rule-match.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Show what a stage decides, its parameters and their defaults."""
    from mmeval.reports import catalogue

    say(catalogue.stage_json(name) if as_json else catalogue.stage_text(name))
