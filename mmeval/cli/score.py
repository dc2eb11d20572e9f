"""`mmeval score`: every run below a folder, each by its own declared protocol."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mmeval.cli import box_flags, judge_flags, tasks
from mmeval.cli.opening import Where, opened
from mmeval.cli.output import say
from mmeval.judge.judges import Judges
from mmeval.text.counted import many

if TYPE_CHECKING:
    from mmeval.protocol import Overrides
    from mmeval.runner import Scored

# The worst exit code of many runs wins, in this order (DESIGN section 9).
WORST = (130, 2, 3, 1, 0)


class QuestionTypes(StrEnum):
    """Kinds of questions."""

    mcq = "mcq"
    yes_no = "yes_no"
    numeric = "numeric"
    open = "open"


class StringMatch(StrEnum):
    """Ways to compare texts."""

    exact = "exact"
    contains = "contains"
    anls = "anls"


class Predictions(StrEnum):
    """Which of several predictions count."""

    first = "first"
    all = "all"


class RowsKind(StrEnum):
    """Where the rows go."""

    inline = "inline"
    jsonl = "jsonl"
    parquet = "parquet"


Share = typer.Option(min=0.0, max=1.0)


def score(
    results: Annotated[Path, typer.Option("--results", help="A folder of runs, or one file of predictions.")],
    protocol: Annotated[
        str | None,
        typer.Option("--protocol", help="NAME, NAME@variant, NAME:subset or @variant of the library."),
    ] = None,
    score_pipeline: Annotated[
        str | None, typer.Option("--score_pipeline", help="Stages to run instead, comma-separated.")
    ] = None,
    score_gt_field: Annotated[
        str | None, typer.Option("--score_gt_field", help="Field that holds the gold.")
    ] = None,
    score_pred_field: Annotated[
        str | None, typer.Option("--score_pred_field", help="Field that holds the prediction.")
    ] = None,
    score_question_type: Annotated[
        QuestionTypes | None, typer.Option("--score_question_type", help="Type of every question.")
    ] = None,
    score_predictions: Annotated[
        Predictions | None,
        typer.Option("--score_predictions", help="Of several predictions: the first, or all."),
    ] = None,
    score_numeric_rel_tol: Annotated[
        float | None,
        typer.Option("--score_numeric_rel_tol", help="Relative tolerance: 0.05 is 5 % of the gold."),
    ] = None,
    score_numeric_abs_tol: Annotated[
        float | None, typer.Option("--score_numeric_abs_tol", help="Absolute tolerance, in the gold's unit.")
    ] = None,
    score_string_match: Annotated[
        StringMatch | None, typer.Option("--score_string_match", help="How texts are compared.")
    ] = None,
    score_anls_threshold: Annotated[
        float | None,
        typer.Option("--score_anls_threshold", help="ANLS similarity below which an answer is wrong."),
    ] = None,
    score_param: Annotated[
        list[str] | None, typer.Option("--score_param", help="[stage.]name=value for every other parameter.")
    ] = None,
    resource: box_flags.Resource = None,
    box_backend: box_flags.Backend = None,
    score_result_glob: Annotated[
        str | None,
        typer.Option("--score_result_glob", help="Which files are runs, as a glob below --results."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for the score files, or one file ending in .json.")
    ] = None,
    rows: Annotated[
        RowsKind, typer.Option("--rows", help="Rows inside score.json, or beside it.")
    ] = RowsKind.inline,
    max_failed: Annotated[
        float,
        typer.Option(
            "--max_failed", min=0.0, max=1.0, help="Share of failed rows that still gives a headline."
        ),
    ] = 0.0,
    min_coverage: Annotated[
        float | None,
        typer.Option("--min_coverage", min=0.0, max=1.0, help="Exit 1 below this share of decided rows."),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option("--fail_under", help="Exit 1 if a headline is below this, in its own unit."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", help="Table that holds questions and golds: a file, or the name of a benchmark."
        ),
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(
            "--dataset", help="The same in a folder laid out as on the Hub, or in owner/name there."
        ),
    ] = None,
    subset: Annotated[str | None, typer.Option("--subset", help="Subset of --dataset.")] = None,
    split: Annotated[str | None, typer.Option("--split", help="Split of --dataset.")] = None,
    revision: Annotated[
        str | None, typer.Option("--revision", help="Branch, tag or commit of --dataset on the Hub.")
    ] = None,
    combine: Annotated[
        bool,
        typer.Option(
            "--combine", help="Score all files of one dataset as one run, each subset from one file."
        ),
    ] = False,
    judge_provider: judge_flags.Provider = None,
    judge_model: judge_flags.Model = None,
    judge_base_url: judge_flags.BaseUrl = None,
    judge_temperature: judge_flags.Temperature = None,
    judge_max_tokens: judge_flags.MaxTokens = None,
    judge_max_retry: judge_flags.MaxRetry = None,
    judge_concurrency: judge_flags.Concurrency = None,
    judge_timeout: judge_flags.Timeout = None,
    judge_include_reason: judge_flags.Reason = None,
    judge_repeats: judge_flags.Repeats = None,
    judge_prompt: judge_flags.Prompt = None,
    judge_config: judge_flags.Config = None,
    judge_cache: judge_flags.CacheFolder = None,
    judge_replies: judge_flags.Replies = None,
    judge_prices: judge_flags.PriceTable = None,
    max_cost: judge_flags.MaxCost = None,
    judge_batch: judge_flags.Batch = False,
    dry_run: judge_flags.DryRun = False,
    force: Annotated[bool, typer.Option("--force", help="Score again what is up to date.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summaries as JSON.")] = False,
) -> None:
    """Score every run below a folder, each by the protocol that its dataset declares."""
    from mmeval.cli.progress import Progress
    from mmeval.errors import MmevalError
    from mmeval.readers import discover
    from mmeval.reports import terminal
    from mmeval.runner import Job

    named = {
        "numeric_rel_tol": score_numeric_rel_tol,
        "numeric_abs_tol": score_numeric_abs_tol,
        "string_match": score_string_match and score_string_match.value,
        "anls_threshold": score_anls_threshold,
    }
    overrides = _overrides(
        protocol,
        score_pipeline,
        (score_gt_field, score_pred_field),
        (score_question_type, score_predictions),
        {**{name: value for name, value in named.items() if value is not None}, **_params(score_param or [])},
        {} if box_backend is None else {"backend": box_backend.value},
    )
    resources = box_flags.resources(resource or [])
    judges = Judges(
        provider=judge_provider and judge_provider.value,
        models=None if judge_model is None else (judge_model,),
        base_url=judge_base_url,
        temperature=judge_temperature,
        max_tokens=judge_max_tokens,
        max_retry=judge_max_retry,
        concurrency=judge_concurrency,
        timeout=judge_timeout,
        include_reason=judge_include_reason,
        repeats=judge_repeats,
        prompt=judge_prompt,
        config=judge_config,
        cache=judge_cache,
        replies=judge_replies,
        prices=judge_prices,
        max_cost=max_cost,
        batch=judge_batch or None,
        dry_run=dry_run,
    )
    judges.check()
    done: list[Scored] = []
    code = 0
    where = Where(subset, split, revision)
    if any(given is not None for given in (data, dataset, *where)):
        todo = tasks.joined(results, score_result_glob, out, partial(opened, data, dataset, where), combine)
    else:
        found = discover(results, score_result_glob)
        todo = tasks.combined(found, results, out) if combine else tasks.single(found, results, out)
    with Progress(len(todo)) as progress, judges:
        for path, target, run in todo:
            job = Job(overrides, target, rows.value, force, max_failed, judges, dry_run, resources)
            try:
                scored = run(job, progress.run(path))
            except MmevalError as error:
                progress.error(_named(str(error), path))
                code = worst(code, error.exit_code)
                continue
            done.append(scored)
            if dry_run:
                continue
            code = worst(code, _gate(scored, max_failed, min_coverage, fail_under, progress))
            if judges.interrupted:
                code = worst(code, 130)
                break
        for text in judges.remarks(bool(done)):
            say(text, err=True)
    if dry_run:
        say(terminal.rehearsals_json(done) if as_json else terminal.rehearsals_table(done, results))
        raise typer.Exit(code)
    say(terminal.scores_json(done) if as_json else terminal.scores_table(done, results))
    raise typer.Exit(code)


def _named(message: str, path: Path) -> str:
    """A message about a run, with the run's name in it."""
    return message if str(path) in message else f"{path}: {message}"


