"""One run from file to score.json: read, resolve, settle every sample, aggregate, write."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from mmeval import per_row, provenance, remarks, scorefile
from mmeval.benchmarks import Benchmark
from mmeval.errors import MetadataError, ResultError, UsageError
from mmeval.keeping import keep_better
from mmeval.per_row import has_tables, write_per_row
from mmeval.protocol import Overrides, Plan, resolve
from mmeval.readers import BadRow, CombinedRun, Fields, JoinedRun, RunFile, is_own, open_joined, open_run
from mmeval.resources import Resources, find
from mmeval.scorefile import Spool
from mmeval.settling import Settled, settle_all, settle_judged
from mmeval.summary import Reducer, aggregate_summary, needed_fields, reducers, with_resources
from mmeval.text.counted import many
from mmeval.types import Json, Sample

if TYPE_CHECKING:
    from mmeval.judge.desk import Desk
    from mmeval.judge.session import Judging

Rows: TypeAlias = Literal["inline", "jsonl", "parquet"]
Progress: TypeAlias = Callable[[int], None]
Run: TypeAlias = RunFile | CombinedRun | JoinedRun


@dataclass(frozen=True)
class Job:
    """What a user asked for: overrides of the protocol, and what to do with the score.

    `resources` are files that stages and aggregates read, by name, in place of the declared ones.
    """

    overrides: Overrides = field(default_factory=Overrides)
    out: Path | None = None
    rows: Rows = "inline"
    force: bool = False
    max_failed: float = 0.0
    judge: Callable[[Path], Judging] | None = None
    dry_run: bool = False
    resources: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True)
class Scored:
    """One run's score, where it lies, and whether it was up to date already."""

    result: Path
    score: Path
    config: dict[str, Json]
    summary: dict[str, Json]
    up_to_date: bool = False
    seconds: float = 0.0
    rehearsal: dict[str, Json] | None = None

    @property
    def failed(self) -> int:
        """Rows that our side could not settle."""
        counts = (self.summary["llm_errors"], self.summary["errors"])
        return sum(count for count in counts if isinstance(count, int))

    @property
    def failed_share(self) -> float:
        """Failed rows as a share of all rows, 0..1."""
        total = self.summary["total"]
        return self.failed / total if isinstance(total, int) and total else 0.0


def score_path(result: Path, out: Path | None) -> Path:
    """Where a run's score goes: `score.json` beside `result.json`, `<stem>.score.json` beside any other file.

    `out` is a folder for it, or the file itself where it ends in `.json`.
    """
    name = "score.json" if result.name == "result.json" else f"{result.stem}.score.json"
    if out is None:
        return result.parent / name
    return out if out.suffix == ".json" else out / name


def score_run(
    result: Path, job: Job, progress: Progress = lambda rows: None, benchmark: Benchmark | None = None
) -> Scored:
    """Score one file of predictions and write its score file.

    Args:
        result: the file.
        job: what was asked for.
        progress: told how many more rows are settled.
        benchmark: the questions and golds, where the file holds predictions alone.

    Raises:
        ResultError: the file cannot be scored, or every row of it is invalid.
        MetadataError: its protocol cannot be used.
        UsageError: an unknown name on the command line, or a folder that cannot be written to.
    """
    with open_run(result) if benchmark is None else open_joined(result, benchmark) as run:
        return score_open(run, score_path(result, job.out), job, progress)


def combined_path(run: CombinedRun, out: Path | None) -> Path:
    """Where the score of a combined run goes: `<dataset>.score.json` in the folder that holds its files."""
    name = f"{run.path.name}.score.json"
    if out is None:
        return run.root / name
    return out if out.suffix == ".json" else out / name


def score_open(run: Run, target: Path, job: Job, progress: Progress = lambda rows: None) -> Scored:
    """Score an open run, of one file or of several, and write its score file; see `score_run`."""
    with ExitStack() as stack:
        plan, judging = _resolved(run, job, stack)
        return _score(run, target, job, progress, plan, judging)


