"""Inspect: a log that `inspect_ai.log.read_eval_log` reads and `inspect view` shows, and a scores file.

Layouts: UKGovernmentBEIS/inspect_ai, package 0.3.285: `log/_log.py` (EvalLog, version 2) and
`scorer/_precomputed.py` (records that `precomputed_scores` applies to a log of one's own). A row without a
verdict of its own (failed, or measured over the run) has no score there, which Inspect calls unscored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from mmeval.compare.questions import asked
from mmeval.compare.rows import Side
from mmeval.errors import UsageError
from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import Run, record, rows
from mmeval.fingerprint import canonical
from mmeval.reports.explanation import verdict
from mmeval.reports.scorefile_reader import intact

MARK = b'"by":"mmeval"'
NAME = "mmeval"
# A log has to say when; without --date nobody has said.
UNDATED = "1970-01-01T00:00:00+00:00"
KEYS = ("decided_by", "status", "reason", "trace", "evidence", "recorded")


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """One run as a log, samples and scores included.

    Raises:
        UsageError: there are several runs; a log is of one.
    """
    run = _single(runs)
    questions = asked(Side(run.document, {}, ()))
    if questions is None:
        tell(f"{run.document.path}: the questions are left out: the scored file is not beside it as it was")
    with intact(run.document):
        head = {
            "version": 2,
            "status": "success",
            "eval": _spec(run, options),
            "results": _results(run),
            "metadata": {"by": NAME},
        }
    yield msgspec.json.encode(head).removesuffix(b"}") + b',"samples":['
    before = b"\n"
    for row in rows(run):
        with intact(run.document):
            made = [_sample(run, row, epoch, questions or {}) for epoch in _epochs(row)]
        for sample in made:
            yield before + msgspec.json.encode(sample)
            before = b",\n"
    yield b"\n]}\n"


def _single(runs: Sequence[Run]) -> Run:
    if len(runs) != 1:
        raise UsageError(f"an Inspect file is of one run, and these are {len(runs)}; give -o a folder")
    return runs[0]


def _spec(run: Run, options: Options) -> dict[str, Any]:
    name = str(run.config["fingerprint"])
    return {
        "eval_id": name[:22],
        "run_id": name[:22],
        "task_id": name[:22],
        "created": options.date or UNDATED,
        "task": run.benchmark,
        "dataset": {"name": run.config["dataset_name"], "samples": run.summary["total"]},
        "model": run.model,
        "config": {},
        "packages": {"mmeval-score": str(run.document.provenance.get("mmeval"))},
        "metadata": {"dated": options.date is not None, **record(run)},
        "scorers": [{"name": NAME}],
    }


def _results(run: Run) -> dict[str, Any]:
    """The aggregates that have a value; one that has none is no metric, and never 0."""
    metrics: dict[str, Any] = {}
    for name, told in (run.summary.get("aggregates") or {}).items():
        if told["value"] is None:
            continue
        more = {key: told[key] for key in ("scale", "n", "stderr", "ci95") if key in told}
        metrics[name] = {"name": name, "value": told["value"], "metadata": more}
    verdicts = [row["score"] is not None and row["status"] in ("ok", "invalid") for row in rows(run)]
    scored = sum(verdicts)
    counts = {"scored_samples": scored, "unscored_samples": len(verdicts) - scored}
    score = {"name": NAME, "scorer": NAME, "metrics": metrics, **counts}
    total = run.summary["total"]
    return {"total_samples": total, "completed_samples": total - run.failed, "scores": [score]}


def _epochs(row: Mapping[str, Any]) -> list[int]:
    """One epoch for each prediction that counted."""
    return list(range(1, 1 + (len(row.get("predictions") or ()) or 1)))


def _sample(run: Run, row: Mapping[str, Any], epoch: int, questions: Mapping[str, str]) -> dict[str, Any]:
    one = _predicted(row, epoch)
    question = questions.get(str(canonical(row["eval-id"])), "")
    made: dict[str, Any] = {
        "id": row["eval-id"],
        "epoch": epoch,
        "input": question,
        "target": _target(row["gt"]),
        "messages": _messages(question, one["pred"]),
        "output": _output(run.model, one["pred"]),
        "metadata": {"question_type": row["question_type"], **(row["group"] or {})},
    }
    score = _score(one)
    if score is not None:
        made["scores"] = {NAME: score}
    if one["status"] not in ("ok", "invalid"):
        message = f"{one['status']}: {one['reason']}"
        made["error"] = {"message": message, "traceback": "", "traceback_ansi": ""}
    return made


def _predicted(row: Mapping[str, Any], epoch: int) -> Mapping[str, Any]:
    """One of the predictions of a row, with its own verdict; the row where only one was scored."""
    several = row.get("predictions") or ()
    return {**row, **several[epoch - 1], "predictions": ()} if several else row


def _messages(question: str, pred: str | None) -> list[dict[str, str]]:
    said = [{"role": "user", "content": question}]
    return said if pred is None else [*said, {"role": "assistant", "content": pred}]


def _output(model: str, pred: str | None) -> dict[str, Any]:
    if pred is None:
        return {"model": model, "choices": []}
    return {
        "model": model,
        "choices": [{"message": {"role": "assistant", "content": pred}, "stop_reason": "stop"}],
    }


def _target(gold: Any) -> str | list[str]:
    """A gold as Inspect has it: one text or several."""
    if isinstance(gold, list):
        return [_text(each) for each in gold]
    return "" if gold is None else _text(gold)


def _text(value: Any) -> str:
    told = canonical(value)
    return told if isinstance(told, str) else msgspec.json.encode(value).decode()


def _score(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A verdict as Inspect has it; None where there is none."""
    if row["score"] is None or row["status"] not in ("ok", "invalid"):
        return None
    more = {key: row[key] for key in KEYS if row.get(key) is not None}
    return {
        "value": row["score"],
        "answer": row["extracted"],
        "explanation": verdict(row),
        "metadata": {"by": NAME, **more},
    }


def scores(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """The verdicts of one run as records that Inspect's `precomputed_scores` takes: a JSON array.

    Each says which epoch it is of: one without would be put onto all of them, and where the first prediction
    alone was scored, nothing is known of the others.

    Raises:
        UsageError: there are several runs.
    """
    run = _single(runs)
    before, left = b"[\n", 0
    for row in rows(run):
        with intact(run.document):
            made = [(epoch, _score(_predicted(row, epoch))) for epoch in _epochs(row)]
            told = [{"id": row["eval-id"], "epoch": epoch, **score} for epoch, score in made if score]
        left += not told
        for each in told:
            yield before + msgspec.json.encode(each)
            before = b",\n"
    if left:
        tell(f"{run.document.path}: {left} rows have no verdict of their own and stay unscored")
    yield b"[]\n" if before == b"[\n" else b"\n]\n"
