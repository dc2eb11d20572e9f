"""The code of docs/adding-a-stage.md runs as it stands, and does what the page says."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

import pytest

from mmeval.errors import UsageError
from mmeval.metadata import parse_metadata
from mmeval.reading import Knobs, RuleSet
from mmeval.registry import build
from mmeval.types import Case, Invalid, Options, Pass, Row, Sample, Score

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adding-a-stage.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.S | re.M)


Made: TypeAlias = Callable[[str], ModuleType]


def block(language: str, word: str = "") -> str:
    """The one block of a language that holds a word."""
    (found,) = [text for name, text in BLOCKS if name == language and word in text]
    return found


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    """The module that a Python block is."""

    def load(word: str) -> ModuleType:
        path = tmp_path / "from_the_page.py"
        path.write_text(block("python", word), encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec
        assert spec.loader
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, path.stem, module)
        spec.loader.exec_module(module)
        return module

    return load


def case(prediction: str, *golds: str) -> Case:
    return Case(Sample(1, "", Options(("A", "B")), golds[0], golds, (prediction,), "open"), prediction)


def test_the_stage_decides_passes_and_refuses(made: Made) -> None:
    stage = build(made("class StartsWith").StartsWith, {"shortest": 2}, "the page")
    assert stage(case("Paris, I think", "paris")) == Score(1.0, "Paris", (0, 5), "begins-with-gold")
    assert stage(case("I think Paris", "Paris")) == Pass("begins-otherwise")
    assert stage(case("P", "P")) == Invalid("gold-too-short")
    with pytest.raises(UsageError, match="at least 1"):
        made("class StartsWith").StartsWith(shortest=0)


def test_the_aggregate_reduces(made: Made) -> None:
    aggregate = build(made("class BestOf").BestOf, {"by": "image"}, "the page")
    assert aggregate.fields() == ("image",)
    rows = [
        Row(str(at), score, "ok", True, None, None, None, {"image": image})
        for at, (image, score) in enumerate([("a", 1.0), ("a", 0.0), ("b", 0.5)])
    ]
    reduced = aggregate(rows)
    assert (reduced.value, reduced.n, reduced.parts) == (0.75, 2, {"a": 1.0, "b": 0.5})
    assert aggregate([]).value is None


def test_the_rule_set_reads_one_label_or_none(made: Made) -> None:
    rules: RuleSet = made("RULES = ").RULES
    sample = case("B", "B").sample
    assert (rules.rule("Because", sample, Knobs()).found.value, rules.name) == ("B", "first-letter")
    assert rules.rule("", sample, Knobs()).found.rule == "no-leading-label"


def test_the_protocol_and_the_package_are_well_formed() -> None:
    metadata = parse_metadata(block("json").encode(), "the page")
    assert list(metadata.subsets) == ["*"]
    assert json.loads(block("json"))["dataset_name"] == metadata.dataset_name
    points = tomllib.loads(block("toml"))["project"]["entry-points"]
    assert set(points) == {"mmeval.stages", "mmeval.aggregates", "mmeval.protocols"}
