"""Judged runs through `mmeval score --judge_provider replay`: recorded replies give the official figures.

Runs and replies lie in ../shared/runs and never in this repository; where they are absent the tests skip.
The replies are the texts that the official judges wrote. Where only their scores were recorded (MEGA-Bench),
the replies are made of the scores. Inputs of a prompt that a source does not keep (captions of pictures,
questions about videos) are placeholders: what was asked does not matter, for the replies are given.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

RUNS = Path(__file__).resolve().parents[2].parent / "shared" / "runs"
Line = dict[str, Any]


def mmvet(official: Line) -> Iterator[Line]:
    """Grades as GPT-4 wrote them, three of each."""
    for name, said in official["judge_runs"].items():
        yield from ({"eval-id": name, "reply": text, "model": "gpt-4"} for text in said["content"])


def llava(official: Line) -> Iterator[Line]:
    """Reviews, three of each: two scores in the first line."""
    for name, said in official["judge_runs"].items():
        yield from ({"eval-id": name, "reply": each["review"], "model": "gpt-4"} for each in said)


def megabench(official: Line) -> Iterator[Line]:
    """Scores from 0 to 1, as the points that they were given for."""
    for name, score in official["per_sample"].items():
        yield {"eval-id": name, "reply": f"Score: {score * 10:g}"}


def tempcompass(official: Line) -> Iterator[Line]:
    """The two lines that the authors' script took apart."""
    for name, said in official["judge"].items():
        reply = f"Reasoning: {said['chatgpt-reasoning']}\nAnswer: {said['chatgpt-answer']}"
        yield {"eval-id": name, "reply": reply}


def mathvista(official: Line) -> Iterator[Line]:
    """Extracted answers, word for word."""
    for name, extracted in official["extracted"].items():
        yield {"eval-id": name, "reply": f"Extracted answer: {extracted}", "stage": "llm-extract"}


def blink(official: Line) -> Iterator[Line]:
    """The option that was recorded of every row, whether the authors' rule read it or GPT-3.5."""
    for name, option in official["extracted"].items():
        yield {"eval-id": name, "reply": option}


def ratings(official: Line) -> Iterator[Line]:
    """What ChatGPT said where the authors' rule did not match."""
    for name, said in official["judge"].items():
        if "chatgpt-response" in said:
            yield {"eval-id": name, "reply": said["chatgpt-response"]}


class Run(NamedTuple):
    """A recorded run: its folder, its replies, runs of the judge, what its source lacks."""

    folder: str
    replies: Callable[[Line], Iterator[Line]]
    repeats: int = 1
    fields: tuple[str, ...] = ()
    options: bool = False
    flags: tuple[str, ...] = ()


RECORDED = {
    "MMVet": Run("mmvet__llava-v1.5-13b", mmvet, 3),
    "LLaVA-Bench": Run("llava-bench-wild__llava-v1.5-13b", llava, 3, ("caption",)),
    "MEGA-Bench": Run("megabench_open_si__grok-2-vision-1212", megabench),
    "TempCompass": Run("tempcompass_captioning__video-llava", tempcompass, 1, ("mc_question",)),
    "MathVista": Run("mathvista_testmini__bard", mathvista),
}
# Runs whose rows are read by a rule first: the judge was asked about the rest.
FAILING = ("--max_failed", "0.01")
TAILS = {
    "BLINK": Run("blink_val__gpt4o", blink, options=True, flags=FAILING),
    "TempCompass multi-choice": Run(
        "tempcompass_multi-choice__gemini", ratings, flags=("--max_failed", "0.01")
    ),
}


class Scored(NamedTuple):
    """A run's score file, and what the official code said of it."""

    score: Line
    official: Line

    @property
    def aggregate(self) -> Line:
        return dict(self.official["aggregate"])

    @property
    def rows(self) -> dict[str, Line]:
        return {str(row["eval-id"]): row for row in self.score["samples"]}

    def value(self, name: str) -> float:
        return float(self.score["summary"]["aggregates"][name]["value"])

    def parts(self, name: str) -> dict[str, float]:
        return dict(self.score["summary"]["groups"][name])

    def different(self) -> set[str]:
        """The rows whose score is not the official one."""
        wanted = self.official["per_sample"]
        return {
            name for name, row in self.rows.items() if row["score"] != pytest.approx(wanted[name], abs=1e-12)
        }


