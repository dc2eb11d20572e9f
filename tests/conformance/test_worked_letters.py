"""Worked examples of the letter benchmarks, from file to figure.

Sources: open-compass/VLMEvalKit @ e8e78f05f308, run: `mcq_circular_eval` (MMBench), `SparBench._aggregate`,
`compute_mcq_score` of the spatial benchmarks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from judged_runs import by_rules

PETS = ("cat", "dog", "bird", "fish")


def scored(folder: Path, protocol: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    path = folder / "result.json"
    path.write_text(json.dumps(rows))
    document: dict[str, Any] = json.loads(by_rules(path, protocol).score.read_bytes())
    return document


def row(
    index: int, reply: str, gold: str, options: dict[str, str] | None = None, **fields: str
) -> dict[str, Any]:
    ask: dict[str, Any] = {"role": "user", "question": "Which?"}
    if options:
        ask["options"] = options
    said = {"role": "assistant", "response": reply}
    return {"eval-id": index, "messages": [ask, said], "answer": gold, **fields}


CIRCULAR = [
    # four replies to rotations with the golds A, D, C, B; hit
    (("A", "D", "C", "B"), 1),
    (("cat", "cat", "cat", "cat"), 1),
    (("A", "D", "C", "C"), 0),
    (("A", "D", "C", "dunno"), 0),
]


@pytest.mark.parametrize(("replies", "hit"), CIRCULAR)
def test_circular_evaluation(replies: tuple[str, ...], hit: int, tmp_path: Path) -> None:
    rows = []
    for turn, (reply, gold) in enumerate(zip(replies, "ADCB", strict=True)):
        texts = PETS[turn:] + PETS[:turn]
        options = dict(zip("ABCD", texts, strict=True))
        assert options[gold] == "cat"
        rows.append(row(7 + turn * 10**6, reply, gold, options))
    headline = scored(tmp_path, "MMBench@vlmevalkit", rows)["summary"]["headline"]
    assert (headline["value"], headline["n"]) == (100 * hit, 1)


MOVED = "move_right:0.3,move_up:0.0,move_forward:1.0,rotate_left:30,rotate_up:0"


def test_the_mean_of_tasks(tmp_path: Path) -> None:
    """Tasks with 0.5, 0.9 and 0.4 make 0.6, however many rows they have; an unknown task has no route."""
    rows = [
        row(1, "A", "A", task="position_matching"),
        row(2, "B", "A", task="position_matching"),
        row(3, "1.1 m", "1", task="depth_prediction_oc"),
        row(4, "I do not know", MOVED, task="view_change_infer"),
    ]
    document = scored(tmp_path, "SparBench_tiny", rows)
    figures = {name: each["value"] for name, each in document["summary"]["aggregates"].items()}
    assert figures == {"overall": pytest.approx(60), "Low": pytest.approx(90), "Middle": 45, "High": None}
    assert document["summary"]["groups"]["overall"]["view_change_infer"] == pytest.approx(40)
    figures = scored(tmp_path, "SparBench_tiny@sane", rows)["summary"]["aggregates"]
    assert figures["overall"]["value"] == pytest.approx(140 / 3)
    unknown = scored(tmp_path, "SparBench_tiny", [*rows, row(5, "A", "A", task="colour")])
    assert [line["reason"] for line in unknown["samples"]][-1] == "no-route"


@pytest.mark.parametrize(
    ("protocol", "value", "invalid"),
    [("ERQA", 100 / 3, 1), ("ERQA@literal", 200 / 3, 0)],
    ids=["", "literal"],
)
def test_a_gold_without_a_letter(protocol: str, value: float, invalid: int, tmp_path: Path) -> None:
    options = {"A": "left", "B": "right"}
    rows = [row(1, "A", "A", options), row(2, "dunno", "left", options), row(3, "B", "A", options)]
    summary = scored(tmp_path, protocol, rows)["summary"]
    assert summary["headline"]["value"] == pytest.approx(value)
    assert summary["invalid"] == invalid
