"""docs/judges.md names all that a user can say about judges, and its files are read as it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer.main

from mmeval.cli import app
from mmeval.judge import config_file
from mmeval.judge.config_file import HARNESS, OWN, SWITCHES
from mmeval.judge.configuration import ADDRESSES, ENVIRONMENT, Flags, settings_from
from mmeval.judge.contracts import NAMES
from mmeval.judge.knobs import PROVIDERS
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.templates import names
from mmeval.params import judged
from mmeval.registry import stage_modules

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
YAML = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.S | re.M)
COMMAND: Any = typer.main.get_command(app)
SET = {"SECOND_JUDGE": "m2", "OPENAI_API_KEY": "k"}
SET |= {"JUDGE_MODEL": "gpt-4o", "JUDGE_API_BASE": "http://h/v1/chat/completions", "JUDGE_API_KEY": "jk"}


def flags() -> set[str]:
    options = {name for param in COMMAND.commands["score"].params for name in param.opts}
    return {name for name in options if name.startswith("--judge_")} | {"--max_cost", "--dry_run"}


@pytest.mark.parametrize(
    "known",
    [
        pytest.param(flags(), id="flags"),
        pytest.param(set(NAMES), id="contracts"),
        pytest.param(set(names()), id="prompts"),
        pytest.param(set(PROVIDERS), id="providers"),
        pytest.param({name for name in stage_modules() if judged(name)}, id="stages"),
        pytest.param(
            {
                *ENVIRONMENT,
                "MMEVAL_CACHE_DIR",
                *(name for pairs in ADDRESSES.values() for p in pairs for name in p),
            },
            id="environment",
        ),
        pytest.param(set(OWN) | set(HARNESS) | set(SWITCHES) | {"score_mode"}, id="settings"),
        pytest.param(set(config_file.SAVED[:1]), id="saved"),
    ],
)
def test_everything_is_named(known: set[str]) -> None:
    words = set(re.findall(r"[\w.-]+", TEXT))
    assert sorted(name for name in known if name not in words) == []


def test_every_default_is_the_real_one() -> None:
    told = dict(re.findall(r"^\| `--judge_(\w+)` \|[^|]*\| (\d+) \|$", TEXT, re.M))
    real = {name: f"{getattr(JudgeSettings(), name):g}" for name in told}
    assert told == real
    assert set(told) == {"max_retry", "concurrency", "timeout", "repeats"}


def test_both_files_are_read_as_they_stand(tmp_path: Path) -> None:
    own, harness = YAML
    found = []
    for text in (own, harness):
        path = tmp_path / "judge.yaml"
        path.write_text(text, encoding="utf-8")
        found.append(settings_from(Flags(config=path), None, SET).settings)
    assert found[0].models == ("gpt-4o-2024-05-13", "m2")
    assert (found[0].key, found[0].prompt, found[0].max_cost) == ("k", "hle", 20.0)
    assert found[1].models == ("gpt-4o-2024-05-13",)
    assert (found[1].base_url, found[1].key, found[1].prompt) == ("http://h/v1", "jk", "judge-vdr")
    assert (found[1].concurrency, found[1].max_tokens) == (16, 2048)
