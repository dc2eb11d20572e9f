"""Oddities of official rules that protocols keep, each with its source."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent


def _laws() -> Any:
    """The module beside this file that scores made-up runs (test folders are no packages)."""
    spec = importlib.util.spec_from_file_location("protocol_laws", HERE / "test_protocol_laws.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


laws = _laws()

# Golds that the official rule does not find in themselves, or finds in nothing, each with its source.
QUIRKS = [
    # folder, kind, answer, reply, score, source
    ("MMMU-Pro", "mcq", "I", "I think so", 1.0, "evaluate.py@bb0b95a94599: the pronoun is an option"),
    (
        "MMMU",
        "open",
        "what is this",
        "what is this",
        0.0,
        "eval_utils.py@bb0b95a94599: cut behind the cue 'is '",
    ),
    ("MMMU", "mcq", "A", "A dog", 1.0, "eval_utils.py@bb0b95a94599: the article is an option"),
    (
        "VQAv2",
        "open",
        ["a"] * 3 + ["b"] * 7,
        "",
        0.9,
        "vqaEval.py@a013f0043c1e: the article 'a' becomes empty",
    ),
    ("ChartQA", "open", "0", "0.0", 0.0, "vqa_eval.py@e8e78f05f308: a gold of 0 is a text"),
    ("ChartQA", "open", "1,000", "1000", 0.0, "vqa_eval.py@e8e78f05f308: no separators"),
    ("ChartQA", "open", "1950", "2015", 1.0, "vqa_eval.py@e8e78f05f308: years are numbers"),
    ("OCRBench", "open", ["5"], "25", 1.0, "ocrbench.py@e8e78f05f308: no word boundaries"),
    ("POPE", "yes_no", "yes", "NO", 1.0, "evaluate.py@08d957b917e5: NO is no negation"),
    ("MME", "yes_no", "No", "Not sure", 1.0, "calculation.py@dd2950902889: the first four characters"),
    ("DocVQA", "open", ["ab"], "  ac  ", 5 / 6, "vqa_eval.py@e8e78f05f308: raw lengths"),
]


@pytest.mark.parametrize(("folder", "kind", "answer", "reply", "value", "source"), QUIRKS)
def test_official_quirks_are_kept(
    folder: str, kind: str, answer: Any, reply: str, value: float, source: str, tmp_path: Path
) -> None:
    items = laws.made.items_of(folder, "*", 2 if folder == "MME" else 1)
    rows = [laws.made.row(i, folder, item, item.reply) for i, item in enumerate(items)]
    rows[0].update(answer=answer, question_type=kind)
    rows[0]["messages"][1]["response"] = [reply]
    path = tmp_path / "result.json"
    path.write_text(json.dumps(rows))
    assert laws.score(path, laws.Target(folder, "*", None))["samples"][0]["score"] == pytest.approx(value)
