"""All samples of a run through the pipeline: rows for the aggregates, lines for the score file, counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

import msgspec

from mmeval.fingerprint import canonical
from mmeval.metadata import Derive, Filter
from mmeval.pipeline import Open, invalid, settle
from mmeval.protocol import Plan
from mmeval.readers import BadRow
from mmeval.scorefile import PredictionLine, SampleLine, Spool, prediction_line, recorded, sample_line
from mmeval.summary import Counts
from mmeval.tally import Tally
from mmeval.types import Attempt, Json, Row, Sample, Status, Verdict

Group: TypeAlias = dict[str, str | tuple[str, ...] | None]
Hear: TypeAlias = Callable[[Sequence[Open]], Sequence[Verdict]]
REPORT_EVERY = 512
_DIGITS = 18


class Settled:
    """What is left of a run when every sample is settled."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.counts = Counts()
        self.several = 0
        self.judged = Tally()


def settle_all(
    samples: Iterable[Sample | BadRow],
    plan: Plan,
    fields: tuple[str, ...],
    spool: Spool,
    progress: Callable[[int], None],
) -> Settled:
    """Settle every sample of a run, in file order.

    Args:
        samples: what the reader gives.
        plan: the resolved protocol.
        fields: the sample fields that the aggregates need.
        spool: where the lines of the score file go.
        progress: told how many more rows are settled.
    """
    done = Settled()
    since = 0
    for item in _kept(samples, plan, done):
        if isinstance(item, BadRow):
            _add_bad(item, fields, done, spool)
        else:
            _add(item, plan, fields, done, spool)
        since += 1
        if since == REPORT_EVERY:
            progress(since)
            since = 0
    progress(since)
    return done


def settle_judged(
    samples: Iterable[Sample | BadRow],
    plan: Plan,
    fields: tuple[str, ...],
    spool: Spool,
    progress: Callable[[int], None],
    hear: Hear,
) -> Settled:
    """The same for a protocol that may ask a judge: rules first over the whole run, then the judge.

    Args:
        samples: what the reader gives.
        plan: the resolved protocol.
        fields: the sample fields that the aggregates need.
        spool: where the lines of the score file go.
        progress: told how many more rows are settled.
        hear: puts the open cases to the judge, and gives their verdicts in the same order.
    """
    done = Settled()
    items = list(_kept(samples, plan, done))
    drafts = [None if isinstance(item, BadRow) else _draft(item, plan) for item in items]
    cases = [found for draft in drafts if draft for found in draft if isinstance(found, Open)]
    progress(sum(draft is None or not any(isinstance(each, Open) for each in draft) for draft in drafts))
    heard = iter(hear(cases) if cases else ())
    for item, draft in zip(items, drafts, strict=True):
        if isinstance(item, BadRow):
            _add_bad(item, fields, done, spool)
            continue
        _enter(item, _heard(draft or [], heard, done), plan, fields, done, spool)
    return done


def _heard(drafts: list[Verdict | Open], heard: Iterator[Verdict], done: Settled) -> list[Verdict]:
    """The verdicts on a row: those that the rules gave, and for open cases the next ones of the judge's."""
    verdicts = [next(heard) if isinstance(each, Open) else each for each in drafts]
    judged = [found for each, found in zip(drafts, verdicts, strict=True) if isinstance(each, Open)]
    if judged:
        done.judged.add(*judged)
    return verdicts


def _kept(samples: Iterable[Sample | BadRow], plan: Plan, done: Settled) -> Iterator[Sample | BadRow]:
    """The rows that the protocol keeps, with the fields that it derives; the others are counted."""
    keep = _keeper(plan.block.score_filter)
    for item in _derived(samples, plan.block.score_derive):
        if keep(item.fields):
            yield item
        else:
            done.counts.filtered += 1


def _derived(
    samples: Iterable[Sample | BadRow], derivations: tuple[Derive, ...]
) -> Iterable[Sample | BadRow]:
    """The rows, with the fields that the protocol derives."""
    if not derivations:
        return samples
    return (
        msgspec.structs.replace(item, fields=with_derived(item.fields, item.id, derivations))
        for item in samples
    )


def with_derived(
    fields: dict[str, Json], name: str | int, derivations: tuple[Derive, ...]
) -> dict[str, Json]:
    """The fields of the row `name`, and those that are made of them; what has a value keeps it."""
    found = dict(fields)
    for each in derivations:
        text = canonical(found.get(each.from_, name if each.from_ == "eval-id" else None))
        if not isinstance(text, str):
            continue
        pieces = _pieces(text, each)
        if len(pieces) == len(each.into):
            made = zip(each.into, pieces, strict=True)
            found |= {field: piece for field, piece in made if found.get(field) is None}
    return found


def _pieces(text: str, derivation: Derive) -> list[str]:
    """What one derivation makes of a text; nothing where it needs a whole number and this is none."""
    if derivation.split is not None:
        return text.split(derivation.split)
    if derivation.modulo is None:
        return [text]
    whole = text.isascii() and text.isdigit() and len(text) <= _DIGITS
    return [str(int(text) % derivation.modulo)] if whole else []


