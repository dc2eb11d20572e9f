"""The protocol library as data: every folder lints, is documented, and says where it comes from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mmeval import library
from mmeval.lint import lint
from mmeval.metadata import Block, Route, Unsupported
from mmeval.registry import protocol_folders

ROOT = Path(__file__).resolve().parents[2]
PROTOCOLS = ROOT / "protocols"
FOLDERS = sorted(path.parent.name for path in PROTOCOLS.glob("*/metadata.json"))
SOURCE = re.compile(r"[\w.-]+/[\w.-]+ .+@[0-9a-f]{7,40}(?: \(\w+\))?")

# folder: pipeline, headline, scale, rows, status. Sources: the folder's README; row counts: facts of the
# datasets (splits whose answers are public); None where a name covers several splits.
DECLARED = [
    ("AMBER", "rule-match", "f1", 100, 14216, "official"),
    ("BLINK", "rule-match", "accuracy", 100, 1901, "derived"),
    ("ChartQA", "rule-match", "relaxed_accuracy", 1, 2500, "official"),
    ("ChartQA_TEST", "rule-match", "overall", 100, 2500, "official"),
    ("CountQA", "count-parse", "accuracy", 100, 1528, "derived"),
    ("DocVQA", "anls", "anls", 1, 5349, "official"),
    ("DocVQA_VAL", "anls", "anls", 100, 5349, "official"),
    ("ERQA", "rule-match", "accuracy", 100, 400, "official"),
    ("EmbSpatialBench", "rule-match", "accuracy", 100, 3640, "official"),
    ("FREAK_MCQ", "rule-match", "accuracy", 100, 994, "derived"),
    ("FSC147_val", "count-parse", "accuracy", 100, 1286, "derived"),
    ("HallusionBench", "rule-match", "score", 100, 951, "derived"),
    ("InfographicVQA", "anls", "anls", 1, 2801, "official"),
    ("MMBench", "rule-match", "circular_accuracy", 100, None, "derived"),
    ("MME", "rule-match", "perception", 1, 2374, "official"),
    ("MMEvalPro", "rule-match", "GA_macro", 100, 6414, "official"),
    ("MMMU", "rule-match", "accuracy", 1, 900, "official"),
    ("MMMU-Pro", "rule-match", "accuracy", 1, 1730, "official"),
    ("MMSIBench_wo_circular", "rule-match", "accuracy", 100, 1000, "official"),
    ("MMStar", "rule-match", "accuracy", 100, 1500, "derived"),
    ("MindCubeBench_tiny_raw_qa", "rule-match", "accuracy", 100, 1040, "official"),
    ("OCRBench", "rule-match", "final_score", 1, 1000, "official"),
    ("OK-VQA", "vqa-accuracy", "vqa_accuracy", 100, 5046, "official"),
    ("POPE", "rule-match", "f1", 1, 9000, "official"),
    ("PixmoCount_val", "count-parse", "accuracy", 100, 534, "derived"),
    ("RealWorldQA", "rule-match", "accuracy", 100, 765, "derived"),
    ("ST-VQA", "anls", "anls", 1, None, "derived"),
    ("ScienceQA", "rule-match", "accuracy", 100, 4241, "official"),
    ("ScienceQA-IMG", "rule-match", "accuracy", 100, 2017, "official"),
    ("SparBench_tiny", "route", "overall", 100, 1000, "official"),
    ("TempCompass", "rule-match", "avg", 100, 1580, "derived"),
    ("TextVQA", "vqa-accuracy", "vqa_accuracy", 100, 5000, "official"),
    ("TextVQA_VAL", "vqa-accuracy", "vqa_accuracy", 100, 5000, "official"),
    ("VStarBench", "rule-match", "accuracy", 100, 191, "derived"),
    ("VQAv2", "vqa-accuracy", "vqa_accuracy", 100, 214354, "official"),
    ("VizWiz-VQA", "vqa-accuracy", "vqa_accuracy", 100, 4319, "official"),
]


def blocks(folder: str) -> dict[str, Block]:
    """Every block of a folder that can score, by `subset` or `subset@variant`."""
    found: dict[str, Block] = {}
    for name, subset in library.load(folder).subsets.items():
        if not isinstance(subset.score_pipeline, Unsupported):
            found[name] = subset
            found |= {f"{name}@{variant}": block for variant, block in subset.variants.items()}
    return found


def main_block(folder: str) -> Block:
    return next(iter(blocks(folder).values()))


@pytest.mark.parametrize(
    ("folder", "pipeline", "headline", "scale", "rows", "status"), DECLARED, ids=[row[0] for row in DECLARED]
)
def test_what_a_folder_declares(
    folder: str, pipeline: str, headline: str, scale: float, rows: int | None, status: str
) -> None:
    block = main_block(folder)
    chosen = next(each for each in block.score_aggregates if each.headline)
    assert block.score_pipeline == (pipeline,) or (
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
    "ChartQA_TEST",
    "CountQA",
    "DocVQA_VAL",
    "ERQA",
    "EmbSpatialBench",
    "FREAK_MCQ",
    "FSC147_val",
    "MMSIBench_wo_circular",
    "MindCubeBench_tiny_raw_qa",
    "PixmoCount_val",
    "SparBench_tiny",
    "TextVQA_VAL",
}


@pytest.mark.parametrize("folder", FOLDERS)
def test_mm_evals_name_finds_the_folder(folder: str) -> None:
    assert folder in NOT_OF_MM_EVAL or library.index()[f"mm-eval/{folder}".casefold()] == folder


def test_the_variants_that_every_rule_benchmark_has() -> None:
    for folder, pipeline, *_ in DECLARED:
        wanted = {"reference", "robust"} if pipeline in ("rule-match", "route") else set()
        for name, subset in library.load(folder).subsets.items():
            if not isinstance(subset.score_pipeline, Unsupported):
                assert wanted <= set(subset.variants), f"{folder}:{name}"


@pytest.mark.parametrize(("reference", "rules"), [("POPE@sane", "robust"), ("MMBench@vanilla", "vlmevalkit")])
def test_variants_are_found_by_name(reference: str, rules: str) -> None:
    entry = library.named(reference, None)
    assert rules in entry.block.score_params.values()


def test_tempcompass_refuses_the_tasks_it_does_not_score() -> None:
    for subset in ("captioning", "yes_no", "caption_matching"):
        entry = library.named("TempCompass", subset)
        assert isinstance(entry.block.score_pipeline, Unsupported)


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
