"""Stages and protocols as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mmeval import library
from mmeval.errors import UsageError
from mmeval.reports import catalogue

BENCH = {
    "dataset_name": "Bench",
    "aliases": ["org/Bench"],
    "subsets": {
        "val": {
            "score_pipeline": ["exact-match", "anls"],
            "score_params": {"threshold": 0.0},
            "score_aggregates": [{"name": "figure", "reduce": "mean", "by": "kind", "headline": True}],
            "score_rows": 12,
            "score_protocol": {"status": "official", "official": "o/r p@c", "paper": "arXiv:1", "note": "n"},
            "variants": {"loose": {"score_pipeline": ["rule-match"]}},
        },
        "test": {"score_pipeline": {"unsupported": "hidden gold"}},
        "mix": {
            "score_pipeline": {
                "route": ["task"],
                "cases": [{"when": {"task": ["a"]}, "pipeline": ["mra"]}],
            }
        },
    },
}


@pytest.fixture(autouse=True)
def _library(protocols: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    protocols(bench=BENCH)
    monkeypatch.setattr(catalogue, "protocol_folders", library.protocol_folders)


def test_every_block_has_its_line() -> None:
    lines = catalogue.protocols_table().splitlines()
    assert lines[0] == "1 benchmarks"
    assert lines[1].split() == ["name", "rows", "pipeline", "headline", "status", "judge"]
    assert lines[2].split() == ["Bench:val", "12", "exact-match,anls", "figure", "official", "no"]
    assert [line.split()[0] for line in lines[2:]] == [
        "Bench:val",
        "Bench:val@loose",
        "Bench:test",
        "Bench:mix",
    ]
    assert "official" in lines[2]
    assert "unsupported: hidden gold" in lines[4]
    assert "by task" in lines[5]


def test_every_block_as_json() -> None:
    first = json.loads(catalogue.protocols_json())[0]
    assert first == {
        "name": "Bench:val",
        "folder": "bench",
        "aliases": ["org/Bench"],
        "pipeline": "exact-match,anls",
        "headline": "figure",
        "rows": 12,
        "status": "official",
        "judge": False,
    }


@pytest.mark.parametrize("name", ["Bench", "bench", "org/Bench", "Bench:val", "Bench:val@loose"])
def test_a_benchmark_is_shown(name: str) -> None:
    text = catalogue.protocol_text(name)
    assert "Also known as org/Bench." in text
    assert ("Bench:val@loose\n=====" in text) is ("@" in name)
    assert ("\nVariants\n" in text) is ("@" not in name)
    assert ("Bench:test\n==========" in text) is (":" not in name)
    assert json.loads(catalogue.protocol_json(name))["dataset_name"] == "Bench"


def test_a_block_says_where_it_comes_from() -> None:
    text = " ".join(catalogue.protocol_text("Bench").split())
    for part in (
        "Parameters: threshold 0.",
        "Source: o/r p@c.",
        "Paper: arXiv:1.",
        "In short n Rows",
        "12 rows",
    ):
        assert part in text
    assert " figure: the mean score; parts by kind. " in text
    assert "This part is not scored (hidden gold: no reason is given)." in text


def test_subsets_of_one_block_are_shown_once(protocols: Callable[..., None]) -> None:
    block = {"score_pipeline": ["anls"]}
    protocols(twice={"dataset_name": "Twice", "subsets": {"a": block, "b": block}})
    assert "Twice:a, Twice:b\n================" in catalogue.protocol_text("Twice")


PAGE = """# Bench

What is asked,
and of whom.

## Scoring

* Not this.

## Known deviations

* One, over
  two lines.
* Another.

## Variants
"""


def test_the_page_says_what_is_asked_and_what_deviates(
    protocols: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "metadata.json").write_text(json.dumps(BENCH))
    (tmp_path / "bench" / "README.md").write_text(PAGE)
    monkeypatch.setattr(catalogue, "protocol_folders", lambda: {"bench": tmp_path / "bench"})
    text = catalogue.protocol_text("Bench:val")
    assert "Task\n  What is asked, and of whom.\n" in text
    assert "Known deviations\n  * One, over two lines.\n  * Another.\n" in text
    assert "Not this" not in text
    assert "Known deviations" not in catalogue.protocol_text("Bench:val@loose")


@pytest.mark.parametrize(
    ("name", "says"), [("Bnch", "did you mean 'Bench'?"), ("Bench:val@lose", "did you mean 'loose'?")]
)
def test_an_unknown_name_is_told(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalogue.protocol_text(name)
    assert says in str(caught.value)
