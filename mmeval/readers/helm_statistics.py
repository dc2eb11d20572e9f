"""What HELM computed of each instance: `per_instance_stats.json`, beside the requests of a run.

Source of the layout: stanford-crfm/helm (0.5.16) `src/helm/benchmark/metrics/metric.py` (PerInstanceStats),
`metrics/statistic.py`: by instance, trial and perturbation a list of statistics, each with a name and a mean.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from mmeval.readers.foreign import number, part, sha256_of
from mmeval.readers.parts import Part
from mmeval.types import Json

STATISTICS = "per_instance_stats.json"
_LARGEST = 2 * 1024 * 1024 * 1024


def members(value: Json) -> dict[str, Json]:
    """An object; anything else is one without members."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> list[dict[str, Json]]:
    """The objects of a list; anything else is an empty one."""
    return [members(each) for each in value] if isinstance(value, list) else []


class Statistics:
    """The statistics of one run.

    Attributes:
        names: those that could be a verdict (a number in 0..1 on every instance) first, then the others.
        parts: the file, where there is one.
    """

    def __init__(self, path: Path) -> None:
        self._values: dict[str, dict[str, float | int | None]] = {}
        self.parts: tuple[Part, ...] = ()
        told = _read(path)
        for each in told:
            key = _key(each.get("instance_id"), each)
            for stat in items(each.get("stats")):
                name = members(stat.get("name")).get("name")
                if isinstance(name, str):
                    self._values.setdefault(name, {})[key] = number(stat.get("mean"))
        if told:
            self.parts = (part(path, len(told), sha256_of(path)),)
        self.names = sorted(self._values, key=lambda name: not self._is_share(name))

    def value(self, name: str, state: dict[str, Json]) -> float | int | None:
        """What a statistic is of one request; None where it was not computed."""
        instance = members(state.get("instance"))
        changed = {**instance, "train_trial_index": state.get("train_trial_index")}
        return self._values[name].get(_key(instance.get("id"), changed))

    def _is_share(self, name: str) -> bool:
        values = self._values[name].values()
        counts = name.startswith(("num_", "inference_", "batch_", "training_", "estimated_", "max_"))
        return not counts and all(value is not None and 0 <= value <= 1 for value in values)


def _key(name: Json, of: dict[str, Json]) -> str:
    perturbation = members(of.get("perturbation"))
    return repr((name, of.get("train_trial_index") or 0, perturbation.get("name"), perturbation.get("seed")))


def _read(path: Path) -> list[dict[str, Json]]:
    """The file's entries; none where it is not there, or cannot be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return []
        return items(msgspec.json.decode(path.read_bytes()))
    except (OSError, msgspec.MsgspecError, RecursionError):
        return []
