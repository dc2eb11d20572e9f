"""A judge's configuration file: our own form, and that of OpenVLHarness.

A file that was found beside a run is not one that the user has named: it may come from whoever made the run.
It may use the variables that are there for judges, it sends a key of the environment to an address of the
environment or to api.openai.com alone, and it names no file outside its own folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mmeval.errors import UsageError
from mmeval.judge import knobs
from mmeval.judge.knobs import Given
from mmeval.registry import nearest

if TYPE_CHECKING:
    import yaml

SAVED = ("judge_config.yaml", "judge_config.yml", "judge_config.json")
# Our names of the settings in a file: those of the flags, without `judge_`.
OWN = {("model" if name == "models" else name): name for name in knobs.NAMES}
# OpenVLHarness's names, and what they are here.
HARNESS = {
    "model_name": "models",
    "api_base": "base_url",
    "key": "key",
    "nproc": "concurrency",
    "retry": "max_retry",
    "judge_prompt": "prompt",
    "judge_max_tokens": "max_tokens",
}
# A name that OpenVLHarness reads as another one. Nowhere else is a model's name changed.
HARNESS_MODELS = {"gpt-4o": "gpt-4o-2024-05-13"}
# What OpenVLHarness can switch on and mmeval has no counterpart for; off is the same in both.
SWITCHES = {
    "use_verifier": "a second model that checks the judge is not supported; several models in a panel are",
    "enable_vdr_aux": "its auxiliary figures of VDR-Bench are not computed here",
    "use_exact_match": "to compare texts first, say --score_pipeline exact-match,llm-judge",
}
# What it says of scoring, and no stage here has a counterpart for: how boxes get their confidence.
PARAMS = ("score_mode",)
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# As a shell writes a variable; sent as it stands it would be a wrong key.
BARE = re.compile(r"\$[A-Za-z_][A-Za-z0-9_]*")
FROM_OUTSIDE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}(?:/chat/completions)?/?")
KEYS = frozenset({"JUDGE_API_KEY", "OPENAI_API_KEY"})
OPEN_NAMES = frozenset(
    {"JUDGE_MODEL", "JUDGE_API_BASE", "JUDGE_MAX_TOKENS", "JUDGE_MAX_RETRY", "JUDGE_MAX_CONCURRENCY"}
    | {"OPENAI_BASE_URL", "MMDR_JUDGE_PROMPT"}
)
PATHS = ("cache", "replies", "prices")
# What YAML calls a text; a number or a list as a name is none, nor is its `<<`.
NAME = "tag:yaml.org,2002:str"


class Read(NamedTuple):
    """What a configuration file says."""

    given: Given
    notes: tuple[str, ...]
    score_mode: str | None = None


class _File(NamedTuple):
    """A file, whether the user named it, and the environment that it may look into."""

    path: Path
    named: bool
    environ: Mapping[str, str]

    def error(self, says: str) -> UsageError:
        return UsageError(f"{self.path}: {says}")


def saved(folder: Path) -> Path | None:
    """The configuration that lies beside a run, if one does.

    Raises:
        UsageError: more than one does.
    """
    found = [folder / name for name in SAVED if (folder / name).is_file()]
    if len(found) > 1:
        raise UsageError(
            f"{folder}: holds {found[0].name} and {found[1].name}; keep one, or name one with --judge_config"
        )
    return found[0] if found else None


def load(path: Path, environ: Mapping[str, str], named: bool) -> Read:
    """Read a configuration file.

    Args:
        path: YAML or JSON, in either form.
        environ: what `${NAME}` stands for.
        named: whether the user named the file; else it was found beside a run.

    Raises:
        UsageError: it cannot be read, mixes both forms, has a key that nobody reads or an impossible value.
    """
    file = _File(path, named, environ)
    written = _mapping(file)
    form = _form(file, written)
    if not named:
        _guard(file, written)
    values = {name: _filled(file, name, value) for name, value in written.items()}
    return _harness(file, values) if form == "harness" else _own(file, values)


def _mapping(file: _File) -> dict[str, Any]:
    """What a file holds, each name once. Its shape is looked at before anything is built of it."""
    import yaml

    try:
        text = file.path.read_text(encoding="utf-8-sig")
        _shape(file, yaml.compose(text, Loader=yaml.SafeLoader))
        written: dict[str, Any] = yaml.safe_load(text)
    except OSError as error:
        raise file.error(f"cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise file.error("is not UTF-8; write it in UTF-8") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f", line {error.problem_mark.line + 1}"
        raise file.error(f"is no YAML{line} ({error.problem})") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise file.error("is no YAML") from None
    return written


def _shape(file: _File, tree: yaml.Node | None) -> None:
    """Refuse everything but names, each once, with a value or a list of values.

    A few lines of YAML can stand for lists of any size (lists of lists by reference), or for one without end.
    """
    import yaml

    pairs = tree.value if isinstance(tree, yaml.MappingNode) else []
    if not pairs or any(name.tag != NAME for name, _ in pairs):
        raise file.error("must hold settings by name, such as 'model: gpt-4o-mini'")
    names = [name.value for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise file.error(f"says {twice} twice; keep one")
    for name, value in pairs:
        parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not all(isinstance(part, yaml.ScalarNode) for part in parts):
            raise file.error(f"{name.value} must be a value or a list of values, with nothing nested in it")


def _form(file: _File, written: Mapping[str, Any]) -> str:
    """Which form a file has; `key` alone belongs to both.

    Raises:
        UsageError: a name belongs to neither, or they belong to both.
    """
    known = {*OWN, *HARNESS, *SWITCHES, *PARAMS}
    for name in written:
        if name not in known:
            raise file.error(f"nobody reads {name!r}; {nearest(name.removeprefix('judge_'), known)}")
    own = [name for name in written if name in OWN and name not in HARNESS]
    other = [name for name in written if name not in OWN]
    if own and other:
        raise file.error(
            f"mixes two forms: {own[0]} is mmeval's, {other[0]} is OpenVLHarness's; write all of it in one"
        )
    return "harness" if other else "own"


def _guard(file: _File, written: Mapping[str, Any]) -> None:
    """Refuse what a file that nobody named must not do.

    Raises:
        UsageError: it would send a secret to a place of its own choice, or reach out of its folder.
    """
    remedy = f"; if you trust it, give --judge_config {file.path}"
    named = (*PATHS, "prompt", "judge_prompt", *(("model",) if written.get("provider") == "local" else ()))
    secret = False
    for name, value in written.items():
        used = _variables(value)
        allowed = KEYS if name == "key" else OPEN_NAMES
        secret |= name == "key" and bool(used)
        if not used <= allowed:
            raise file.error(f"{name} asks for ${{{min(used - allowed)}}}, which is not for judges{remedy}")
        if name in named and not all(_inside(file.path.parent, each) for each in _listed(value)):
            raise file.error(f"{name} names a file outside its folder{remedy}")
    place = next((written[name] for name in ("base_url", "api_base") if written.get(name)), None)
    if secret and place is not None and not _safe(place):
        raise file.error(f"would send a key of yours to an address of its own{remedy}")


def _safe(place: object) -> bool:
    """Whether an address is the environment's own, or OpenAI's."""
    return isinstance(place, str) and (FROM_OUTSIDE.fullmatch(place) is not None or is_openai(place))


def is_openai(base_url: str) -> bool:
    """Whether an address is OpenAI's own, over an encrypted connection."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return False
    return parts.scheme == "https" and parts.hostname == "api.openai.com"