def _score(
    run: Run, target: Path, job: Job, progress: Progress, plan: Plan, judging: Judging | None
) -> Scored:
    started = time.perf_counter()
    made = reducers(plan.aggregates, f"protocol {plan.name}" if plan.name else str(run.path))
    desk = None if judging is None else judging.session.desk(plan, partial(_home, run))
    found = find(
        plan.block.score_resources,
        job.resources,
        plan.readable,
        _folder(run),
        os.environ,
        plan.resource_kinds,
    )
    config = provenance.config(run, plan, made, job.rows, job.max_failed, _described(desk), found.told)
    if judging is not None:
        config = _with_sources(config, judging)
    current = None if job.force else _current(target, config, plan)
    if current is not None:
        return Scored(run.path, target, current.config, current.summary, up_to_date=True)
    plan, made = _equipped(plan, made, found)
    with _spooling(target) as spool:
        fields = Fields(plan.gt_field, plan.pred_field, plan.question_type)
        settled = _settle(run.samples(fields), plan, needed_fields(made), (spool, progress), desk)
        summary = _summary(run, plan, made, settled, job)
        summary["judge"] = None if desk is None else settled.judged.summary(desk.cost(settled.judged.tokens))
        config = _judge_stamped(_stamped(config, plan, settled, run), plan, settled, desk)
        if job.dry_run:
            counted = rehearsed(settled, desk)
            return Scored(run.path, target, config, summary, rehearsal=counted)
        keep_better(target, run.sha256, summary, job.force)
        head: dict[str, Json] = {
            "config": config,
            "provenance": provenance.provenance(run, plan, made, found.told),
            "summary": summary,
        }
        write_per_row(target, plan, settled.rows)
        _write(target, head, spool, job.rows)
    return Scored(run.path, target, config, summary, seconds=time.perf_counter() - started)


def _equipped(plan: Plan, made: tuple[Reducer, ...], found: Resources) -> tuple[Plan, tuple[Reducer, ...]]:
    """The plan and its aggregates with what the resources hold, and what is odd about these."""
    values = dict(found.values)
    deviations = (*plan.deviations, *found.deviations)
    return replace(plan, resources=values, deviations=deviations), with_resources(made, values)


def _folder(run: Run) -> Path:
    return run.path if run.path.is_dir() else run.path.parent


def _home(run: Run, sample: str) -> Path:
    """The folder that a sample's file lies in."""
    return run.home(sample) if isinstance(run, CombinedRun) else _folder(run)


def _resolved(run: Run, job: Job, stack: ExitStack) -> tuple[Plan, Judging | None]:
    """The plan, and the judge where its protocol may ask one: the judge's set-up may name the prompt.

    Without judges in the job, a configuration beside the run or the environment may name one; what is opened
    for it goes with the stack.
    """
    blocks = [meta.block for meta in run.metas]
    overrides = replace(job.overrides, environment=job.overrides.environment or os.environ)
    plan = resolve(blocks, overrides, str(run.path))
    listens = any(getattr(stage.call, "environment", None) for stages in plan.steps.all for stage in stages)
    if not (plan.judged or listens):
        return plan, None
    from mmeval.judge.judges import Judges

    judge = job.judge or stack.enter_context(Judges(dry_run=job.dry_run))
    judging = judge(_folder(run))
    said = {"SCORE_MODE": judging.score_mode} if judging.score_mode else {}
    told = replace(
        overrides,
        judge_prompt=judging.session.settings.prompt if plan.judged else None,
        environment={**overrides.environment, **said},
    )
    if told != overrides:
        plan = resolve(blocks, told, str(run.path))
    if judging.score_mode and not listens:
        unread = f"score_mode {judging.score_mode} of the judge's configuration: no stage here reads it"
        judging = judging._replace(notes=(*judging.notes, unread))
    return plan, judging if plan.judged else None


def _described(desk: Desk | None) -> dict[str, Json] | None:
    if desk is None:
        return None
    from mmeval.judge.record import described

    return described(desk)


def _with_sources(config: dict[str, Json], judging: Judging) -> dict[str, Json]:
    """The config with who decided the judge's settings, and what is to be said of them."""
    knobs, notes = config["knob_sources"], config["protocol_notes"]
    assert isinstance(knobs, dict) and isinstance(notes, list)
    return {
        **config,
        "knob_sources": {**knobs, **judging.sources},
        "protocol_notes": [*notes, *judging.notes],
    }


def _settle(
    samples: Iterable[Sample | BadRow],
    plan: Plan,
    fields: tuple[str, ...],
    sinks: tuple[Spool, Progress],
    desk: Desk | None,
) -> Settled:
    spool, progress = sinks
    if desk is None:
        return settle_all(samples, plan, fields, spool, progress)
    return settle_judged(samples, plan, fields, spool, progress, lambda cases: desk.hear(cases, progress))


def rehearsed(settled: Settled, desk: Desk | None) -> dict[str, Json]:
    """What a dry run found: rows that rules settle, rows for the judge, and what asking would cost."""
    needed = settled.judged.asked - settled.judged.unasked
    told: dict[str, Json] = {
        "total": settled.counts.total,
        "by_rules": settled.counts.total - needed,
        "need_judge": needed,
        "cached": needed - sum(settled.judged.failures.values()),
    }
    if desk is None:
        return told
    from mmeval.judge.record import rehearsal

    return {**told, **rehearsal(desk)}


