"""From columns to the official numbers, by the backend that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mmeval.detection.backends import Backend
from mmeval.detection.columns import Columns
from mmeval.detection.figures import GROUPS, figures, names, per_category
from mmeval.detection.protocol import Caps


class Numbers(NamedTuple):
    """The official numbers by name, AP per category, and what a reader must know."""

    official: dict[str, float | None]
    categories: dict[str, float | None]
    notes: tuple[str, ...] = ()


def measure(
    columns: Columns, caps: Caps, asked: Backend, frequencies: Mapping[str, str] | None = None
) -> Numbers:
    """The numbers of a run.

    Without any gold box nothing can be measured, and without any detection every category with a gold box
    has AP 0; the official loaders fail on both.

    Args:
        columns: the golds and the detections.
        caps: which evaluator, at which numbers of detections.
        asked: the backend.
        frequencies: LVIS: the group of each category (r, c, f). Without it APr, APc and APf are None.
    """
    if not columns.categories:
        return Numbers(dict.fromkeys(names(caps)), {}, ("no gold box: nothing can be measured",))
    tables = asked.evaluate(columns, caps)
    groups, notes = _groups(columns.categories, frequencies) if caps.evaluator == "lvis" else (None, ())
    return Numbers(
        figures(tables, caps, groups), per_category(tables, caps, columns.categories), (*caps.notes, *notes)
    )


def _groups(
    categories: Sequence[str], frequencies: Mapping[str, str] | None
) -> tuple[dict[str, list[int]] | None, tuple[str, ...]]:
    """The places of the categories of each group; none where one category's group is not known."""
    if frequencies is None:
        return None, ("APr, APc and APf need the frequency of each category: give the resource categories",)
    lacking = [name for name in categories if frequencies.get(name) not in GROUPS]
    if lacking:
        return None, (
            f"APr, APc and APf are unknown: {len(lacking)} of {len(categories)} categories have no frequency "
            f"r, c or f (first: {lacking[0]})",
        )
    return {
        group: [place for place, name in enumerate(categories) if frequencies[name] == group]
        for group in GROUPS
    }, ()
