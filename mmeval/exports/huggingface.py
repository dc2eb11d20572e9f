"""Hugging Face: results for a model's `.eval_results/`, and the tasks of a benchmark's `eval.yaml`.

Layouts: huggingface/hub-docs docs/hub/eval-results.md@064c75486afa; the first is what
`huggingface_hub.eval_result_entries_to_yaml` makes of `EvalResultEntry`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from mmeval.errors import UsageError
from mmeval.exports.grid import no_value
from mmeval.exports.options import Options, Source, Tell
from mmeval.exports.runs import Run
from mmeval.types import Json

MARK = b"# mmeval export"
REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
# huggingface/huggingface.js packages/tasks/src/eval.ts lists them; the page above calls it an enum of theirs.
UNLISTED = (
    "eval.yaml is a draft: the Hub takes an evaluation_framework that Hugging Face has listed, "
    "and mmeval is not in its list yet"
)
HELP = "the dataset's name on the Hub, owner/name"


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """A list of results, one a run that has a value; the others are told of, for a value is required there.

    Raises:
        UsageError: no run has a value, two are of one task, or a dataset, date or source cannot stand there.
    """
    _check(options)
    entries = []
    for run in runs:
        if run.value is None:
            tell(f"{run.document.path}: left out, a result needs a value there; {no_value(run)}")
        else:
            entries.append(entry(run, options))
    _each_once(entries)
    if not entries:
        raise UsageError("no run has a value that could be published; score again so that no row fails")
    yield _yaml(entries)


def _each_once(entries: Sequence[dict[str, Json]]) -> None:
    """Refuse two results of one task: the file is of one model, and nobody knows which of them counts."""
    seen: list[Json] = []
    for each in entries:
        if each["dataset"] in seen:
            raise UsageError(
                f"two results of one task, {each['dataset']}; a file is of one model: name its runs, or "
                "give -o a folder"
            )
        seen.append(each["dataset"])


def _check(options: Options) -> None:
    """Refuse what the Hub would refuse at push time."""
    if options.date is not None:
        try:
            datetime.fromisoformat(options.date)
        except ValueError:
            raise UsageError(
                f"--date {options.date!r}: write it as 2025-01-15 or 2025-01-15T10:30:00Z"
            ) from None
    source = options.source
    if source.url is None and source != Source():
        raise UsageError("--source_name, --source_user and --source_org need --source_url")
    if source.url is not None and not re.match(r"https?://\S+$", source.url):
        raise UsageError(f"--source_url {source.url!r}: write a web address, https://...")


def entry(run: Run, options: Options) -> dict[str, Json]:
    """One result: dataset, value in its own unit, date and source where told, and what was scored how."""
    dataset = {"id": _dataset(run, options), "task_id": options.task_id or _task_id(run)}
    if run.config["revision"] is not None:
        dataset["revision"] = str(run.config["revision"])
    made: dict[str, Json] = {"dataset": dataset, "value": run.value}
    if options.date is not None:
        made["date"] = options.date
    source = {key: value for key, value in vars(options.source).items() if value is not None}
    if source:
        made["source"] = source
    made["notes"] = _notes(run, options)
    return made


def _task_id(run: Run) -> str:
    """The run's subset, `default` where it names none. A value over several subsets is of none of them."""
    subset = run.config["subset"]
    if isinstance(subset, list):
        raise UsageError(
            f"{run.document.path}: its value is over {len(subset)} subsets, and a result is of one task; "
            "give --task_id, the task of the dataset's eval.yaml that means them all"
        )
    return str(subset or "default")


def _dataset(run: Run, options: Options) -> str:
    told = options.dataset_id or run.config["dataset_name"]
    if not isinstance(told, str) or not REPOSITORY.fullmatch(told):
        raise UsageError(f"{run.document.path}: its dataset is {told!r}; give --dataset_id, {HELP}")
    return told


def _notes(run: Run, options: Options) -> str:
    """What a reader of the number must know, in one line."""
    headline, config = run.headline, run.config
    of = f" (of {headline['scale']:g})" if headline.get("scale") else ""
    told = [f"{headline['name']}{of} by mmeval {run.document.provenance.get('mmeval')}"]
    told.append(f"protocol {config['protocol'] or 'declared by the dataset'}")
    told.append(f"n = {headline['n']}")
    if run.interval is not None:
        told.append(f"95 % interval {run.interval[0]:.4g} to {run.interval[1]:.4g}")
    told += [f"judge {config['judge_model']}"] if config["judge_model"] else []
    told += (
        [f"not official: {'; '.join(config['deviations'])}"] if config["official_protocol"] is False else []
    )
    text = ", ".join(told)
    return f"{options.notes}; {text}" if options.notes else text


def tasks(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """The `eval.yaml` of a dataset: a task for every subset and split that was scored.

    Raises:
        UsageError: the runs are of several datasets.
    """
    names = {run.config["dataset_name"] for run in runs}
    if len(names) > 1:
        raise UsageError(
            f"eval.yaml is of one dataset; these runs are of {', '.join(sorted(map(str, names)))}"
        )
    made: list[dict[str, Json]] = []
    for run in runs:
        made += [task for task in _tasks(run, options) if task not in made]
    ids = [task["id"] for task in made]
    if len(set(ids)) < len(ids):
        raise UsageError(
            "several tasks would be called the same; leave out --task_id, or export them one by one"
        )
    notes = runs[0].config["protocol_notes"]
    whole: dict[str, Json] = {"name": str(names.pop() or runs[0].benchmark)}
    whole["description"] = options.notes or (str(notes[0]) if notes else "Scored with mmeval.")
    tell(UNLISTED)
    yield _yaml({**whole, "evaluation_framework": "mmeval", "tasks": [*made]})


def _tasks(run: Run, options: Options) -> Iterator[dict[str, Json]]:
    """A task for each subset; with a name that was told one for them all.

    A split that the score does not know, or of which it has several, is left out rather than guessed, and
    so is the configuration where it has no subset; the Hub then takes `test`, and the default one.
    """
    told, split = run.config["subset"], run.config["split"]
    splits = {"split": split} if isinstance(split, str) and split else {}
    if isinstance(told, list) and options.task_id is not None:
        yield {"id": options.task_id, **splits}
        return
    for subset in told if isinstance(told, list) else [told]:
        config = {"config": subset} if subset else {}
        yield {"id": options.task_id or str(subset or "default"), **config, **splits}


def _yaml(told: Any) -> bytes:
    import yaml

    text = yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=110)
    return MARK + b"\n" + text.encode()
