"""Counting and text benchmarks through the whole engine: the worked examples of their rules, a row each.

Text: as VLMEvalKit's vqa_eval.py@e8e78f05 gives it. Counting: the parse that the OpenVLHarness loader README
states, and the error figures of Counting-DETR's eval_all.py@9cbc19ed and of evalscope's CountQA@fde259d2.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval.protocol import Overrides
from mmeval.runner import Job, score_run

Rows = list[tuple[Any, str]]


def scored(folder: Path, protocol: str, rows: Rows) -> dict[str, Any]:
    """The score of rows (gold, reply) under a protocol."""
    samples = [
        {
            "eval-id": number,
            "messages": [{"role": "user", "question": "q"}, {"role": "assistant", "response": reply}],
            "answer": gold,
            "split": ("test_human", "test_augmented")[number % 2],
        }
        for number, (gold, reply) in enumerate(rows)
    ]
    path = folder / "result.json"
    path.write_text(json.dumps(samples))
    scored = score_run(path, Job(Overrides(protocol=protocol), force=True))
    document: dict[str, Any] = json.loads(scored.score.read_bytes())
    return document


COUNTING = {"FSC147_val": 1286, "CountQA": 1528, "PixmoCount_val": 534}
FIGURES = ("accuracy", "MAE", "RMSE", "NAE", "within5", "within10")
ERRORS = [
    (["10", "21", "44", "a hundred"], (25, 26.25, 50.0425, 0.2875, 50, 75)),
    (["11", "22", "30", "106"], (0, 4.75, 5.9372, 0.1275, 0, 75)),
]


@pytest.mark.parametrize("protocol", COUNTING)
@pytest.mark.parametrize(("replies", "wanted"), ERRORS, ids=["one-unread", "all-read"])
def test_errors_of_counts(
    protocol: str, replies: list[str], wanted: tuple[float, ...], tmp_path: Path
) -> None:
    document = scored(tmp_path, protocol, list(zip((10, 20, 40, 100), replies, strict=True)))
    found = {name: document["summary"]["aggregates"][name]["value"] for name in FIGURES}
    assert found == pytest.approx(dict(zip(FIGURES, wanted, strict=True)), rel=1e-5)
    assert document["summary"]["total"] == 4
    assert f"4 rows were scored, the protocol has {COUNTING[protocol]}" in document["config"]["deviations"]


COUNTS = [
    # reply, gold, read as it
    ("Row 1 has 3, row 2 has 4. Total: 7", 7, True),
    ("3-5", 5, True),
    ("1,234", 1234, True),
    ("1,234,567 items", 1234567, True),
    ("-5", 5, False),
    ("12,34", 34, True),
    ("x-5", 5, True),
    ("\\boxed{8} and then 9", 8, True),
    ("\\boxed{3} or \\boxed{4}", 4, True),
    ("\\boxed{}", 0, False),
    ("five", 5, False),
    ("", 0, False),
    ("about 5.5", 5, False),
    ("The answer is 7.", 7, True),
    ("between 10 and 20", 20, True),
    ("20 - 30", 30, True),
    ("1/2", 2, True),
    ("5%", 5, True),
    ("10 000", 0, True),
    ("1e3", 3, True),
    ("5.0", 5, True),
    ("Failed to obtain answer via API 7", 7, False),
]


def test_counts(tmp_path: Path) -> None:
    document = scored(tmp_path, "CountQA", [(gold, reply) for reply, gold, _ in COUNTS])
    found = [(row["pred"], bool(row["score"])) for row in document["samples"]]
    assert found == [(reply, right) for reply, _, right in COUNTS]


COLA = ["coca cola"] * 4 + ["coke"] * 3 + ["pepsi"] * 2 + ["soda"]
TEXTS: dict[str, list[tuple[Any, str, float]]] = {
    # gold, reply, score
    "TextVQA_VAL": [
        (COLA, "Coca-Cola", 1.0),
        (COLA, "coke", 0.9),
        (COLA, "pepsi", 0.6),
        (COLA, "soda", 0.3),
        (COLA, "water", 0.0),
        (["3"] * 10, "The answer is 3.", 0.0),
        (["1000"] * 10, "1,000", 1.0),
        (["usa"] * 10, "U.S.A.", 1.0),
        (["0"] * 10, "None", 1.0),
    ],
    "DocVQA_VAL": [
        ("hello", "hallo", 0.8),
        ("hello", "help", 0.6),
        ("abcd", "abxy", 0.5),
        ("abcd", "abxyz", 0.0),
        (["ITC Limited", "itc"], "ITC", 1.0),
        ("ab", "  ac  ", 5 / 6),
        ("ab", "ac", 0.5),
    ],
    "ChartQA_TEST": [
        ("10", "10.5", 1.0),
        ("10", "10.51", 0.0),
        ("0", "0", 1.0),
        ("0", "0.0", 0.0),
        ("0", "0.04", 0.0),
        ("0.05", "5%", 1.0),
        ("5", "5%", 0.0),
        ("1,000", "1000", 0.0),
        ("1950", "2015", 1.0),
        ("0.3", "0.315", 0.0),
        ("100", "105.0", 1.0),
        (["x", "100"], " 104 ", 1.0),
    ],
}


@pytest.mark.parametrize("protocol", TEXTS)
def test_texts(protocol: str, tmp_path: Path) -> None:
    rows = TEXTS[protocol]
    document = scored(tmp_path, protocol, [(gold, reply) for gold, reply, _ in rows])
    found = [(row["pred"], row["score"]) for row in document["samples"]]
    assert found == [(reply, pytest.approx(value)) for _, reply, value in rows]
    mean = 100 * sum(value for _, _, value in rows) / len(rows)
    assert document["summary"]["headline"]["value"] == pytest.approx(mean)


def test_chartqa_per_split(tmp_path: Path) -> None:
    rows = TEXTS["ChartQA_TEST"]
    aggregates = scored(tmp_path, "ChartQA_TEST", [row[:2] for row in rows])["summary"]["aggregates"]
    for place, split in enumerate(("human", "augmented")):
        own = [value for _, _, value in rows[place::2]]
        assert aggregates[split]["value"] == pytest.approx(100 * sum(own) / len(own))
        assert aggregates[split]["n"] == len(own)