Score = Callable[..., Scored]


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> Score:
    """`score(name, variant)`: one recorded run scored with its own replies; each at most once."""

    @cache
    def scored(name: str, variant: str | None = None) -> Scored:
        run = {**RECORDED, **TAILS}[name]
        if not (RUNS / run.folder / "official.json").is_file():
            pytest.skip(f"the run {run.folder} is not beside the repository")
        folder = tmp_path_factory.mktemp("judged")
        official = json.loads((RUNS / run.folder / "official.json").read_bytes())
        rows = json.loads((RUNS / run.folder / "result.json").read_bytes())
        lacking = dict.fromkeys(run.fields, "[not kept by the source]")
        if run.options:
            _add_options(rows)
        (folder / "result.json").write_text(json.dumps([lacking | row for row in rows]))
        replies = "".join(json.dumps(line) + "\n" for line in run.replies(official))
        (folder / "replies.jsonl").write_text(replies)
        flags = [
            "--judge_repeats",
            str(run.repeats),
            *run.flags,
            *(["--protocol", variant] if variant else []),
        ]
        document: Line = json.loads(_scored(folder, flags).read_bytes())
        return Scored(document, official)

    return scored


def _add_options(rows: list[Line]) -> None:
    """As many options as the golds of a row's subset show that its questions have; texts are not kept."""
    golds: dict[str, str] = {}
    for row in rows:
        subset = row["dataset_meta"]["subset"]
        golds[subset] = max(golds.get(subset, "B"), row["answer"])
    for row in rows:
        last = ord(golds[row["dataset_meta"]["subset"]])
        row["messages"][0]["options"] = {chr(code): f"[text {code}]" for code in range(ord("A"), last + 1)}


def _scored(folder: Path, flags: list[str]) -> Path:
    """The score that the command writes."""
    judge = ["--judge_provider", "replay", "--judge_replies", str(folder / "replies.jsonl")]
    words = [
        sys.executable,
        "-m",
        "mmeval",
        "score",
        "--results",
        str(folder / "result.json"),
        *judge,
        *flags,
    ]
    done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "HOME": str(folder)})
    assert done.returncode == 0, done.stderr
    return folder / "score.json"


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_reply_is_read_and_every_row_judged(score: Score, name: str) -> None:
    summary = score(name).score["summary"]
    assert summary["llm_errors"] == summary["errors"] == summary["invalid"] == 0
    assert summary["total"] == score(name).official["n"]


@pytest.mark.parametrize("name", ["MMVet", "MEGA-Bench", "TempCompass"])
def test_every_sample_has_the_official_score(score: Score, name: str) -> None:
    assert score(name).different() == set()


def test_mmvet_total_capabilities_and_their_sets(score: Score) -> None:
    scored = score("MMVet")
    assert scored.value("total") == pytest.approx(36.315, abs=5e-4)
    parts = scored.parts("total")
    for name, said in scored.aggregate.items():
        if not name.startswith("total"):
            mine = "set:" + name[4:].replace("_", "+") if name.startswith("int:") else name
            assert parts[mine] == pytest.approx(said["mean"], abs=5e-5), name
    assert len(parts) == len(scored.aggregate) - 3


def test_mmvet_runs_of_the_judge(score: Score) -> None:
    scored = score("MMVet")
    runs = [scored.parts("std")[f"run:{turn}"] for turn in (1, 2, 3)]
    assert runs == pytest.approx(scored.aggregate["total_per_run"], abs=1e-9)
    assert scored.value("std") == pytest.approx(scored.aggregate["total_std"], abs=1e-9)


def test_llava_bench_relative_scores(score: Score) -> None:
    scored = score("LLaVA-Bench")
    assert scored.value("relative") == pytest.approx(scored.aggregate["mean_relative_all"], abs=1e-9)
    parts = scored.parts("relative")
    for turn, said in enumerate(scored.aggregate["per_judge_run"], 1):
        for category, each in said.items():
            mine = f"run:{turn}" if category == "all" else f"run:{turn}/{category}"
            assert parts[mine] == pytest.approx(each["relative"], abs=1e-9), mine


def test_llava_bench_means_of_either_side(score: Score) -> None:
    scored = score("LLaVA-Bench")
    for side in ("model", "reference"):
        said = [
            run["all"][f"{side[:3] if side == 'reference' else side}_x10"]
            for run in scored.aggregate["per_judge_run"]
        ]
        # The script prints one decimal of every run.
        assert scored.value(f"{side}_x10") == pytest.approx(sum(said) / 3, abs=0.05)


