"""What a score says of itself: the resolved protocol, who decided what, versions and hashes."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

import msgspec

from mmeval.fingerprint import digest
from mmeval.protocol import Plan
from mmeval.readers import CombinedRun, ForeignRun, JoinedRun, RunFile
from mmeval.scorefile import SCHEMA_VERSION
from mmeval.summary import Reducer
from mmeval.types import Json

Run: TypeAlias = RunFile | CombinedRun | JoinedRun

# Libraries whose version can change a number, by the part of mmeval that uses them.
LIBRARIES = ("msgspec", "numpy", "rapidfuzz", "scipy")
JUDGE = (
    "judge_provider",
    "judge_endpoint",
    "judge_model",
    "judge_model_answered",
    "judge_temperature",
    "judge_max_tokens",
    "judge_contract",
    "judge_prompt",
    "judge_prompt_sha256",
    "judge_prompts",
    "judge_revision",
    "judge_repeats",
    "judge_include_reason",
)


@cache
def version(distribution: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def one_or_all(values: Sequence[str | None]) -> Json:
    """A file's one subset or split; a list where it has several; null where it has none."""
    return values[0] if len(values) == 1 else list(values) or None


def config(
    run: Run,
    plan: Plan,
    made: Sequence[Reducer],
    rows: str,
    max_failed: float,
    judge: Mapping[str, Json] | None = None,
    resources: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """The `config` of a score file, fingerprint included.

    `judge` says how the judge is set up, `resources` which files are read, by name and hash.
    """
    known = plan.identity
    said: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "dataset_name": known.dataset_name,
        "subset": one_or_all(known.subsets),
        "split": one_or_all(known.splits),
        "revision": known.revision,
        "task_type": plan.block.task_type,
        "protocol": plan.name,
        "protocol_source": plan.source,
        "score_pipeline": plan.pipeline,
        "score_gt_field": plan.gt_field or "answer",
        "score_pred_field": plan.pred_field or "messages[-1].response",
        "score_question_type": plan.question_type,
        "score_predictions": plan.predictions,
        "score_derive": [
            each.model_dump(by_alias=True, exclude_none=True) for each in plan.block.score_derive
        ],
        "score_filter": [
            each.model_dump(by_alias=True, exclude_none=True) for each in plan.block.score_filter
        ],
        "score_aggregates": [each.spec.model_dump(exclude_none=True) for each in made],
        "score_rows": plan.block.score_rows,
        "params_effective": plan.params_effective,
        "params_unused": plan.params_unused,
        "knob_sources": plan.knob_sources,
        "max_failed": max_failed,
        "rows": rows,
    }
    printed = fingerprint(run, plan, made, {**said, "judge": dict(judge or {})}, resources or {})
    return {
        **said,
        **dict.fromkeys(JUDGE),
        **(judge or {}),
        "official_protocol": plan.official,
        "official_judge": None,
        "deviations": list(plan.deviations),
        "protocol_notes": list(plan.notes),
        "fingerprint": printed,
    }


def fingerprint(
    run: Run, plan: Plan, made: Sequence[Reducer], said: dict[str, Any], resources: Mapping[str, Any]
) -> str:
    """SHA-256 of everything that determines the score: predictions, protocol, files, parameters, versions."""
    return digest(
        {
            "mmeval": version("mmeval-score"),
            "result_sha256": run.sha256,
            "config": said,
            "block": plan.block.model_dump(mode="json", by_alias=True),
            "stages": stage_versions(plan),
            "aggregates": {each.spec.reduce: each.version for each in made},
            **(
                {"resources": {name: each["sha256"] for name, each in resources.items()}} if resources else {}
            ),
        }
    )


def stage_versions(plan: Plan) -> dict[str, int]:
    """The stages that can decide, and their versions."""
    return {stage.name: stage.version for stages in plan.steps.all for stage in stages}


def provenance(
    run: Run, plan: Plan, made: Sequence[Reducer], resources: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """The `provenance` of a score file: versions and hashes, no paths and no clock."""
    return {
        "mmeval": version("mmeval-score"),
        "stages": dict(stage_versions(plan)),
        "aggregates": {each.spec.reduce: each.version for each in made},
        "libraries": {name: version(name) for name in libraries(made)},
        "result": result(run),
        "protocol_sha256": digest(plan.block.model_dump(mode="json", by_alias=True)),
        "resources": dict(resources or {}),
    }


def libraries(made: Sequence[Reducer]) -> tuple[str, ...]:
    """The libraries whose version can change a number of this score; an aggregate names its own."""
    own = {name for each in made for name in getattr(each.call, "libraries", ())}
    return (*LIBRARIES, *sorted(own - set(LIBRARIES)))


def result(run: Run) -> dict[str, Json]:
    """What was read: the file or the files, by name and hash."""
    told: dict[str, Json] = {"format": run.format, "rows": run.n_rows, "sha256": run.sha256}
    if not isinstance(run, RunFile):
        return {**told, "parts": [{"file": p.file, "rows": p.rows, "sha256": p.sha256} for p in run.parts]}
    told = {"file": run.path.name.encode("utf-8", "replace").decode(), **told}
    if not isinstance(run, ForeignRun):
        return told
    parts: list[Json] = [msgspec.structs.asdict(part) for part in run.foreign.parts[1:]]
    about: dict[str, Json] = {name: value for name, value in run.foreign.about.items() if value is not None}
    return {**told, **({"with": parts} if parts else {}), "about": about}
