"""Whole runs through `score_run` by the library's protocols, verdict for verdict against the official ones.

Runs and verdicts lie in ../shared/runs and never in this repository; where they are absent the tests skip.
Rows that the official pipeline settled by a random draw or by a judge are told apart by the names that
VALIDATION.md explains; every other row must be equal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from judged_runs import by_rules

RUNS = Path(__file__).resolve().parents[2].parent / "shared" / "runs"


class Scored(NamedTuple):
    """A run's score file, and what the official code said of it."""

    score: dict[str, Any]
    official: dict[str, Any]

    @property
    def aggregate(self) -> dict[str, Any]:
        return dict(self.official["aggregate"])

    @property
    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return ((str(row["eval-id"]), row) for row in self.score["samples"])

    def value(self, name: str) -> float:
        return float(self.score["summary"]["aggregates"][name]["value"])

    def part(self, name: str, part: str) -> float:
        return float(self.score["summary"]["groups"][name][part])

    def different(self) -> dict[str, dict[str, Any]]:
        """The rows whose score is not the official one, by id."""
        wanted = self.official["per_sample"]
        return {
            name: row for name, row in self.rows if row["score"] != pytest.approx(wanted[name], abs=1e-12)
        }


Score = Callable[..., Scored]


@pytest.fixture(scope="module")
def score(tmp_path_factory: pytest.TempPathFactory) -> Score:
    """`score(folder, protocol)`: one run scored; each at most once."""

    @cache
    def scored(folder: str, protocol: str | None = None) -> Scored:
        run = RUNS / folder
        if not (run / "official.json").is_file():
            pytest.skip(f"the run {folder} is not beside the repository")
        out = tmp_path_factory.mktemp("score")
        done = by_rules(run / "result.json", protocol, out=out)
        return Scored(json.loads(done.score.read_bytes()), json.loads((run / "official.json").read_bytes()))

    return scored


# Every row equal, and the headline: run, protocol (None: by dataset_name), official headline.
WHOLE = [
    ("mmmu_pro_standard10__gpt-4o-direct", None, lambda a: a["acc"]),
    ("mmbench_dev_20230712__llava-v1.5-13b", None, lambda a: a["circular_acc"] * 100),
    ("scienceqa_test__llava-v1.5-13b", None, lambda a: a["acc"]),
    ("pope_coco__llava-v1.5-13b", None, lambda a: a["mean_f1"]),
    ("mme__llava-v1.5-13b", None, lambda a: a["perception_total"]),
    ("mmevalpro__demo-model", None, lambda a: a["Macro_Average"]["genuine_accuracy_score"]),
    ("vizwiz_val951__frozen-vilt2", None, lambda a: a["vqa_accuracy"]),
    ("textvqa_val30__llava-v1.5-13b", None, lambda a: a["accuracy"] * 100),
    ("docvqa_val65__ocr-llm", None, lambda a: a["anls"]),
    ("docvqa_val65__ocr-llm", "@m4c", lambda a: a["anls"]),
    ("chartqa_val85__qwen2.5-vl-baseline", None, lambda a: a["relaxed_accuracy"]),
    ("mathvision_test__gemini-pro-cot", None, lambda a: a["acc"] * 100),
]


@pytest.mark.parametrize(("run", "protocol", "headline"), WHOLE, ids=[f"{r}{p or ''}" for r, p, _ in WHOLE])
def test_every_verdict_and_the_headline(
    score: Score, run: str, protocol: str | None, headline: Callable[[dict[str, Any]], float]
) -> None:
    scored = score(run, protocol)
    if "per_sample" in scored.official:
        assert scored.different() == {}
    # Official scripts round to two (MMEvalPro: rounded means of rounded figures) or six places.
    tolerance = 0.01 if "mmevalpro" in run else 1e-6
    assert scored.score["summary"]["headline"]["value"] == pytest.approx(
        headline(scored.aggregate), abs=tolerance
    )


