"""What the pages say is so: their links lead somewhere, their commands exist, their JSON is valid."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

from mmeval.cli import app, snake
from mmeval.lint import lint
from mmeval.metadata import parse_metadata
from mmeval.reading import names
from mmeval.registry import aggregate_modules, protocol_folders, stage_fields, stage_modules

ROOT = Path(__file__).resolve().parents[2]
COMMAND: Any = typer.main.get_command(app)
PAGES = [
    ROOT / "README.md",
    ROOT / "VALIDATION.md",
    ROOT / "CHANGELOG.md",
    ROOT / "bench" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "protocols").glob("*/README.md")),
]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.M)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """A page without its code."""
    return SPAN.sub("", FENCED.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them: a repeated one is numbered."""
    found: dict[str, int] = {}
    made = set()
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.M):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        seen = found.get(slug, 0)
        made.add(f"{slug}-{seen}" if seen else slug)
        found[slug] = seen + 1
    return made


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors(target), link


class Shown(NamedTuple):
    """A command as a page shows it."""

    page: str
    text: str


def shown(page: Path) -> Iterator[Shown]:
    """Every `mmeval ...` in a page's code blocks and spans."""
    text = page.read_text(encoding="utf-8")
    blocks = [body for _, body in FENCED.findall(text)]
    rest = FENCED.sub("", text)
    lines = [line.strip() for block in [*blocks, *INDENTED.findall(rest)] for line in block.splitlines()]
    for line in [*lines, *SPAN.findall(rest)]:
        if line.startswith("mmeval "):
            yield Shown(name_of(page), line)


COMMANDS = sorted({each for page in PAGES for each in shown(page)})


@pytest.mark.parametrize("each", COMMANDS, ids=lambda each: f"{each.page}: {each.text}")
def test_every_command_shown_exists(each: Shown) -> None:
    words = snake(shlex.split(re.sub(r"[\[\]]", " ", each.text), comments=True))[1:]
    command, path = COMMAND, ["mmeval"]
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        assert words[0] in command.commands, f"{' '.join(path)} has no {words[0]}"
        path.append(words.pop(0))
        command = command.commands[path[-1]]
    known = {name for param in command.params for name in param.opts} | {"--help"}
    flags = {word.partition("=")[0] for word in words if word.startswith("--")}
    assert flags <= known, f"{' '.join(path)} has no {', '.join(sorted(flags - known))}"


def test_the_pages_show_commands() -> None:
    assert len(COMMANDS) > 20


def test_the_readme_names_every_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMAND.commands if f"| `mmeval {name}" not in text] == []


def blocks_of(page: str) -> list[Any]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return [json.loads(body) for language, body in FENCED.findall(text) if language == "json"]


@pytest.mark.parametrize("shape", blocks_of("metadata.md"), ids=lambda shape: "-".join(list(shape)[:2]))
def test_the_metadata_that_the_page_shows_is_usable(shape: dict[str, Any], tmp_path: Path) -> None:
    whole = shape if "subsets" in shape else {"subsets": {"main": {"score_pipeline": shape}}}
    data = json.dumps(whole).encode()
    assert parse_metadata(data, "the page").subsets
    (tmp_path / "metadata.json").write_bytes(data)
    said = lint(tmp_path / "metadata.json")
    assert said
    assert not [line for line in said if "unused" in line]


def test_every_key_of_a_block_is_on_the_page() -> None:
    from mmeval.metadata import Block

    text = (ROOT / "docs" / "metadata.md").read_text(encoding="utf-8")
    keys = {field.alias or name for name, field in Block.model_fields.items()}
    assert sorted(key for key in keys if f"`{key}`" not in text and f'"{key}"' not in text) == []


@pytest.mark.parametrize("page", ["result-format.md", "aggregates.md", "adding-a-stage.md"])
def test_the_json_of_a_page_is_json(page: str) -> None:
    assert blocks_of(page)


def named() -> set[str]:
    """Everything that a user can name: commands, stages, rule sets, aggregates, protocol folders."""
    packages = ("mmeval.options", "mmeval.yes_no", "mmeval.numbers", "mmeval.answers")
    rules = {name for package in packages for name in names(package)}
    return rules | {*COMMAND.commands, *stage_modules(), *aggregate_modules(), *protocol_folders()}


def test_the_changelog_names_all_that_can_be_named() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    words = {word.strip(".,;:()`*") for word in text.split()}
    assert sorted(named() - words) == []


def test_the_readme_and_the_pages_lead_to_every_page() -> None:
    linked = {
        (page.parent / link.partition("#")[0]).resolve()
        for page in PAGES
        for link in LINK.findall(prose(page))
    }
    pages = {*(ROOT / "docs").glob("*.md"), *(ROOT / "protocols").glob("*/README.md")}
    assert sorted(name_of(page) for page in pages - linked) == []


def keys_of(value: Any) -> set[str]:
    """The keys of an object; of a list, those of its members."""
    if isinstance(value, list):
        return {key for each in value for key in keys_of(each)}
    return set(value) if isinstance(value, dict) else set()


@pytest.mark.parametrize(
    "golden", sorted((ROOT / "tests" / "golden").glob("*.json")), ids=lambda path: path.name
)
def test_every_key_of_a_score_file_is_on_its_page(golden: Path) -> None:
    text = (ROOT / "docs" / "score-format.md").read_text(encoding="utf-8")
    score = json.loads(golden.read_bytes())
    traces = [row["trace"] for row in score["samples"]]
    wanted = (
        set(score) | keys_of(traces) | keys_of([score[part] for part in ("config", "provenance", "summary")])
    )
    wanted |= keys_of(score["samples"]) | keys_of(score["summary"]["headline"])
    words = set(re.findall(r"[\w-]+", text))
    assert [key for key in sorted(wanted) if key not in words and not key.startswith("judge_")] == []


@pytest.mark.parametrize("name", sorted(stage_modules()))
def test_every_parameter_of_a_stage_is_on_its_page(name: str) -> None:
    page = ROOT / "docs" / "stages" / f"{name}.md"
    beside = [page.parent / link for link in LINK.findall(prose(page)) if "/" not in link]
    text = "".join(each.read_text(encoding="utf-8") for each in (page, *beside))
    assert [field for field in stage_fields(name) if f"`{field}`" not in text] == []
