"""What stands out in one score: what each stage decided, which reasons cost most, what to look at next."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from mmeval.compare.causes import NO_BOX, Kind, kind_of
from mmeval.compare.rows import Line
from mmeval.reports import quality, settings
from mmeval.reports.reasons import sentence
from mmeval.reports.scorefile_reader import Document, samples
from mmeval.reports.terminal import number, table
from mmeval.text.counted import many

BAR = 40
# A reason is worth a word from this share of the rows on; one by which answers are read but wrong from so
# many rows on, if the others are right twice as often.
NOTABLE = 0.02
FEWEST = 5
POOR = 0.5
WORST = 5
READINGS = 12
FAILED = {"llm_error": "failed (llm_error)", "error": "failed (error)"}
WHY = {"undecided": "undecided", "invalid": "invalid", "llm_error": "llm_error"}


class Bucket(NamedTuple):
    """Rows that were settled in the same way.

    `open` of them were read, missed, and left to later stages; `measured` are neither right nor wrong, for
    the number is made over the whole run.
    """

    kind: Kind
    rows: int
    right: int
    open: int
    first: str
    measured: int = 0


def buckets(document: Document) -> list[Bucket]:
    """All rows by what settled them, the most first."""
    decode = msgspec.json.Decoder(Line).decode
    pools: dict[Kind, list[Line]] = defaultdict(list)
    for raw in samples(document):
        line = decode(raw)
        pools[kind_of(line)].append(line)
    found = [
        Bucket(
            kind,
            len(lines),
            sum((line.score or 0.0) >= 1.0 for line in lines),
            sum(line.decided_by is None for line in lines),
            lines[0].id,
            sum(line.score is None and line.status == "ok" for line in lines),
        )
        for kind, lines in pools.items()
    ]
    return sorted(found, key=lambda each: (-each.rows, str(each.kind)))


def stage_bars(found: Sequence[Bucket]) -> str:
    """What each stage decided: `#` right, `-` not, `=` measured, all rows together a bar; then the others."""
    total = sum(each.rows for each in found)
    if not total:
        return ""
    cells: dict[tuple[bool, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for each in found:
        status = each.kind.status
        cell = cells[status != "decided", str(each.kind.stage or FAILED.get(status, status))]
        cell[0] += each.rows
        cell[1] += each.right
        cell[2] += each.measured
    order = sorted(cells.items(), key=lambda pair: (pair[0][0], -pair[1][0], pair[0]))
    told = [(name, _bar(cell, total), str(cell[0]), _right(*cell)) for (_, name), cell in order]
    signs = "# right, - not" + (", = measured over the run" if any(each.measured for each in found) else "")
    return table(f"by stage ({signs})", ("stage", "of all rows", "rows", "correct"), told)


def _right(rows: int, right: int, measured: int) -> str:
    """How many are right; nothing to say where all are measured."""
    return "-" if rows == measured else str(right)


def _bar(cell: Sequence[int], total: int) -> str:
    """A part that is not empty has one character at least."""
    rows, right, measured = cell
    parts = (("#", right), ("=", measured), ("-", rows - right - measured))
    return "".join(sign * _length(part, total) for sign, part in parts)


def _length(part: int, total: int) -> int:
    return max(1, round(BAR * part / total)) if part else 0


def readings(found: Sequence[Bucket]) -> str:
    """How rows were settled, by stage and reason."""
    shown, more = found[:READINGS], len(found) - READINGS
    rows = [(str(each.kind), str(each.rows), _right(each.rows, each.right, each.measured)) for each in shown]
    head: tuple[str, ...] = ("stage: reason", "rows", "correct")
    title = "how rows were read" + (f" ({more} rarer ways are not shown)" if more > 0 else "")
    if not any(each.open for each in shown if each.kind.status == "decided"):
        return table(title, head, rows)
    opened = [str(each.open or "") if each.kind.status == "decided" else "" for each in shown]
    return table(
        title, (*head, "not settled"), [(*row, word) for row, word in zip(rows, opened, strict=True)]
    )


def striking(document: Document, found: Sequence[Bucket]) -> list[str]:
    """What a reader should look at first, in sentences; the costliest first."""
    total = sum(each.rows for each in found)
    lines = [_unsettled(each, total) for each in notable(found)]
    return lines + [
        f"{stage} is not set as by default: {told}"
        for stage in document.config.get("params_effective") or {}
        if (told := settings.line(document.config, stage))
    ]


def notable(found: Sequence[Bucket]) -> list[Bucket]:
    """Ways of being settled that cost much: failed and invalid rows, frequent reasons, wrong readings."""
    total = sum(each.rows for each in found)
    return [each for each in found if _notable(each, found, total)]


def _notable(each: Bucket, found: Sequence[Bucket], total: int) -> bool:
    if each.kind.status == "undecided":
        return each.rows >= NOTABLE * total
    if each.kind.status != "decided":
        return True
    if each.measured:
        return each.kind.reason == NO_BOX and each.rows >= NOTABLE * total
    if each.right == each.rows:
        return False
    # A stage that decides what is right alone leaves its misses to the next one: they are one way of reading.
    decided = [other for other in found if other.kind.status == "decided"]
    alike = [other for other in decided if other.kind.reason == each.kind.reason]
    rows, right = (sum(other.rows for other in decided), sum(other.right for other in decided))
    own, own_right = (sum(other.rows for other in alike), sum(other.right for other in alike))
    if each.open == each.rows or own < max(FEWEST, NOTABLE * total) or own == rows:
        return False
    return own_right / own < POOR * (right - own_right) / (rows - own)


def _unsettled(each: Bucket, total: int) -> str:
    rows = f"{many(each.rows, 'row', 'rows')} of {total} ({each.rows / total:.1%})"
    why = f"{each.kind.reason}: {sentence(each.kind.reason, last=True)}"
    if each.measured and each.kind.status == "decided":
        return f"{rows}, measured by {each.kind.stage}: {why}"
    if each.kind.status == "decided":
        return f"{rows}, read by {each.kind.stage} as {why}; right in {each.right} of them"
    verb = "is" if each.rows == 1 else "are"
    return f"{rows} {verb} {each.kind.status}, {why}"


def worst_groups(config: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    """The worst groups of the headline, where it has more of them than are read at a glance."""
    name, spec = summary["headline"]["name"], quality.headline(config)
    parts = quality.groups(spec, summary.get("groups", {}).get(name, {}))
    sign = quality.better(spec)
    if not sign or len(parts) <= WORST:
        return ""
    known = sorted(parts.items(), key=lambda pair: (sign * pair[1], pair[0]))
    rows = [(part, number(value)) for part, value in known[:WORST]]
    return table(f"worst of {len(known)} parts of {name}", ("part", "value"), rows)


def _wrong(each: Bucket) -> bool:
    """Whether some of these rows were decided and are not right."""
    return each.kind.status == "decided" and each.right + each.measured < each.rows


def next_commands(path: str, found: Sequence[Bucket]) -> str:
    """What to type next."""
    told = shlex.quote(path)
    lines = []
    for each in notable(found)[:2]:
        lines.append(f"mmeval explain {told} --like {shlex.quote(each.first)}")
        if each.kind.status != "decided" or _wrong(each):
            lines.append(f"mmeval explain {told} --why {WHY.get(each.kind.status, 'wrong')}")
    wrong = next((each for each in found if _wrong(each)), None)
    if wrong is not None:
        lines.append(f"mmeval explain {told} --why wrong")
    lines.append(f"mmeval compare {told} OTHER")
    return "\n".join(["next", *(f"  {line}" for line in dict.fromkeys(lines))])
