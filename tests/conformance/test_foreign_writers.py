"""Runs that the harnesses' own code wrote, read back: every question, gold, answer and verdict is there."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from mmeval import Job, score
from mmeval.readers import discover
from mmeval.readers.foreign import Choice, Foreign
from mmeval.readers.importing import importable, imported

HERE = Path(__file__).resolve().parent
ABSENT = 77


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """`folder_of(harness)`: a folder with what the harness wrote; skips where it is not installed."""
    made: dict[str, Path] = {}

    def folder(harness: str) -> Path:
        python = os.environ.get("MMEVAL_PEERS_PYTHON")
        if not python:
            pytest.skip("MMEVAL_PEERS_PYTHON does not name a Python with the peers")
        if harness not in made:
            target = tmp_path_factory.mktemp(harness)
            ran = subprocess.run(
                [python, str(HERE / "foreign_writers.py"), harness, str(target)],
                capture_output=True,
                text=True,
                check=False,
            )
            if ran.returncode == ABSENT:
                pytest.skip(ran.stdout.strip().splitlines()[-1])
            assert ran.returncode == 0, ran.stderr
            made[harness] = target
        return made[harness]

    return folder


def only(root: Path, choice: Choice | None = None, ending: str = "") -> Foreign:
    (path,) = [path for path in importable(root) if path.name.endswith(ending)]
    return imported(path, choice or Choice())


def answers(found: Foreign) -> list[Any]:
    return [row["messages"][-1]["response"] for row in found.rows]  # type: ignore[index,call-overload]


def verdicts(found: Foreign) -> list[Any]:
    return [row.get("recorded") and row["recorded"]["score"] for row in found.rows]  # type: ignore[index,call-overload]


@pytest.mark.parametrize("form", ["xlsx", "tsv", "json"])
def test_vlmevalkit(folder_of: Any, form: str) -> None:
    root = folder_of("vlmevalkit") / form
    found = only(root)
    assert found.by == "vlmevalkit"
    assert found.about["task"] == "MMBench_DEV_EN"
    assert found.about["model"] == "my_model"
    assert [part.file.endswith(f"gpt-4o_result.{form}") for part in found.parts] == [False, True]
    assert [row["eval-id"] for row in found.rows] == [1, 2, 3, 4]
    assert answers(found) == ["A", "The answer is C.", "Failed to obtain answer via API.", None]
    assert [row["answer"] for row in found.rows] == ["A", "C", "B", "A"]
    assert found.rows[1]["messages"][0] == {  # type: ignore[index,call-overload]
        "role": "user",
        "question": "And this?",
        "hint": "look",
        "options": {"A": "None", "B": "cow", "C": "ant"},
    }
    assert found.rows[2]["messages"][0]["options"] == {"A": "x", "B": "y", "C": "NA"}  # type: ignore[index,call-overload]
    assert found.rows[0]["category"] == "animals"
    assert found.rows[0]["media"] == ["1.jpg"]
    assert verdicts(found) == [1, 1, 0, 0]
    # The link in the model's folder and the file of verdicts are no runs of their own.
    assert len(discover(root, None)) == 1


def test_lmms_eval(folder_of: Any) -> None:
    found = only(folder_of("lmms-eval"))
    assert (found.by, dict(found.about)["task"], dict(found.about)["model"]) == (
        "lmms-eval",
        "pope",
        "org/model",
    )
    assert answers(found) == [["Yes."], ["Yes"], "a"]
    assert [row["answer"] for row in found.rows] == ["yes", "no", ["a", "b"]]
    assert verdicts(found) == [1, 0, None]
    assert [row["recorded"]["extracted"] for row in found.rows] == ["yes", "yes", "a"]  # type: ignore[index,call-overload]
    assert "not carried: doc_hash, token_counts" in found.warnings


def test_lm_eval(folder_of: Any) -> None:
    root = folder_of("lm-eval")
    found = only(root)
    assert (found.by, found.about["task"]) == ("lm-eval", "gsm8k")
    assert answers(found) == [["I say 1"], ["I say 2"]]
    assert verdicts(found) == [None, None]
    assert any("several filters (strict-match, flexible-extract)" in text for text in found.warnings)
    assert verdicts(only(root, Choice(filter="strict-match"))) == [0, 0]
    assert verdicts(only(root, Choice(filter="flexible-extract"))) == [1, 1]


def test_evalscope(folder_of: Any) -> None:
    root = folder_of("evalscope")
    found = only(root)
    assert found.by == "evalscope"
    assert answers(found) == ["ANSWER: A", "ANSWER: C"]
    assert [row["answer"] for row in found.rows] == ["A", "B"]
    assert verdicts(found) == [1, 0]
    assert [row["topic"] for row in found.rows] == ["pets", "pets"]
    assert found.rows[0]["messages"][0]["question"] == "Question 0?"  # type: ignore[index,call-overload]
    assert len(discover(root, None)) == 1


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect(folder_of: Any, form: str) -> None:
    root = folder_of("inspect") / form
    found = only(root / "mcq")
    assert (found.by, found.about["task"], found.about["metric"]) == ("inspect", "pets", "choice")
    assert [row["eval-id"] for row in found.rows] == ["cat-1", 2]
    assert answers(found) == ["ANSWER: A", "ANSWER: B"]
    # A long question stands apart in the log (an attachment); several letters are one gold.
    assert str(found.rows[0]["messages"][0]["question"]).startswith("Which animal")  # type: ignore[index,call-overload]
    assert [row["answer"] for row in found.rows] == ["A", "A, C"]
    assert found.rows[0]["messages"][0]["choices"] == ["cat", "dog"]  # type: ignore[index,call-overload]
    assert found.rows[0]["topic"] == "pets"
    assert verdicts(found) == [1, 0]


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_epochs(folder_of: Any, form: str) -> None:
    root = folder_of("inspect") / form / "twice"
    found = only(root)
    assert [row["eval-id"] for row in found.rows] == [1, 2]
    assert sorted(text for pair in answers(found) for text in pair) == ["2", "3", "4", "it is 2"]
    assert verdicts(found) == [None, None]
    assert any("several metrics (match, includes)" in text for text in found.warnings)
    # The mean over the epochs.
    assert set(verdicts(only(root, Choice(metric="includes")))) <= {0, 0.5, 1}


def test_lighteval(folder_of: Any) -> None:
    root = folder_of("lighteval")
    pets, sums = (imported(path, Choice(metric="em")) for path in importable(root))
    assert (pets.by, pets.about["task"], pets.about["model"]) == (
        "lighteval",
        "community|pets|0",
        "org/model",
    )
    assert [row["eval-id"] for row in pets.rows] == ["p1", "p2"]
    assert answers(pets) == ["A", ["A", "B"]]
    assert [row["answer"] for row in pets.rows] == ["A", "B"]
    assert pets.rows[0]["messages"][0]["choices"] == ["A", "B"]  # type: ignore[index,call-overload]
    assert [row["topic"] for row in pets.rows] == ["pets", "pets"]
    assert verdicts(pets) == [1, 0]
    # Where every choice is a gold they are references and no options.
    assert [row["answer"] for row in sums.rows] == ["2", ["4", "four"]]
    assert sums.rows[1]["messages"][0] == {"role": "user", "question": "2+2?"}  # type: ignore[index,call-overload]
    assert answers(sums) == ["It is 2", ""]
    assert sums.rows[0]["recorded"]["extracted"] == "It is 2"  # type: ignore[index,call-overload]
    assert verdicts(imported(importable(root)[0], Choice())) == [None, None]


def test_helm(folder_of: Any) -> None:
    root = folder_of("helm")
    found = only(root, Choice(metric="exact_match"))
    assert (found.by, found.about["task"], found.about["model"]) == ("helm", "pets", "org/model")
    assert [row["eval-id"] for row in found.rows] == ["id1", "id2"]
    assert found.rows[0]["messages"][0] == {  # type: ignore[index,call-overload]
        "role": "user",
        "question": "Which?",
        "options": {"A": "cat", "B": "dog"},
    }
    assert found.rows[0]["media"] == [str(root / "1.png")]
    assert answers(found) == [" B", "It is 3"]
    assert [row["answer"] for row in found.rows] == ["B", ["2", "two"]]
    assert verdicts(found) == [1, 0]
    assert [each.file for each in found.parts] == ["scenario_state.json", "per_instance_stats.json"]
    assert any("several metrics (exact_match, num_output_tokens)" in text for text in only(root).warnings)


def test_scored_as_they_lie(folder_of: Any, tmp_path: Path) -> None:
    (path,) = importable(folder_of("evalscope"))
    scored = score(str(path), Job(out=tmp_path))
    assert scored.summary["total"] == 2
    assert scored.score.read_text(encoding="utf-8").count('"by":"evalscope"') == 2
