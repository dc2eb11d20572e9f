"""VLMEvalKit's circular evaluation, unchanged from PyPI: a script for a Python that has it.

Reads a JSON list of rows (index, prediction, answer, option columns, l2-category) on standard input, prints
`{"hits": {group: 0 or 1}, "figures": {name: share}}` of `mcq_circular_eval` without a judge and `report_acc`.
The folder of a script is on its path, so peer_oracle.py beside it can be imported.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any


def main() -> None:
    """Read rows, print hits and figures."""
    import peer_oracle  # type: ignore[import-not-found]

    replies, sys.stdout = sys.stdout, sys.stderr
    peer_oracle.prepare()
    import pandas as pd  # type: ignore[import-not-found]
    from vlmeval.dataset.utils import multiple_choice  # type: ignore[import-not-found]

    rows: list[dict[str, Any]] = json.load(sys.stdin)
    multiple_choice.timestr = lambda: f"mmeval-{os.getpid()}"
    meta = pd.DataFrame([{key: row[key] for key in ("index", "answer")} for row in rows])
    with tempfile.TemporaryDirectory() as folder:
        result = os.path.join(folder, "result.pkl")
        hits = multiple_choice.mcq_circular_eval(None, pd.DataFrame(rows), meta, 1, result, "MMBench_DEV_EN")
    for left in os.listdir("/tmp"):
        if left.startswith(f"mmeval-{os.getpid()}."):
            os.remove(os.path.join("/tmp", left))
    figures = multiple_choice.report_acc(hits).to_dict("records")[0]
    pairs = zip(hits["g_index"], hits["hit"], strict=True)
    said = {"hits": {str(group): int(hit) for group, hit in pairs}, "figures": figures}
    replies.write(json.dumps(said, default=float))


if __name__ == "__main__":
    main()
