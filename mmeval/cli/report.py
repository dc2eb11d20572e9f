"""`mmeval report`: scores as one page that opens from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mmeval.cli.output import say


def report(
    runs: Annotated[list[Path], typer.Argument(help="Score files, or folders with scored runs.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    images: Annotated[
        str,
        typer.Option(
            "--images", help="Pictures: none, link (to files below the page), embed (into the page)."
        ),
    ] = "link",
    image_budget: Annotated[
        int, typer.Option("--image_budget", min=0, help="Megabytes that pictures may take inside the page.")
    ] = 20,
    max_samples: Annotated[
        int | None,
        typer.Option("--max_samples", min=1, help="Show so many samples of a run at most, evenly spread."),
    ] = None,
    results: Annotated[
        list[Path] | None,
        typer.Option("--results", help="Where the predictions lie, if not beside their scores."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is no page of ours.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write a report: runs with intervals, charts, and every sample with its whole trace, in one file."""
    from mmeval.reports.html.report import Wanted, write
    from mmeval.text.counted import many

    wanted = Wanted(runs, out, images, image_budget * 1_000_000, max_samples, results or (), force)
    made = write(wanted, lambda done, total, name: say(f"[{done}/{total}] {name}", err=True))
    for note in made.notes:
        say(f"note: {note}", err=True)
    if as_json:
        import msgspec

        say(
            msgspec.json.format(
                msgspec.json.encode({**vars(made), "page": str(made.page)}), indent=2
            ).decode()
        )
        return
    runs_told, samples = many(made.runs, "run", "runs"), many(made.samples, "sample", "samples")
    say(f"{made.page}: {runs_told}, {samples}, {made.size / 1e6:.1f} MB")
