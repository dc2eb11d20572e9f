"""The house rules that a machine can hold: who imports whom, sizes, names, and what `--help` loads."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mmeval
from mmeval.registry import stage_class, stage_modules

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "mmeval"
LONGEST = 400

# The floors of the house, from the ground up: a module imports from its own floor or from below.
FLOORS: tuple[frozenset[str], ...] = (
    frozenset({"types", "errors"}),
    frozenset(
        {"fingerprint", "reading", "text", "options", "option_labels", "yes_no", "numbers", "answers"}
        | {"boxes", "detection", "questions", "stats", "matching", "strict_json"}
    ),
    frozenset({"registry", "metadata", "library", "params", "prompting", "overrides", "protocol"}),
    frozenset(
        {
            "readers",
            "benchmarks",
            "aggregates",
            "stages",
            "pipeline",
            "settling",
            "judging",
            "tally",
            "summary",
            "scorefile",
            "keeping",
            "judge",
        }
    ),
    frozenset({"engines", "provenance", "resources", "remarks", "per_row", "runner", "lint", "schemas"}),
    frozenset({"reports", "compare", "exports"}),
    frozenset({"cli"}),
    frozenset({"__main__"}),
)
READING = FLOORS[0] | FLOORS[1] - {"stats"}
# The world outside: only the edges of the house look at it.
WORLD = frozenset(
    {"os", "sys", "io", "pathlib", "logging", "time", "datetime", "random", "secrets", "socket", "subprocess"}
    | {"tempfile", "shutil", "http", "urllib", "threading", "multiprocessing", "asyncio", "sqlite3", "pickle"}
    | {"httpx", "openai", "requests"}
)
HEAVY = (
    *("numpy", "scipy", "rapidfuzz", "rich", "mmeval.metadata", "mmeval.runner", "openai"),
    *("datasets", "pycocotools", "hotcoco", "vllm", "ray", "pyarrow", "torch", "pandas"),
)


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def ours() -> list[Path]:
    """Every file of the package, each once: stages and protocols through their real folders."""
    inside = [
        path for path in sources(PACKAGE) if path.relative_to(PACKAGE).parts[0] not in ("stages", "protocols")
    ]
    return [*inside, *sources(ROOT / "stages"), *sources(ROOT / "protocols")]


def floor(name: str) -> int:
    (found,) = [number for number, names in enumerate(FLOORS) if name in names]
    return found


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports anywhere but for type checkers."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(node)
        for test in ast.walk(tree)
        if isinstance(test, ast.If) and ast.unparse(test.test) == "TYPE_CHECKING"
        for node in ast.walk(test)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            yield module if module != "mmeval" else ""
            yield from (f"mmeval.{alias.name}" for alias in node.names if module == "mmeval")


def home(path: Path) -> str:
    """The room that a file belongs to: `text`, `runner`, `stages` ..."""
    relative = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.relative_to(ROOT)
    return relative.parts[0].removesuffix(".py")


def rooms(path: Path) -> set[str]:
    """The rooms of mmeval that a file imports from."""
    return {name.split(".")[1] for name in imports(path) if name.startswith("mmeval.")}


@pytest.mark.parametrize("path", ours(), ids=lambda path: str(path.relative_to(ROOT)))
def test_who_imports_whom(path: Path) -> None:
    if path == PACKAGE / "__init__.py":
        assert rooms(path) <= FLOORS[0] | {"runner", "protocol"}
        return
    if path.is_relative_to(ROOT / "protocols"):
        assert rooms(path) == set()
        return
    own = floor(home(path))
    above = sorted(room for room in rooms(path) - {home(path)} if floor(room) > own)
    assert above == [], f"{path} imports from floors above its own"


def module_name(path: Path) -> str:
    base = PACKAGE.parent if path.is_relative_to(PACKAGE) else ROOT / "mmeval"
    relative = (
        path.relative_to(base) if path.is_relative_to(base) else Path("mmeval") / path.relative_to(ROOT)
    )
    return ".".join(relative.with_suffix("").parts).removesuffix(".__init__")


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    graph = {module_name(path): set(imports(path)) for path in ours() if path != PACKAGE / "__init__.py"}
    graph = {
        name: {each for each in needs if each in graph and each != name} for name, needs in graph.items()
    }
    while graph:
        free = {name for name, needs in graph.items() if not needs & graph.keys()}
        assert free, f"a circle among {sorted(graph)}"
        graph = {name: needs for name, needs in graph.items() if name not in free}


@pytest.mark.parametrize("path", sources(ROOT / "stages"), ids=lambda path: path.name)
def test_a_stage_knows_only_how_to_read(path: Path) -> None:
    assert rooms(path) <= READING, "never another stage, a reader or the engine"
    assert not {name.split(".")[0] for name in imports(path)} & WORLD


@pytest.mark.parametrize("path", sources(PACKAGE / "aggregates"), ids=lambda path: path.name)
def test_an_aggregate_is_a_pure_function(path: Path) -> None:
    assert rooms(path) <= {"types", "errors", "stats", "fingerprint", "detection", "aggregates"}
    assert not {name.split(".")[0] for name in imports(path)} & WORLD


@pytest.mark.parametrize("room", ["text", "options", "yes_no", "numbers", "answers", "boxes"])
def test_reading_is_pure(room: str) -> None:
    for path in sources(PACKAGE / room):
        assert rooms(path) <= READING, path
        assert not {name.split(".")[0] for name in imports(path)} & WORLD, path


def test_the_ground_floor_stands_on_nothing() -> None:
    assert set(imports(PACKAGE / "types.py")) <= {"__future__", "typing", "msgspec"}
    assert set(imports(PACKAGE / "errors.py")) <= {"__future__"}


def test_protocols_are_data() -> None:
    files = [
        path for path in (ROOT / "protocols").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    code = [path for path in files if path.suffix == ".py"]
    assert code == [ROOT / "protocols" / "__init__.py"]
    assert list(imports(code[0])) == []
    assert {path.suffix for path in files} <= {".py", ".json", ".jsonl", ".md", ".txt"}
    folders = [
        path for path in (ROOT / "protocols").iterdir() if path.is_dir() and path.name != "__pycache__"
    ]
    assert [path.name for path in folders if not (path / "metadata.json").is_file()] == []


@pytest.mark.parametrize("folder", ["mmeval", "stages", "protocols", "tests", "scripts", "bench"])
def test_no_file_is_longer_than_a_person_reads(folder: str) -> None:
    long = {
        str(path.relative_to(ROOT)): length
        for path in sources(ROOT / folder)
        if (length := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}


def test_no_benchmark_is_named_in_an_if() -> None:
    """Whenever a benchmark's name appears in a condition, something belongs into its metadata.json."""
    names = {path.name for path in (ROOT / "protocols").iterdir() if (path / "metadata.json").is_file()}
    for path in ours():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.If | ast.IfExp):
                texts = {each.value for each in ast.walk(node.test) if isinstance(each, ast.Constant)}
                assert not texts & names, f"{path}:{node.lineno}"


