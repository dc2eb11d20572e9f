"""The table of settled rows, read in one place: scores, numbers, texts and groups."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mmeval.errors import MetadataError
from mmeval.stats import UNIT, Range
from mmeval.types import Json, Row

Keys: TypeAlias = str | tuple[str, ...]
Group: TypeAlias = tuple[str, ...]

OWN = ("score", "label", "gold")
EVIDENCE = "evidence."
BOOLEANS = {"true": 1.0, "false": 0.0}
# No count and no rating is larger; beyond it squares and sums leave the floats.
LARGEST = 1e100


class Column(NamedTuple):
    """One number per row: the rows that have one, the numbers, their limits, and what to tell."""

    rows: Sequence[Row]
    values: list[float]
    limits: Range | None
    notes: tuple[str, ...]


def keys(by: Keys) -> tuple[str, ...]:
    """Field names from one name or several."""
    return (by,) if isinstance(by, str) else by


def sample_fields(*sources: str | None) -> tuple[str, ...]:
    """The sources that are sample fields, each once; `score`, `label`, `gold`, `evidence.x` are not."""
    named = (name for name in sources if name and name not in OWN and not name.startswith(EVIDENCE))
    return tuple(dict.fromkeys(named))


def settled(row: Row) -> bool:
    """Whether the row has a verdict: not invalid, not failed, not undecided."""
    return row.status == "ok" and row.decided


def score_of(row: Row) -> float | None:
    """The row's score, 0.0 where it has no verdict, None where its number is made over the whole run.

    A sample of several predictions has its mean even where one of them is undecided.
    """
    return row.score if row.status == "ok" else 0.0


def is_right(row: Row) -> bool:
    """Whether the row counts as right: a verdict with full score."""
    return settled(row) and row.score is not None and row.score >= 1.0


def measured_note(rows: Sequence[Row]) -> tuple[str, ...]:
    """What to tell where rows carry no score of their own, so that no rate of them can be made."""
    count = sum(score_of(row) is None for row in rows)
    return (
        (f"{count} of {len(rows)} rows are measured over the whole run and carry no score of their own",)
        if count
        else ()
    )


def column(rows: Sequence[Row], source: str, who: str) -> Column:
    """The numbers of `source`: `score`, `evidence.<key>`, or a numeric sample field (true is 1, false is 0).

    Measured rows have no score: then there is no value at all, and a note. Rows without a verdict have no
    evidence: they are left out, and a note says how many. Of evidence that lists several numbers their mean.

    Raises:
        MetadataError: the field is missing or not a number in some rows that should have it.
    """
    if source == "score":
        notes = measured_note(rows)
        values = [] if notes else [score for row in rows if (score := score_of(row)) is not None]
        return Column(() if notes else rows, values, UNIT, notes)
    notes = ()
    if source.startswith(EVIDENCE):
        having = [row for row in rows if settled(row)]
        notes = _without(rows, having, source)
        rows = having
    found = [_number_of(row, source) for row in rows]
    _require(rows, found, source, who, "a number")
    return Column(rows, [value for value in found if value is not None], None, notes)


def _number_of(row: Row, source: str) -> float | None:
    """The number that `source` says of a row; of a list of numbers in its evidence, their mean."""
    listed = numbers_of(row, source.removeprefix(EVIDENCE)) if source.startswith(EVIDENCE) else None
    return number(text_of(row, source)) if listed is None else math.fsum(listed) / len(listed)


def replicated(rows: Sequence[Row], source: str, who: str) -> list[Column]:
    """One column per replicate of what was measured several times, else the one column of `column`.

    Evidence that is a list of numbers in every row with a verdict was measured once per number.

    Raises:
        MetadataError: as `column`; or rows were measured a different number of times.
    """
    if not source.startswith(EVIDENCE):
        return [column(rows, source, who)]
    key = source.removeprefix(EVIDENCE)
    found = {row.id: numbers for row in rows if (numbers := numbers_of(row, key)) is not None}
    if not found:
        return [column(rows, source, who)]
    having = [row for row in rows if settled(row)]
    notes = _without(rows, having, source)
    _require(having, [found.get(row.id) for row in having], source, who, "a list of numbers")
    counts = sorted({len(numbers) for numbers in found.values()})
    if len(counts) > 1:
        raise MetadataError(
            f"aggregate {who}: rows hold {' or '.join(map(str, counts))} numbers in {source!r}; "
            "every row must be measured the same number of times"
        )
    return [Column(having, [found[row.id][turn] for row in having], None, notes) for turn in range(counts[0])]


def numbers_of(row: Row, key: str) -> tuple[float, ...] | None:
    """The numbers that a row's evidence lists under `key`; None where it lists none, or something else."""
    said = row.evidence.get(key) if settled(row) and isinstance(row.evidence, dict) else None
    if not isinstance(said, list) or not said:
        return None
    found = [number(_scalar(each)) for each in said]
    return None if None in found else tuple(each for each in found if each is not None)


