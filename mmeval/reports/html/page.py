"""The page: our own script and style, the data as inert text, and a policy that lets nothing else in."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import orjson

from mmeval.reports.html.run import Gathered
from mmeval.types import Json

SCRIPTS: tuple[str, ...] = (
    "core.js",
    "charts.js",
    "plots.js",
    "search.js",
    "grid.js",
    "boxes.js",
    "trace.js",
    "panels.js",
)
SCRIPTS += ("pages.js", "app.js")
STYLE = "style.css"

# What could end a script element, open a comment in it, or end a line of script.
_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="mmeval">
<title>mmeval report</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header id="top"></header>
<main id="main" tabindex="-1"><p id="wait">Reading the report.</p></main>
<div id="live" class="unseen" role="status" aria-live="polite"></div>
<noscript>This page draws itself with a script of its own; allow scripts for it. It loads nothing.</noscript>
"""


def page(runs: Sequence[Gathered], words: dict[str, Json], pictures: Sequence[str]) -> Iterator[str]:
    """The page, piece by piece.

    Args:
        runs: what was gathered, in the order shown.
        words: reasons in words.
        pictures: data URLs of the pictures inside the page.
    """
    script, style = _script(), _asset(STYLE)
    yield TEMPLATE.format(policy=policy(script, style), style=style)
    head: dict[str, Any] = {
        "version": version("mmeval-score"),
        "words": words,
        "runs": [run.head for run in runs],
        "benchmarks": _benchmarks(runs),
    }
    yield f'<script type="application/json" id="head">{inert(head)}</script>\n'
    for number, run in enumerate(runs):
        yield _block(f"columns-{number}", run.columns)
        for place, block in enumerate(run.blocks):
            yield _block(f"rows-{number}-{place}", block)
    for number, url in enumerate(pictures):
        yield _block(f"picture-{number}", url)
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def inert(value: Json) -> str:
    """JSON that no HTML parser can mistake for anything else."""
    return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode().translate(_ESCAPES)


def policy(script: str, style: str) -> str:
    """What the browser may do for this page: run this script, apply this style, show pictures."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data: file: 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _block(name: str, text: str) -> str:
    """Base64 and data URLs, which hold no sign that means something to a page."""
    if not re.fullmatch(r"[A-Za-z0-9+/=:;,-]*", text):
        raise ValueError(f"{name} is not base64")
    return f'<script type="text/plain" id="{name}">{text}</script>\n'


def _benchmarks(runs: Sequence[Gathered]) -> list[dict[str, Json]]:
    """The benchmarks in order of appearance, each with the places of its runs."""
    told: dict[str, list[Json]] = {}
    for number, run in enumerate(runs):
        told.setdefault(str(run.head["benchmark"]), []).append(number)
    return [{"name": name, "runs": places} for name, places in told.items()]


def _script() -> str:
    inside = "\n".join(_asset(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{inside}\n}})();'


@lru_cache
def _asset(name: str) -> str:
    return (files("mmeval.reports.html") / "assets" / name).read_text(encoding="utf-8")
