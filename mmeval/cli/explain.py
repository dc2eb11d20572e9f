"""`mmeval explain`: why one sample got its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mmeval.cli.output import say


def explain(
    score: Annotated[Path, typer.Argument(help="A score.json, or a folder that holds one.")],
    sample: Annotated[str, typer.Argument(help="The sample's eval-id.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the sample's row as JSON.")] = False,
) -> None:
    """Explain one sample: what was asked, what each stage read, and why it passed or decided."""
    from mmeval.reports import explanation, scorefile_reader

    document = scorefile_reader.load(score)
    with scorefile_reader.intact(document):
        row = scorefile_reader.find_sample(document, sample)
    if as_json:
        import msgspec

        say(msgspec.json.format(msgspec.json.encode(row), indent=2).decode())
        return
    with scorefile_reader.intact(document):
        text = explanation.explain(document, row)
    say(text)
