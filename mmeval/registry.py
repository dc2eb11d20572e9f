"""Names to stages, aggregates and protocol folders.

Built-ins and plug-ins come in through the same door: the entry point groups `mmeval.stages`,
`mmeval.aggregates` and `mmeval.protocols`, whose values name packages. A stage is a module of such a package
(`count_parse.py` is `count-parse` is the class `CountParse`); an aggregate is a class with a `reduce` name,
which the package's table `REDUCERS` gives a module (without it all are loaded to see); a protocol is a
folder with a `metadata.json`. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import importlib.metadata
import pkgutil
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import ModuleType
from typing import Any, TypeAlias

import msgspec

from mmeval.errors import MetadataError, StageError, UsageError
from mmeval.types import Case, Outcome

StageCall: TypeAlias = Callable[[Case], Outcome]


@cache
def packages(group: str) -> tuple[str, ...]:
    """The packages that an entry point group names, ours first."""
    points = importlib.metadata.entry_points(group=group)
    return tuple(
        sorted({point.value for point in points}, key=lambda name: (not name.startswith("mmeval."), name))
    )


def _module(name: str) -> ModuleType:
    """Import a built-in or plugged-in module.

    Raises:
        StageError: it cannot be imported; names it, for the traceback would not say who asked.
    """
    try:
        return importlib.import_module(name)
    except (ImportError, SyntaxError) as error:
        raise StageError(
            f"{name} cannot be imported ({error}); install what it needs, or uninstall it"
        ) from None


def _one_owner(owners: dict[str, list[str]], what: str) -> dict[str, str]:
    for name, claimed in owners.items():
        if len(claimed) > 1:
            raise UsageError(f"{what} {name!r} is claimed by {' and '.join(claimed)}; uninstall one of them")
    return {name: claimed[0] for name, claimed in sorted(owners.items())}


@cache
def stage_modules() -> dict[str, str]:
    """Every stage by name, and the module that holds it."""
    owners: dict[str, list[str]] = {}
    for package in packages("mmeval.stages"):
        for info in pkgutil.iter_modules(_module(package).__path__):
            if not info.name.startswith("_"):
                owners.setdefault(info.name.replace("_", "-"), []).append(f"{package}.{info.name}")
    return _one_owner(owners, "stage")


@cache
def stage_class(name: str) -> type[Any]:
    """The class of a stage.

    Raises:
        MetadataError: no such stage; names the nearest.
        StageError: its module does not hold the class that its name promises.
    """
    modules = stage_modules()
    if name not in modules:
        raise MetadataError(f"unknown stage {name!r}; {nearest(name, modules)}")
    module = _module(modules[name])
    class_name = "".join(part.capitalize() for part in name.split("-"))
    found = getattr(module, class_name, None)
    if not isinstance(found, type):
        raise StageError(f"{modules[name]} must hold a class {class_name} to be the stage {name!r}")
    return found


def stage_fields(name: str) -> tuple[str, ...]:
    """The parameters that a stage declares."""
    return declared_fields(stage_class(name))


def declared_fields(cls: type[Any]) -> tuple[str, ...]:
    """The parameters of a stage or aggregate class: its dataclass fields, class variables left out."""
    return tuple(each.name for each in dataclasses.fields(cls)) if dataclasses.is_dataclass(cls) else ()


@cache
def aggregate_modules() -> dict[str, str]:
    """Every aggregate by its `reduce` name, and the module that holds it."""
    owners: dict[str, list[str]] = {}
    for package in packages("mmeval.aggregates"):
        table = getattr(_module(package), "REDUCERS", None) or _reducers(package)
        if not isinstance(table, dict):
            raise StageError(f"{package}.REDUCERS must be an object: reduce name to module name")
        for name, module in table.items():
            owners.setdefault(name, []).append(f"{package}.{module}")
    return _one_owner(owners, "aggregate")


def _reducers(package: str) -> dict[str, str]:
    """The table REDUCERS of a package that has none: every module is loaded for it."""
    found = {}
    for info in pkgutil.iter_modules(_module(package).__path__):
        module = _module(f"{package}.{info.name}")
        found.update(dict.fromkeys(_reduce_names(module), info.name))
    return found


def _reduce_names(module: ModuleType) -> list[str]:
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    return [str(vars(each)["reduce"]) for each in classes if "reduce" in vars(each)]


def aggregate_classes() -> dict[str, type[Any]]:
    """Every aggregate by its `reduce` name."""
    return {name: aggregate_class(name) for name in aggregate_modules()}


@cache
def aggregate_class(name: str) -> type[Any]:
    """The class of an aggregate.

    Raises:
        MetadataError: no such aggregate; names the nearest.
        StageError: its module does not hold the class that the table promises.
    """
    modules = aggregate_modules()
    if name not in modules:
        raise MetadataError(f"unknown reducer {name!r}; {nearest(name, modules)}")
    for value in vars(_module(modules[name])).values():
        if isinstance(value, type) and vars(value).get("reduce") == name:
            return value
    raise StageError(f"{modules[name]} must hold the class whose reduce is {name!r}")


def build(cls: type[Any], params: dict[str, Any], where: str) -> Any:
    """An instance of a stage or aggregate from declared parameters, types checked.

    Raises:
        MetadataError: an unknown parameter (with the nearest name), a missing one, or a wrong type.
    """
    declared = declared_fields(cls)
    for name in params:
        if name not in declared:
            raise MetadataError(f"{where}: unknown parameter {name!r}; {nearest(name, declared)}")
    try:
        return msgspec.convert(params, cls)
    except msgspec.ValidationError as error:
        raise MetadataError(f"{where}: {error}") from None
    except MetadataError as error:
        raise MetadataError(f"{where}: {error}") from None
    except UsageError as error:
        raise MetadataError(f"{where}: {error}") from None


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for an unknown name: the nearest known one, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, 1)
    if near:
        return f"did you mean {near[0]!r}?"
    return f"known: {', '.join(names) or 'none'}"


@cache
def protocol_folders() -> dict[str, Traversable]:
    """Every protocol folder by its name on disk; a name that two packages hold is an error."""
    owners: dict[str, list[str]] = {}
    folders: dict[str, Traversable] = {}
    for package in packages("mmeval.protocols"):
        for entry in sorted(files(_module(package)).iterdir(), key=lambda item: item.name):
            if entry.is_dir() and (entry / "metadata.json").is_file():
                owners.setdefault(entry.name, []).append(package)
                folders[entry.name] = entry
    _one_owner(owners, "protocol folder")
    return folders
