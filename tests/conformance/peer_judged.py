"""VLMEvalKit's judged readings, unchanged from PyPI, with a judge that says what it is told: a script.

Reads `{"mcq": [...], "yes_no": [...], "spatial": [...], "spatial_value": [...], "three_way": [...]}` on
standard input, prints what the kit makes of each. A row is a row of the kit's table (question, answer,
prediction, option columns) with `replies`, the judge's lines in order. Nothing but the model object is ours,
and the random draw, which is shown as `guess`.
The folder of a script is on its path, so peer_oracle.py beside it can be imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

Line = dict[str, Any]


class Told:
    """A model of the kit's that answers with its lines, the last one for ever."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)

    def generate(self, *prompt: object, **settings: object) -> str:
        return self.lines.pop(0) if len(self.lines) > 1 else self.lines[0]


class Guess:
    """Stands in for the kit's `random`."""

    @staticmethod
    def choice(options: object) -> str:
        return "guess"


def mcq(rows: list[Line]) -> list[str]:
    """The letter of every row, or `guess`."""
    from vlmeval.dataset.utils import multiple_choice  # type: ignore[import-not-found]

    multiple_choice.rd = Guess
    return [multiple_choice.extract_answer_from_item(Told(row["replies"]), _row(row))["opt"] for row in rows]


def yes_no(rows: list[Line]) -> list[str]:
    """Yes, No or Unknown of every row."""
    from vlmeval.dataset.utils.yorn import (  # type: ignore[import-not-found]
        YOrN_auxeval,
        YOrN_Extraction,
    )

    found = [YOrN_Extraction(row["prediction"]) for row in rows]
    return [
        YOrN_auxeval(Told(row["replies"]), _row(row)) if word == "Unknown" else word
        for word, row in zip(found, rows, strict=True)
    ]


def spatial(rows: list[Line], mode: str) -> list[list[str] | None]:
    """Grade and extracted answer of every row; None where the kit stops with an error."""
    from vlmeval.dataset.utils.spatial_bench import llm_extract  # type: ignore[import-not-found]

    found: list[list[str] | None] = []
    for row in rows:
        try:
            found.append(list(llm_extract.extract_ans_by_llm(Told(row["replies"]), _row(row), mode)))
        except IndexError:
            found.append(None)
    return found


def three_way(rows: list[Line]) -> Line:
    """The figures of SimpleVQA for these replies of its judge, each as its JSON's first value."""
    from vlmeval.dataset.utils import simplevqa  # type: ignore[import-not-found]

    figures: Line = simplevqa.SimpleVQAEval([{"judge_res": {"model_response": row["said"]}} for row in rows])
    return figures


def _row(row: Line) -> Any:
    import pandas as pd  # type: ignore[import-not-found]

    return pd.Series({key: value for key, value in row.items() if key != "replies"})


def main() -> None:
    """Read tables, print readings."""
    import peer_oracle  # type: ignore[import-not-found]

    out, sys.stdout = sys.stdout, sys.stderr
    peer_oracle.prepare()
    tables: dict[str, list[Line]] = json.load(sys.stdin)
    said = {
        "mcq": mcq(tables["mcq"]),
        "yes_no": yes_no(tables["yes_no"]),
        "spatial": spatial(tables["spatial"], "mcq"),
        "spatial_value": spatial(tables["spatial_value"], "vqa"),
        "three_way": three_way(tables["three_way"]),
    }
    out.write(json.dumps(said))


if __name__ == "__main__":
    main()
