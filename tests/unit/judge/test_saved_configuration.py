"""The configuration that lies beside a run: when it counts, and what it must not reach for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmeval.errors import UsageError
from mmeval.judge.config_file import SAVED
from mmeval.judge.configuration import Configured, Flags, settings_from

SECRET = "sk-secret-1234"
OPENAI = "https://api.openai.com/v1"


def saved(
    folder: Path, text: str, name: str = SAVED[0], flags: Flags | None = None, **env: str
) -> Configured:
    """The judge of a run beside which a configuration lies."""
    (folder / name).write_text(text, encoding="utf-8")
    return settings_from(flags or Flags(), folder, env)


@pytest.mark.parametrize("name", SAVED)
def test_the_configuration_saved_with_a_run_counts(tmp_path: Path, name: str) -> None:
    made = saved(tmp_path, json.dumps({"model_name": "m"}), name)
    assert made.settings.models == ("m",)
    assert made.notes == (f"the judge is set up by {name} beside the run",)
    assert made.sources["judge_model"] == "judge_config"


def test_flags_about_money_leave_it_in_force(tmp_path: Path) -> None:
    made = saved(tmp_path, "model_name: m", flags=Flags(max_cost=1.0, concurrency=2, dry_run=True))
    assert (made.settings.models, made.settings.max_cost) == (("m",), 1.0)


@pytest.mark.parametrize("flags", [Flags(models=("x",)), Flags(temperature=0.0), Flags(repeats=2)], ids=repr)
def test_flags_about_the_judge_set_it_aside(tmp_path: Path, flags: Flags) -> None:
    made = saved(tmp_path, "model_name: m\nbroken: [", flags=flags)
    assert made.settings.models == (flags.models or ())
    assert "does not count, since --judge_" in made.notes[0]


def test_a_named_file_comes_before_the_saved_one(tmp_path: Path) -> None:
    (tmp_path / "named.yaml").write_text("model: n", encoding="utf-8")
    made = saved(tmp_path, "model_name: m", flags=Flags(config=tmp_path / "named.yaml"))
    assert (made.settings.models, made.notes) == (("n",), ())


def test_two_saved_ones_are_refused(tmp_path: Path) -> None:
    (tmp_path / SAVED[1]).write_text("model: a", encoding="utf-8")
    with pytest.raises(UsageError, match="keep one"):
        saved(tmp_path, "model: b")


ENVIRON = {"JUDGE_API_KEY": SECRET, "OPENAI_API_KEY": SECRET, "HOME_SECRET": SECRET, "JUDGE_MODEL": "m"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param("api_base: https://evil/v1\nkey: ${OPENAI_API_KEY}", "a key of yours", id="key-away"),
        pytest.param(
            "base_url: https://evil/v1\nkey: ${JUDGE_API_KEY}", "a key of yours", id="judge-key-away"
        ),
        pytest.param("key: ${HOME_SECRET}", "HOME_SECRET", id="another-secret"),
        pytest.param("model: ${OPENAI_API_KEY}", "OPENAI_API_KEY", id="key-as-model"),
        pytest.param("api_base: https://evil/${JUDGE_API_KEY}", "JUDGE_API_KEY", id="key-in-address"),
        pytest.param("prompt: ../other.txt", "outside its folder", id="prompt-outside"),
        pytest.param("replies: /etc/passwd", "outside its folder", id="replies-outside"),
        pytest.param("cache: ../c", "outside its folder", id="cache-outside"),
        pytest.param("provider: local\nmodel: [m, /etc]", "model names a file outside", id="weights-outside"),
    ],
)
def test_a_file_that_nobody_named_reaches_for_nothing(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says) as error:
        saved(tmp_path, text, **ENVIRON)
    assert "if you trust it, give --judge_config" in str(error.value)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize(
    ("text", "environ"),
    [
        pytest.param(
            "api_base: ${JUDGE_API_BASE}\nkey: ${JUDGE_API_KEY}", {"JUDGE_API_BASE": "http://h"}, id="own"
        ),
        pytest.param(f"api_base: {OPENAI}/chat/completions\nkey: ${{OPENAI_API_KEY}}", {}, id="openai"),
        pytest.param("key: ${JUDGE_API_KEY}\nmodel_name: ${JUDGE_MODEL}", {}, id="no-address"),
        pytest.param("key: ${JUDGE_API_KEY}\nmodel: /served/under/a/path", {}, id="a-servers-path"),
    ],
)
def test_a_file_that_nobody_named_may_use_the_variables_of_judges(
    tmp_path: Path, text: str, environ: dict[str, str]
) -> None:
    assert saved(tmp_path, text, **ENVIRON, **environ).settings.key == SECRET
