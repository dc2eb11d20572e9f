"""Which runs an export is about, how each is called, and what each says of itself in one flat row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from mmeval.compare.matching import Found, found_below
from mmeval.errors import UsageError
from mmeval.fingerprint import canonical
from mmeval.reports.scorefile_reader import Document, intact, load, samples
from mmeval.types import Json

SUFFIX = ".score.json"


class Run(NamedTuple):
    """One score: the file, the run's name, whose predictions they are, and of which benchmark."""

    document: Document
    name: str
    model: str
    benchmark: str

    @property
    def config(self) -> dict[str, Any]:
        """What was run."""
        return self.document.config

    @property
    def summary(self) -> dict[str, Any]:
        """What came of it."""
        return self.document.summary

    @property
    def headline(self) -> Mapping[str, Any]:
        """The headline; empty where there is none."""
        told = self.summary.get("headline")
        return told if isinstance(told, dict) else {}

    @property
    def value(self) -> float | None:
        """The headline's value; None where rows failed."""
        told = self.headline.get("value")
        return None if told is None else float(told)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The headline's 95 % interval."""
        return _pair(self.headline.get("ci95"))

    @property
    def failed(self) -> int:
        """Rows that failed on our side."""
        return int(self.summary["llm_errors"]) + int(self.summary["errors"])


def _pair(told: object) -> tuple[float, float] | None:
    return (float(told[0]), float(told[1])) if isinstance(told, list) else None


def gather(told: Sequence[str]) -> list[Run]:
    """The runs that these files and folders mean, each file once, in the order asked for.

    A word is a score file, a folder of them, or `MODEL=PATH`. Without a name a model is called by the folder
    that was named; below a single folder in which every score lies two folders deep or deeper, by the first
    of them.

    Raises:
        UsageError: a path does not exist, a folder holds no score, or one score is given to two models.
        ResultError: a file is no score of mmeval, or a damaged one.
    """
    runs: dict[Path, Run] = {}
    for word in told:
        name, root = _named(word)
        below = found_below(root)
        deep = len(told) == 1 and all(len(each.path.relative_to(root).parts) > 2 for each in below)
        for each in below:
            made = _run(each, root, name, deep)
            known = runs.setdefault(each.path.resolve(), made)
            if name is not None and known.model != made.model:
                raise UsageError(
                    f"{each.path} is named twice, as {known.model} and as {made.model}; name it once"
                )
    return list(runs.values())


def _named(word: str) -> tuple[str | None, Path]:
    """`MODEL=PATH`, unless there is a file of that whole name; of several signs the first before a path."""
    pieces = word.split("=")
    if len(pieces) == 1 or Path(word).exists():
        return None, Path(word)
    divided = (("=".join(pieces[:end]), "=".join(pieces[end:])) for end in range(1, len(pieces)))
    name, rest = next((each for each in divided if Path(each[1]).exists()), (pieces[0], "=".join(pieces[1:])))
    return (name, Path(rest)) if name else (None, Path(word))


def _run(found: Found, root: Path, model: str | None, deep: bool) -> Run:
    document = load(found.path)
    name = _clean(_place(found.path, root))
    if model is None:
        model = found.path.relative_to(root).parts[0] if deep else _called(root)
    with intact(document):
        run = Run(document, name, _clean(model), _benchmark(document.config, name))
        record(run)
    return run


def _called(root: Path) -> str:
    """The folder that was named; of a file the folder it lies in, or its own name where that says more."""
    if root.is_dir():
        return root.resolve().name
    return root.name.removesuffix(SUFFIX) if root.name.endswith(SUFFIX) else root.resolve().parent.name


def _place(path: Path, root: Path) -> str:
    """A run's place below the folder that was named: nothing of the machine."""
    if path == root:
        return _called(root)
    below = path.relative_to(root)
    if path.name != "score.json":
        return str(below).removesuffix(SUFFIX)
    return str(below.parent) if below.parent != Path(".") else _called(root)


def _clean(name: str) -> str:
    """A name of a file, whatever bytes it is made of."""
    return name.encode("utf-8", "replace").decode() or "run"