def _keeper(filters: tuple[Filter, ...]) -> Callable[[dict[str, Json]], bool]:
    """Whether the protocol keeps a row with these fields."""
    if not filters:
        return lambda fields: True
    kept = [(each.field, each.is_ is not None, frozenset(each.is_ or each.not_ or ())) for each in filters]
    return lambda fields: all(
        (canonical(fields.get(name)) in values) is wanted for name, wanted, values in kept
    )


def group_of(fields: dict[str, Json], names: tuple[str, ...], subset: str | None = None) -> Group:
    """The fields that aggregates name, as canonical texts; rows of one group share one dict.

    A row whose own fields name no `subset` belongs to the one that its file or `dataset_meta` says.
    """
    values = tuple(canonical(fields.get(name)) for name in names)
    if subset is not None and "subset" in names:
        at = names.index("subset")
        values = values if values[at] is not None else (*values[:at], subset, *values[at + 1 :])
    return _shared(names, values)


@lru_cache(maxsize=1 << 16)
def _shared(names: tuple[str, ...], values: tuple[str | tuple[str, ...] | None, ...]) -> Group:
    return dict(zip(names, values, strict=True))


def _add_bad(item: BadRow, fields: tuple[str, ...], done: Settled, spool: Spool) -> None:
    group = group_of(item.fields, fields, item.subset)
    reason = f"{item.reason}: {item.detail}" if item.detail else item.reason
    done.rows.append(Row(str(item.id), 0.0, "invalid", False, None, None, item.subset, group))
    done.counts.add(done.rows[-1], None, None, item.reason)
    line = SampleLine(item.id, None, None, None, None, None, 0.0, 0, None, "invalid", reason, group, None, ())
    if "recorded" in item.fields:
        line = msgspec.structs.replace(line, recorded=recorded(item.fields))
    spool.add(line)


def _add(sample: Sample, plan: Plan, fields: tuple[str, ...], done: Settled, spool: Spool) -> None:
    _enter(sample, [_decided(each) for each in _draft(sample, plan)], plan, fields, done, spool)


def _decided(draft: Verdict | Open) -> Verdict:
    assert not isinstance(draft, Open), "a protocol that asks a judge is settled by settle_judged"
    return draft


def _graded(sample: Sample, plan: Plan) -> tuple[str | None, ...]:
    """The predictions that count."""
    return sample.predictions if plan.predictions == "all" else sample.predictions[:1]


def _draft(sample: Sample, plan: Plan) -> list[Verdict | Open]:
    """What the rules make of a sample: a verdict on each prediction that counts, or an open case."""
    stages = plan.steps.of(sample)
    if stages is None:
        return [invalid("no-route")]
    return [settle(sample, text, stages, plan.resources) for text in _graded(sample, plan) or (None,)]


def _enter(
    sample: Sample,
    verdicts: list[Verdict],
    plan: Plan,
    fields: tuple[str, ...],
    done: Settled,
    spool: Spool,
) -> None:
    """Enter a settled sample into the counts, the table and the score file."""
    group = group_of(sample.fields, fields, sample.subset)
    done.several += len(sample.predictions) > 1
    texts = _graded(sample, plan)
    several = None
    if plan.predictions == "all":
        several = tuple(map(prediction_line, texts, verdicts))
    verdict = verdicts[0] if len(verdicts) == 1 else together(verdicts)
    row = _row(sample, verdict, verdicts, group, several)
    done.rows.append(row)
    done.counts.add(row, verdict.decided_by, sample.question_type, verdict.reason)
    spool.add(sample_line(sample, verdict, group, several))


def _row(
    sample: Sample,
    verdict: Verdict,
    verdicts: list[Verdict],
    group: Group,
    several: tuple[PredictionLine, ...] | None,
) -> Row:
    attempts = () if several is None else tuple(Attempt(each.score, each.extracted) for each in verdicts)
    gold = sample.references[0] if sample.references else None
    return Row(
        id=str(sample.id),
        score=verdict.score,
        status=verdict.status,
        decided=verdict.decided_by is not None,
        label=verdict.extracted,
        gold=gold,
        subset=sample.subset,
        fields=group,
        evidence=verdict.evidence,
        attempts=attempts,
    )


def together(verdicts: list[Verdict]) -> Verdict:
    """One verdict on several predictions of one sample: the mean of their scores.

    The sample is decided where every prediction is, invalid where every one is, and failed where any is: its
    mean is not known then, and it scores 0 like any failed row.
    """
    status = _worst([verdict.status for verdict in verdicts])
    stages = {verdict.decided_by for verdict in verdicts}
    scores = [verdict.score for verdict in verdicts]
    mean = (
        None if any(score is None for score in scores) else math.fsum(s or 0.0 for s in scores) / len(scores)
    )
    if status in ("error", "llm_error"):
        mean = 0.0
    decided = None if None in stages or status != "ok" else "+".join(sorted(str(stage) for stage in stages))
    return Verdict(mean, status, decided, f"mean-of-{len(verdicts)}", None, None, None, ())


def _worst(statuses: list[Status]) -> Status:
    if "error" in statuses:
        return "error"
    if "llm_error" in statuses:
        return "llm_error"
    return "invalid" if all(status == "invalid" for status in statuses) else "ok"