def test_mmmu_differs_only_where_the_official_parser_guesses(score: Score) -> None:
    scored = score("mmmu_val__llava1.5-13b")
    guessed = {str(name) for name in scored.official["random_guess_ids"]}
    assert set(scored.different()) <= guessed
    rows = dict(scored.rows)
    assert {name for name, row in rows.items() if row["reason"] == "official-guesses"} == guessed
    lucky = sum(scored.official["per_sample"][name] for name in guessed)
    assert scored.value("accuracy") == pytest.approx(scored.aggregate["overall_acc"] - lucky / 900, abs=1e-6)


def test_mmmu_subjects(score: Score) -> None:
    scored = score("mmmu_val__llava1.5-13b")
    drawn = {dict(scored.rows)[name]["group"]["subject"] for name in scored.different()}
    for subject, said in scored.aggregate["per_subject"].items():
        if subject not in drawn:
            assert scored.value(subject) == pytest.approx(said["acc"], abs=1e-12), subject


def test_mmmu_pro_subjects(score: Score) -> None:
    scored = score("mmmu_pro_standard10__gpt-4o-direct")
    for subject, said in scored.aggregate["per_subject"].items():
        assert scored.value(subject) == pytest.approx(said["acc"], abs=1e-12), subject


def test_mmbench_rows_and_first_passes(score: Score) -> None:
    scored = score("mmbench_dev_20230712__llava-v1.5-13b")
    assert scored.value("circular_accuracy") == pytest.approx(67.687, abs=5e-4)
    assert scored.value("accuracy") == pytest.approx(scored.aggregate["row_acc"] * 100)
    assert scored.value("first_pass_accuracy") == pytest.approx(
        scored.aggregate["vanilla_acc_first_pass"] * 100
    )


def test_scienceqa_images(score: Score) -> None:
    scored = score("scienceqa_test__llava-v1.5-13b")
    assert scored.value("image_accuracy") == pytest.approx(scored.aggregate["img_acc"])


@pytest.mark.parametrize("split", ["random", "popular", "adversarial"])
@pytest.mark.parametrize("figure", ["accuracy", "precision", "recall", "f1", "yes_ratio"])
def test_pope_splits(score: Score, split: str, figure: str) -> None:
    scored = score("pope_coco__llava-v1.5-13b")
    wanted = scored.aggregate["per_category"][split][figure]
    assert scored.part("f1", f"{split}.{figure}") == pytest.approx(wanted, abs=1e-12)


def test_mme_categories(score: Score) -> None:
    scored = score("mme__llava-v1.5-13b")
    assert scored.value("perception") == pytest.approx(1531.3187274909965)
    assert scored.value("cognition") == pytest.approx(scored.aggregate["cognition_total"])
    parts = {
        **scored.score["summary"]["groups"]["perception"],
        **scored.score["summary"]["groups"]["cognition"],
    }
    for category, wanted in scored.aggregate["per_task_score_acc_plus_accplus"].items():
        assert parts[category] == pytest.approx(wanted), category


def test_mathvision_levels_and_subjects(score: Score) -> None:
    scored = score("mathvision_test__gemini-pro-cot")
    for group, said in scored.aggregate["per_group"].items():
        assert scored.value(group) == pytest.approx(said["acc"] * 100, abs=1e-9), group
    read = {name: row["extracted"] for name, row in scored.rows if row["extracted"] is not None}
    assert read == {name: scored.official["extracted"][name] for name in read}


MMEVALPRO = {
    "genuine_accuracy_score": "GA",
    "average_score": "average",
    "origin_score": "origin",
    "perception_score": "perception",
    "knowledge_score": "knowledge",
}


@pytest.mark.parametrize("column", ["MMMU", "MathVista", "ScienceQA", "Macro_Average", "Micro_Average"])
@pytest.mark.parametrize("figure", MMEVALPRO)
def test_mmevalpro_figures(score: Score, column: str, figure: str) -> None:
    scored = score("mmevalpro__demo-model")
    name = MMEVALPRO[figure]
    if column.endswith("Average"):
        ours = scored.value(f"{name}_{column.removesuffix('_Average').lower()}")
    elif name == "GA":
        ours = scored.value(f"GA_{column}")
    else:
        ours = scored.part(f"{name}_macro", column)
    # The script rounds each figure to two places, and its macro averages are of rounded figures.
    slack = 0.0101 if column == "Macro_Average" else 0.0051
    assert ours == pytest.approx(scored.aggregate[column][figure], abs=slack)