def worst(*codes: int) -> int:
    """The exit code that speaks for all of these."""
    return min(codes, key=WORST.index)


def _overrides(
    protocol: str | None,
    pipeline: str | None,
    fields: tuple[str | None, str | None],
    kinds: tuple[QuestionTypes | None, Predictions | None],
    params: dict[str, Any],
    aggregate_params: dict[str, Any],
) -> Overrides:
    from mmeval.protocol import Overrides

    given = {"--protocol": protocol, "--score_pipeline": pipeline}
    given |= dict(zip(("--score_gt_field", "--score_pred_field"), fields, strict=True))
    for flag, text in given.items():
        _check_text(flag, text)
    stages = None if pipeline is None else tuple(name.strip() for name in pipeline.split(",") if name.strip())
    question_type, predictions = kinds
    return Overrides(
        protocol,
        stages,
        fields[0],
        fields[1],
        None if question_type is None else question_type.value,
        None if predictions is None else predictions.value,
        params,
        aggregate_params=aggregate_params,
    )


def _check_text(flag: str, text: str | None) -> None:
    """Refuse what cannot be written into a score.

    Raises:
        UsageError: the bytes on the command line were no UTF-8.
    """
    from mmeval.errors import UsageError

    if text is not None and not text.isascii() and text.encode("utf-8", "replace").decode() != text:
        raise UsageError(f"{flag} {text!r}: is not UTF-8; write it in UTF-8")