def _without(rows: Sequence[Row], having: Sequence[Row], source: str) -> tuple[str, ...]:
    """What to tell of the rows that carry no evidence."""
    left = len(rows) - len(having)
    told = f"{left} of {len(rows)} rows without a verdict carry no {source} and are left out"
    return (told,) if left else ()


def text_of(row: Row, source: str) -> str | tuple[str, ...] | None:
    """What `source` says of a row: `label`, `gold`, `evidence.<key>` or a sample field."""
    if source == "label":
        return row.label if settled(row) else None
    if source == "gold":
        return row.gold
    if source.startswith(EVIDENCE):
        return _of_evidence(row, source.removeprefix(EVIDENCE))
    value = row.fields.get(source)
    # The subset is a column of the table, whether or not the file repeats it as a field.
    return row.subset if value is None and source == "subset" else value


def _of_evidence(row: Row, key: str) -> str | None:
    return _scalar(row.evidence.get(key)) if isinstance(row.evidence, dict) else None


def _scalar(said: Json) -> str | None:
    if isinstance(said, bool):
        return str(said).lower()
    return str(said) if isinstance(said, str | int | float) else None


def number(text: str | tuple[str, ...] | None) -> float | None:
    """The number that a canonical text is; None for anything else and for what no count or rating can be."""
    if not isinstance(text, str):
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and abs(value) <= LARGEST else None


def groups(rows: Sequence[Row], by: Keys, who: str) -> dict[Group, list[int]]:
    """Row positions by the values of `by`, sorted by those values.

    Raises:
        MetadataError: a field is missing, or holds several values, in some rows.
    """
    names = keys(by)
    found: dict[Group, list[int]] = defaultdict(list)
    for source in names:
        _require(rows, [_single(row, source) for row in rows], source, who, "one value")
    for position, row in enumerate(rows):
        found[tuple(str(text_of(row, source)) for source in names)].append(position)
    return dict(sorted(found.items()))


def _single(row: Row, source: str) -> str | None:
    value = text_of(row, source)
    return value if isinstance(value, str) else None


def several(row: Row, source: str, explode: str | None) -> tuple[str, ...] | None:
    """The distinct values of a field that may hold several: a list, or a text split at `explode`."""
    value = text_of(row, source)
    if isinstance(value, str):
        value = tuple(part.strip() for part in value.split(explode)) if explode else (value,)
    return None if value is None else tuple(dict.fromkeys(part for part in value if part))


def require_present(rows: Sequence[Row], found: Sequence[object], source: str, who: str) -> None:
    """Refuse rows without a value.

    Raises:
        MetadataError: says in how many rows, and what to do.
    """
    _require(rows, found, source, who, "a value")


def _require(rows: Sequence[Row], found: Sequence[object], source: str, who: str, what: str) -> None:
    lacking = [row.id for row, value in zip(rows, found, strict=True) if value is None]
    if lacking:
        raise MetadataError(
            f"aggregate {who}: {len(lacking)} of {len(rows)} rows lack {what} in field {source!r} "
            f"(first: sample {lacking[0]}); add it to the samples, name another "
            "field, or leave those rows out with 'where'"
        )


def name_of(group: Group) -> str:
    """The name of a group among the parts: its values, outermost first."""
    return "/".join(group)


def parts_by(
    rows: Sequence[Row], by: Keys, who: str, figure: Callable[[list[int]], float | None]
) -> dict[str, float | None]:
    """One named part for each group of rows; nothing where `by` names no field."""
    if not keys(by):
        return {}
    return named_parts({group: figure(where) for group, where in groups(rows, by, who).items()}, who)


def named_parts(figures: Mapping[Group, float | None], who: str) -> dict[str, float | None]:
    """Figures by the names of their groups.

    Raises:
        MetadataError: two groups would share one name.
    """
    parts = {name_of(group): figure for group, figure in figures.items()}
    if len(parts) < len(figures):
        raise MetadataError(
            f"aggregate {who}: two groups have the same name, since values hold '/'; group by one field"
        )
    return parts
