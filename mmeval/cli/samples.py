"""`mmeval samples`: a benchmark as samples without answers, for any inference tool to fill in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from mmeval.cli.opening import Boxed, Where, chosen
from mmeval.cli.output import say

if TYPE_CHECKING:
    from mmeval.benchmarks.media import Place
    from mmeval.benchmarks.shelf import Shelf
    from mmeval.benchmarks.unanswered import Report, Source
    from mmeval.types import Json

_SHOWN = 5


class _Head(msgspec.Struct):
    messages: list[dict[str, object]]


def samples(
    data: Annotated[
        str | None, typer.Option("--data", help="A table (.tsv), or the name of a benchmark.")
    ] = None,
    dataset: Annotated[
        str | None, typer.Option("--dataset", help="A folder laid out as on the Hub, or owner/name there.")
    ] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Subset of the dataset.")] = None,
    split: Annotated[str | None, typer.Option("--split", help="Split of the dataset.")] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="Branch, tag or commit on the Hub.")
    ] = None,
    annotations: Annotated[
        Path | None,
        typer.Option("--annotations", help="Annotations of boxes: a file, or the folder of several."),
    ] = None,
    layout: Annotated[
        str | None,
        typer.Option("--layout", help="Of --annotations: lvis, odinw13, fscd147 or fscd-lvis."),
    ] = None,
    queries: Annotated[
        str | None,
        typer.Option("--queries", help="Of --layout lvis: federated (with absent categories) or positive."),
    ] = None,
    images: Annotated[
        Path | None, typer.Option("--images", help="Folder of the pictures of --annotations.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="File for the samples; standard output without it.")
    ] = None,
    media: Annotated[
        Path | None, typer.Option("--media", help="Folder for pictures; by default <out>.media beside it.")
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Only the first samples.")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", help="Only this many, drawn as pandas' sample() draws them.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="random_state of --sample.")] = 42,
    protocol: Annotated[
        str | None,
        typer.Option("--protocol", help="NAME, NAME@variant or NAME:subset of the library to inject."),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option("--question", help="Question for data without one: 'How many {label} are there?'"),
    ] = None,
    gt_field: Annotated[
        str | None, typer.Option("--gt_field", help="Column of the gold, where it is not answer.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was written as JSON.")] = False,
) -> None:
    """Write a benchmark as samples without answers, its protocol in each; then `mmeval score` the answers."""
    from mmeval.benchmarks.unanswered import Choice, Prompt, Report, unanswered
    from mmeval.errors import UsageError

    if limit is not None and sample is not None:
        raise UsageError("--limit and --sample both choose samples; give one of them")
    if as_json and out is None:
        raise UsageError(
            "--json describes what -o wrote, and standard output holds the samples; give -o FILE"
        )
    if out is not None:
        _refuse_foreign(out)
    boxed = Boxed(annotations, layout, queries, images)
    benchmark = chosen(boxed, data, dataset, Where(subset, split, revision))
    place: Place = getattr(benchmark, "place", str)
    shelf = _shelf(out, media)
    report = Report()
    made = unanswered(
        benchmark, Choice(limit, sample, seed), Prompt(question, gt_field), protocol, (shelf, place), report
    )
    with shelf or nullcontext():
        if out is None:
            _print(made)
        else:
            _store(made, out)
    notes = (f"{benchmark.source}: {note}" for note in _notes(report))
    for line in [*benchmark.deviations, *benchmark.warnings, *notes]:
        say(line, err=True)
    if out is not None:
        say(_json(benchmark, report, out) if as_json else f"{report.written} samples in {out}")


def _shelf(out: Path | None, media: Path | None) -> Shelf | None:
    from mmeval.benchmarks.shelf import Shelf

    if media is None and out is not None:
        media = out.with_name(f"{out.stem}.media")
    return None if media is None else Shelf(media)


def _print(made: Iterator[dict[str, Json]]) -> None:
    for each in made:
        say(msgspec.json.encode(each).decode())


def _store(made: Iterator[dict[str, Json]], out: Path) -> None:
    from mmeval.errors import UsageError
    from mmeval.scorefile import atomic

    encode = msgspec.json.Encoder().encode
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with atomic(out) as file:
            for each in made:
                file.write(encode(each) + b"\n")
    except OSError as error:
        raise UsageError(
            f"{out}: cannot be written ({error.strerror}); make room, or give another -o"
        ) from None


def _refuse_foreign(out: Path) -> None:
    """Never write over anything but samples without answers: answers may have been paid for.

    Raises:
        UsageError: something else lies there.
    """
    from mmeval.errors import UsageError

    if not out.exists():
        return
    turn: object = None
    if out.is_file():
        with suppress(OSError, msgspec.MsgspecError, IndexError), out.open("rb") as file:
            row = msgspec.json.decode(file.readline(), type=_Head)
            turn = row.messages[-1]
    if not isinstance(turn, dict) or "response" in turn:
        raise UsageError(f"-o {out}: holds something else than samples without answers; give a free name")


def _notes(report: Report) -> Iterator[str]:
    """What a user must know of the samples that are there, and of those that are not."""
    for reason, ids in sorted(report.dropped.items()):
        more = ", ..." if len(ids) > _SHOWN else ""
        shown = ", ".join(ids[:_SHOWN])
        yield f"{len(ids)} of {report.rows} samples were dropped: {reason} ({shown}{more})"
    if report.repeated:
        shown = ", ".join(report.repeated[:_SHOWN]) + (", ..." if len(report.repeated) > _SHOWN else "")
        yield f"{len(report.repeated)} names belong to several rows each, which no score takes ({shown})"
    if report.unkept:
        yield f"the pictures of {report.unkept} samples lie in the data and were left there; give --media DIR"
    if 0 < report.pictureless < report.written:
        yield f"{report.pictureless} of {report.written} samples have no picture"


def _json(data: Source, report: Report, out: Path) -> str:
    import orjson

    said = {
        "dataset_name": data.name,
        "subset": data.subset,
        "split": data.split,
        "revision": data.revision,
        "sha256": data.sha256,
        "out": str(out),
        "rows": report.rows,
        "written": report.written,
        "without_picture": report.pictureless,
        "dropped": report.dropped,
        "warnings": [*data.deviations, *data.warnings],
    }
    return orjson.dumps(said, option=orjson.OPT_INDENT_2).decode()
