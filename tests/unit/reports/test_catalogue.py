"""Stages and protocols as text."""

from __future__ import annotations

import json
from collections.abc import Callable

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
    }


@pytest.mark.parametrize("name", ["Bench", "bench", "org/Bench", "Bench:val", "Bench:val@loose"])
def test_a_benchmark_is_shown(name: str) -> None:
    text = catalogue.protocol_text(name)
    assert "aliases   org/Bench" in text
    assert "rule-match" in text
    assert json.loads(catalogue.protocol_json(name))["dataset_name"] == "Bench"


def test_a_block_says_where_it_comes_from() -> None:
    text = catalogue.protocol_text("Bench")
    for part in ('{"threshold":0.0}', "o/r p@c", "arXiv:1", "note       n", "headline   figure", "12"):
        assert part in text


@pytest.mark.parametrize(
    ("name", "says"), [("Bnch", "did you mean 'Bench'?"), ("Bench:val@lose", "did you mean 'loose'?")]
)
def test_an_unknown_name_is_told(name: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        catalogue.protocol_text(name)
    assert says in str(caught.value)
