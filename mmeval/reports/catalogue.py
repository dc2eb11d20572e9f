"""What can be used, as text: stages and protocols."""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

import orjson

from mmeval import library
from mmeval.metadata import Block, Route, Unsupported
from mmeval.registry import protocol_folders, stage_class, stage_modules
from mmeval.reports.terminal import table


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
            rows.append((name, _pipeline(block), _headline(block), str(block.score_rows or "-"), status))
    return table(
        f"{len(protocol_folders())} benchmarks", ("name", "pipeline", "headline", "rows", "status"), rows
    )


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
    """One benchmark: its blocks, and its README."""
    folder = _folder(name)
    parts = [
        _block_text(title, block)
        for title, block in _blocks(folder)
        if name in (title, title.partition("@")[0]) or "@" not in name
    ]
    readme = protocol_folders()[folder] / "README.md"
    aliases = ", ".join(library.load(folder).aliases)
    head = [f"aliases   {aliases}"] if aliases else []
    return "\n\n".join(
        [*head, *parts, readme.read_text(encoding="utf-8").strip() if readme.is_file() else ""]
    ).rstrip()


def _block_text(title: str, block: Block) -> str:
    source = block.score_protocol
    lines = [
        title,
        f"  pipeline   {_pipeline(block)}",
        f"  parameters {orjson.dumps(block.score_params).decode()}",
        f"  rows       {block.score_rows or 'any number'}",
        f"  status     {source.status or 'not stated'}",
    ]
    lines += [f"  official   {source.official}"] if source.official else []
    lines += [f"  paper      {source.paper}"] if source.paper else []
    lines += [f"  note       {source.note}"] if source.note else []
    for each in block.score_aggregates:
        shown = each.model_dump(exclude_defaults=True, exclude={"name", "headline"})
        lines.append(
            f"  {'headline ' if each.headline else 'aggregate'}  {each.name}: {orjson.dumps(shown).decode()}"
        )
    return "\n".join(lines)
