"""Names to stages, aggregates and protocol folders; plug-ins come in through the same door."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from mmeval import registry
from mmeval.aggregates import REDUCERS
from mmeval.errors import MetadataError, StageError, UsageError

CACHED = (
    registry.packages,
    registry.stage_modules,
    registry.stage_class,
    registry.aggregate_modules,
    registry.aggregate_class,
    registry.protocol_folders,
)
STAGE = """
from dataclasses import dataclass
from typing import ClassVar
from mmeval.types import Case, Outcome, Pass, Score

@dataclass(frozen=True)
class Shout:
    \"\"\"Whether the reply is the gold in capitals.\"\"\"
    version: ClassVar[int] = 4
    marks: int = 1

    def __call__(self, case: Case) -> Outcome:
        if case.prediction == case.sample.references[0].upper() + "!" * self.marks:
            return Score(1.0, case.prediction)
        return Pass("not-shouted")
"""
AGGREGATE = """
from dataclasses import dataclass
from typing import ClassVar
from mmeval.types import Reduced

@dataclass(frozen=True)
class Rows:
    reduce: ClassVar[str] = "rows"
    version: ClassVar[int] = 1

    def fields(self): return ()
    def __call__(self, rows): return Reduced(float(len(rows)), len(rows))
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`plugin("stages", "pkg", {"shout.py": source})`: a package that an entry point of that group names."""
    points: dict[str, list[EntryPoint]] = {}
    real = importlib.metadata.entry_points
    made: list[str] = []

    def entry_points(*, group: str) -> list[EntryPoint]:
        return [*real(group=group), *points.get(group, [])]

    def add(kind: str, package: str, files: dict[str, str]) -> None:
        for name, text in {"__init__.py": "", **files}.items():
            path = tmp_path / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        group = f"mmeval.{kind}"
        points.setdefault(group, []).append(EntryPoint(package, package, group))
        made.append(package)
        for each in CACHED:
            each.cache_clear()

    monkeypatch.setattr(registry.importlib.metadata, "entry_points", entry_points)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield add
    for name in [name for name in sys.modules if name.partition(".")[0] in made]:
        del sys.modules[name]
    for each in CACHED:
        each.cache_clear()


def test_ours_come_in_through_the_same_door() -> None:
    assert registry.packages("mmeval.stages")[0] == "mmeval.stages"
    assert registry.packages("mmeval.aggregates")[0] == "mmeval.aggregates"
    assert registry.packages("mmeval.protocols")[0] == "mmeval.protocols"
    assert registry.packages("mmeval.nothing") == ()


def test_names_are_those_of_files() -> None:
    assert registry.stage_modules()["count-parse"] == "mmeval.stages.count_parse"
    assert registry.stage_class("count-parse").__name__ == "CountParse"
    assert registry.stage_fields("mra") == ("previous", "reasoning")
    assert {"mean", "all-correct", "pass@k"} <= set(registry.aggregate_modules())


def test_a_plugged_in_stage_scores(
    plugin: Callable[..., None], write_run: Callable[..., Path], sample_row: Callable[..., Any], mmeval: Any
) -> None:
    plugin("stages", "loud", {"shout.py": STAGE, "_private.py": "raise RuntimeError"})
    assert registry.stage_modules()["shout"] == "loud.shout"
    path = write_run([sample_row(1, "yes", "YES!!"), sample_row(2, "yes", "yes")])
    flags = ["--score_pipeline", "shout", "--score_param", "marks=2"]
    assert mmeval("score", "--results", path, *flags).code == 0
    assert "shout: could not decide" in mmeval("explain", path.parent, 2).out.replace(" (version 4)", "")
    assert "shout" in mmeval("stages", "list").out


def test_the_table_of_reducers_is_what_the_modules_hold() -> None:
    assert registry._reducers("mmeval.aggregates") == REDUCERS


@pytest.mark.parametrize("table", ["", 'REDUCERS = {"rows": "rows"}'])
def test_a_plugged_in_aggregate_is_known(plugin: Callable[..., None], table: str) -> None:
    plugin("aggregates", "tally", {"__init__.py": table, "rows.py": AGGREGATE})
    assert registry.build(registry.aggregate_class("rows"), {}, "w")([1, 2]).value == 2.0


@pytest.mark.parametrize(
    ("files", "says"),
    [
        pytest.param({"__init__.py": "REDUCERS = ['rows']"}, "tally.REDUCERS must be", id="list"),
        pytest.param(
            {"__init__.py": "REDUCERS = {'rows': 'rows'}", "rows.py": ""},
            "whose reduce is 'rows'",
            id="no-class",
        ),
        pytest.param(
            {"__init__.py": "REDUCERS = {'rows': 'gone'}"}, "tally.gone cannot be imported", id="gone"
        ),
    ],
)
def test_a_table_that_promises_too_much_is_told(
    plugin: Callable[..., None], files: dict[str, str], says: str
) -> None:
    plugin("aggregates", "tally", files)
    with pytest.raises(StageError) as caught:
        registry.aggregate_class("rows")
    assert says in str(caught.value)


def test_our_table_is_honest() -> None:
    for name in registry.aggregate_modules():
        assert registry.aggregate_class(name).reduce == name


def test_a_plugged_in_protocol_is_found(plugin: Callable[..., None]) -> None:
    plugin("protocols", "house", {"OurBench/metadata.json": "{}", "notes/readme.txt": ""})
    folders = registry.protocol_folders()
    assert "OurBench" in folders
    assert "notes" not in folders


@pytest.mark.parametrize(
    ("kind", "file", "ask", "says"),
    [
        (
            "stages",
            "anls.py",
            "stage_modules",
            "stage 'anls' is claimed by mmeval.stages.anls and rival.anls",
        ),
        ("protocols", "POPE/metadata.json", "protocol_folders", "protocol folder 'POPE' is claimed by"),
    ],
)
def test_two_owners_of_a_name_are_told(
    plugin: Callable[..., None], kind: str, file: str, ask: str, says: str
) -> None:
    plugin(kind, "rival", {file: "{}"})
    with pytest.raises(UsageError) as caught:
        getattr(registry, ask)()
    assert says in str(caught.value)
    assert "uninstall one of them" in str(caught.value)


def test_two_aggregates_of_a_name_are_told(plugin: Callable[..., None]) -> None:
    plugin("aggregates", "rival", {"__init__.py": "REDUCERS = {'mean': 'rows'}"})
    with pytest.raises(UsageError, match="aggregate 'mean' is claimed by"):
        registry.aggregate_modules()


@pytest.mark.parametrize("source", ["", "Shout = 3", "class Other: pass"])
def test_a_module_without_its_class_is_told(plugin: Callable[..., None], source: str) -> None:
    plugin("stages", "loud", {"shout.py": source})
    with pytest.raises(StageError, match="must hold a class Shout"):
        registry.stage_class("shout")


def test_a_broken_plug_in_is_told_by_name(plugin: Callable[..., None]) -> None:
    plugin("stages", "loud", {"shout.py": "import no_such_library"})
    with pytest.raises(
        StageError, match=r"loud\.shout cannot be imported \(No module named 'no_such_library'\)"
    ):
        registry.stage_class("shout")


def test_a_plug_in_that_is_gone_is_told_by_name(plugin: Callable[..., None], tmp_path: Path) -> None:
    plugin("stages", "loud", {})
    (tmp_path / "loud" / "__init__.py").unlink()
    (tmp_path / "loud").rename(tmp_path / "quiet")
    importlib.invalidate_caches()
    with pytest.raises(StageError, match="loud cannot be imported"):
        registry.stage_modules()


@pytest.mark.parametrize(
    ("params", "says"),
    [
        pytest.param({"treshold": 1}, "unknown parameter 'treshold'; did you mean 'threshold'?", id="name"),
        pytest.param({"threshold": "x"}, "Expected `float`, got `str`", id="type"),
        pytest.param({"threshold": None}, "Expected `float`, got `null`", id="null"),
        pytest.param({"version": 2}, "unknown parameter 'version'", id="class-variable"),
        pytest.param({"threshold": 7}, "from 0 to 1", id="range"),
    ],
)
def test_parameters_are_checked(params: dict[str, Any], says: str) -> None:
    with pytest.raises(MetadataError) as caught:
        registry.build(registry.stage_class("anls"), params, "here")
    assert str(caught.value).startswith("here: ")
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "known", "hint"),
    [
        ("anl", ["anls", "mra"], "did you mean 'anls'?"),
        ("zzz", ["b", "a"], "known: a, b"),
        ("zzz", [], "known: none"),
        ("", ["a"], "known: a"),
    ],
)
def test_the_nearest_name(name: str, known: list[str], hint: str) -> None:
    assert registry.nearest(name, known) == hint
