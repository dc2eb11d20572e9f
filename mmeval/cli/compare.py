"""`mmeval compare`: two runs sample by sample, or two scorings of the same predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmeval.cli.output import say

if TYPE_CHECKING:
    from mmeval.compare.several import Family


def compare(
    scores: Annotated[
        list[Path], typer.Argument(help="Two score.json files or more, or folders of them; the first is A.")
    ],
    pairwise: Annotated[
        bool, typer.Option("--pairwise", help="Compare each with each, not all with the first.")
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare scores that were not made in the same way.")
    ] = False,
    flips: Annotated[
        int, typer.Option("--flips", min=0, help="How many samples that differ are shown with their traces.")
    ] = 5,
    with_recorded: Annotated[
        bool,
        typer.Option(
            "--with_recorded", help="Hold our verdicts against those that another harness recorded."
        ),
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the comparison to this page, too.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --html write over a file that is no page of ours.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON, all samples that differ.")
    ] = False,
) -> None:
    """Compare two runs of the same samples: how far apart, how sure, and what explains it."""
    if html is not None:
        from mmeval.reports.pages import refuse_foreign

        refuse_foreign(html, "--html", force)
    if with_recorded:
        _recorded(scores, flips, as_json)
        return
    from mmeval.compare.several import compare_all

    family = compare_all(scores, pairwise, anyway)
    if html is not None:
        _write(html, family)
    if as_json:
        import msgspec

        say(msgspec.json.format(msgspec.json.encode(family), indent=2).decode())
        return
    from mmeval.compare.text import family_text

    say(family_text(family, flips))


def _recorded(scores: list[Path], shown: int, as_json: bool) -> None:
    import msgspec

    from mmeval.compare.matching import found_below
    from mmeval.compare.recorded import agreement
    from mmeval.compare.recorded_text import agreement_text
    from mmeval.compare.rows import read_side

    paths = [found.path for each in scores for found in found_below(each)]
    made = {str(path): agreement(read_side(path)) for path in paths}
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(made), indent=2).decode())
        return
    say("\n\n".join(agreement_text(path, each, shown) for path, each in made.items()))


def _write(path: Path, family: Family) -> None:
    from mmeval.compare.page import page
    from mmeval.scorefile import atomic

    with atomic(path) as file:
        file.write(page(family).encode())
    say(f"{path} written", err=True)
