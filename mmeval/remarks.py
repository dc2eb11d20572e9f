"""What is said about a run beside its numbers: what is odd, and what to do where nothing could be scored."""

from __future__ import annotations

from collections.abc import Sequence

from mmeval.protocol import Plan
from mmeval.provenance import Run
from mmeval.settling import Settled
from mmeval.summary import Counts, Reducer
from mmeval.text.counted import many
from mmeval.types import Json


def empty(summary: dict[str, Json]) -> list[str]:
    """A headline over nothing has no value; why, is told."""
    headline = summary["headline"]
    if not isinstance(headline, dict) or headline["n"]:
        return []
    made = summary["aggregates"]
    its = made.get(headline["name"]) if isinstance(made, dict) and isinstance(headline["name"], str) else None
    notes = its.get("notes") if isinstance(its, dict) else None
    why = f": {notes[0]}" if isinstance(notes, list) and notes else "; check its over and where"
    return [f"no row counts for the headline {headline['name']}{why}"]


def headline(made: Sequence[Reducer], summary: dict[str, Json]) -> list[str]:
    """What a headline's name does not say of it."""
    return [*empty(summary), *partial(made, summary)]


def partial(made: Sequence[Reducer], summary: dict[str, Json]) -> list[str]:
    """A headline over other groups than its protocol averages is said to be one."""
    headline, groups = summary["headline"], summary["groups"]
    name = headline["name"] if isinstance(headline, dict) else None
    parts = groups.get(name) if isinstance(groups, dict) and isinstance(name, str) else None
    told = next((getattr(each.call, "partial", None) for each in made if each.spec.name == name), None)
    return [f"{name}: {note}" for note in told(parts)] if told is not None and parts else []


# What to do about rows that lack something else than gold and reply.
REMEDIES = {
    "no-tool-detections": "put the folder tool_detections beside the run, give --resource "
    "tool_detections=PATH, or take another score_mode (the environment's SCORE_MODE counts too)",
    "unknown-image": "the rows have to name their image as the annotations do (image_id, file_name, "
    "image_path or image), and those have to be of the same split",
    "no-annotations": "put the annotations of these rows where the protocol looks for them, or correct "
    "the field that says which one it is",
    "missing-image-size": "give every row the width and height of its image, or declare grid=pixels",
    "no-category-named": "category_field has to name a category that the categories list",
}
# What a judge's prompt shows and a row has not.
UNSEEN = ("judge-input-missing", "missing-image")
# Reasons that lie in the rows as such, whichever field is read.
BROKEN = frozenset({"duplicate-id", "duplicate-key", "row-not-an-object", "too-deep"})


def remedy(counts: Counts, run: Run) -> str:
    """What to do about a run whose rows are all invalid."""
    if run.format == "joined" and "missing-prediction" in counts.by_reason:
        return "; ".join((*run.warnings, "both files must name their rows alike"))
    if set(counts.by_reason) == {"duplicate-id"}:
        return "give every row an eval-id of its own"
    if "reference-is-no-text" in counts.by_reason:
        return (
            "no stage of this pipeline can grade such golds (boxes, objects); name one that can with "
            "--protocol or --score_pipeline, or the field that holds a text with --score_gt_field"
        )
    for reason, told in REMEDIES.items():
        if reason in counts.by_reason:
            return told
    if all(reason.startswith(UNSEEN) for reason in counts.by_reason):
        return "the rows lack what the judge is to see; another --judge_prompt may do without"
    if counts.by_reason.keys() <= BROKEN:
        return "write the file again"
    return "check the fields that hold gold and prediction (--score_gt_field, --score_pred_field)"


def warnings(run: Run, plan: Plan, settled: Settled) -> list[str]:
    """What the rows tell of the run that a reader should know."""
    said = []
    if run.duplicate_ids:
        shown = ", ".join(list(run.duplicate_ids)[:5])
        ids = many(len(run.duplicate_ids), "id occurs", "ids occur")
        said.append(f"{ids} more than once ({shown}); their rows are invalid")
    if run.rows_without_id:
        rows = many(run.rows_without_id, "row has", "rows have")
        said.append(f"{rows} no eval-id; their position stands in for it")
    if settled.several and plan.predictions == "first":
        samples = many(settled.several, "sample has", "samples have")
        said.append(f"{samples} several predictions; the first one of each was scored")
    return said
