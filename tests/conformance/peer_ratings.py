"""VLMEvalKit's and lmms-eval's group ratings, unchanged from PyPI: a script for a Python that has them.

Reads one JSON object of tables on standard input, prints one JSON object of figures. A table whose rows
have a `prediction` is first read and scored as VLMEvalKit's `ImageYORNDataset.evaluate` does without a
judge; what was read is printed, too, under `extracted`. The folder of a script is on its path, so
peer_oracle.py beside it can be imported.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

Tables = dict[str, list[dict[str, Any]]]


def main() -> None:
    """Read tables, print figures."""
    import peer_oracle  # type: ignore[import-not-found]

    replies, sys.stdout = sys.stdout, sys.stderr
    peer_oracle.prepare()
    import pandas as pd  # type: ignore[import-not-found]
    from vlmeval.dataset.utils import yorn  # type: ignore[import-not-found]

    data: Tables = json.load(sys.stdin)
    said: dict[str, Any] = {"extracted": {name: _extract(rows, yorn, name) for name, rows in data.items()}}
    for row in data.get("hallusion", []):
        if "index" in row:
            continue
        subcategory = row["l2-category"].split("_")[1]
        keys = (row["category"], subcategory, "1", row["set_id"], row["figure_id"], row["question_id"])
        row["index"] = "_".join(map(str, keys))
        del row["set_id"], row["figure_id"], row["question_id"]
    ratings = {"mme": yorn.MME_rating, "pope": yorn.POPE_rating, "hallusion": yorn.Hallusion_rating}
    ratings["amber"] = yorn.AMBER_rating
    with tempfile.TemporaryDirectory() as folder:
        for name, rating in ratings.items():
            if name not in data:
                continue
            path = os.path.join(folder, f"{name}.tsv")
            frame = pd.DataFrame(data[name])
            if name != "hallusion":
                frame.insert(0, "index", range(len(frame)))
            frame.to_csv(path, sep="\t", index=False)
            said[name] = rating(path).to_dict("records")
    said["lmms"] = _lmms(data) if "mme" in data else {}
    replies.write(json.dumps(said, default=float))


def _extract(rows: list[dict[str, Any]], yorn: Any, name: str) -> list[str | None]:
    """Read and score rows that hold a prediction; the prediction goes, for a table cannot hold every text."""
    for row in rows:
        if "prediction" in row:
            row["extracted"] = yorn.YOrN_Extraction(row.pop("prediction"))
            answer, said = row["answer"], row["extracted"]
            same = answer.lower() == said.lower() if name == "amber" else answer == said
            row["score"] = int(same)
    return [row.get("extracted") for row in rows]


def _lmms(data: Tables) -> dict[str, float]:
    from lmms_eval.tasks.mme import utils as mme  # type: ignore[import-not-found]

    docs = [
        mme.mme_process_results(
            {"answer": row["answer"], "category": row["category"], "question_id": row["image_path"]},
            [row["extracted"]],
        )
        for row in data["mme"]
    ]
    kinds = {kind for doc in docs for kind in doc}
    return {
        kind: float(mme.mme_aggregate_results([doc[kind] for doc in docs if kind in doc]))
        for kind in sorted(kinds)
    }


if __name__ == "__main__":
    main()
