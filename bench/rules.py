"""CPU per row of our rules against the peers', in one process, on the same rows; prints ratios.

    PYTHONPATH=. <python with the peers> bench/rules.py [rows]

`scripts/bench` sets that up. Every pair is timed in alternation, several rounds, the median counts.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "bench"), str(ROOT / "tests" / "conformance")]

import peer_oracle  # noqa: E402
import replies  # noqa: E402

from mmeval.params import Declared, build_stages  # noqa: E402
from mmeval.pipeline import settle  # noqa: E402
from mmeval.types import Case, Options, Sample  # noqa: E402

ROUNDS = 5
Run = Callable[[], Any]


def cpu(run: Run) -> float:
    """CPU seconds of one call."""
    started = time.process_time()
    run()
    return time.process_time() - started


def pair(name: str, ours: Run, theirs: Run, rows: int, limit: str) -> dict[str, Any]:
    """Time both in alternation; microseconds per row and the ratio ours/theirs."""
    ours(), theirs()
    times = [(cpu(ours), cpu(theirs)) for _ in range(ROUNDS)]
    mine, peer = (statistics.median(column) for column in zip(*times, strict=True))
    return {
        "case": name,
        "rows": rows,
        "ours_us": round(mine / rows * 1e6, 2),
        "peer_us": round(peer / rows * 1e6, 2),
        "ours/peer": round(mine / peer, 3),
        "peer/ours": round(peer / mine, 1),
        "asked": limit,
    }


def options_of(row: replies.Mcq) -> Sample:
    """A sample of a multiple-choice row."""
    options = Options(tuple(row.options), tuple(row.options.values()), "options")
    return Sample(0, row.question, options, row.answer, (row.answer,), (row.prediction,), "mcq")


def open_sample(gold: list[str], reply: str, kind: str = "open") -> Sample:
    """A sample with several references."""
    options = Options(tuple("ABCDEF"))
    return Sample(0, "", options, gold if len(gold) > 1 else gold[0], tuple(gold), (reply,), kind)  # type: ignore[arg-type]


def settle_rows(samples: list[Sample], stage: str, **params: Any) -> Run:
    """The whole way through the pipeline, trace included."""
    stages = build_stages([stage], Declared(params, {}), "bench")
    return lambda: [settle(sample, sample.predictions[0], stages) for sample in samples]


def call_stage(samples: list[Sample], stage: str, **params: Any) -> Run:
    """The stage alone, outcome included: what a comparator of the peers is compared with."""
    (made,) = build_stages([stage], Declared(params, {}), "bench")
    cases = [Case(sample, sample.predictions[0] or "") for sample in samples]
    return lambda: [made.call(case) for case in cases]


def letters(n: int) -> list[dict[str, Any]]:
    """Option letters against the peer's can_infer."""
    rows = replies.mcq(n)
    samples = [options_of(row) for row in rows]
    peer = peer_oracle.load("vlmeval.can_infer")
    theirs = lambda: [peer(row.prediction, dict(row.options)) for row in rows]  # noqa: E731
    return [
        pair(f"options {rules}", settle_rows(samples, "rule-match", option_rules=rules), theirs, n, limit)
        for rules, limit in (("vlmevalkit", "ours/peer <= 1.5"), ("robust", "ours/peer <= 3"))
    ]


def yes_no(n: int) -> list[dict[str, Any]]:
    """Yes and no against the peer's YOrN_Extraction."""
    rows = replies.yes_no(n)
    samples = [open_sample([gold], reply, "yes_no") for gold, reply in rows]
    peer = peer_oracle.load("vlmeval.yes_no")
    theirs = lambda: [peer(reply) for _, reply in rows]  # noqa: E731
    return [
        pair(
            f"yes/no {rules}",
            call_stage(samples, "rule-match", yes_no_rules=rules),
            theirs,
            n,
            "peer/ours >= 3",
        )
        for rules in ("vlmevalkit", "robust")
    ]


def distances(n: int) -> list[dict[str, Any]]:
    """ANLS against lmms-eval's."""
    rows = replies.documents(n)
    samples = [open_sample(gold, reply) for gold, reply in rows]
    peer = peer_oracle.load("lmms.anls")
    theirs = lambda: [peer(gold, [reply]) for gold, reply in rows]  # noqa: E731
    return [pair("anls", call_stage(samples, "anls"), theirs, n, "peer/ours >= 40")]


def agreement(n: int) -> list[dict[str, Any]]:
    """VQA accuracy against lmms-eval's, which mutates its rows: it gets fresh ones, outside of the clock."""
    rows = replies.annotated(n)
    samples = [open_sample(gold, reply) for gold, reply in rows]
    peer = peer_oracle.load("lmms.vqav2")
    fresh: list[list[dict[str, Any]]] = [
        [
            {"question_id": index, "answers": [{"answer": a, "answer_id": i} for i, a in enumerate(gold)]}
            for index, (gold, _) in enumerate(rows)
        ]
        for _ in range(ROUNDS + 1)
    ]
    theirs = lambda: [peer(doc, [reply]) for doc, (_, reply) in zip(fresh.pop(), rows, strict=True)]  # noqa: E731
    return [pair("vqa accuracy", call_stage(samples, "vqa-accuracy"), theirs, n, "peer/ours >= 20")]


def main() -> None:
    """Run every pair and print one JSON line each."""
    peer_oracle.prepare()
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    distinct = len({row.prediction for row in replies.mcq(n)}) / n
    print(json.dumps({"rows": n, "distinct_predictions": round(distinct, 3)}))
    for group in (letters, yes_no, distances, agreement):
        for line in group(n):
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
