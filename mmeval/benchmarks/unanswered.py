"""A benchmark as samples that wait for answers: chosen, with pictures on disk and a protocol in them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from mmeval.benchmarks import Benchmark
from mmeval.benchmarks.inject import injected
from mmeval.benchmarks.media import Media, Place
from mmeval.benchmarks.pictures import Lost
from mmeval.benchmarks.render import Rendered
from mmeval.benchmarks.sampling import drawn
from mmeval.benchmarks.shelf import Shelf
from mmeval.errors import ResultError, UsageError
from mmeval.fingerprint import canonical
from mmeval.types import Json

_COLUMN = re.compile(r"\{([\w-]+)\}")


class Source(Benchmark, Protocol):
    """A benchmark that can also show the pictures of its rows."""

    def with_media(self) -> Iterator[Rendered]:
        """Every sample in the order of `rows`, each with the cells that hold its media."""


class Choice(NamedTuple):
    """Which samples: all; the first `limit`; or `sample` of them, drawn with `seed` as pandas draws."""

    limit: int | None = None
    sample: int | None = None
    seed: int = 42


class Prompt(NamedTuple):
    """What data without question or `answer` needs: a text with {columns}, and the column of the gold."""

    question: str | None = None
    gt_field: str | None = None


@dataclass
class Report:
    """What became of the samples.

    Attributes:
        rows: how many the data holds.
        written: how many were given.
        pictureless: how many of these have no media.
        unkept: how many have pictures inside the data that were not kept, for lack of a folder.
        repeated: names that several rows of the data have; a score takes none of these rows.
        dropped: reason to the ids of those that were left out.
    """

    rows: int = 0
    written: int = 0
    pictureless: int = 0
    unkept: int = 0
    repeated: tuple[str, ...] = ()
    dropped: dict[str, list[str]] = field(default_factory=dict)


def unanswered(
    data: Source,
    choice: Choice,
    prompt: Prompt,
    protocol: str | None,
    media: tuple[Shelf | None, Place],
    report: Report,
) -> Iterator[dict[str, Json]]:
    """The chosen samples in their order, without those whose pictures cannot be had.

    Args:
        data: the benchmark.
        choice: which samples.
        prompt: what to make of data without a question.
        protocol: a protocol of the library instead of the one that the data declares.
        media: where pictures go, and where a file that a row names lies.
        report: filled in on the way.

    Raises:
        ResultError: the data cannot be read, or nothing of it can be used.
        UsageError: more samples than there are, a picture that cannot be written, an unknown protocol.
        Incomplete: an address does not answer now.
    """
    ids = [str(row["eval-id"]) for row in data.rows()]
    report.rows = len(ids)
    report.repeated = tuple(name for name, often in Counter(ids).items() if often > 1)
    positions = _positions(len(ids), choice)
    found = Media({name: at for at, name in reversed(list(enumerate(ids)))}, *media)
    found.gather(data.with_media, positions)
    meta: dict[str, Json] | None = None
    for position, sample in _in_order(data, positions, choice.sample is not None):
        paths = found.of(position)
        if isinstance(paths, Lost):
            report.dropped.setdefault(paths.reason, []).append(ids[position])
            continue
        if meta is None:
            meta = _meta(sample, choice, protocol, (data.source, len(ids)))
        report.written += 1
        report.unkept += paths is None
        report.pictureless += paths == []
        yield _finished(sample, paths or [], prompt, meta)
    if not report.written:
        said = ", ".join(f"{reason} ({len(names)})" for reason, names in sorted(report.dropped.items()))
        raise ResultError(f"{data.source}: no sample of it can be used: {said or 'it holds no rows'}")


def _positions(total: int, choice: Choice) -> list[int]:
    if choice.sample is not None:
        return drawn(total, choice.sample, choice.seed)
    return list(range(total if choice.limit is None else min(total, choice.limit)))


def _in_order(data: Source, positions: list[int], held: bool) -> Iterator[tuple[int, dict[str, Json]]]:
    """The samples at these positions; a draw is held, for its order is not that of the data."""
    if not held:
        yield from zip(positions, data.rows(), strict=False)
        return
    chosen = set(positions)
    rows = {position: row for position, row in enumerate(data.rows()) if position in chosen}
    yield from ((position, rows[position]) for position in positions)


def _meta(
    sample: dict[str, Json], choice: Choice, protocol: str | None, of: tuple[str, int]
) -> dict[str, Json]:
    """The `dataset_meta` of every sample; a draw says of how many it was drawn, and how."""
    block = sample["dataset_meta"]
    meta = injected(block if isinstance(block, dict) else {}, protocol, of[0])
    if choice.sample is not None:
        meta = {**meta, "sampled": {"n": choice.sample, "seed": choice.seed, "of": of[1]}}
    return meta


def _finished(
    sample: dict[str, Json], paths: list[str], prompt: Prompt, meta: dict[str, Json]
) -> dict[str, Json]:
    messages = sample.pop("messages")
    sample.pop("dataset_meta")
    sample.pop("media", None)
    turn = messages[0] if isinstance(messages, list) and isinstance(messages[0], dict) else {}
    if prompt.question is not None:
        turn["question"] = _COLUMN.sub(lambda name: _text(sample, name.group(1)), prompt.question)
    head: dict[str, Json] = {"eval-id": sample.pop("eval-id"), "media": list[Json](paths), "messages": [turn]}
    if prompt.gt_field is not None:
        if prompt.gt_field not in sample:
            raise _no_column(prompt.gt_field, "--gt_field", sample)
        sample = {**sample, "answer": sample[prompt.gt_field]}
    return {**head, **sample, "dataset_meta": meta}


def _text(sample: dict[str, Json], name: str) -> str:
    if name not in sample:
        raise _no_column(name, "--question", sample)
    text = canonical(sample[name])
    return text if isinstance(text, str) else ", ".join(text or ())


def _no_column(name: str, flag: str, sample: dict[str, Json]) -> UsageError:
    return UsageError(f"{flag}: the data has no column {name!r}; its columns are {', '.join(sample)}")
