"""What the pages say in tables is what the code says: generated parts, defaults, variables, exit codes."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mmeval import library
from mmeval.errors import Incomplete, MmevalError
from mmeval.judge.configuration import ADDRESSES, ENVIRONMENT
from mmeval.judge.providers import _vllm
from mmeval.metadata import Block
from mmeval.registry import protocol_folders, stage_class, stage_modules

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (.+) \|$", re.M)
NAME = re.compile(r"`([A-Za-z][A-Za-z0-9_]+)`")
SHELL = re.compile(r"\$\{([A-Z][A-Z0-9_]+)[:\-}]")
# Where the whole environment is handed on, what is read is in the tables that `variables` looks into.
HANDED_ON = {"runner.py", "judge/judges.py", "judge/providers/azure_openai.py", "judge/providers/_vllm.py"}
FOREIGN = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"}
FOREIGN |= {"HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "HF_HOME"}


def loaded() -> ModuleType:
    path = DOCS / "site" / "generated.py"
    spec = importlib.util.spec_from_file_location("docs_generated", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GENERATED = loaded()
FILES = list(GENERATED.files())


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.path.relative_to(DOCS)))
def test_a_generated_part_is_what_the_code_says(file: Any) -> None:
    assert file.path.read_text(encoding="utf-8") == file.text, "run scripts/docs --write"


def test_every_stage_has_its_part_on_its_page() -> None:
    for name in stage_modules():
        assert f"<!-- generated: stage {name} -->" in (DOCS / "stages" / f"{name}.md").read_text(), name


@pytest.mark.parametrize(
    ("doc", "told"),
    [
        pytest.param("What.\n\nFormula: x < y.", "What.\n\n**Formula.** x \\< y.", id="one-line"),
        pytest.param("Range:\n    0 or 1.\n\nEnd.", "\n**Range.**\n0 or 1.\n\nEnd.", id="section"),
        pytest.param(
            "Parameters:\n    a, b: what `<x>` is,\n        at length.",
            "\n**Parameters.**\n* `a`, `b`: what `<x>` is,\n  at length.",
            id="parameters",
        ),
    ],
)
def test_a_docstring_becomes_markdown(doc: str, told: str) -> None:
    assert GENERATED.markdown(doc) == told


def by_hand(page: Path) -> Iterator[tuple[str, str]]:
    """Parameter and default of the tables that were written by hand."""
    text = re.sub(r"<!-- generated.*?<!-- end -->", "", page.read_text(encoding="utf-8"), flags=re.S)
    for block in re.split(r"\n\s*\n", text):
        rows = [row.split(" | ") for row in ROW.findall(block)]
        if rows and rows[0][:2] == ["parameter", "default"]:
            for row in rows[1:]:
                names, values = NAME.findall(row[0]), row[1].replace("`", "").split(", ")
                yield from zip(
                    names, values if len(values) == len(names) else [row[1]] * len(names), strict=True
                )


def same(told: str, real: str) -> bool:
    """Whether two ways of writing a default mean one: a list of nothing is none, 0 is 0.0."""
    said, is_ = (text.replace("`", "").replace('"', "").strip() for text in (told, real))
    number = re.compile(r"-?[\d.]+")
    if number.fullmatch(said) and number.fullmatch(is_):
        return float(said) == float(is_)
    return said == is_ or (said, is_) == ("none", "[]")


@pytest.mark.parametrize("name", sorted(stage_modules()))
def test_a_default_written_by_hand_is_the_real_one(name: str) -> None:
    real = {field: default for field, _, default in GENERATED.parameters(stage_class(name))}
    for param, told in by_hand(DOCS / "stages" / f"{name}.md"):
        assert same(told, real[f"`{param}`"]), param


def literals(tree: ast.Module) -> dict[str, str]:
    """The constants of a module that are texts."""
    return {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def reads(path: Path) -> Iterator[str]:
    """The variables that a module reads or sets by name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    known = literals(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            owner, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Subscript):
            owner, key = node.value, node.slice
        else:
            continue
        if not re.search(r"\benviron\b", ast.unparse(owner)) or ast.unparse(owner).endswith("items"):
            continue
        if isinstance(key, ast.Constant):
            yield str(key.value)
        elif isinstance(key, ast.Name) and key.id in known:
            yield known[key.id]


def blocks() -> Iterator[Block]:
    for folder in protocol_folders():
        for subset in library.load(folder).subsets.values():
            yield from (subset, *subset.variants.values())


def variables() -> set[str]:
    """Every environment variable that is read, from the code and from the tables that it goes by."""
    found = {name for path in (ROOT / "mmeval").rglob("*.py") for name in reads(path)}
    found |= set(ENVIRONMENT) | {name for pairs in ADDRESSES.values() for pair in pairs for name in pair}
    found |= set(_vllm._ENVIRONMENT)
    found |= {
        variable
        for name in stage_modules()
        for variable in getattr(stage_class(name), "environment", {}).values()
    }
    found |= {
        name.partition("/")[0]
        for block in blocks()
        for each in block.score_resources.values()
        for name in each.env
    }
    return found


def test_every_environment_variable_is_on_its_page_and_no_other() -> None:
    text = (DOCS / "environment.md").read_text(encoding="utf-8")
    engine, _, repository = text.partition("## Scripts and tests")
    names = {name for name in NAME.findall(engine) if name.isupper() or name == "LMUData"} - {"NAME"}
    assert names - FOREIGN == variables()
    scripts = {name for path in (ROOT / "scripts").iterdir() for name in SHELL.findall(path.read_text())}
    tests = {
        name
        for path in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r"environ(?:\.get\(|\[)\"(MMEVAL_\w+)\"", path.read_text(encoding="utf-8"))
    }
    told = {name for name in NAME.findall(repository) if name.isupper()}
    assert told == {name for name in scripts | tests if name.startswith("MMEVAL_")} - {"MMEVAL_CACHE_DIR"} | {
        "CI"
    }


def test_only_known_modules_hand_the_whole_environment_on() -> None:
    whole = re.compile(r"os\.environ\b(?!\.|\[)")
    found = {
        str(path.relative_to(ROOT / "mmeval"))
        for path in (ROOT / "mmeval").rglob("*.py")
        if whole.search(path.read_text(encoding="utf-8"))
    }
    assert found <= HANDED_ON


def test_every_exit_code_is_on_its_page() -> None:
    text = (DOCS / "exit-codes.md").read_text(encoding="utf-8")
    told = {int(code) for code in re.findall(r"^\| \*\*(\d+)\*\* \|", text, re.M)}
    assert told == {0, 1, 130, MmevalError.exit_code, Incomplete.exit_code}


def test_every_page_is_in_the_list_of_pages() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    listed = {(DOCS / link).resolve() for link in re.findall(r"^\* \[[^\]]+\]\(([^)#]+)", text, re.M)}
    assert sorted(str(page) for page in set(DOCS.glob("*.md")) - listed - {DOCS / "index.md"}) == []


def test_the_schemas_beside_the_pages_are_schemas() -> None:
    for kind in GENERATED.KINDS:
        assert json.loads((DOCS / "schemas" / f"{kind}.json").read_bytes())["$schema"]
