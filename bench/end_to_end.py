"""A whole `mmeval score` against VLMEvalKit's own evaluate, on the same rows, process start included.

    <python with the peers> bench/end_to_end.py MMEVAL_COMMAND [rows]

VLMEvalKit runs its exact-matching evaluation of a plain multiple-choice set (no judge) on a TSV of
predictions. Only its `evaluate` call is timed; ours is timed from process start to exit.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "conformance")]

import peer_oracle  # noqa: E402
import replies  # noqa: E402

ROUNDS = 5


def children_cpu() -> float:
    """CPU seconds of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def all_cpu() -> float:
    """CPU seconds of this process and its finished children."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime + children_cpu()


def write_run(folder: Path, rows: list[replies.Mcq]) -> None:
    """The rows as our result.json."""
    run = [
        {
            "eval-id": index,
            "messages": [
                {"role": "user", "question": row.question, "options": row.options},
                {"role": "assistant", "response": [row.prediction]},
            ],
            "answer": row.answer,
            "question_type": "mcq",
        }
        for index, row in enumerate(rows)
    ]
    (folder / "result.json").write_text(json.dumps(run))


def ours(command: str, folder: Path) -> float:
    """CPU seconds of one `mmeval score`, process start included; the median of several."""
    times = []
    for _ in range(ROUNDS):
        before = children_cpu()
        arguments = [command, "score", "--results", str(folder), "--force", "--score_pipeline", "rule-match"]
        arguments += ["--score_param", "option_rules=vlmevalkit", "--score_param", "settle_misses=true"]
        subprocess.run(arguments, check=True, capture_output=True)
        times.append(children_cpu() - before)
    return statistics.median(times)


def theirs(folder: Path, rows: list[replies.Mcq]) -> tuple[float, float]:
    """CPU seconds of one evaluate of VLMEvalKit, and the accuracy that it reports."""
    os.environ.update(PRED_FORMAT="tsv", EVAL_FORMAT="csv", OPENAI_API_KEY="unused")
    peer_oracle.prepare()
    import pandas as pd
    from vlmeval.dataset.image_mcq import ImageMCQDataset
    from vlmeval.smp import dump

    records: list[dict[str, Any]] = [
        {"index": index, "question": row.question, "answer": row.answer, "category": "all", **row.options}
        for index, row in enumerate(rows)
    ]
    data = pd.DataFrame(records)
    dataset = object.__new__(ImageMCQDataset)
    dataset.dataset_name, dataset.data = "MMStar", data
    file = str(folder / "model_MMStar.tsv")
    dump(data.assign(prediction=[row.prediction for row in rows]), file)
    before = all_cpu()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        report = dataset.evaluate(file, model="exact_matching", nproc=4)
    return all_cpu() - before, float(report["Overall"].iloc[0])


def main() -> None:
    """Print both times, both accuracies and the ratio."""
    command, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5_000
    rows = replies.mcq(n)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "run").mkdir()
        write_run(folder / "run", rows)
        mine = ours(command, folder / "run")
        accuracy = json.loads((folder / "run" / "score.json").read_bytes())["summary"]["accuracy"]
        peer, peer_accuracy = theirs(folder, rows)
    line = {
        "case": "whole score",
        "rows": n,
        "ours_cpu_s": round(mine, 3),
        "peer_cpu_s": round(peer, 2),
        "peer/ours": round(peer / mine, 1),
        "asked": "peer/ours >= 100 at 5,000 rows",
        "our_accuracy": accuracy,
        "peer_accuracy": peer_accuracy,
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