def _unstored(scored: Scored) -> set[str]:
    """BLINK rows that speak of a "(C)" that their question does not have.

    The source keeps no options, so that "(C)" cannot be told from an option of a two-option question.
    """
    said = scored.official["extracted"]
    return {name for name, row in scored.rows if row["extracted"] == "C" and said[name] != "(C)"}


def test_blink_reads_what_the_authors_rule_read(score: Score) -> None:
    scored = score("blink_val__gpt4o")
    unstored = _unstored(scored)
    assert len(unstored) == 18
    read = {name: row for name, row in scored.rows if row["decided_by"] is not None and name not in unstored}
    assert len(read) == 1613
    assert all(f"({row['extracted']})" == scored.official["extracted"][name] for name, row in read.items())


def test_blink_differs_only_where_a_judge_decided_or_options_are_not_stored(score: Score) -> None:
    scored = score("blink_val__gpt4o")
    different = scored.different()
    judged = {name for name, row in scored.rows if row["decided_by"] is None}
    assert set(different) <= judged | _unstored(scored)
    assert len(judged) == 270
    assert scored.value("accuracy") < scored.aggregate["total_macro_over_14_subtasks"] * 100


def test_tempcompass_equals_wherever_the_authors_rule_matched(score: Score) -> None:
    scored = score("tempcompass_multi-choice__gemini")
    judge = scored.official["judge"]
    by_rule = {name for name, said in judge.items() if said.get("match_success")}
    rows = dict(scored.rows)
    assert {name for name, row in rows.items() if row["decided_by"] is not None} == by_rule
    assert not by_rule & set(scored.different())
    assert len(by_rule) / len(rows) == pytest.approx(scored.aggregate["rule_match_rate"])
    official_hits = sum(scored.official["per_sample"][name] for name in by_rule)
    assert scored.value("avg") == pytest.approx(100 * official_hits / len(rows))


def test_benchlmm_counts(score: Score) -> None:
    scored = score("benchlmm_counting__llava-v1.5-13b", "@counting")
    said = scored.official["extracted"]
    assert all(row["extracted"] == str(said[name]) for name, row in scored.rows)
    for name, official in {"MAE": "mae", "RMSE": "rmse"}.items():
        assert scored.value(name) == pytest.approx(scored.aggregate[official], abs=1e-9)
    assert scored.value("accuracy") == pytest.approx(scored.aggregate["exact_match"] * 100)


def test_chartqa_years_are_told_apart_by_the_sane_variant(score: Score) -> None:
    scored = score("chartqa_val85__qwen2.5-vl-baseline", "@sane")
    assert set(scored.different()) == {
        str(name) for name, said, golds in scored.official["authors_disagree"] if "." not in golds[0]
    }


@pytest.mark.parametrize(
    ("run", "protocol", "official"),
    [
        ("mme__llava-v1.5-13b", None, True),
        ("scienceqa_test__llava-v1.5-13b", None, True),
        ("mmevalpro__demo-model", None, True),
        ("mmmu_val__llava1.5-13b", None, True),
        ("mme__llava-v1.5-13b", "@robust", False),
        ("pope_coco__llava-v1.5-13b", None, False),  # 3925 of 9000 rows
        ("mmmu_pro_standard10__gpt-4o-direct", None, False),  # 700 of 1730 rows
        ("mmbench_dev_20230712__llava-v1.5-13b", None, True),  # its rules read every reply
    ],
)
def test_official_stamp(score: Score, run: str, protocol: str | None, official: bool) -> None:
    config = score(run, protocol).score["config"]
    assert config["official_protocol"] is official
    assert bool(config["deviations"]) is not official
