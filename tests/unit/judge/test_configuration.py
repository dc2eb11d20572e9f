"""Flags, configuration files and the environment: who decides, what is refused, and where a key may go."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mmeval.errors import UsageError
from mmeval.judge.config_file import HARNESS_MODELS
from mmeval.judge.configuration import Configured, Flags, settings_from

SECRET = "sk-secret-1234"
OPENAI = "https://api.openai.com/v1"


def configured(
    folder: Path, text: str | None = None, flags: dict[str, Any] | None = None, **environ: str
) -> Configured:
    """The judge of a `--judge_config` with this text, some flags and some variables."""
    given = dict(flags or {})
    if text is not None:
        path = folder / "judge.yaml"
        path.write_text(text, encoding="utf-8")
        given["config"] = path
    return settings_from(Flags(**given), None, environ)


# What is configured, and what becomes of it: (file, flags, environment, settings).
# Sources: OWN = docs/judges.md; OVH = the OpenVLHarness loader's description, as issue 4 quotes it.
FORMS: list[Any] = [
    pytest.param("model: m", {}, {}, {"models": ("m",), "provider": "openai"}, id="OWN-model"),
    pytest.param("model: [a, b]", {}, {}, {"models": ("a", "b")}, id="OWN-panel"),
    pytest.param("model: ${WHO}", {}, {"WHO": "x"}, {"models": ("x",)}, id="OWN-variable"),
    pytest.param(
        "model: org/${WHO}-it", {}, {"WHO": "x"}, {"models": ("org/x-it",)}, id="OWN-variable-inside"
    ),
    pytest.param("model: [a, '${WHO}']", {}, {"WHO": "x"}, {"models": ("a", "x")}, id="OWN-variable-in-list"),
    pytest.param("concurrency: ${N}", {}, {"N": "7"}, {"concurrency": 7}, id="OWN-number-from-variable"),
    pytest.param(
        "temperature: 0\nmax_tokens: 9\nmax_retry: 0\ntimeout: 1.5\nrepeats: 3\ninclude_reason: true\n"
        "max_cost: 0.5\nbatch: true\nmodel: null",
        {},
        {},
        {
            **{"temperature": 0.0, "max_tokens": 9, "max_retry": 0, "timeout": 1.5, "repeats": 3},
            **{"include_reason": True, "max_cost": 0.5, "batch": True, "models": ()},
        },
        id="OWN-all-numbers-zero-is-a-value",
    ),
    pytest.param('{"model": "m", "provider": "local"}', {}, {}, {"provider": "local"}, id="OWN-json"),
    pytest.param("provider: none", {}, {}, {"provider": "none", "models": ()}, id="OWN-none"),
    pytest.param("model_name: m", {}, {}, {"models": ("m",), "max_tokens": None}, id="OVH-model"),
    pytest.param("model_name: gpt-4o", {}, {}, {"models": ("gpt-4o-2024-05-13",)}, id="OVH-gpt-4o-is-dated"),
    pytest.param("model_name: gpt-4o-mini", {}, {}, {"models": ("gpt-4o-mini",)}, id="OVH-only-that-name"),
    pytest.param("model: gpt-4o", {}, {}, {"models": ("gpt-4o",)}, id="OWN-gpt-4o-stays"),
    pytest.param(None, {"models": ("gpt-4o",)}, {}, {"models": ("gpt-4o",)}, id="flag-gpt-4o-stays"),
    pytest.param("model_name: null", {}, {}, {"provider": "none", "models": ()}, id="OVH-null-is-rules-only"),
    pytest.param(
        "model_name: null",
        {"models": ("m",)},
        {},
        {"provider": "openai", "models": ("m",)},
        id="OVH-null-flag",
    ),
    pytest.param(
        "model_name: m\napi_base: http://h:8000/v1/chat/completions\nkey: empty\nnproc: 8\nretry: 5\n"
        "judge_max_tokens: 16\nuse_verifier: false\nenable_vdr_aux: false\nuse_exact_match: false",
        {},
        {"OPENAI_API_KEY": SECRET},
        {
            **{"models": ("m",), "base_url": "http://h:8000/v1", "key": None, "concurrency": 8},
            **{"max_retry": 5, "max_tokens": 16},
        },
        id="OVH-all",
    ),
    pytest.param(
        "model_name: ${JUDGE_MODEL}\napi_base: ${JUDGE_API_BASE}\nkey: ${JUDGE_API_KEY}",
        {},
        {"JUDGE_MODEL": "m", "JUDGE_API_BASE": "https://h/v1/chat/completions", "JUDGE_API_KEY": SECRET},
        {"models": ("m",), "base_url": "https://h/v1", "key": SECRET},
        id="OVH-variables",
    ),
    pytest.param(
        "api_base: https://h/v1/\nmodel_name: m",
        {},
        {},
        {"base_url": "https://h/v1"},
        id="OVH-base-without-suffix",
    ),
    pytest.param(
        "base_url: https://h/d/chat/completions?api-version=1\nprovider: azure_openai",
        {},
        {},
        {"base_url": "https://h/d?api-version=1"},
        id="OWN-query",
    ),
    pytest.param(None, {}, {}, {"provider": "openai", "models": ()}, id="nothing-is-said"),
    pytest.param(None, {"models": ("a,b", "c")}, {}, {"models": ("a", "b", "c")}, id="flag-panel"),
    pytest.param("model: a, b", {}, {}, {"models": ("a", "b")}, id="file-panel-in-a-text"),
    pytest.param(None, {}, {"JUDGE_MODEL": "a,b"}, {"models": ("a", "b")}, id="environment-panel"),
    pytest.param("model: ['a,b', c]", {}, {}, {"models": ("a,b", "c")}, id="file-panel-as-listed"),
    pytest.param("model: f", {"models": ("c",)}, {"JUDGE_MODEL": "e"}, {"models": ("c",)}, id="flag-wins"),
    pytest.param("model: f", {}, {"JUDGE_MODEL": "e"}, {"models": ("f",)}, id="file-over-environment"),
    pytest.param(None, {}, {"JUDGE_MODEL": "e"}, {"models": ("e",)}, id="environment-over-default"),
    pytest.param(None, {}, {"JUDGE_MODEL": " "}, {"models": ()}, id="blank-variable-says-nothing"),
    pytest.param(
        None,
        {},
        {"JUDGE_MAX_TOKENS": "5", "JUDGE_MAX_RETRY": "1", "JUDGE_MAX_CONCURRENCY": "2"},
        {"max_tokens": 5, "max_retry": 1, "concurrency": 2},
        id="simple-mmeval-variables",
    ),
    pytest.param(
        "max_retry: 0", {}, {"JUDGE_MAX_RETRY": "4"}, {"max_retry": 0}, id="zero-in-the-file-is-no-absence"
    ),
]


@pytest.mark.parametrize(("text", "flags", "environ", "wanted"), FORMS)
def test_what_is_configured(
    tmp_path: Path, text: str | None, flags: dict[str, Any], environ: dict[str, str], wanted: dict[str, Any]
) -> None:
    settings = configured(tmp_path, text, flags, **environ).settings
    assert {name: getattr(settings, name) for name in wanted} == wanted


# Lists of lists by reference: ten lines that stand for 9 ** 10 texts.
BOMB = "&a [x], " + ", ".join(f"&{name} [{', '.join(9 * ['*' + of])}]" for of, name in pairwise("abcdefghij"))
REFUSED: list[Any] = [
    pytest.param("modle: m", "nobody reads 'modle'; did you mean 'model'", id="unknown-key"),
    pytest.param("judge_model: m", "nobody reads 'judge_model'; did you mean 'model'", id="prefixed-key"),
    pytest.param("model_nam: m", "did you mean 'model_name'", id="unknown-OVH-key"),
    pytest.param(
        "model: m\nnproc: 3", "mixes two forms: model is mmeval's, nproc is OpenVLHarness's", id="mixed"
    ),
    pytest.param("model: a\nmodel: b", "says model twice", id="twice"),
    pytest.param(
        "model: ${NOBODY}", "model needs the environment variable NOBODY, which is not set", id="unset"
    ),
    pytest.param("model: ${not closed", "that is no variable; write it as ${NAME}", id="unclosed"),
    pytest.param("model: 3", "model must be a text, not 3", id="model-number"),
    pytest.param("model: ''", "model is empty", id="model-empty"),
    pytest.param("model: [a, a]", "names 'a' twice", id="panel-of-one"),
    pytest.param('model: "a\\nb"', "which holds a line break", id="model-of-two-lines"),
    pytest.param("model: []", "model is an empty list", id="empty-panel"),
    pytest.param("provider: opena", "did you mean 'openai'", id="provider"),
    pytest.param("max_tokens: many", "max_tokens must be a number, not 'many'", id="word-for-number"),
    pytest.param("max_tokens: 1.5", "max_tokens must be a whole number of at least 1", id="fraction"),
    pytest.param("temperature: -1", "temperature must be at least 0", id="negative"),
    pytest.param("temperature: .nan", "temperature must be a number", id="nan"),
    pytest.param("temperature: 2.5", "temperature must be at most 2, not 2.5", id="too-hot"),
    pytest.param("key: $OPENAI_API_KEY", "key is $OPENAI_API_KEY; write a variable as ${NAME}", id="shell"),
    pytest.param("timeout: 0", "timeout must be more than 0 seconds", id="timeout"),
    pytest.param("repeats: true", "repeats must be a number", id="bool-for-number"),
    pytest.param("include_reason: 1", "include_reason must be true or false", id="number-for-bool"),
    pytest.param("base_url: h/v1", "base_url must be an address", id="no-scheme"),
    pytest.param("base_url: 'http://h:x/v1'", "base_url must be an address", id="no-port"),
    pytest.param("api_base: https://h/v1#x", "api_base must be an address", id="fragment"),
    pytest.param("use_verifier: true", "use_verifier is true, but a second model", id="verifier"),
    pytest.param("enable_vdr_aux: true", "auxiliary figures", id="vdr-aux"),
    pytest.param("use_exact_match: true", "--score_pipeline exact-match,llm-judge", id="exact-match"),
    pytest.param("use_verifier: perhaps", "use_verifier must be true or false", id="switch"),
    pytest.param("provider: none\nmodel: m", "asks nobody, but a model is named", id="none-with-model"),
    pytest.param("provider: replay", "needs recorded replies", id="replay-without-replies"),
    pytest.param(
        "provider: openai\nreplies: r.jsonl", "belong to judge provider replay", id="replies-of-openai"
    ),
    pytest.param("provider: local\nbase_url: http://h/v1", "local has no address", id="local-with-address"),
    pytest.param("prompt: mine.txt", "no such file", id="prompt-file"),
    pytest.param("- model", "must hold settings by name", id="list"),
    pytest.param("", "must hold settings by name", id="empty"),
    pytest.param("1: m", "must hold settings by name", id="number-as-name"),
    pytest.param("model: [", "is no YAML, line 1", id="not-yaml"),
    pytest.param("model: !!python/object/apply:os.system [ls]", "is no YAML", id="yaml-that-would-run"),
    pytest.param("model: [[a]]", "model must be a value or a list of values", id="list-in-a-list"),
    pytest.param("model: {a: b}", "model must be a value or a list of values", id="mapping"),
    pytest.param("model: &m [*m]", "model must be a value or a list of values", id="list-without-end"),
    pytest.param("&m\nmodel: *m", "model must be a value or a list of values", id="file-without-end"),
    pytest.param(f"model: [{BOMB}]", "model must be a value or a list of values", id="list-of-any-size"),
    pytest.param("model: m\n<<: {repeats: 3}", "must hold settings by name", id="merged"),
    pytest.param("? [a]\n: m", "must hold settings by name", id="list-as-name"),
    pytest.param("score_mode: 3", "score_mode must be a text", id="score-mode"),
]


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_what_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError) as error:
        configured(tmp_path, text)
    assert says in str(error.value)
    assert "judge.yaml" in str(error.value) or "judge provider" in str(error.value) or "prompt" in text


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        pytest.param({"models": ("",)}, "--judge_model is empty", id="model"),
        pytest.param({"base_url": "ftp://x"}, "--judge_base_url must be an address", id="address"),
        pytest.param({"max_cost": -1.0}, "--max_cost must be at least 0 US dollars", id="cost"),
        pytest.param({"config": Path("nowhere.yaml")}, "nowhere.yaml: cannot be read", id="config"),
        pytest.param({"prompt": "no/such.txt"}, "no such file", id="prompt"),
    ],
)
def test_a_flag_that_cannot_be_is_named(flags: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        settings_from(Flags(**flags), None, {})


def test_a_variable_that_cannot_be_is_named() -> None:
    with pytest.raises(UsageError, match="environment variable JUDGE_MAX_TOKENS must be a number"):
        settings_from(Flags(), None, {"JUDGE_MAX_TOKENS": "x"})


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_bytes(b"model: \xff")
    with pytest.raises(UsageError, match="is not UTF-8"):
        settings_from(Flags(config=tmp_path / "c.yaml"), None, {})


# Where a key goes: (file, flags, environment, key). The user's own key never goes to an address of a file.
MINE = {"OPENAI_API_KEY": SECRET}
AZURE, AZURES = "https://other.openai.azure.com", {"AZURE_OPENAI_API_KEY": "ak"}
JUDGES = {"JUDGE_API_KEY": "jk", "OPENAI_API_KEY": SECRET}
KEYS: list[Any] = [
    pytest.param(None, {}, MINE, SECRET, id="openai-by-default"),
    pytest.param(None, {}, JUDGES, "jk", id="the-judge's-own-first"),
    pytest.param(None, {"base_url": "http://h/v1"}, MINE, SECRET, id="the-user-typed-the-address"),
    pytest.param(None, {}, {**MINE, "OPENAI_BASE_URL": "http://h/v1"}, SECRET, id="the-pair-of-openai"),
    pytest.param(None, {}, {**MINE, "JUDGE_API_BASE": "http://h/v1"}, None, id="the-judge's-address-no-key"),
    pytest.param(None, {}, {**MINE, "JUDGE_API_BASE": OPENAI}, SECRET, id="the-judge's-address-is-openai's"),
    pytest.param(None, {}, {**JUDGES, "JUDGE_API_BASE": "http://h/v1"}, "jk", id="the-pair-of-the-judge"),
    pytest.param("api_base: http://h/v1", {}, JUDGES, None, id="address-of-a-file"),
    pytest.param("api_base: http://h/v1\nkey: empty", {}, MINE, None, id="OVH-empty-elsewhere"),
    pytest.param(
        f"api_base: {OPENAI}/chat/completions\nkey: empty", {}, JUDGES, SECRET, id="OVH-empty-openai"
    ),
    pytest.param(f"api_base: {OPENAI}/chat/completions", {}, MINE, SECRET, id="OVH-absent-openai"),
    pytest.param(f"api_base: {OPENAI}/chat/completions\nkey: none", {}, MINE, SECRET, id="OVH-none-openai"),
    pytest.param("api_base: http://api.openai.com/v1", {}, MINE, None, id="not-in-the-clear"),
    pytest.param("api_base: https://api.openai.com.evil.org/v1", {}, MINE, None, id="a-name-that-begins-so"),
    pytest.param("api_base: http://h/v1\nkey: k1", {}, JUDGES, "k1", id="the-file's-own"),
    pytest.param("base_url: http://h/v1\nkey: ${K}", {}, {"K": "k2"}, "k2", id="the-file-asks-for-one"),
    pytest.param("provider: azure_openai", {}, {**MINE, "AZURE_OPENAI_API_KEY": "ak"}, "ak", id="azure"),
    pytest.param(
        f"provider: azure_openai\nbase_url: {AZURE}", {}, AZURES, None, id="azure-address-of-a-file"
    ),
    pytest.param(
        None, {"provider": "azure_openai", "base_url": AZURE}, AZURES, "ak", id="azure-address-of-a-flag"
    ),
    pytest.param("provider: local", {}, MINE, None, id="local"),
]


@pytest.mark.parametrize(("text", "flags", "environ", "key"), KEYS)
def test_where_a_key_goes(
    tmp_path: Path, text: str | None, flags: dict[str, Any], environ: dict[str, str], key: str | None
) -> None:
    assert configured(tmp_path, text, flags, **environ).settings.key == key


def test_a_key_is_never_shown(tmp_path: Path) -> None:
    made = configured(tmp_path, f"key: {SECRET}\nmodel: m")
    assert made.settings.key == SECRET
    assert SECRET not in repr((made, Flags(key=SECRET)))
    for text in (
        f"key: {SECRET}\nmodel: 3",
        f"key: [{SECRET}]",
        f"key: {{a: {SECRET}}}",
        f"key: {SECRET}\nx: 1",
    ):
        with pytest.raises(UsageError) as error:
            configured(tmp_path, text)
        assert SECRET not in str(error.value)


def test_a_password_in_an_address_is_never_shown(tmp_path: Path) -> None:
    for text in (
        f"base_url: https://u:{SECRET}@h/v1#x",
        f"base_url: ftp://u:{SECRET}@h",
        f"base_url: '{SECRET}'",
    ):
        with pytest.raises(UsageError) as error:
            configured(tmp_path, text)
        assert SECRET not in str(error.value)


def test_sources_say_who_decided(tmp_path: Path) -> None:
    made = configured(tmp_path, "model: m\nmax_tokens: 3", {"temperature": 0.5}, JUDGE_MAX_RETRY="1")
    wanted = {"model": "judge_config", "max_tokens": "judge_config", "temperature": "cli"}
    wanted |= {"max_retry": "environment", "provider": "default", "base_url": "default", "repeats": "default"}
    assert {name: made.sources[f"judge_{name}"] for name in wanted} == wanted
    assert "judge_concurrency" not in made.sources, "how fast is no part of a score"


def test_replies_mean_replay(tmp_path: Path) -> None:
    made = settings_from(Flags(replies=tmp_path / "r.jsonl"), None, {})
    assert (made.settings.provider, made.sources["judge_provider"]) == ("replay", "cli")
    assert made.settings.models == ("recorded",)


def test_dry_run_is_passed_on() -> None:
    assert settings_from(Flags(dry_run=True), None, {}).settings.dry_run


def test_the_resolved_model_is_said(tmp_path: Path) -> None:
    assert HARNESS_MODELS == {"gpt-4o": "gpt-4o-2024-05-13"}
    assert configured(tmp_path, "model_name: gpt-4o").notes == (
        "gpt-4o is read as gpt-4o-2024-05-13, as OpenVLHarness does",
    )


def test_rules_only_is_said(tmp_path: Path) -> None:
    (note,) = configured(tmp_path, "model_name: null").notes
    assert "rules only" in note


def test_the_score_mode_goes_to_the_stage_that_reads_it(tmp_path: Path) -> None:
    assert configured(tmp_path, "model_name: m\nscore_mode: constant").score_mode == "constant"
    assert configured(tmp_path, "model_name: m\nscore_mode: null").score_mode is None


@pytest.mark.parametrize("text", ["prompt: hle", "judge_prompt: hle"])
def test_mmdr_judge_prompt_stands_above_the_file(tmp_path: Path, text: str) -> None:
    made = configured(tmp_path, text, MMDR_JUDGE_PROMPT="judge_rs")
    assert (made.settings.prompt, made.sources["judge_prompt"]) == ("judge-rs", "environment")
    assert configured(tmp_path, text).settings.prompt == "hle"
    flagged = configured(tmp_path, text, {"prompt": "vbb"}, MMDR_JUDGE_PROMPT="judge_rs")
    assert flagged.settings.prompt == "vbb"


def test_a_prompt_file_lies_beside_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("...", encoding="utf-8")
    settings = configured(tmp_path, "prompt: mine.txt").settings
    assert (settings.prompt, settings.prompt_file) == (None, tmp_path / "mine.txt")
    (tmp_path / "hle").write_text("...", encoding="utf-8")
    assert configured(tmp_path, "prompt: hle").settings.prompt == "hle", "the library's name comes first"
    (tmp_path / "odd").write_text("...", encoding="utf-8")
    assert configured(tmp_path, "prompt: odd").settings.prompt_file == tmp_path / "odd"


def test_paths_are_those_beside_the_configuration(tmp_path: Path) -> None:
    made = configured(tmp_path, "replies: r.jsonl\nprices: p.json\ncache: /c").settings
    assert (made.replies, made.prices, made.cache) == (
        tmp_path / "r.jsonl",
        tmp_path / "p.json",
        Path("/c"),
    )
