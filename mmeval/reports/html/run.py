"""One score as the page takes it: what it says, its charts, its table, its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mmeval.fingerprint import canonical
from mmeval.reports import judge_status
from mmeval.reports.explanation import verdict
from mmeval.reports.html.columns import Blocks, Columns, packed
from mmeval.reports.html.curve import Curve
from mmeval.reports.html.finding import Found
from mmeval.reports.html.flow import Flow
from mmeval.reports.html.pairs import Pairs
from mmeval.reports.html.pictures import Album
from mmeval.reports.html.shortened import ANSWERS, most, shortened, size_of
from mmeval.reports.html.spread import Spread
from mmeval.reports.html.turns import Asked, turns
from mmeval.reports.reasons import sentence
from mmeval.reports.scorefile_reader import Document, samples
from mmeval.reports.settings import line
from mmeval.text.counted import many
from mmeval.types import Json

KEPT = ("gt", "pred", "extracted", "evidence", "trace", "predictions", "recorded")


class Gathered(NamedTuple):
    """What goes into the page of one run: words and figures, the packed table, packed blocks of rows.

    `keep` is how many bytes of its answers each row may keep, where they are too long for a page.
    """

    head: dict[str, Json]
    columns: str
    blocks: list[str]
    keep: int | None = None


class Words:
    """The reasons of a report in words, each once."""

    def __init__(self) -> None:
        self.told: dict[str, Json] = {}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take the reasons of a row and its trace."""
        self._add(row["reason"])
        for each in (row, *(row.get("predictions") or ())):
            self._add(each["reason"])
            for step in each["trace"]:
                self._add(step["reason"])

    def _add(self, code: str | None) -> None:
        if code and code not in self.told:
            self.told[code] = [sentence(code), sentence(code, last=True)]


class Charts:
    """What is drawn of a run, gathered row by row."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._parts: dict[str, Flow | Spread | Curve | Pairs] = {
            "flow": Flow(),
            "spread": Spread(),
            "curve": Curve(_federated(config)),
            "pairs": Pairs(),
        }

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row."""
        for part in self._parts.values():
            part.add(row)

    def told(self) -> dict[str, Json]:
        """Every chart as the page takes it."""
        return {name: part.told() for name, part in self._parts.items()}


def gather(
    found: Found,
    document: Document,
    album: Album,
    words: Words,
    limit: int | None,
    places: Sequence[Path],
    budget: int = ANSWERS,
) -> Gathered:
    """Everything that the page shows of a score.

    Args:
        found: the score file, and how it is called.
        document: the same, read.
        album: takes the pictures.
        words: takes the reasons.
        limit: how many samples the table shows at most, evenly spread; the charts are made of all.
        places: further folders in which the predictions may lie.
        budget: bytes that the answers may take.
    """
    rows = samples(document)
    shown = _spread(len(rows), limit)
    asked = turns(document, _places(found, places))
    roots = (found.path.parent, found.root, *places)
    keep = _keep(rows, shown, budget)
    columns, blocks, charts = Columns(), Blocks(), Charts(document.config)
    for place, row in enumerate(map(msgspec.json.decode, rows)):
        charts.add(row)
        if place not in shown:
            continue
        words.add(row)
        columns.add(row)
        turn = asked.get(str(canonical(row["eval-id"])))
        blocks.add(_detail(shortened(row, keep), turn, album, roots))
    blocks.close()
    head = _head(found, document, charts)
    head |= {"rows": len(rows), "shown": columns.rows, "asked": bool(asked), "blocks": len(blocks.packed)}
    return Gathered(head, packed(columns.told()), blocks.packed, keep)


def _keep(rows: Sequence[bytes], shown: Collection[int], budget: int) -> int | None:
    """How much of its answers a row may keep; None for all of them."""
    if sum(len(rows[place]) for place in shown) <= budget:
        return None
    return most([size_of(msgspec.json.decode(rows[place])) for place in shown], budget)


def _spread(count: int, limit: int | None) -> Collection[int]:
    """Which rows are shown: all, or so many at even distances."""
    if limit is None or limit >= count:
        return range(count)
    return {place * count // limit for place in range(limit)}


def _places(found: Found, places: Sequence[Path]) -> list[Path]:
    """Where the scored file may lie: beside the score, or at the same place below another folder."""
    below = found.path.parent.relative_to(found.root)
    return [found.path.parent, *(each for place in places for each in (place / below, place))]


def _detail(
    row: Mapping[str, Any], asked: Asked | None, album: Album, roots: Sequence[Path]
) -> dict[str, Json]:
    """A row in full; what is empty is left out."""
    told: dict[str, Json] = {name: row[name] for name in KEPT if row.get(name) not in (None, {}, [])}
    told["verdict"] = verdict(row)
    if asked is not None:
        told |= {"question": asked.question, "options": [list(option) for option in asked.options]}
        pictures = album.of(asked.media, asked.home, (*roots, asked.home))
        if pictures:
            told["pictures"] = [*pictures]
    return told


def _head(found: Found, document: Document, charts: Charts) -> dict[str, Json]:
    config, summary, provenance = document.config, document.summary, document.provenance
    head: dict[str, Json] = {
        "name": found.name,
        "benchmark": _benchmark(config, found.name),
        "config": {name: value for name, value in config.items() if name != "params_effective"},
        "settings": {stage: told for stage in _stages(config) if (told := line(config, stage))},
        "params": config.get("params_effective", {}),
        "summary": summary,
        "provenance": provenance,
        "judge": [*judge_status.identity(config), *judge_status.course(summary)],
        "reasons": {code: sentence(code, last=True) for code in summary["by_reason"]},
        **charts.told(),
    }
    return head


def _stages(config: Mapping[str, Any]) -> Iterator[str]:
    return iter(config.get("params_effective", {}))


def _benchmark(config: Mapping[str, Any], run: str) -> str:
    """What a run is grouped by: runs of one benchmark stand together, one that names none by itself."""
    name = config.get("dataset_name") or config.get("protocol") or f"unnamed, as in {run}"
    subset = config.get("subset")
    if isinstance(subset, list):
        return f"{name} / {subset[0]} and {many(len(subset) - 1, 'more subset', 'more subsets')}"
    return f"{name} / {subset}" if subset else str(name)


def _federated(config: Mapping[str, Any]) -> bool:
    params = config.get("params_effective", {})
    return any(isinstance(each, dict) and each.get("evaluator") == "lvis" for each in params.values())