def _params(given: list[str]) -> dict[str, Any]:
    """`name=value` pairs; a value that reads as JSON is that value, anything else is text."""
    import orjson

    from mmeval.errors import UsageError

    params: dict[str, Any] = {}
    for pair in given:
        _check_text("--score_param", pair)
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--score_param {pair!r}: write it as name=value or stage.name=value")
        try:
            params[name.strip()] = orjson.loads(value)
        except orjson.JSONDecodeError:
            params[name.strip()] = value
    return params


def _gate(
    scored: Scored, max_failed: float, min_coverage: float | None, fail_under: float | None, progress: Any
) -> int:
    """The exit code of one scored run: 3 with too many failed rows, 1 if a gate was missed."""
    code = 0
    if scored.failed and scored.failed_share > max_failed:
        rows = many(scored.failed, "row", "rows")
        progress.error(f"{scored.result}: {rows} failed on our side; {_retry(scored)}")
        code = 3
    coverage = scored.summary["coverage"]
    if min_coverage is not None and isinstance(coverage, float) and coverage < min_coverage:
        progress.error(f"{scored.result}: coverage {coverage:.4f} is below --min_coverage {min_coverage}")
        code = worst(code, 1)
    headline = scored.summary["headline"]
    value = headline.get("value") if isinstance(headline, dict) else None
    if fail_under is not None and not (isinstance(value, float | int) and value >= fail_under):
        progress.error(f"{scored.result}: headline {value} is below --fail_under {fail_under}")
        code = worst(code, 1)
    return code


def _retry(scored: Scored) -> str:
    """What to do about rows that failed."""
    judge = scored.summary.get("judge")
    failures = judge.get("failures") if isinstance(judge, dict) else None
    if isinstance(failures, dict) and failures.get("no-judge"):
        return "name a judge with --judge_model (docs/judges.md), or none with --judge_provider none"
    return "run again to retry them"
