"""Score files written by hand: what an export is made of, without a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

CONFIG: dict[str, Any] = {
    "schema_version": 1,
    "dataset_name": "owner/pets",
    "subset": "main",
    "split": "test",
    "revision": None,
    "protocol": "pets",
    "score_pipeline": ["rule-match"],
    "score_aggregates": [{"name": "accuracy", "reduce": "mean", "scale": 100.0, "headline": True}],
    "params_effective": {"rule-match": {"option_rules": "robust"}},
    "judge_model": None,
    "official_protocol": True,
    "official_judge": None,
    "deviations": [],
    "protocol_notes": ["Cats and dogs."],
    "fingerprint": "f" * 64,
}
TRACE = [{"stage": "rule-match", "version": 1, "outcome": "score", "extracted": "B", "span": [0, 1]}]


def sample(number: object, score: float | None, **more: Any) -> dict[str, Any]:
    """One row of a score file."""
    made = {
        "eval-id": number,
        "question_type": "mcq",
        "gt": "B",
        "pred": "B",
        "extracted": "B",
        "matched": None,
        "score": score,
        "is_correct": None if score is None else int(score >= 1),
        "decided_by": "rule-match",
        "status": "ok",
        "reason": "bare-label",
        "group": {},
        "evidence": None,
        "trace": TRACE,
    }
    return {**made, **more}


SAMPLES = (
    sample(1, 1.0),
    sample(2, 0.0, pred="A", extracted="A"),
    sample("three", 0.0, decided_by=None, extracted=None, pred="", reason="no-option-found"),
    sample(4, 0.0, status="invalid", decided_by=None, reason="missing-prediction", pred=None, extracted=None),
    sample(5, None, status="error", decided_by=None, reason="stage-broke", extracted=None, gt=["a", "b"]),
    sample(6, None, decided_by="box-ap", evidence={"n": 1}),
)


def headline(value: float | None, **more: Any) -> dict[str, Any]:
    """A headline out of 100 with an interval of two points to either side."""
    ci95 = None if value is None else [value - 2, value + 2]
    bounds = [40.0, 60.0] if value is None else [value, value]
    made = {"name": "accuracy", "value": value, "scale": 100.0, "n": 6, "stderr": None, "ci95": ci95}
    return {**made, "bounds": bounds, "method": "t", **more}


def write_score(
    path: Path,
    value: float | None = 50.0,
    samples: tuple[dict[str, Any], ...] = SAMPLES,
    config: dict[str, Any] | None = None,
    summary: dict[str, Any] | None = None,
    told: dict[str, Any] | None = None,
) -> Path:
    """Write a score file; `told` changes the headline."""
    best = headline(value, **(told or {}))
    whole = {
        "total": len(samples),
        "invalid": 1,
        "llm_errors": 0,
        "errors": 0 if value is not None else 1,
        "coverage": 0.5,
        "headline": best,
        "aggregates": {"accuracy": {"reduce": "mean", "value": best["value"], "scale": 100.0, "n": 6}},
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    made = {
        "config": {**CONFIG, **(config or {})},
        "provenance": {"mmeval": "0.1.0", "result": {"file": "result.json", "sha256": "0"}},
        "summary": {**whole, **(summary or {})},
        "samples": list(samples),
    }
    path.write_text(json.dumps(made), encoding="utf-8")
    return path


# Texts that some format would obey, show or choke on.
HOSTILE = (
    '=HYPERLINK("http://x")',
    "-1+1|cmd",
    "<script>alert(1)</script>",
    "]]><!--&\"'",
    "\x00\x08\x1b[2J\x7f\u202e\ufffe",
    'a,b\r\nc"d',
    "\\input{/etc/passwd} $x^2_3$ #1 50% ~ {[*]}",
    "| `x` **b** _i_ @you https://x.y [l](z) \n\n# h",
    "\u2028\u0085 é 漢 \U0001f600",
    " spaced ",
)
