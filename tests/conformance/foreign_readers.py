"""What others make of our exports: `foreign_readers.py READER FILE...`, with the peers' Python; told as JSON.

Exit code 77 says that the reader cannot be imported there; the last line then says why.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

ABSENT = 77


def offline_tokens() -> None:
    """Inspect counts tokens with tables that would be fetched from the net."""
    tiktoken = importlib.import_module("tiktoken")

    class Words:
        def encode(self, text: str, **options: Any) -> list[str]:
            return text.split()

    tiktoken.get_encoding = lambda name: Words()


def inspect_log(path: str) -> Any:
    """A log as Inspect reads it."""
    log = importlib.import_module("inspect_ai.log").read_eval_log(path)
    return {
        "task": log.eval.task,
        "model": log.eval.model,
        "total": log.results.total_samples,
        "metrics": {name: metric.value for name, metric in log.results.scores[0].metrics.items()},
        "samples": [
            [
                sample.id,
                sample.epoch,
                sample.input,
                sample.target,
                sample.output.completion,
                sample.scores["mmeval"].value if sample.scores else None,
            ]
            for sample in log.samples
        ],
    }


def inspect_scores(log: str, records: str) -> Any:
    """The scores that Inspect puts onto one of its own logs: by sample and epoch."""
    offline_tokens()
    ai = importlib.import_module("inspect_ai")
    scorer = importlib.import_module("inspect_ai.scorer").precomputed_scores(records)
    read = importlib.import_module("inspect_ai.log").read_eval_log(log)
    made = ai.score(read, scorer, action="overwrite", display="none")
    return [
        [sample.id, sample.epoch, next((each.value for each in (sample.scores or {}).values()), None)]
        for sample in made.samples
    ]


def tables(csv: str, parquet: str) -> Any:
    """CSV and parquet as pandas reads them: rows as JSON, and whether both say the same texts."""
    pandas = importlib.import_module("pandas")
    one = pandas.read_csv(csv, dtype=str, keep_default_na=False)
    other = pandas.read_parquet(parquet).fillna({"pred": ""})
    return {
        "columns": list(one.columns) == list(other.columns),
        "pred": list(one["pred"]) == list(other["pred"]),
        "score": [None if each != each else each for each in other["score"].tolist()],
        "rows": one["pred"].tolist(),
    }


def hub(path: str) -> Any:
    """Results as the library of the Hub parses them."""
    library = importlib.import_module("huggingface_hub")
    with open(path, encoding="utf-8") as file:
        told = importlib.import_module("yaml").safe_load(file)
    entries = library.parse_eval_result_entries(told)
    return [[entry.dataset_id, entry.task_id, entry.value, str(entry.date)] for entry in entries]


READERS = {"inspect": inspect_log, "inspect-scores": inspect_scores, "tables": tables, "hub": hub}


def main(arguments: list[str]) -> int:
    reader, *files = arguments
    try:
        told = READERS[reader](*files)
    except ImportError as error:
        print(f"{reader}: {error}")
        return ABSENT
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
