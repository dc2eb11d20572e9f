"""The parts of the pages that are made from the code; `scripts/docs --write` writes them anew.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->` on its page, so that the page is whole in
the repository too; `tests/unit/test_docs_generated.py` holds every part to the code.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mmeval import library, schemas
from mmeval.metadata import Block, Route, Unsupported
from mmeval.registry import protocol_folders, stage_class, stage_modules

DOCS = Path(__file__).resolve().parents[1]
PART = re.compile(r"(<!-- generated: ([\w -]+) -->\n).*?(<!-- end -->)", re.S)
HEADING = re.compile(r"^(Formula|Range|Parameters|Sources?|Unit): *(.*)$")
CODE = re.compile(r"(`[^`]*`)")
RULES = ("option_rules", "yes_no_rules", "number_rules", "answer_rules")
READINGS = {"anls": "length", "vqa-accuracy": "mode"}
KINDS = ("metadata", "result", "score")


class File(NamedTuple):
    """A file below docs/ that is made, wholly or in part, and its text."""

    path: Path
    text: str


def files() -> Iterator[File]:
    """Every file that holds something made, as it should be."""
    for kind in KINDS:
        yield File(
            DOCS / "schemas" / f"{kind}.json", json.dumps(schemas.of(kind), indent=2, sort_keys=True) + "\n"
        )
    for path in sorted(DOCS.rglob("*.md")):
        text = path.read_text(encoding="utf-8")
        if "<!-- generated:" in text:
            yield File(path, PART.sub(lambda found: f"{found[1]}\n{made(found[2])}\n\n{found[3]}", text))


def made(name: str) -> str:
    """The text of one part.

    Raises:
        KeyError: nothing goes by that name.
    """
    kind, _, rest = name.partition(" ")
    makers: dict[str, Callable[[], str]] = {
        "stage": lambda: stage(rest),
        "stages": stages,
        "protocols": protocols,
        "schema": lambda: schema(rest),
    }
    return makers[kind]().strip()


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    ).replace("| --- ", "|---")


def kind_of(hint: Any) -> str:
    """A type in words."""
    if hint is type(None):
        return "none"
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(kind_of(each) for each in inner)
    if origin is tuple:
        several = inner[-1] is Ellipsis
        return (
            f"list of {kind_of(inner[0])}s" if several else f"[{', '.join(kind_of(each) for each in inner)}]"
        )
    return {bool: "`true`, `false`", int: "whole number", float: "number", str: "text"}.get(hint, str(hint))


def default_of(field: dataclasses.Field[Any]) -> str:
    """A parameter's default as metadata would write it."""
    if field.default is dataclasses.MISSING:
        return "needed"
    return "none" if field.default is None else f"`{json.dumps(field.default)}`"


def parameters(cls: type[Any]) -> list[tuple[str, str, str]]:
    """Name, type and default of every parameter of a stage."""
    hints = typing.get_type_hints(cls)
    return [
        (f"`{each.name}`", kind_of(hints[each.name]), default_of(each)) for each in dataclasses.fields(cls)
    ]


def stage(name: str) -> str:
    """The part of a stage's page: what its docstring says, and its parameters."""
    cls = stage_class(name)
    place = f"`stages/{cls.__module__.rpartition('.')[2]}.py`, version {cls.version}"
    head = f"## As the code has it\n\n{place}; {ends(cls)}."
    rows = parameters(cls)
    told = table(("parameter", "type", "default"), rows) if rows else "It has no parameters."
    return "\n\n".join((head, markdown(inspect.getdoc(cls) or ""), told))


def ends(cls: type[Any]) -> str:
    """Whether a stage always decides."""
    return "always decides, last of its pipeline" if getattr(cls, "grader", False) else "may pass on"


def markdown(doc: str) -> str:
    """A docstring as Markdown: its sections get bold names, its named parameters become a list."""
    out: list[str] = []
    section = ""
    for line in doc.splitlines():
        found = HEADING.match(line)
        if found:
            section = found[1] if not found[2] else ""
            out += ["", f"**{found[1]}.** {plain(found[2])}".rstrip()]
        elif not line.strip():
            out.append("")
        else:
            section = section if line.startswith("    ") else ""
            out.append(
                item(line)
                if section == "Parameters"
                else plain(line.removeprefix("    ") if section else line)
            )
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out))


def item(line: str) -> str:
    """A line of the section on parameters: a new one, or more of the last."""
    inner = line.removeprefix("    ")
    names, colon, rest = inner.partition(": ")
    if inner.startswith(" ") or not colon:
        return f"  {plain(inner.strip())}"
    return f"* {', '.join(f'`{each}`' for each in names.split(', '))}: {plain(rest)}"


def plain(text: str) -> str:
    """Text in which nothing is an HTML tag by accident."""
    return "".join(part if part.startswith("`") else part.replace("<", "\\<") for part in CODE.split(text))


