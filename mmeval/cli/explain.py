"""`mmeval explain`: why one sample got its verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mmeval.cli.output import say

if TYPE_CHECKING:
    from mmeval.reports.scorefile_reader import Document


def explain(
    score: Annotated[Path, typer.Argument(help="A score.json, or a folder that holds one.")],
    sample: Annotated[str | None, typer.Argument(help="The sample's eval-id.")] = None,
    why: Annotated[
        str | None,
        typer.Option("--why", help="List rows instead: wrong, undecided, invalid, llm_error or error ones."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option("--like", help="List the rows that were settled as this eval-id was, for one reason."),
    ] = None,
    overlay: Annotated[
        Path | None,
        typer.Option(
            "--overlay", help="Draw the sample's boxes on its image: a file ending in .svg or .png."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the sample's row as JSON.")] = False,
) -> None:
    """Explain one sample: what was asked, what each stage read, and why it passed or decided."""
    from mmeval.reports import explanation, scorefile_reader

    document = scorefile_reader.load(score)
    if why is not None or like is not None or sample is None:
        _list(document, (sample, why, like), as_json)
        return
    with scorefile_reader.intact(document):
        row, *others = scorefile_reader.found_samples(document, sample)
    if others:
        say(f"note: {1 + len(others)} rows have the id {sample}; this is the first of them", err=True)
    if overlay is not None:
        _draw(overlay, document, row)
    if as_json:
        import msgspec

        say(msgspec.json.format(msgspec.json.encode(row), indent=2).decode())
        return
    with scorefile_reader.intact(document):
        text = explanation.explain(document, row)
    say(text)


def _list(document: Document, asked: tuple[str | None, str | None, str | None], as_json: bool) -> None:
    """The rows of one fate, or those like a sample.

    Raises:
        UsageError: not exactly one of the three was asked for.
    """
    from mmeval.errors import UsageError
    from mmeval.reports import listing, scorefile_reader

    _, why, like = asked
    if sum(each is not None for each in asked) != 1:
        raise UsageError("give one of: a sample's eval-id, --why wrong, --like EVAL-ID")
    with scorefile_reader.intact(document):
        rows = listing.rows_why(document, why) if why is not None else listing.rows_like(document, str(like))
        title = f"{why}" if why is not None else f"settled as {like}"
        text = listing.listing(document, rows, title)
    if as_json:
        import msgspec

        text = msgspec.json.format(msgspec.json.encode(rows), indent=2).decode()
    say(text)


def _draw(path: Path, document: Document, row: dict[str, Any]) -> None:
    from mmeval.reports import beside, overlay, scorefile_reader

    with scorefile_reader.intact(document):
        shown = overlay.scene(row, beside.row_of(document, row), document.path.parent)
    overlay.write(path, shown)
    say(
        f"drawn: {path}" + ("" if shown.image else " (the image is not beside the run: a blank canvas)"),
        err=True,
    )