def _inside(folder: Path, value: object) -> bool:
    if not isinstance(value, str):
        return True
    return (folder / value).resolve().is_relative_to(folder.resolve())


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _variables(value: object) -> frozenset[str]:
    return frozenset(
        name for each in _listed(value) if isinstance(each, str) for name in VARIABLE.findall(each)
    )


def _filled(file: _File, name: str, value: Any) -> Any:
    """A value with every `${NAME}` replaced.

    Raises:
        UsageError: a variable is not set, or its name cannot be one.
    """
    if isinstance(value, list):
        return [_filled(file, name, each) for each in value]
    if not isinstance(value, str):
        return value
    for variable in VARIABLE.findall(value):
        if variable not in file.environ:
            raise file.error(f"{name} needs the environment variable {variable}, which is not set")
    if "${" in VARIABLE.sub("", value):
        raise file.error(f"{name} has a ${{ that is no variable; write it as ${{NAME}}")
    if BARE.fullmatch(value.strip()):
        raise file.error(f"{name} is {value.strip()}; write a variable as ${{NAME}}")
    return VARIABLE.sub(lambda match: file.environ[match[1]], value)


def _read(file: _File, values: Mapping[str, Any], names: Mapping[str, str]) -> Given:
    """The settings of a file; its paths are relative to its folder."""
    ours = {names[name]: value for name, value in values.items() if name in names}
    called = {ours_: f"{file.path}: {theirs}" for theirs, ours_ in names.items()}
    given = knobs.read(ours, called)
    moved = {name: file.path.parent / path for name in PATHS if (path := getattr(given, name)) is not None}
    return replaced(given, **moved)


def replaced(given: Given, **values: Any) -> Given:
    """The same settings with others in place of some."""
    import dataclasses

    return dataclasses.replace(given, **values)


def _own(file: _File, values: Mapping[str, Any]) -> Read:
    return Read(_read(file, values, OWN), ())


def _harness(file: _File, values: Mapping[str, Any]) -> Read:
    """What a file in OpenVLHarness's form says; a model of null is rules only."""
    for name, why in SWITCHES.items():
        _off(file, name, values.get(name), why)
    given, notes = _read(file, values, HARNESS), []
    if "model_name" in values and values["model_name"] is None:
        given = replaced(given, provider="none")
        notes.append("model_name is null: rules only, what they leave open stays undecided")
    models = tuple(HARNESS_MODELS.get(model, model) for model in given.models or ())
    for asked, meant in zip(given.models or (), models, strict=True):
        if asked != meant:
            notes.append(f"{asked} is read as {meant}, as OpenVLHarness does")
    params = {name: _param(file, name, values[name]) for name in PARAMS if values.get(name) is not None}
    return Read(replaced(given, models=models or None), tuple(notes), params.get("score_mode"))


def _off(file: _File, name: str, value: object, why: str) -> None:
    reader: Callable[[object], bool] = knobs.truth
    try:
        on = value is not None and reader(value)
    except ValueError as error:
        raise file.error(f"{name} {error}") from None
    if on:
        raise file.error(f"{name} is true, but {why}; set it to false")


def _param(file: _File, name: str, value: object) -> str:
    if not isinstance(value, str):
        raise file.error(f"{name} must be a text")
    return value