def stages() -> str:
    """The table of all stages."""
    rows = []
    for name in stage_modules():
        cls = stage_class(name)
        first = (inspect.getdoc(cls) or "").partition("\n")[0]
        rows.append((f"[{name}]({name}.md)", plain(first), "yes" if getattr(cls, "grader", False) else ""))
    return table(("stage", "what it decides", "always decides"), rows)


def protocols() -> str:
    """The table of the protocol library, without regard to case in its order."""
    head = ("benchmark", "pipeline (reading)", "headline", "rows", "status", "variants")
    return table(head, [protocol(name) for name in sorted(protocol_folders(), key=str.casefold)])


def protocol(folder: str) -> tuple[str, ...]:
    """One row of that table; subsets that say the same are said once."""
    metadata = library.load(folder)
    blocks = list(metadata.subsets.values())
    return (
        f"[{folder}](../protocols/{folder}/README.md)",
        "; ".join([*each(blocks, pipeline), *instead(blocks)]),
        " or ".join(each(blocks, headline)),
        " or ".join(each(blocks, lambda block: " or ".join(map(str, block.row_counts)))),
        " or ".join(each(blocks, lambda block: block.score_protocol.status or "")),
        ", ".join(dict.fromkeys(name for block in blocks for name in block.variants)),
    )


def each(blocks: list[Any], say: Callable[[Block], str]) -> list[str]:
    """What the blocks say, each thing once, in their order."""
    return [said for said in dict.fromkeys(map(say, blocks)) if said]


def instead(blocks: list[Any]) -> list[str]:
    """The variants of a benchmark that is not supported as it is."""
    if not all(isinstance(block.score_pipeline, Unsupported) for block in blocks):
        return []
    return [f"`@{name}`: {pipeline(one)}" for block in blocks for name, one in block.variants.items()]


def headline(block: Block) -> str:
    """The name of the headline."""
    if isinstance(block.score_pipeline, Unsupported):
        return ""
    return next((one.name for one in block.score_aggregates if one.headline), "accuracy")


def pipeline(block: Block) -> str:
    """The stages, and how each reads, in brackets."""
    whole = block.score_pipeline
    if isinstance(whole, Unsupported):
        return "unsupported"
    if isinstance(whole, Route):
        arms = [*((case.pipeline, case.params) for case in whole.cases), (whole.default or (), {})]
        names = dict.fromkeys(named(block, name, params) for arm, params in arms for name in arm)
        return f"by {', '.join(whole.route)}: {', '.join(names)}"
    return ", ".join(named(block, name, {}) for name in whole or ())


def named(block: Block, name: str, arm: Any) -> str:
    """One stage, and the rule sets, reading or prompt that the block gives it."""
    shared = {**block.score_params, **arm}
    own = {**shared, **dict(shared.get("stages", {})).get(name, {})}
    if name in ("exact-match", "rule-match"):
        said = list(dict.fromkeys(str(own[rules]) for rules in RULES if rules in own))
    elif name in READINGS:
        said = [str(own.get(READINGS[name], getattr(stage_class(name), READINGS[name])))]
    else:
        said = [str(own["prompt"])] if "prompt" in own else default_prompt(block, name)
    return f"{name} ({', '.join(said)})" if said else name


def default_prompt(block: Block, name: str) -> list[str]:
    """The prompt that the benchmark declares, for the stages that take it."""
    judge = block.score_judge
    return [judge.prompt] if judge is not None and name in ("llm-judge", "llm-extract") else []


def schema(kind: str) -> str:
    """The keys of a JSON Schema, object by object."""
    whole = schemas.of(kind)
    whole = whole.get("items", whole)
    parts = {"": whole, **whole.get("$defs", {})}
    return "\n\n".join(keys(name, part) for name, part in parts.items() if part.get("properties"))


def keys(name: str, part: dict[str, Any]) -> str:
    """The keys of one object."""
    needed = set(part.get("required", ()))
    rows = [
        (f"`{key}`", shape(about), "yes" if key in needed else "", plain(about.get("description", "")))
        for key, about in part["properties"].items()
    ]
    told = plain(" ".join(part.get("description", "").partition("\n\n")[0].split()))
    head = f"### {name or 'The whole'}\n\n{told}".strip()
    return f"{head}\n\n{table(('key', 'type', 'needed', 'meaning'), rows)}"


def shape(about: dict[str, Any]) -> str:
    """A JSON type in words."""
    if "$ref" in about:
        return str(about["$ref"]).rpartition("/")[2]
    if "enum" in about:
        return ", ".join(f"`{one}`" for one in about["enum"])
    for several in ("anyOf", "oneOf"):
        if several in about:
            return " or ".join(dict.fromkeys(shape(one) for one in about[several]))
    kinds = about.get("type", "any")
    if kinds == "array" and about.get("items"):
        return f"list of {shape(about['items'])}"
    return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)


def write() -> list[str]:
    """Write what has changed; says which files."""
    changed = []
    for path, text in files():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed.append(str(path.relative_to(DOCS)))
    return changed


if __name__ == "__main__":
    sys.stdout.writelines(f"written: {name}\n" for name in write())
