"""`mmeval judge`: what judges have replied so far, and how far they can be trusted."""

from __future__ import annotations

import typer

from mmeval.cli import judge_agree, judge_cache

app = typer.Typer(
    help="What judges have replied so far, and how far they can be trusted.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("agree")(judge_agree.agree)
app.add_typer(judge_cache.app, name="cache")
