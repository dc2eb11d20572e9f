"""The protocol library as data: every folder lints, is documented, and says where it comes from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mmeval import library
from mmeval.judge.templates import names, prompt
from mmeval.lint import lint
from mmeval.metadata import Block, Judge, Route, Unsupported
from mmeval.registry import protocol_folders
from mmeval.reports.methods import needs_judge

ROOT = Path(__file__).resolve().parents[2]
PROTOCOLS = ROOT / "protocols"
FOLDERS = sorted(path.parent.name for path in PROTOCOLS.glob("*/metadata.json"))
SOURCE = re.compile(r"[\w.-]+/[\w.-]+ .+@[0-9a-f]{7,40}(?: \(\w+\))?")

# folder: pipeline, headline, scale, rows, status. Sources: the folder's README; row counts: facts of the
# datasets (splits whose answers are public); None where a name covers several splits.
DECLARED = [
    ("AMBER", "rule-match", "f1", 100, 14216, "official"),
    ("BLINK", "rule-match,llm-match", "accuracy", 100, 1901, "official"),
    ("BenchLMM", "llm-judge", "score", 100, None, "derived"),
    ("BrowseCompVL", "llm-judge", "accuracy", 100, 399, "official"),
    ("COCO", "box-ap", "AP", 1, (100, 5000, 40504), "official"),
    ("ChartQA", "rule-match", "relaxed_accuracy", 1, 2500, "official"),
    ("ChartQA_TEST", "rule-match", "overall", 100, 2500, "official"),
    ("CountQA", "count-parse", "accuracy", 100, 1528, "derived"),
    ("DocVQA", "anls", "anls", 1, 5349, "official"),
    ("DocVQA_VAL", "anls", "anls", 100, 5349, "official"),
    ("ERQA", "rule-match", "accuracy", 100, 400, "official"),
    ("EmbSpatialBench", "rule-match", "accuracy", 100, 3640, "official"),
    ("EncyclopedicVQA_test", "llm-judge", "accuracy", 100, 1960, "derived"),
    ("EncyclopedicVQA_test_300", "llm-judge", "accuracy", 100, 300, "derived"),
    ("FREAK_MCQ", "rule-match,llm-match", "accuracy", 100, 994, "official"),
    ("FREAK_VQA", "llm-judge", "accuracy", 100, 799, "derived"),
    ("FSC147_val", "count-parse", "accuracy", 100, 1286, "derived"),
    ("FSCD_147_bbox_val", "box-ap", "AP", 1, 1286, "derived"),
    ("FSCD_LVIS_bbox_val", "box-ap", "AP", 1, 1181, "derived"),
    ("FVQA_test", "llm-judge", "accuracy", 100, 1800, "official"),
    ("FVQA_test_300", "llm-judge", "accuracy", 100, 300, "official"),
    ("HallusionBench", "rule-match,llm-match", "score", 100, 951, "official"),
    ("InfographicVQA", "anls", "anls", 1, 2801, "official"),
    ("Infoseek_GDM_test", "llm-judge", "accuracy", 100, 2000, "official"),
    ("Infoseek_GDM_test_300", "llm-judge", "accuracy", 100, 300, "official"),
    ("LLaVA-Bench-in-the-Wild", "llm-judge", "relative", 100, 60, "official"),
    ("LVIS", "box-ap", "AP", 1, (100, 19809), "official"),
    ("LVIS_bbox_val_federated", "box-ap", "AP", 1, None, "derived"),
    ("MEGA-Bench", "llm-judge", "macro", 100, None, "derived"),
    ("MM-Vet-v2", "llm-judge", "total", 100, 517, "official"),
    ("MMBench", "rule-match,llm-match", "circular_accuracy", 100, (4377, 4329, 4876, 2040), "official"),
    ("MMBrowseComp", "llm-judge", "accuracy", 100, 243, "derived"),
    ("MME", "rule-match", "perception", 1, 2374, "official"),
    ("MMEvalPro", "rule-match", "GA_macro", 100, 6414, "official"),
    ("MMMU", "rule-match", "accuracy", 1, 900, "official"),
    ("MMMU-Pro", "rule-match", "accuracy", 1, 1730, "official"),
    ("MMSIBench_wo_circular", "rule-match", "accuracy", 100, 1000, "official"),
    ("MMSearch", "llm-judge", "accuracy", 100, 171, "official"),
    ("MMSearchPlus", "llm-judge", "accuracy", 100, 311, "official"),
    ("MMStar", "rule-match,llm-match", "accuracy", 100, 1500, "official"),
    ("MMVet", "llm-judge", "total", 100, 218, "official"),
    ("MathVerse", "llm-extract,llm-judge", "accuracy", 100, 3940, "official"),
    ("MathVision", "rule-match", "accuracy", 100, (3040, 304), "official"),
    ("MathVista", "llm-extract,typed-match", "accuracy", 100, 1000, "official"),
    ("MindCubeBench_tiny_raw_qa", "rule-match", "accuracy", 100, 1040, "official"),
    ("OCRBench", "rule-match", "final_score", 1, 1000, "official"),
    ("ODinW13_bbox_val_qwen3", "box-ap", "ODinW13_average", 1, 4938, "derived"),
    ("OK-VQA", "vqa-accuracy", "vqa_accuracy", 100, 5046, "official"),
    ("POPE", "rule-match", "f1", 1, 9000, "official"),
    ("PixmoCount_val", "count-parse", "accuracy", 100, 534, "derived"),
    ("RealWorldQA", "rule-match,llm-match", "accuracy", 100, 765, "official"),
    ("RealXBench", "llm-judge", "accuracy", 100, 194, "derived"),
    ("RefCOCO", "box-iou", "accuracy", 100, (10834, 5657, 5095), "derived"),
    ("RefCOCO+", "box-iou", "accuracy", 100, (10758, 5726, 4889), "derived"),
    ("RefCOCOg", "box-iou", "accuracy", 100, (4896, 9602), "derived"),
    ("ST-VQA", "anls", "anls", 1, None, "derived"),
    ("ScienceQA", "rule-match", "accuracy", 100, 4241, "official"),
    ("ScienceQA-IMG", "rule-match", "accuracy", 100, 2017, "official"),
    ("ScreenSpot", "point-in-box", "average", 100, 1272, "derived"),
    ("SimpleVQA", "llm-judge", "accuracy", 100, 2025, "official"),
    ("SimpleVQA_300", "llm-judge", "accuracy", 100, 300, "derived"),
    ("SparBench_tiny", "route", "overall", 100, 1000, "official"),
    ("TempCompass", "rule-match,llm-judge", "avg", 100, 1580, "official"),
    ("TextVQA", "vqa-accuracy", "vqa_accuracy", 100, 5000, "official"),
    ("TextVQA_VAL", "vqa-accuracy", "vqa_accuracy", 100, 5000, "official"),
    ("VDRBench", "llm-judge", "accuracy", 100, 500, "official"),
    ("VQAv2", "vqa-accuracy", "vqa_accuracy", 100, 214354, "official"),
    ("VStarBench", "rule-match,llm-match", "accuracy", 100, 191, "official"),
    ("VisBrowseBench", "llm-judge", "accuracy", 100, 169, "derived"),
    ("VizWiz-VQA", "vqa-accuracy", "vqa_accuracy", 100, 4319, "official"),
    ("hle", "llm-judge", "accuracy", 100, 330, "official"),
]


def blocks(folder: str) -> dict[str, Block]:
    """Every block of a folder that can score, by `subset` or `subset@variant`."""
    found: dict[str, Block] = {}
    for name, subset in library.load(folder).subsets.items():
        if not isinstance(subset.score_pipeline, Unsupported):
            found[name] = subset
        found |= {f"{name}@{variant}": block for variant, block in subset.variants.items()}
    return found


SHARED = {"option-match", "option-match-cn", "yes-no-match"}
"""Prompts that many benchmarks put to models of their own."""


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_official_judge_is_the_one_that_its_prompt_is_known_for(folder: str) -> None:
    for name, block in blocks(folder).items():
        judge = block.score_judge
        if judge is None or judge.official_model is None or judge.prompt in SHARED:
            continue
        known = prompt(judge.prompt).official_models
        same = any(judge.official_model.startswith(model) for model in known)
        assert same or not known, f"{folder}:{name}: {judge.official_model}, not of {known}"


def main_block(folder: str) -> Block:
    return next(iter(blocks(folder).values()))


@pytest.mark.parametrize(
    ("folder", "pipeline", "headline", "scale", "rows", "status"), DECLARED, ids=[row[0] for row in DECLARED]
)
def test_what_a_folder_declares(
    folder: str, pipeline: str, headline: str, scale: float, rows: int | tuple[int, ...] | None, status: str
) -> None:
    block = main_block(folder)
    chosen = next(each for each in block.score_aggregates if each.headline)
    assert block.score_pipeline == tuple(pipeline.split(",")) or (
        pipeline == "route" and isinstance(block.score_pipeline, Route)
    )
    assert (chosen.name, chosen.scale, block.score_rows) == (headline, scale, rows)
    assert block.score_protocol.status == status


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_block_lints_without_unused_parameters(folder: str) -> None:
    lines = lint(PROTOCOLS / folder / "metadata.json")
    assert len(lines) >= len(blocks(folder))
    assert not [line for line in lines if "unused" in line]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_block_says_where_it_comes_from(folder: str) -> None:
    for name, block in blocks(folder).items():
        said = block.score_protocol
        assert said.note, name
        assert said.status is not None, name
        if said.status == "official":
            assert said.official is not None and SOURCE.fullmatch(said.official), name
            assert block.score_rows is not None, f"{name}: a partial run would be stamped official"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_readme_tells_of_every_variant(folder: str) -> None:
    text = (PROTOCOLS / folder / "README.md").read_text()
    assert text.startswith(f"# {library.load(folder).dataset_name}\n")
    assert 12 <= len(text.splitlines()) <= 45
    for heading in ("## Scoring", "## Known deviations", "Rows: ", "Source: ", "Status: "):
        assert heading in text
    for name in blocks(folder):
        _, _, variant = name.partition("@")
        assert not variant or f"@{variant}`" in text


def test_no_two_folders_claim_a_name() -> None:
    claimed = library.index()
    assert set(claimed.values()) >= set(FOLDERS)
    for folder in FOLDERS:
        assert claimed[folder.casefold()] == folder
        assert library.load(folder).dataset_name == folder


# Not among mm-eval's datasets, or other names for one that is.
NOT_OF_MM_EVAL = {
    "AMBER",
    "BrowseCompVL",
    "ChartQA_TEST",
    "CountQA",
    "DocVQA_VAL",
    "ERQA",
    "EmbSpatialBench",
    "EncyclopedicVQA_test",
    "EncyclopedicVQA_test_300",
    "FREAK_MCQ",
    "FREAK_VQA",
    "FSC147_val",
    "FSCD_147_bbox_val",
    "FSCD_LVIS_bbox_val",
    "FVQA_test",
    "FVQA_test_300",
    "Infoseek_GDM_test",
    "Infoseek_GDM_test_300",
    "LVISMask",
    "LVIS_bbox_val_federated",
    "MMBrowseComp",
    "MMSIBench_wo_circular",
    "MMSearch",
    "MMSearchPlus",
    "MindCubeBench_tiny_raw_qa",
    "ODinW13_bbox_val_qwen3",
    "PixmoCount_val",
    "RealXBench",
    "RefCOCO",
    "RefCOCO+",
    "RefCOCOg",
    "ScreenSpot",
    "SimpleVQA",
    "SimpleVQA_300",
    "SparBench_tiny",
    "TextVQA_VAL",
    "VDRBench",
    "VisBrowseBench",
    "hle",
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_mm_evals_name_finds_the_folder(folder: str) -> None:
    assert folder in NOT_OF_MM_EVAL or library.index()[f"mm-eval/{folder}".casefold()] == folder


def test_the_variants_that_every_rule_benchmark_has() -> None:
    for folder, *_ in DECLARED:
        for name, subset in library.load(folder).subsets.items():
            pipeline = subset.score_pipeline
            if isinstance(pipeline, Route) or (isinstance(pipeline, tuple) and "rule-match" in pipeline):
                assert {"reference", "robust"} <= set(subset.variants), f"{folder}:{name}"


@pytest.mark.parametrize(("reference", "rules"), [("POPE@sane", "robust"), ("MMBench@vanilla", "vlmevalkit")])
def test_variants_are_found_by_name(reference: str, rules: str) -> None:
    entry = library.named(reference, None)
    assert rules in entry.block.score_params.values()


def test_every_task_of_tempcompass_ends_with_a_judge() -> None:
    prompts = {
        name: (block.score_pipeline, block.score_judge.prompt)
        for name, block in library.load("TempCompass").subsets.items()
        if block.score_judge is not None
    }
    assert prompts == {
        **dict.fromkeys(
            ("multi-choice", "multi_choice", "yes_no", "caption_matching"),
            (("rule-match", "llm-judge"), "tempcompass"),
        ),
        "captioning": (("llm-match",), "tempcompass-captioning"),
    }


def test_the_table_in_the_docs_is_complete() -> None:
    text = (ROOT / "docs" / "protocols.md").read_text()
    for folder in protocol_folders():
        if folder in FOLDERS:
            assert f"(../protocols/{folder}/README.md)" in text, folder


def test_files_are_tidy_json() -> None:
    for folder in FOLDERS:
        raw = (PROTOCOLS / folder / "metadata.json").read_text()
        assert raw.endswith("}\n")
        keys = list(json.loads(raw))
        assert [key for key in keys if key != "score_data"] == ["dataset_name", "aliases", "subsets"]
        assert keys[2:3] == ["score_data"] or len(keys) == 3


def test_the_rotations_of_mmbench_are_told_by_its_index_and_never_by_a_mere_count() -> None:
    block = library.named("MMBench", None).block
    assert [(each.from_, each.modulo, each.into) for each in block.score_derive] == [
        ("index", 1_000_000, ("circular_group",))
    ]


# The judged benchmarks of OpenVLHarness: folder, prompts that it takes (the first by default), contract.
# Source: that harness's table of benchmarks; "fixed" is one prompt only.
VDR = ("judge-vdr", "judge-rs")
JUDGED = {
    "BrowseCompVL": (*VDR, "hle"),
    "EncyclopedicVQA_test": (*VDR, "hle"),
    "EncyclopedicVQA_test_300": (*VDR, "hle"),
    "FREAK_VQA": ("freak-vqa",),
    "FVQA_test": (*VDR, "hle"),
    "FVQA_test_300": (*VDR, "hle"),
    "Infoseek_GDM_test": (*VDR, "hle"),
    "Infoseek_GDM_test_300": (*VDR, "hle"),
    "MMBrowseComp": (*VDR, "mmbrowsecomp"),
    "MMSearch": (*VDR, "hle"),
    "MMSearchPlus": (*VDR, "hle"),
    "RealXBench": (*VDR, "realxbench"),
    "SimpleVQA": ("simplevqa",),
    "SimpleVQA_300": ("hle",),
    "VDRBench": (*VDR, "hle"),
    "VisBrowseBench": (*VDR, "vbb"),
    "hle": (*VDR, "hle"),
}


@pytest.mark.parametrize("folder", sorted(JUDGED))
def test_the_prompts_that_a_judged_benchmark_takes(folder: str) -> None:
    judge = main_block(folder).score_judge
    assert judge is not None
    assert (judge.prompts, judge.prompt) == (JUDGED[folder], JUDGED[folder][0])
    assert judge.official_model == "gpt-4o-2024-05-13"
    assert judge.official_prompt_sha256 is not None


def _judges() -> list[tuple[str, Judge]]:
    """The judge of every block that has one."""
    return [
        (f"{folder}:{name}", block.score_judge)
        for folder in FOLDERS
        for name, block in blocks(folder).items()
        if block.score_judge is not None
    ]


@pytest.mark.parametrize(("where", "judge"), _judges(), ids=[where for where, _ in _judges()])
def test_a_judge_that_a_block_declares_is_in_the_library(where: str, judge: Judge) -> None:
    own = prompt(judge.prompt)
    assert own.contract == judge.contract
    assert judge.official_prompt_sha256 in (None, *own.official_sha256)
    assert judge.prompt in (judge.prompts or (judge.prompt,))
    assert set(judge.prompts) <= set(names())


def test_every_block_that_asks_a_judge_declares_one() -> None:
    for folder in FOLDERS:
        for name, block in blocks(folder).items():
            asks = needs_judge(block)
            assert asks is (block.score_judge is not None), f"{folder}:{name}"
