"""Who is the judge, and who says so: flags, a configuration file, the environment, the defaults.

The first of them that says anything about a setting decides it; only MMDR_JUDGE_PROMPT stands above the file.
A key goes where it belongs: an address that a file gives gets the key that the file gives, and a key of the
environment goes where the own flags or environment of the user point, or to api.openai.com.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mmeval.errors import UsageError
from mmeval.judge import config_file, knobs
from mmeval.judge.config_file import Read, is_openai, replaced
from mmeval.judge.knobs import Given
from mmeval.judge.settings import JudgeSettings, ProviderName

# Flags that say who is asked or how: where one is given, the configuration beside a run does not count.
ASKING = (
    *("provider", "models", "base_url", "temperature", "max_tokens", "include_reason", "repeats", "prompt"),
    "replies",
)
# Settings that can change a verdict: who decided them goes into the score.
DECISIVE = (*ASKING, "max_retry")
ENVIRONMENT = {
    "JUDGE_MODEL": "models",
    "JUDGE_MAX_TOKENS": "max_tokens",
    "JUDGE_MAX_RETRY": "max_retry",
    "JUDGE_MAX_CONCURRENCY": "concurrency",
    "MMDR_JUDGE_PROMPT": "prompt",
}
# Where an address and the key that belongs to it come from, the first that is set.
ADDRESSES: dict[str, tuple[tuple[str, str], ...]] = {
    "openai": (("JUDGE_API_BASE", "JUDGE_API_KEY"), ("OPENAI_BASE_URL", "OPENAI_API_KEY")),
    "azure_openai": (("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"),),
}
# The model that recorded replies are taken for where none is named.
RECORDED = "recorded"
SILENT = Read(Given(), ())


@dataclass(frozen=True, repr=False)
class Flags(Given):
    """The command line: every `--judge_*` flag, None where it is not given. There is none for the key."""

    config: Path | None = None
    dry_run: bool = False


class Configured(NamedTuple):
    """A judge as it is set up.

    Attributes:
        settings: everything that asking needs.
        sources: who decided each setting that can change a verdict, for `config.knob_sources`:
            `judge_model` and so on to `cli`, `judge_config`, `environment` or `default`.
        notes: what a reader must know (a configuration found beside the run, a model's name resolved).
        score_mode: how boxes get their confidence, where OpenVLHarness' form of the file says so.
    """

    settings: JudgeSettings
    sources: dict[str, str]
    notes: tuple[str, ...]
    score_mode: str | None = None


class _Sources(NamedTuple):
    """What each source says, the strongest first."""

    cli: Given
    judge_config: Given
    environment: Given

    def find(self, name: str) -> tuple[Any, str]:
        """The value of a setting, and who gave it."""
        for source in self._fields:
            value = getattr(getattr(self, source), name)
            if value is not None:
                return value, source
        return None, "default"


def settings_from(flags: Flags, run_folder: Path | None, environ: Mapping[str, str]) -> Configured:
    """The judge that flags, configuration file and environment set up together.

    Args:
        flags: the command line.
        run_folder: where the run lies; a configuration beside it counts if neither `--judge_config` nor a
            flag that says who is asked or how is given.
        environ: environment variables.

    Raises:
        UsageError: a value that cannot be, a key that nobody reads, settings that contradict each other.
    """
    path, notes = _which_file(flags, run_folder)
    file = SILENT if path is None else config_file.load(path, environ, named=flags.config is not None)
    sources = _Sources(_checked(flags), _without_prompt(file.given, environ), Given())
    provider, provided_by = _provider(sources)
    sources = sources._replace(environment=_environment(provider, environ))
    made = {name: sources.find(name) for name in knobs.NAMES}
    made["provider"] = (provider, provided_by)
    _agree(made)
    values = {name: value for name, (value, _) in made.items() if value is not None}
    base = path.parent if path is not None and made["prompt"][1] == "judge_config" else Path()
    values |= _prompt(values.pop("prompt", None), base)
    values["key"] = _key(provider, sources, environ)
    if provider == "none":
        values["models"] = ()
    elif provider == "replay":
        values.setdefault("models", (RECORDED,))
    settings = JudgeSettings(**values, dry_run=flags.dry_run)
    who = {_called(name): made[name][1] for name in DECISIVE}
    return Configured(settings, who, (*notes, *file.notes), file.score_mode)


def _called(name: str) -> str:
    """A setting as a score calls it."""
    return "judge_model" if name == "models" else f"judge_{name}"


def _checked(flags: Flags) -> Given:
    """The flags, read as every source is; a name with commas is a panel."""
    values = {name: getattr(flags, name) for name in knobs.NAMES if name != "key"}
    if flags.models is not None:
        values["models"] = tuple(name for each in flags.models for name in each.split(","))
    called = {name: f"--{_called(name)}" for name in knobs.NAMES} | {"max_cost": "--max_cost"}
    return knobs.read(values, called)


def _which_file(flags: Flags, run_folder: Path | None) -> tuple[Path | None, tuple[str, ...]]:
    """The configuration file that counts, and what is to be said about it."""
    if flags.config is not None:
        return flags.config, ()
    found = None if run_folder is None else config_file.saved(run_folder)
    if found is None:
        return None, ()
    given = next((name for name in ASKING if getattr(flags, name) is not None), None)
    if given is not None:
        return None, (f"{found.name} beside the run does not count, since --{_called(given)} is given",)
    return found, (f"the judge is set up by {found.name} beside the run",)


def _without_prompt(given: Given, environ: Mapping[str, str]) -> Given:
    """A file's settings; where MMDR_JUDGE_PROMPT is set, it stands in place of the file's prompt."""
    return replaced(given, prompt=None) if environ.get("MMDR_JUDGE_PROMPT", "").strip() else given


def _provider(sources: _Sources) -> tuple[ProviderName, str]:
    """The provider, and who named it.

    Recorded replies mean `replay`. A flag that names a model means a model, whatever a file says of none.
    """
    provider, who = sources.find("provider")
    _, asked_by = sources.find("models")
    if provider == "none" and who == "judge_config" and asked_by == "cli":
        provider = None
    if provider is not None:
        return provider, who
    _, recorded_by = sources.find("replies")
    return ("openai", "default") if recorded_by == "default" else ("replay", recorded_by)


def _environment(provider: str, environ: Mapping[str, str]) -> Given:
    """What the environment says to a provider; an empty variable says nothing."""
    variables = ENVIRONMENT if provider != "none" else {}
    values: dict[str, object] = {
        name: environ[variable] for variable, name in variables.items() if environ.get(variable, "").strip()
    }
    called = {name: f"the environment variable {variable}" for variable, name in variables.items()}
    for variable, _ in ADDRESSES.get(provider, ()):
        if environ.get(variable, "").strip():
            values["base_url"], called["base_url"] = environ[variable], f"the environment variable {variable}"
            break
    return knobs.read(values, called)


def _agree(made: Mapping[str, tuple[Any, str]]) -> None:
    """Refuse settings that cannot hold together.

    Raises:
        UsageError: names both.
    """
    provider = made["provider"][0]
    if provider == "none" and made["models"][1] == made["provider"][1] != "default":
        raise UsageError("judge provider none asks nobody, but a model is named; leave one of them out")
    if made["replies"][0] is not None and provider != "replay":
        raise UsageError(f"recorded replies belong to judge provider replay, not {provider}")
    if made["base_url"][0] is not None and provider in ("local", "replay"):
        raise UsageError(f"judge provider {provider} has no address; leave out base_url")
    if provider == "replay" and made["replies"][0] is None:
        raise UsageError("judge provider replay needs recorded replies; give --judge_replies FILE")


def _prompt(text: str | None, base: Path) -> dict[str, Any]:
    """The prompt as the library knows it, or the file that it is in.

    A text with a slash or an ending is a file; so is one that the library does not have but the folder does.

    Raises:
        UsageError: there is no such file.
    """
    if text is None:
        return {}
    path = base / text
    if len(Path(text).parts) > 1 or Path(text).suffix:
        if not path.is_file():
            raise UsageError(f"judge prompt {path}: no such file")
        return {"prompt_file": path}
    from mmeval.judge.templates import canonical

    known = canonical(text)
    return {"prompt_file": path} if known is None and path.is_file() else {"prompt": known or text}


def _key(provider: str, sources: _Sources, environ: Mapping[str, str]) -> str | None:
    """The key for the address in force; None where the server is asked without one."""
    if sources.judge_config.key:
        return sources.judge_config.key
    place, who = sources.find("base_url")
    for variable, key in ADDRESSES.get(provider, ()):
        mine = who in ("cli", "default") or (who == "environment" and _named(variable, place, environ))
        if environ.get(key, "").strip() and (mine or (key == "OPENAI_API_KEY" and is_openai(place))):
            return environ[key].strip()
    return None


def _named(variable: str, place: str, environ: Mapping[str, str]) -> bool:
    """Whether this variable is where an address comes from."""
    return bool(environ.get(variable, "").strip()) and knobs.address(environ[variable]) == place
