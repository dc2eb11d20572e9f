"""mmeval: scores that say what they are.

from mmeval import Job, score
scored = score("runs/chartqa/result.json", Job())
scored.summary["headline"]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mmeval.errors import (
    Incomplete,
    JudgeError,
    MetadataError,
    MmevalError,
    ResultError,
    StageError,
    UsageError,
)
from mmeval.types import (
    Case,
    Failed,
    Found,
    Invalid,
    Measured,
    Options,
    Pass,
    Reduced,
    Row,
    Sample,
    Score,
    Verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from mmeval.protocol import Overrides
    from mmeval.runner import Job, Scored

__all__ = [
    "Case",
    "Failed",
    "Found",
    "Incomplete",
    "Invalid",
    "Job",
    "JudgeError",
    "Measured",
    "MetadataError",
    "MmevalError",
    "Options",
    "Overrides",
    "Pass",
    "Reduced",
    "ResultError",
    "Row",
    "Sample",
    "Score",
    "Scored",
    "StageError",
    "UsageError",
    "Verdict",
    "score",
]

# What is loaded when it is first asked for: the runner brings the dataset contract with it.
_LATER = {"Job": "mmeval.runner", "Overrides": "mmeval.protocol", "Scored": "mmeval.runner"}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'mmeval' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


def score(result: str | Path, job: Job | None = None) -> Scored:
    """Score one file of predictions and write its score file beside it; see `mmeval.runner.score_run`."""
    from pathlib import Path

    from mmeval.runner import Job, score_run

    return score_run(Path(result), job or Job())
