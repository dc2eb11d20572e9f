"""The recorded official verdicts of real runs, reduced by us, give the recorded official aggregates.

Verdicts and groups come from ../shared/runs where they lie; nothing of them is in this repository.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mmeval.aggregates.classification import Prf1
from mmeval.aggregates.combine import MeanOf
from mmeval.aggregates.counts import CountErrors
from mmeval.aggregates.groups import AllCorrect, MacroMean, PairPlus
from mmeval.aggregates.labels import MultiLabelMean
from mmeval.aggregates.rates import Mean
from mmeval.aggregates.ratios import RatioOfMeans
from mmeval.fingerprint import canonical
from mmeval.types import Reduced, Row

RUNS = Path(__file__).resolve().parents[2].parent / "shared" / "runs"
PERCEPTION = (
    "existence",
    "count",
    "position",
    "color",
    "posters",
    "celebrity",
    "scene",
    "landmark",
    "artwork",
    "OCR",
)
COGNITION = ("commonsense_reasoning", "numerical_calculation", "text_translation", "code_reasoning")


class Run:
    def __init__(self, name: str) -> None:
        folder = RUNS / name
        if not folder.is_dir():
            pytest.skip(f"the recorded run {name} is not beside the repository")
        self.official: dict[str, Any] = json.loads((folder / "official.json").read_text())
        self.samples: list[dict[str, Any]] = json.loads((folder / "result.json").read_text())
        self.aggregate: dict[str, Any] = self.official["aggregate"]

    def rows(self, evidence: Mapping[str, Any] | None = None) -> list[Row]:
        return [self._row(sample, evidence) for sample in self.samples]

    def _row(self, sample: dict[str, Any], evidence: Mapping[str, Any] | None) -> Row:
        key = str(sample["eval-id"])
        said = self.official.get("extracted", {}).get(key)
        flat = {k: v for k, v in sample.items() if k not in ("messages", "dataset_meta")}
        score = self.official["per_sample"][key]
        return Row(
            key,
            float(score) if isinstance(score, int | float) and 0 <= score <= 1 else None,
            "ok",
            True,
            None if said is None else str(said),
            str(sample["answer"]),
            sample["dataset_meta"]["subset"],
            {name: canonical(value) for name, value in flat.items()},
            evidence[key] if evidence else None,
        )


def same(mine: float | None, official: float) -> None:
    assert mine is not None and math.isclose(mine, official, rel_tol=1e-12), (mine, official)


def table(reduced: Reduced, official: Mapping[str, Any], figure: str, scale: float = 1) -> None:
    assert set(reduced.parts) == set(official)
    for name, each in official.items():
        same((reduced.parts[name] or 0.0) * scale, each[figure])


def test_mmbench_circular() -> None:
    run = Run("mmbench_dev_20230712__llava-v1.5-13b")
    circular = AllCorrect(by=("circular_group",))(run.rows())
    same(circular.value, run.aggregate["circular_acc"])
    assert circular.n == run.aggregate["n_groups"] and not circular.notes
    same(Mean()(run.rows()).value, run.aggregate["row_acc"])
    for group, hit in list(run.official["per_group"].items())[:50]:
        rows = [row for row in run.rows() if row.fields["circular_group"] == group][:4]
        assert AllCorrect(by="circular_group")(rows).value == hit


def test_blink_macro_over_subtasks() -> None:
    run = Run("blink_val__gpt4o")
    macro = MacroMean(by=("subtask",))(run.rows())
    same(macro.value, run.aggregate["total_macro_over_14_subtasks"])
    table(macro, run.aggregate["per_subtask"], "acc")
    same(Mean()(run.rows()).value, run.aggregate["micro_acc"])
    assert macro.method == "macro" and macro.n == 1901


def test_mme_pair_plus() -> None:
    run = Run("mme__llava-v1.5-13b")
    totals = {"perception_total": PERCEPTION, "cognition_total": COGNITION}
    for total, categories in totals.items():
        reduced = PairPlus(pair="pair_id", categories=categories)(run.rows())
        same(reduced.value, run.aggregate[total])
        assert not reduced.notes
        for category in categories:
            same(reduced.parts[category], run.aggregate["per_task_score_acc_plus_accplus"][category])


def test_mmevalpro_all_25_numbers() -> None:
    run = Run("mmevalpro__demo-model")
    official, sources = run.aggregate, ("MMMU", "MathVista", "ScienceQA")
    made: dict[str, Reduced] = {}
    for source in (*sources, "Micro_Average"):
        rows = [row for row in run.rows() if source in (row.fields["source"], "Micro_Average")]
        average = Mean(by="eval_type")(rows)
        genuine = AllCorrect(by="triplet_id", expected_size=3)(rows)
        assert not genuine.notes
        mine = {"genuine_accuracy_score": genuine.value, "average_score": average.value}
        mine |= {
            f"{kind.lower()}_score": average.parts[kind] for kind in ("Origin", "Perception", "Knowledge")
        }
        # The official script rounds each to two digits (auto_score.py@c6fb5418).
        assert {name: round((value or 0) * 100, 2) for name, value in mine.items()} == official[source]
        made |= {f"{source}-{name}": Reduced(value, len(rows)) for name, value in mine.items()}
    for name, macro in official["Macro_Average"].items():
        value = MeanOf(of=tuple(f"{source}-{name}" for source in sources))(made).value
        # It then averages the rounded figures and rounds again, so the last digit may be off by one.
        assert value is not None and abs(value * 100 - macro) < 0.0101


def test_mmevalpro_macro_is_the_mean_of_sources() -> None:
    run = Run("mmevalpro__demo-model")
    macro = MacroMean(by="source")(run.rows()).value
    assert macro is not None and abs(macro * 100 - run.aggregate["Macro_Average"]["average_score"]) < 0.0101


@pytest.mark.parametrize("category", ["random", "popular", "adversarial"])
def test_pope_per_category(category: str) -> None:
    run = Run("pope_coco__llava-v1.5-13b")
    reduced = Prf1(by="category")(run.rows())
    for figure in ("accuracy", "precision", "recall", "f1", "yes_ratio"):
        same(reduced.parts[f"{category}.{figure}"], run.aggregate["per_category"][category][figure])


def test_pope_mean_f1_by_either_way() -> None:
    run = Run("pope_coco__llava-v1.5-13b")
    same(Prf1(by="category", macro=True)(run.rows()).value, run.aggregate["mean_f1"])
    of = tuple(f"pope.{name}.f1" for name in ("random", "popular", "adversarial"))
    same(MeanOf(of=of)({"pope": Prf1(by="category")(run.rows())}).value, run.aggregate["mean_f1"])


def test_scienceqa_all_and_with_image() -> None:
    run = Run("scienceqa_test__llava-v1.5-13b")
    rows = run.rows()
    same((Mean()(rows).value or 0) * 100, run.aggregate["acc"])
    images = [row for row in rows if row.fields["is_multimodal"] == "true"]
    same((Mean()(images).value or 0) * 100, run.aggregate["img_acc"])
    assert len(images) == run.aggregate["img_count"]
    same((Mean(by="is_multimodal")(rows).parts["true"] or 0) * 100, run.aggregate["img_acc"])


def test_mmmu_overall_subjects_and_domains() -> None:
    run = Run("mmmu_val__llava1.5-13b")
    value = Mean()(run.rows()).value
    assert value is not None and round(value, 6) == run.aggregate["overall_acc"]
    table(Mean(by="subject")(run.rows()), run.aggregate["per_subject"], "acc")
    table(Mean(by="domain")(run.rows()), run.aggregate["per_domain"], "acc")


def test_mmmu_pro_subjects() -> None:
    run = Run("mmmu_pro_standard10__gpt-4o-direct")
    same(Mean()(run.rows()).value, run.aggregate["acc"])
    table(Mean(by="subject")(run.rows()), run.aggregate["per_subject"], "acc")


@pytest.mark.parametrize("name", ["tempcompass_multi-choice__gemini", "tempcompass_captioning__video-llava"])
def test_tempcompass_per_aspect(name: str) -> None:
    run = Run(name)
    same((Mean()(run.rows()).value or 0) * 100, run.aggregate["avg"])
    table(Mean(by="aspect")(run.rows()), run.aggregate["per_aspect"], "acc", 100)
    table(Mean(by="fine_grained_aspect")(run.rows()), run.aggregate["per_fine_aspect"], "acc", 100)


def test_megabench_macro_over_tasks() -> None:
    run = Run("megabench_open_si__grok-2-vision-1212")
    macro = MacroMean(by="task_name")(run.rows())
    same(macro.value, run.aggregate["macro_mean"])
    same(Mean()(run.rows()).value, run.aggregate["micro_mean"])
    table(macro, run.aggregate["per_task"], "mean")


def test_mmvet_capabilities_and_integrations() -> None:
    run = Run("mmvet__llava-v1.5-13b")
    reduced = MultiLabelMean(labels="capability", exact_sets=True)(run.rows())
    for name, each in run.aggregate.items():
        if not name.startswith("total"):
            mine = reduced.parts["set:" + name[4:].replace("_", "+") if name.startswith("int:") else name]
            # Recorded to four digits; per_sample is itself a mean of three judge runs.
            assert mine is not None and abs(mine * 100 - each["mean"]) < 1e-3, name
    assert abs((reduced.value or 0) * 100 - run.aggregate["total"]["mean"]) < 1e-3


@pytest.mark.parametrize("judge_run", [0, 1, 2])
def test_llava_bench_ratio_of_means(judge_run: int) -> None:
    run = Run("llava-bench-wild__llava-v1.5-13b")
    reviews = {key: said[judge_run]["tuple_ref_model"] for key, said in run.official["judge_runs"].items()}
    evidence = {key: {"reference": reference, "model": model} for key, (reference, model) in reviews.items()}
    official = run.aggregate["per_judge_run"][judge_run]
    rows = run.rows(evidence)
    whole = RatioOfMeans("evidence.model", "evidence.reference", by="category")(rows)
    for name, each in official.items():
        only = [row for row in rows if name in ("all", row.fields["category"])]
        parts = RatioOfMeans("evidence.model", "evidence.reference")(only).parts
        model, reference = (round(parts[end] or 0.0, 3) for end in ("numerator", "denominator"))
        # summarize_gpt_review.py@c121f043 rounds both means to 3 digits before it divides them.
        assert round(model / reference * 100, 1) == each["relative"]
        mine = whole.value if name == "all" else whole.parts[name]
        assert mine is not None and abs(mine * 100 - each["relative"]) < 0.06


def test_benchlmm_counting_errors() -> None:
    run = Run("benchlmm_counting__llava-v1.5-13b")
    parts = CountErrors()(run.rows()).parts
    same(parts["mae"], run.aggregate["mae"])
    same(parts["rmse"], run.aggregate["rmse"])
    same(parts["exact"], run.aggregate["exact_match"])


@pytest.mark.parametrize(
    ("name", "key", "scale"),
    [
        ("docvqa_val65__ocr-llm", "anls", 1),
        ("chartqa_val85__qwen2.5-vl-baseline", "relaxed_accuracy", 1),
        ("textvqa_val30__llava-v1.5-13b", "accuracy", 1),
        ("vizwiz_val951__frozen-vilt2", "vqa_accuracy", 100),
    ],
)
def test_plain_means(name: str, key: str, scale: float) -> None:
    run = Run(name)
    value = Mean()(run.rows()).value
    assert value is not None and math.isclose(value * scale, run.aggregate[key], rel_tol=1e-7)
