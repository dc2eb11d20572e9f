"""Whether an installation is whole."""

from __future__ import annotations

import importlib.util
import os
import platform
from collections.abc import Callable
from typing import Literal, NamedTuple

from mmeval.errors import MmevalError
from mmeval.provenance import version

EXTRAS = {
    "boxes": ("hotcoco", "pycocotools"),
    "judge": ("aiohttp",),
    "hub": ("huggingface_hub", "pyarrow"),
    "vllm": ("vllm",),
    "ray": ("ray",),
    "tables": ("pyarrow", "openpyxl"),
    "pictures": ("PIL",),
}
# Keys of judges, by the provider that reads them.
KEYS = {
    "openai": ("OPENAI_API_KEY", "JUDGE_API_KEY"),
    "azure_openai": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
}
CORE = ["typer", "pydantic", "orjson", "msgspec", "numpy", "scipy", "rapidfuzz", "rich", "platformdirs"]


class Finding(NamedTuple):
    """One thing that was looked at."""

    name: str
    state: Literal["ok", "missing", "broken"]
    says: str


def examine() -> list[Finding]:
    """Look at everything."""
    found = [
        Finding(
            "mmeval",
            "ok" if version("mmeval-score") else "broken",
            version("mmeval-score") or "not installed",
        ),
        Finding("python", "ok", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        *(_library(name) for name in CORE),
        *(_extra(name, needs) for name, needs in EXTRAS.items()),
        *(_key(provider, names) for provider, names in KEYS.items()),
    ]
    looks = {
        "stages": _stages,
        "aggregates": _aggregates,
        "judge prompts": _prompts,
        "judge cache": _cache,
        "protocols": _protocols,
    }
    return [*found, *(_checked(name, look) for name, look in looks.items())]


def _library(name: str) -> Finding:
    installed = version(name)
    return Finding(name, "ok" if installed else "broken", installed or "missing; install mmeval-score again")


def _extra(name: str, needs: tuple[str, ...]) -> Finding:
    absent = [each for each in needs if importlib.util.find_spec(each) is None]
    if absent:
        return Finding(
            f"extra {name}", "missing", f"without {', '.join(absent)}; pip install 'mmeval-score[{name}]'"
        )
    return Finding(f"extra {name}", "ok", ", ".join(needs))


def _key(provider: str, names: tuple[str, ...]) -> Finding:
    """Whether a judge's key is set; never what it is."""
    there = [name for name in names if os.environ.get(name, "").strip()]
    if there:
        return Finding(f"judge {provider}", "ok", f"{' and '.join(there)} set")
    return Finding(f"judge {provider}", "missing", f"no key; set {names[0]} to ask there")


def _checked(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", look())
    except MmevalError as error:
        return Finding(name, "broken", str(error))


def _stages() -> str:
    from mmeval.registry import stage_class, stage_modules

    return ", ".join(name for name in stage_modules() if stage_class(name))


def _aggregates() -> str:
    from mmeval.registry import aggregate_class, aggregate_modules

    return ", ".join(name for name in aggregate_modules() if aggregate_class(name))


def _prompts() -> str:
    from mmeval.judge.templates import names, prompt

    return ", ".join(prompt(name).id for name in names())


def _cache() -> str:
    from mmeval.judge.store import place

    return str(place(None))


def _protocols() -> str:
    from mmeval import library
    from mmeval.lint import lint_block
    from mmeval.registry import protocol_folders

    library.index()
    for folder in protocol_folders():
        for name, subset in library.load(folder).subsets.items():
            for block in (subset, *subset.variants.values()):
                lint_block(block, f"protocols/{folder}/metadata.json", name)
    return f"{len(protocol_folders())} benchmarks, every block usable"


def text(findings: list[Finding]) -> str:
    """The findings, one line each."""
    width = max(len(each.name) for each in findings)
    return "\n".join(f"{each.state:<8} {each.name:<{width}}  {each.says}" for each in findings)