def test_llava_bench_scores_of_every_row(score: Score) -> None:
    scored = score("LLaVA-Bench")
    for name, row in scored.rows.items():
        said = [each["tuple_ref_model"] for each in scored.official["judge_runs"][name]]
        assert row["evidence"] == {
            "reference": [reference for reference, _ in said],
            "model": [model for _, model in said],
        }


def test_megabench_tasks_micro_and_macro(score: Score) -> None:
    scored = score("MEGA-Bench")
    assert scored.value("micro") == pytest.approx(scored.aggregate["micro_mean"] * 100, abs=1e-9)
    assert scored.value("macro") == pytest.approx(scored.aggregate["macro_mean"] * 100, abs=1e-9)
    said = {task: each["mean"] * 100 for task, each in scored.aggregate["per_task"].items()}
    assert scored.parts("macro") == pytest.approx(said, abs=1e-9)


def test_tempcompass_captioning_and_its_aspects(score: Score) -> None:
    scored = score("TempCompass")
    assert scored.value("avg") == pytest.approx(35.0)
    for table in ("per_aspect", "per_fine_aspect"):
        for name, said in scored.aggregate[table].items():
            assert scored.value(name) == pytest.approx(said["acc"], abs=1e-9), name


# What MathVista's script calls a column, and what our figures are called.
COLUMNS = {"answer_type": "{}_answers"}


def test_mathvista_with_its_guess_is_the_official_table(score: Score) -> None:
    scored = score("MathVista", "@nearest")
    assert scored.different() == set()
    assert scored.value("accuracy") == pytest.approx(34.8)
    for column, values in scored.aggregate.items():
        if column != "average":
            for value, said in values.items():
                mine = scored.value(COLUMNS.get(column, "{}").format(value))
                assert mine == pytest.approx(100 * said["correct"] / said["total"]), (column, value)


def test_mathvista_differs_only_where_its_script_takes_the_nearest_option(score: Score) -> None:
    scored, guessing = score("MathVista"), score("MathVista", "@nearest")
    guessed = {name for name, row in guessing.rows.items() if row["reason"] == "nearest-option"}
    open_rows = {name for name, row in scored.rows.items() if row["reason"] == "not-an-option"}
    # Row 250: the judge left out the unit of one option; nothing is guessed there.
    assert {name for name, row in scored.rows.items() if row["reason"] == "unit-left-out"} == {"250"}
    assert open_rows == guessed - {"250"}
    assert scored.different() <= open_rows
    assert (len(open_rows), len(scored.different())) == (15, 9)
    assert scored.value("accuracy") == pytest.approx(33.9)


@pytest.mark.parametrize("name", RECORDED)
def test_the_score_says_that_the_replies_were_recorded(score: Score, name: str) -> None:
    config = score(name).score["config"]
    assert (config["judge_provider"], config["judge_endpoint"]) == ("replay", None)
    assert config["official_judge"] is False
    assert any("prompt" in reason for reason in config["deviations"])


@pytest.mark.parametrize(
    ("name", "official"),
    [
        ("MMVet", True),
        ("LLaVA-Bench", True),
        ("MathVista", True),
        ("TempCompass", False),  # 400 of 2004 rows
        ("MEGA-Bench", False),  # the block is derived: criteria of the tasks are not in the run
    ],
)
def test_official_stamp(score: Score, name: str, official: bool) -> None:
    assert score(name).score["config"]["official_protocol"] is official


def test_tempcompass_multiple_choice_with_its_judge(score: Score) -> None:
    scored = score("TempCompass multi-choice")
    # One reply argues at length before it says "Correct" in quotation marks; that is no verdict here.
    failed = {name for name, row in scored.rows.items() if row["status"] == "llm_error"}
    assert scored.different() == failed == {"1403"}
    assert scored.value("avg") == pytest.approx(scored.aggregate["avg"] - 100 / 1580, abs=1e-9)


def test_blink_with_its_judge(score: Score) -> None:
    scored = score("BLINK")
    assert scored.different() == set()
    assert scored.value("accuracy") == pytest.approx(
        scored.aggregate["total_macro_over_14_subtasks"] * 100, abs=1e-9
    )
    assert scored.value("micro_accuracy") == pytest.approx(scored.aggregate["micro_acc"] * 100, abs=1e-9)
    # GPT-3.5 named an option that the question does not have: wrong to the authors, no verdict here.
    failed = {name for name, row in scored.rows.items() if row["status"] == "llm_error"}
    assert len(failed) == 8
    assert {scored.official["extracted"][name] for name in failed} == {"(C)"}