@pytest.mark.parametrize("path", ours(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_is_left_half_done(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\b(TODO|FIXME|XXX|HACK)\b", text)
    assert not re.search(r"# type: ignore(?!\[)", text)
    assert "raise NotImplementedError" not in text


def test_only_the_border_catches_everything() -> None:
    broad = [
        path.name
        for path in ours()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
    ]
    assert broad == ["pipeline.py", "pipeline.py", "scorefile.py"]


@pytest.mark.parametrize("arguments", [["--help"], ["score", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import json, sys\nfrom mmeval.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(ran.stdout.splitlines()[-1]))
    assert sorted(loaded & set(HEAVY)) == []


def test_scoring_texts_loads_no_numbers_library(tmp_path: Path) -> None:
    rows = [{"eval-id": 1, "answer": "B", "messages": [{"options": {"A": "x", "B": "y"}}, {"response": "B"}]}]
    (tmp_path / "result.json").write_text(json.dumps(rows))
    code = "import sys, mmeval\nmmeval.score('result.json')\nprint('\\n'.join(sys.modules))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = set(ran.stdout.split())
    assert sorted(loaded & {"numpy", "rich", "rapidfuzz", "typer", "pyarrow", "asyncio"}) == []


def test_what_is_exported_is_sorted_and_there() -> None:
    assert mmeval.__all__ == sorted(mmeval.__all__)
    for name in mmeval.__all__:
        assert getattr(mmeval, name) is not None
    assert {"Job", "Overrides", "score", "Sample", "Pass", "Score", "MmevalError"} <= set(mmeval.__all__)
    assert not [name for name in mmeval.__all__ if name.startswith("_")]
    with pytest.raises(AttributeError, match="no attribute 'scroe'"):
        _ = mmeval.scroe


def test_what_an_import_gives_is_what_is_exported() -> None:
    public = {name for name in dir(mmeval) if not name.startswith("_")}
    assert set(mmeval.__all__) <= public


@pytest.mark.parametrize("name", sorted(stage_modules()))
def test_a_room_for_everything(name: str) -> None:
    module = name.replace("-", "_")
    assert stage_class(name).__name__ == "".join(part.capitalize() for part in name.split("-"))
    assert stage_class(name).__module__ == f"mmeval.stages.{module}"
    for path in (f"stages/{module}.py", f"tests/unit/stages/test_{module}.py", f"docs/stages/{name}.md"):
        assert (ROOT / path).is_file(), f"{path} is missing"


@pytest.mark.parametrize("name", sorted(stage_modules()))
def test_a_stage_says_what_it_decides(name: str) -> None:
    cls = stage_class(name)
    assert isinstance(cls.version, int)
    assert cls.version >= 1
    assert cls.__dataclass_params__.frozen
    doc = importlib.import_module(cls.__module__).__doc__
    assert doc
    assert "Formula" in (cls.__doc__ or "")
    assert re.search(r"Source:|@ ?[0-9a-f]{7,}", cls.__doc__ or "")


def test_test_files_have_names_of_their_own() -> None:
    names = [path.name for path in sources(ROOT / "tests") if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))