def _judge_stamped(
    config: dict[str, Json], plan: Plan, settled: Settled, desk: Desk | None
) -> dict[str, Json]:
    """The config with what the replies tell of the judge."""
    if desk is None:
        return config
    from mmeval.judge.record import one_or_all, stamp

    official, found = stamp(desk, plan, settled.judged)
    deviations = config["deviations"]
    assert isinstance(deviations, list)
    return {
        **config,
        "judge_model_answered": one_or_all(settled.judged.answered),
        "official_judge": official,
        "deviations": [*deviations, *found],
    }


@contextmanager
def _spooling(target: Path) -> Iterator[Spool]:
    """The rows on their way into a score file; a disk that fills up is told, and the old score stays.

    Where nothing comes of it, the folders that were made for it go again.
    """
    missing = [folder for folder in target.parents if not folder.exists()]
    spool = Spool(_writable(target))
    try:
        yield spool
    except OSError as error:
        raise UsageError(
            f"{target}: cannot be written ({error.strerror}); make room, or give --out"
        ) from None
    finally:
        spool.close()
        if not target.exists():
            with suppress(OSError):
                for folder in missing:
                    folder.rmdir()


def _current(target: Path, config: dict[str, Json], plan: Plan) -> scorefile.Head | None:
    """The score that lies there, if it is of the same fingerprint and complete, with what lies beside it."""
    if not target.exists():
        return None
    head = scorefile.read_head(target)
    if head is None or head.config.get("fingerprint") != config["fingerprint"]:
        return None
    if head.summary.get("llm_errors") or head.summary.get("errors"):
        return None
    beside = [rows_path(target, str(config["rows"])), per_row.paths(target)[0] if has_tables(plan) else None]
    return head if all(path is None or path.exists() for path in beside) else None


def rows_path(target: Path, kind: str) -> Path | None:
    """Where `--rows` puts the rows of a score file; None where they stay inside."""
    return None if kind == "inline" else target.with_suffix(f".rows.{kind}")


def _refuse_foreign(target: Path) -> None:
    """Never write a score over anything but a score: `--out` may name the predictions themselves.

    Raises:
        UsageError: the target is a file that is no score and does not bear a score's name.
    """
    if target.is_file() and not is_own(target.name) and scorefile.read_head(target) is None:
        raise UsageError(f"--out {target}: holds something else than a score; give a name that is free")


def _writable(target: Path) -> Path:
    """The folder of a score file, made if it is missing.

    Raises:
        UsageError: it cannot be made or written to, or the target is somebody else's file.
    """
    _refuse_foreign(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with scorefile.probe(target):
            return target.parent
    except OSError as error:
        raise UsageError(
            f"{target.parent}: cannot write there ({error.strerror}); make it writable, or give --out"
        ) from None


def _summary(run: Run, plan: Plan, made: Sequence[Reducer], settled: Settled, job: Job) -> dict[str, Json]:
    counts = settled.counts
    if not counts.total:
        raise ResultError(
            f"{run.path}: the protocol's filter leaves none of its {counts.filtered} rows; check score_filter"
        )
    if counts.status["invalid"] == counts.total:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in sorted(counts.by_reason.items()))
        raise ResultError(
            f"{run.path}: every one of its {counts.total} rows is invalid: {reasons}; "
            f"{remarks.remedy(counts, run)}"
        )
    summary = counts.summary()
    try:
        summary.update(aggregate_summary(made, settled.rows, job.max_failed))
    except MetadataError as error:
        raise MetadataError(f"{run.path}: {error}") from None
    return {
        **summary,
        "warnings": [*run.warnings, *remarks.warnings(run, plan, settled), *remarks.headline(made, summary)],
    }


def _stamped(config: dict[str, Json], plan: Plan, settled: Settled, run: Run) -> dict[str, Json]:
    """The config with the deviations that only the data and its rows could tell."""
    found = [*plan.deviations, *(run.deviations if isinstance(run, JoinedRun) else ())]
    expected = plan.block.row_counts
    total = settled.counts.total
    if expected and total not in expected:
        scored = many(total, "row was", "rows were")
        found.append(f"{scored} scored, the protocol has {' or '.join(map(str, expected))}")
    official = plan.official and not found
    if settled.judged.undecided:
        left = " that the rules left open"
        rows = many(settled.judged.undecided, f"row{left} was", f"rows{left} were")
        found.append(f"{rows} not put to a judge")
        official = plan.official and False
    if settled.counts.failed and plan.official is not None:
        found.append(f"{many(settled.counts.failed, 'row', 'rows')} failed on our side")
        official = False
    stamped: dict[str, Json] = {"official_protocol": official, "deviations": list[Json](found)}
    return {**config, **stamped}


def _write(target: Path, head: dict[str, Json], spool: Spool, rows: Rows) -> None:
    beside = rows_path(target, rows)
    if beside is None:
        scorefile.write(target, head, spool)
        return
    scorefile.write_rows(beside, spool, rows)
    scorefile.write(target, {**head, "rows_file": beside.name}, None)