def _benchmark(config: Mapping[str, Any], name: str) -> str:
    """Dataset and subset, of several subsets the dataset alone; the run's folder where neither is named."""
    dataset, subset = config.get("dataset_name"), config.get("subset")
    if dataset is None:
        return name.rpartition("/")[2]
    return f"{dataset}/{subset}" if isinstance(subset, str) else str(dataset)


def record(run: Run) -> dict[str, Json]:
    """A run as one flat row: exact values, null where there is none, lists as JSON text."""
    config, summary, headline = run.config, run.summary, run.headline
    low, high = run.interval or (None, None)
    least, most = _pair(headline.get("bounds")) or (None, None)
    return {
        "run": run.name,
        "model": run.model,
        "protocol": config["protocol"],
        "dataset_name": config["dataset_name"],
        "subset": text(config["subset"]),
        "split": text(config["split"]),
        "headline": headline.get("name"),
        "value": run.value,
        "ci95_low": low,
        "ci95_high": high,
        "bounds_low": least,
        "bounds_high": most,
        "scale": headline.get("scale"),
        "n": headline.get("n"),
        "total": summary["total"],
        "invalid": summary["invalid"],
        "failed": run.failed,
        "coverage": summary["coverage"],
        "official_protocol": config["official_protocol"],
        "official_judge": config["official_judge"],
        "deviations": text(config["deviations"]),
        "judge": text(config["judge_model"]),
        "fingerprint": config["fingerprint"],
        "mmeval": run.document.provenance.get("mmeval"),
    }


def text(value: Json) -> str | None:
    """A text as it is, null as null, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def rows(run: Run) -> Iterator[dict[str, Any]]:
    """The samples of a run, as its score file has them.

    Raises:
        ResultError: the score file is damaged.
    """
    with intact(run.document):
        for raw in samples(run.document):
            yield msgspec.json.decode(raw)


NESTED = ("group", "evidence", "trace", "predictions", "recorded")


def sample_record(run: Run, row: Mapping[str, Any]) -> dict[str, Json]:
    """A sample as one flat row: exact values, nested ones as JSON text, no verdict as null.

    Raises:
        ResultError: the score file is damaged.
    """
    with intact(run.document):
        return {
            "run": run.name,
            "model": run.model,
            "dataset_name": run.config["dataset_name"],
            "subset": text((row["group"] or {}).get("subset", run.config["subset"])),
            "eval-id": str(canonical(row["eval-id"])),
            "question_type": row["question_type"],
            "gt": text(row["gt"]),
            "pred": row["pred"],
            "extracted": row["extracted"],
            "score": row["score"],
            "is_correct": row["is_correct"],
            "decided_by": row["decided_by"],
            "status": row["status"],
            "reason": row["reason"],
            **{name: _json(row.get(name)) for name in NESTED},
        }


def _json(value: Json) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


RUN_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("run", "model", "protocol", "dataset_name", "subset", "split", "headline"), str),
    **dict.fromkeys(("value", "ci95_low", "ci95_high", "bounds_low", "bounds_high", "scale"), float),
    **dict.fromkeys(("n", "total", "invalid", "failed"), int),
    "coverage": float,
    **dict.fromkeys(("official_protocol", "official_judge"), bool),
    **dict.fromkeys(("deviations", "judge", "fingerprint", "mmeval"), str),
}
SAMPLE_COLUMNS: Mapping[str, type] = {
    **dict.fromkeys(("run", "model", "dataset_name", "subset", "eval-id", "question_type"), str),
    **dict.fromkeys(("gt", "pred", "extracted"), str),
    "score": float,
    "is_correct": int,
    **dict.fromkeys(("decided_by", "status", "reason", *NESTED), str),
}


def table(runs: Sequence[Run], of_samples: bool) -> Iterator[dict[str, Json]]:
    """The flat rows of an export: one a run, or one a sample."""
    for run in runs:
        if not of_samples:
            yield record(run)
            continue
        yield from (sample_record(run, row) for row in rows(run))
