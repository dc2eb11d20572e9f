"""How Sphinx makes a site of the Markdown of this repository; built by `scripts/docs`.

The source is the repository itself, so that a page reads the same here and there and its relative links hold
in both.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]

project = "mmeval"
author = "mmeval"
root_doc = "docs/index"
extensions = ["myst_parser"]
include_patterns = ["*.md", "bench/README.md", "docs/**.md", "protocols/*/README.md"]
# Folders that hold no page are not walked: an environment may have a hundred thousand files.
exclude_patterns = [
    *(f"{path.name}/**" for path in ROOT.iterdir() if path.name not in ("bench", "docs", "protocols")),
    *(path.name for path in ROOT.iterdir() if path.is_dir() and path.name.startswith(".")),
    *("build", "dist", "mmeval", "stages", "tests", "scripts", "docs/site"),
]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "mmeval"
html_extra_path = ["extra"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False

SECTION = re.compile(r"^## (.+)$", re.M)
ENTRY = re.compile(r"^(?:\*|\|) *\[([^\]]*)\]\(([^)#\s]+)\.md\)", re.M)
LISTS = {"docs/index", "docs/stages/README", "docs/protocols"}


def toctrees(name: str, text: str) -> str:
    """What a list of pages is to a reader, as the table of contents that Sphinx asks for.

    An entry is the link at the start of a list's item or of a table's row. On the first page every section
    has a caption of its own.
    """
    made = []
    for number, section in enumerate(SECTION.split(text)):
        pages = {place: title for title, place in ENTRY.findall(section)}
        if number % 2 or not pages:
            continue
        entries = [f"{title} <{place}>" for place, title in pages.items()]
        caption = [f":caption: {SECTION.split(text)[number - 1]}"] if number and name == "docs/index" else []
        made.append("\n".join(["```{toctree}", ":hidden:", *caption, "", *entries, "```"]))
    return "\n\n".join(made)


def add_toctrees(_app: Sphinx, name: str, source: list[str]) -> None:
    """Give the pages that list others their tables of contents."""
    if name in LISTS:
        source[0] += "\n\n" + toctrees(name, source[0]) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", add_toctrees)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
