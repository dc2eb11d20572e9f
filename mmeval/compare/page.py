"""A comparison as one page that opens from disk: no script, no network, whatever a model wrote is text."""

from __future__ import annotations

from html import escape

from mmeval.compare.comparison import Comparison, Flip
from mmeval.compare.several import Family
from mmeval.compare.text import comparison_text, counted, flip_lines, overview, signed

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
details { border-top: 1px solid; padding: .3rem 0; }
summary { cursor: pointer; }
summary:focus-visible { outline: 3px solid; }
"""
# A page of more samples than that opens slowly; `--json` has them all.
MOST = 2000


def page(family: Family) -> str:
    """The page."""
    several = f"<pre>{escape(overview(family))}</pre>\n" if len(family.comparisons) > 1 else ""
    body = several + "\n".join(_section(each) for each in family.comparisons)
    alone = f"<p>Without a partner: {escape(', '.join(family.alone))}</p>" if family.alone else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>mmeval compare</title><style>{STYLE}</style></head>\n"
        f"<body><main><h1>Comparison</h1>{alone}\n{body}\n</main></body></html>\n"
    )


def _section(made: Comparison) -> str:
    flips = "\n".join(map(_flip, made.flips[:MOST]))
    more = len(made.flips) - MOST
    rest = f"<p>{more} more are not shown; --json lists all.</p>" if more > 0 else ""
    return (
        f"<section><h2>{escape(made.benchmark)}</h2>\n<pre>{escape(comparison_text(made, 0))}</pre>\n"
        f"<h3>Samples that differ: {len(made.flips)}</h3>\n{flips}{rest}</section>"
    )


def _flip(flip: Flip) -> str:
    told = f"{flip.id}: {counted(flip.a)} to {counted(flip.b)} (B - A = {signed(flip.points)})"
    lines = "\n".join(flip_lines(flip))
    return f"<details><summary>{escape(told)}</summary><pre>{escape(lines)}</pre></details>"
