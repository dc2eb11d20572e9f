"""From score files to the file of a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mmeval.errors import UsageError
from mmeval.reports.html.finding import found
from mmeval.reports.html.page import page
from mmeval.reports.html.pictures import BUDGET, MODES, Album
from mmeval.reports.html.run import Gathered, Words, gather
from mmeval.reports.html.shortened import ANSWERS
from mmeval.reports.pages import refuse_foreign
from mmeval.reports.scorefile_reader import intact, load
from mmeval.scorefile import atomic
from mmeval.text.counted import many

LARGE = 60_000_000
"""Bytes from which on a page is called large."""


@dataclass(frozen=True)
class Wanted:
    """What a report is to be.

    Attributes:
        scores: score files, or folders with them.
        out: the page; `report.html` in it where it is a folder.
        images: what to do with pictures.
        budget: bytes that pictures may take inside the page.
        max_samples: how many samples of a run are shown at most, evenly spread; None for all.
        results: folders in which the predictions lie, where they are not beside their scores.
        force: write over a file that is no page of ours.
    """

    scores: Sequence[Path]
    out: Path
    images: str = "link"
    budget: int = BUDGET
    max_samples: int | None = None
    results: Sequence[Path] = ()
    force: bool = False


@dataclass(frozen=True)
class Written:
    """What was written: the page, its size, runs, samples in it, and what a reader should know."""

    page: Path
    size: int
    runs: int
    samples: int
    notes: tuple[str, ...]


def write(
    wanted: Wanted, progress: Callable[[int, int, str], None] = lambda done, total, name: None
) -> Written:
    """Write a report, whole or not at all.

    Raises:
        UsageError: there is no score, or the page may not or cannot be written there.
        ResultError: a file is not a score of mmeval.
    """
    mode = next((each for each in MODES if each == wanted.images), None)
    if mode is None:
        raise UsageError(f"--images is {wanted.images!r}; choose one of {', '.join(MODES)}")
    out = wanted.out / "report.html" if wanted.out.is_dir() else wanted.out
    refuse_foreign(out, "-o", wanted.force)
    runs = found(wanted.scores)
    album, words = Album(mode, out, wanted.budget), Words()
    gathered: list[Gathered] = []
    sizes = [_size(run.path) for run in runs]
    for number, run in enumerate(runs, 1):
        progress(number, len(runs), run.name)
        document = load(run.path)
        with intact(document):
            budget = ANSWERS * sizes[number - 1] // max(1, sum(sizes))
            gathered.append(gather(run, document, album, words, wanted.max_samples, wanted.results, budget))
    with atomic(out) as file:
        for piece in page(gathered, words.told, album.embedded):
            file.write(piece.encode("utf-8", "replace"))
    shown = sum(int(str(each.head["shown"])) for each in gathered)
    size = os.path.getsize(out)
    return Written(out, size, len(runs), shown, tuple(_notes(gathered, album, size)))


def _size(path: Path) -> int:
    """Bytes of a score file and of its rows, where these lie beside it."""
    return sum(each.stat().st_size for each in (path, *path.parent.glob(f"{path.stem}.rows.*")))


def _notes(gathered: Sequence[Gathered], album: Album, size: int) -> list[str]:
    notes = []
    unasked = [str(each.head["name"]) for each in gathered if not each.head["asked"]]
    if unasked:
        notes.append(
            f"questions of {len(unasked)} of {len(gathered)} runs are not shown ({unasked[0]}): "
            "the scored file is not beside the score, or another one by now; --results FOLDER says where"
        )
    short = [each.keep for each in gathered if each.keep is not None]
    if short:
        notes.append(
            f"in {many(len(short), 'run', 'runs')} the middle of answers of more than {min(short):,} bytes "
            "is left out, for they would be too much for a page; --max_samples shows fewer samples, whole"
        )
    if size > LARGE:
        notes.append(
            f"the page has {size / 1e6:.0f} MB, which browsers open slowly; --max_samples shows fewer samples"
        )
    if album.left_out:
        why = (
            "they do not lie below the page's folder; write it above the runs, or give --images embed"
            if album.mode == "link"
            else "the budget of --image_budget is spent"
        )
        notes.append(f"{album.left_out} pictures are not shown: {why}")
    return notes
