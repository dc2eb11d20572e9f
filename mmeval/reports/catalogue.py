"""What can be used, as text: stages and protocols."""

from __future__ import annotations

import dataclasses
import inspect
import itertools
import textwrap
from collections.abc import Sequence
from typing import Any

import orjson

from mmeval import library
from mmeval.metadata import Block, Route, Unsupported
from mmeval.registry import protocol_folders, stage_class, stage_modules
from mmeval.reports.files_read import asked_for
from mmeval.reports.methods import WIDTH, methods, needs_judge
from mmeval.reports.terminal import table

DEVIATIONS = "## Known deviations"


def _dump(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().partition("\n")[0]


def _stage(name: str) -> dict[str, Any]:
    cls = stage_class(name)
    return {
        "name": name,
        "version": cls.version,
        "grader": bool(getattr(cls, "grader", False)),
        "decides": _first_line(cls.__doc__),
        "module": cls.__module__,
        "parameters": {
            each.name: {
                "type": str(each.type),
                "default": None if each.default is dataclasses.MISSING else each.default,
            }
            for each in dataclasses.fields(cls)
        },
        **asked_for(cls),
    }


def stages_json() -> str:
    """Every stage as JSON."""
    return _dump([_stage(name) for name in stage_modules()])


def stages_table() -> str:
    """Every stage, one line each."""
    rows = []
    for name in stage_modules():
        stage = _stage(name)
        rows.append(
            (name, str(stage["version"]), "last, always decides" if stage["grader"] else "", stage["decides"])
        )
    return table("stages", ("name", "version", "grader", "what it decides"), rows)


def stage_json(name: str) -> str:
    """One stage as JSON."""
    return _dump({**_stage(name), "doc": inspect.getdoc(stage_class(name))})


def stage_text(name: str) -> str:
    """One stage: what it decides, and its parameters."""
    stage = _stage(name)
    rows = [(each, about["type"], repr(about["default"])) for each, about in stage["parameters"].items()]
    title = f"{name} (version {stage['version']}, {stage['module']})"
    return "\n\n".join(
        (
            title,
            inspect.getdoc(stage_class(name)) or "",
            table("parameters", ("name", "type", "default"), rows),
            *(
                f"{title}: {', '.join(stage[title])}"
                for title in ("resources", "environment")
                if stage[title]
            ),
        )
    ).rstrip()


def _pipeline(block: Block) -> str:
    pipeline = block.score_pipeline
    if isinstance(pipeline, Route):
        return "by " + ", ".join(pipeline.route)
    if isinstance(pipeline, Unsupported):
        return f"unsupported: {pipeline.unsupported}"
    return ",".join(pipeline or ())


def _headline(block: Block) -> str:
    if isinstance(block.score_pipeline, Unsupported):
        return "-"
    return next((each.name for each in block.score_aggregates if each.headline), "accuracy")


def _blocks(folder: str) -> list[tuple[str, Block]]:
    """Every block of a benchmark: its subsets, each followed by its variants."""
    metadata = library.load(folder)
    title = metadata.dataset_name or folder
    found: list[tuple[str, Block]] = []
    for name, subset in metadata.subsets.items():
        own = title if name == "*" or len(metadata.subsets) == 1 else f"{title}:{name}"
        found.append((own, subset))
        found += [(f"{own}@{variant}", block) for variant, block in subset.variants.items()]
    return found


def protocols_table() -> str:
    """Every block of the library, one line each."""
    rows = []
    for folder in protocol_folders():
        for name, block in _blocks(folder):
            status = block.score_protocol.status or "-"
            judge = "yes" if needs_judge(block) else "no"
            rows.append((name, _rows_of(block) or "-", _pipeline(block), _headline(block), status, judge))
    return table(
        f"{len(protocol_folders())} benchmarks",
        ("name", "rows", "pipeline", "headline", "status", "judge"),
        rows,
    )


def _rows_of(block: Block) -> str:
    return " or ".join(map(str, block.row_counts))


def protocols_json() -> str:
    """Every block of the library as JSON."""
    return _dump(
        [
            {
                "name": name,
                "folder": folder,
                "aliases": list(library.load(folder).aliases),
                "pipeline": _pipeline(block),
                "headline": _headline(block),
                "rows": block.score_rows,
                "status": block.score_protocol.status,
                "judge": needs_judge(block),
            }
            for folder in protocol_folders()
            for name, block in _blocks(folder)
        ]
    )


def _folder(name: str) -> str:
    library.named(name, None) if "@" in name else None
    base = name.partition("@")[0].partition(":")[0]
    folder = library.index().get(base.casefold())
    if folder is None:
        library.named(base, None)
    return str(folder)


def protocol_json(name: str) -> str:
    """The metadata of a benchmark as JSON."""
    metadata = library.load(_folder(name))
    return _dump(metadata.model_dump(mode="json", by_alias=True, exclude_defaults=True))


def protocol_text(name: str) -> str:
    """One benchmark as a methods section: the named block, or every subset and the names of its variants."""
    folder = _folder(name)
    task, deviations = _page(folder)
    subset, variant = name.partition("@")[0].partition(":")[2], name.partition("@")[2]
    chosen = [
        (title, block)
        for title, block in _blocks(folder)
        if title.partition("@")[2] == variant and subset in ("", title.partition("@")[0].partition(":")[2])
    ]
    aliases = ", ".join(library.load(folder).aliases)
    parts = [textwrap.fill(f"Also known as {aliases}.", WIDTH, break_on_hyphens=False)] if aliases else []
    for title, block in _together(chosen):
        parts += [f"{title}\n{'=' * len(title)}", methods(block, task, [] if variant else deviations)]
    parts += [] if variant else [_variants(folder)]
    return "\n\n".join(part for part in parts if part)


def _together(chosen: Sequence[tuple[str, Block]]) -> list[tuple[str, Block]]:
    """The same block once, under all of its titles."""
    found: list[tuple[str, Block]] = []
    for title, block in chosen:
        if found and found[-1][1] == block:
            title = f"{found.pop()[0]}, {title}"
        found.append((title, block))
    return found


def _variants(folder: str) -> str:
    """One line for each other reading of a benchmark."""
    rows = [
        (title, block.score_protocol.status or "-", block.score_protocol.note or "")
        for title, block in _blocks(folder)
        if "@" in title
    ]
    lines = [
        textwrap.fill(
            f"* {title} ({status}): {note}".rstrip(": "),
            WIDTH,
            initial_indent="  ",
            subsequent_indent="    ",
            break_on_hyphens=False,
        )
        for title, status, note in rows
    ]
    return "\n".join(["Variants", *lines]) if lines else ""


def _page(folder: str) -> tuple[str, list[str]]:
    """What a benchmark's page says is asked, and the deviations that it lists; empty where it has no page."""
    page = protocol_folders()[folder] / "README.md"
    if not page.is_file():
        return "", []
    blocks = page.read_text(encoding="utf-8").split("\n\n")
    task = next((each for each in blocks if not each.startswith("#")), "")
    listed = next((rest for each, rest in itertools.pairwise(blocks) if each == DEVIATIONS), "")
    items = ("\n" + listed).split("\n* ")[1:]
    return " ".join(task.split()), [" ".join(each.split()) for each in items]
