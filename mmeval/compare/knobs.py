"""What two scores were made with, side by side: each knob that differs, and if it can change a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from mmeval.reports.scorefile_reader import Document
from mmeval.types import Json

DATA = ("dataset_name", "subset", "split")
PROTOCOL = (
    "score_pipeline",
    "score_gt_field",
    "score_pred_field",
    "score_question_type",
    "score_predictions",
    "score_derive",
    "score_filter",
)
JUDGE = (
    "judge_provider",
    "judge_model",
    "judge_model_answered",
    "judge_temperature",
    "judge_max_tokens",
    "judge_contract",
    "judge_prompt",
    "judge_prompt_sha256",
    "judge_repeats",
    "judge_include_reason",
)
# They say where something came from or how it is counted, and change no verdict by themselves.
REMARKS = ("protocol", "revision", "judge_endpoint", "judge_revision", "max_failed", "score_rows")
# Where nobody was asked, or nobody answered, a judge's settings are null: that is no other setting.
UNTOLD = ("judge_model_answered",)
LONGEST = 160


class Knob(msgspec.Struct, frozen=True):
    """One thing that differs between two scores; `decides` says that it can change a verdict."""

    name: str
    a: Json
    b: Json
    decides: bool

    def __str__(self) -> str:
        """The knob with both settings; of two tables the entries that differ."""
        a, b = self.a, self.b
        if isinstance(a, dict) and isinstance(b, dict):
            return f"{self.name}: {_short(_beyond(a, b))} -> {_short(_beyond(b, a))}"
        return f"{self.name}: {_short(a)} -> {_short(b)}"


def _beyond(table: dict[str, Json], other: dict[str, Json]) -> Json:
    """The entries that the other table has not, or has otherwise."""
    return {name: value for name, value in table.items() if name not in other or other[name] != value}


def _short(value: Json) -> str:
    if value is None:
        return "not set"
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def differing(a: Document, b: Document) -> list[Knob]:
    """Every knob that differs, those that can change a verdict first."""
    found = [*_configs(a.config, b.config), *_versions(a.provenance, b.provenance)]
    return sorted(found, key=lambda knob: not knob.decides)


def _configs(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Knob]:
    # A judge on one side alone is told by its provider; its settings have nothing to differ from.
    judged = (a.get(JUDGE[0]) is None) is not (b.get(JUDGE[0]) is None)
    for name in (*DATA, *PROTOCOL, *JUDGE, *REMARKS):
        first, second = a.get(name), b.get(name)
        untold = None in (first, second) and (name in UNTOLD or (judged and name in JUDGE[1:]))
        if first == second or untold:
            continue
        yield Knob(name, first, second, name not in REMARKS)
    first, second = _params(a), _params(b)
    yield from _mapping("", first, second, [name for name in {**first, **second} if _in_both(name, a, b)])
    prompts = (a.get("judge_prompts") or {}, b.get("judge_prompts") or {})
    yield from _mapping("judge prompt ", *prompts, prompts[0].keys() & prompts[1].keys())
    first, second = _aggregates(a), _aggregates(b)
    yield from _mapping("aggregate ", first, second, {**first, **second})


def _in_both(name: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether the stage of a parameter is in both pipelines; one that is not is told by the pipelines."""
    stage = name.rpartition(".")[0]
    return all(stage in (each.get("params_effective") or {}) for each in (a, b))


def _mapping(kind: str, a: Mapping[str, Json], b: Mapping[str, Json], names: Iterable[str]) -> Iterator[Knob]:
    """Entries that differ between two tables; each can change a verdict."""
    for name in sorted(names):
        if a.get(name) != b.get(name):
            yield Knob(f"{kind}{name}", a.get(name), b.get(name), True)


def _params(config: Mapping[str, Any]) -> dict[str, Json]:
    """Every parameter in force as `stage.name`."""
    in_force = config.get("params_effective") or {}
    return {
        f"{stage}.{name}": value
        for stage, params in in_force.items()
        if isinstance(params, Mapping)
        for name, value in params.items()
    }


def _aggregates(config: Mapping[str, Any]) -> dict[str, Json]:
    """Every aggregate by its name."""
    return {
        str(each["name"]): {key: value for key, value in each.items() if key != "name"}
        for each in config.get("score_aggregates") or ()
    }


def _versions(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[Knob]:
    """Versions of stages and aggregates and the files read decide; those of mmeval and libraries may."""
    for part, word in (("stages", "stage"), ("aggregates", "aggregate"), ("libraries", "library")):
        first, second = a.get(part) or {}, b.get(part) or {}
        for knob in _mapping(f"version of {word} ", first, second, first.keys() & second.keys()):
            yield msgspec.structs.replace(knob, decides=part != "libraries")
    files = [
        {name: each.get("sha256") for name, each in (side.get("resources") or {}).items()} for side in (a, b)
    ]
    yield from _mapping("resource ", files[0], files[1], {**files[0], **files[1]})
    if a.get("mmeval") != b.get("mmeval"):
        yield Knob("version of mmeval", a.get("mmeval"), b.get("mmeval"), False)


def same_predictions(a: Document, b: Document) -> bool:
    """Whether both scores are of one and the same file of predictions."""
    first, second = (each.provenance.get("result", {}).get("sha256") for each in (a, b))
    return first is not None and first == second
