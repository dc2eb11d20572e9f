"""Benchmarks of boxes, from annotation files through `mmeval samples` and replies to the score.

What the protocols print is held to COCOeval (pycocotools) and LVISEval, called here as the official scripts
call them: VinAIResearch/Counting-DETR eval_all.py @ 9cbc19ed227e, QwenLM/Qwen3-VL evaluation/ODinW-13
@ 96588727e44c, lvis-dataset/lvis-api @ 7d7f07def11d.
"""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import lvis_official
import noisy_boxes
import pytest
from annotation_files import write

from mmeval.cli import main
from mmeval.types import Json

SAME = 1e-12
SIX = ("AP", "AP50", "AP75", "APs", "APm", "APl")
VARIABLES = ("GLIP_ROOT", "LVIS_GT_PATH", "LMUData", "SCORE_MODE")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pycocotools")
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def mmeval(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(each) for each in arguments])
    return int(left.value.code or 0)


def rows_of(root: Path, layout: str, out: Path, *more: str) -> list[dict[str, Any]]:
    """What `mmeval samples` makes of annotation files."""
    assert mmeval("samples", "--annotations", root, "--layout", layout, *more, "-o", out) == 0
    return [json.loads(line) for line in out.read_text().splitlines()]


def answered(folder: Path, rows: list[dict[str, Any]], said: list[Json]) -> Path:
    """A run: the rows with replies."""
    for row, each in zip(rows, said, strict=True):
        turn = {"role": "assistant", "response": [each if isinstance(each, str) else json.dumps(each)]}
        row["messages"] = [row["messages"][0], turn]
    return write(folder / "result.json", rows)


def scored(path: Path, *flags: str) -> dict[str, Any]:
    assert mmeval("score", "--results", path, "--force", *flags) == 0
    document: dict[str, Any] = json.loads((path.parent / "score.json").read_bytes())
    return document


def figures(document: dict[str, Any]) -> dict[str, float | None]:
    return {name: each["value"] for name, each in document["summary"]["aggregates"].items()}


def same(found: float | None, official: float) -> bool:
    """Equal, where -1 is the official word for nothing to measure."""
    return official == -1 if found is None else math.isclose(found, official, abs_tol=SAME, rel_tol=0)


def fscd(tmp_path: Path, seed: int, most: int = 6) -> tuple[Path, list[dict[str, Any]], Any, list[Any]]:
    """A run on made-up FSCD-147, its rows, its golds, and the boxes of its replies."""
    rng = random.Random(seed)
    truth = noisy_boxes.truth(rng, 12, most=most)
    rows = rows_of(noisy_boxes.fscd_147(tmp_path / "fscd", truth), "fscd147", tmp_path / "s.jsonl")
    said = noisy_boxes.replies(rows, rng)
    return answered(tmp_path / "run", rows, [*said]), rows, truth, said


@pytest.mark.parametrize("seed", range(4))
def test_fscd_is_cocoeval_over_one_class(seed: int, tmp_path: Path) -> None:
    path, rows, truth, said = fscd(tmp_path, seed)
    official = noisy_boxes.cocoeval(noisy_boxes.single_class(truth), noisy_boxes.results(rows, said))
    found = figures(scored(path))
    assert [
        name for name, value in zip(SIX, official.stats, strict=False) if not same(found[name], value)
    ] == []
    errors = [abs(len(boxes) - len(row["answer"])) for row, boxes in zip(rows, said, strict=True)]
    golds = [len(row["answer"]) for row in rows]
    assert found["MAE"] == pytest.approx(sum(errors) / len(errors))
    assert found["RMSE"] == pytest.approx(math.sqrt(sum(each**2 for each in errors) / len(errors)))
    assert found["NAE"] == pytest.approx(sum(e / g for e, g in zip(errors, golds, strict=True)) / len(errors))
    assert found["exact"] == pytest.approx(100 * errors.count(0) / len(errors))


def test_the_authors_of_fscd_count_1100_boxes(tmp_path: Path) -> None:
    path, rows, truth, said = fscd(tmp_path, 9, most=140)
    official = noisy_boxes.cocoeval(
        noisy_boxes.single_class(truth), noisy_boxes.results(rows, said), (900, 1000, 1100)
    )
    precision = official.eval["precision"][:, :, :, 0, 2]
    wanted = float(precision[precision > -1].mean())
    found = figures(scored(path, "--protocol", "@authors"))
    assert same(found["AP"], wanted)
    assert figures(scored(path))["AP"] < wanted


def test_a_hundred_and_fifty_of_as_many_found(tmp_path: Path) -> None:
    """Facts 7: 67 of 101 recall points at 100 boxes, all of them at 1100."""
    places = [[left, top] for left in range(0, 1000, 66) for top in range(0, 1000, 100)][:150]
    golds = [{"bbox": [left, top, 40, 40]} for left, top in places]
    row = {"eval-id": 1, "width": 1000, "height": 1000, "answer": golds, "messages": [{"role": "user"}]}
    row["dataset_meta"] = {"dataset_name": "FSCD_147_bbox_val"}
    said: list[Json] = [[{"bbox_2d": [left, top, left + 40, top + 40]} for left, top in places]]
    path = answered(tmp_path, [row], said)
    assert figures(scored(path))["AP"] == pytest.approx(67 / 101, abs=SAME)
    assert figures(scored(path, "--protocol", "@authors"))["AP"] == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_odinw_is_the_mean_over_domains(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    truths = noisy_boxes.odinw(tmp_path / "glip", rng)
    rows = rows_of(tmp_path / "glip", "odinw13", tmp_path / "s.jsonl")
    said = noisy_boxes.replies(rows, rng)
    path = answered(tmp_path / "run", rows, [*said])
    monkeypatch.setenv("GLIP_ROOT", str(tmp_path / "glip"))
    document = scored(path)
    parts = document["summary"]["groups"]["ODinW13_average"]
    stats, widest = [], []
    for domain, truth in truths.items():
        mine = [(row, each) for row, each in zip(rows, said, strict=True) if row["domain"] == domain]
        numbers = {each["name"].casefold(): each["id"] for each in truth["categories"]}
        results = noisy_boxes.results([row for row, _ in mine], [each for _, each in mine], numbers)
        # ties: the images of a run are taken in its own order, which `mmeval samples` makes that of the file
        order = {image["id"]: place for place, image in enumerate(truth["images"], 1)}
        official = noisy_boxes.cocoeval(*_renumbered(truth, results, order))
        stats.append(official.stats)
        assert [
            n for n, v in zip(SIX, official.stats, strict=False) if not same(parts[f"{domain}.{n}"], v)
        ] == []
        qwen = noisy_boxes.cocoeval(*_renumbered(truth, results, order), (100, 300, 1000))
        widest.append([float(f"{round(each, 3)}") for each in qwen.stats[:6]])
    found = figures(document)
    assert same(found["ODinW13_average"], float(sum(each[0] for each in stats) / 13))
    small = [float(each[3]) for each in stats if each[3] > -1]
    assert found["APs"] == pytest.approx(sum(small) / len(small), abs=SAME)
    authors = figures(scored(path, "--protocol", "@authors"))
    for place, name in enumerate(("ODinW13_average", *SIX[1:])):
        assert authors[name] == pytest.approx(sum(each[place] for each in widest) / 13, abs=SAME), name
    assert figures(scored(path, "--protocol", "@rows"))["ODinW13_average"] == found["ODinW13_average"]


def _renumbered(
    truth: dict[str, Any], results: list[dict[str, Any]], order: dict[int, int]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same images under other numbers, which is what settles ties."""
    images = [{**each, "id": order[each["id"]]} for each in truth["images"]]
    golds = [{**each, "image_id": order[each["image_id"]]} for each in truth["annotations"]]
    found = [{**each, "image_id": order[each["image_id"]]} for each in results]
    return {**truth, "images": images, "annotations": golds}, found


@pytest.mark.parametrize("seed", range(3))
def test_lvis_is_lvis_eval_over_the_queries_pooled(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not lvis_official.can_ask():
        pytest.skip("lvis is not installed, and MMEVAL_PEERS_PYTHON names no Python that has it")
    rng = random.Random(seed)
    truth = noisy_boxes.truth(rng, 12)
    file = write(tmp_path / "lvis_v1_val.json", truth)
    rows = rows_of(file, "lvis", tmp_path / "s.jsonl")
    said = noisy_boxes.replies(rows, rng)
    path = answered(tmp_path / "run", rows, [*said])
    official = lvis_official.ask([(truth, noisy_boxes.results(rows, said), 300)])[0].official
    assert official is not None
    monkeypatch.setenv("LVIS_GT_PATH", str(file))
    found = figures(scored(path))
    names = (*SIX, "APr", "APc", "APf")
    assert [name for name in names if not same(found[name], official[name])] == []
    assert figures(scored(path, "--protocol", "@rows")) == found
    monkeypatch.setenv("LVIS_GT_PATH", str(tmp_path))
    assert figures(scored(path)) == found


def test_a_box_of_an_absent_category_counts_against_federated_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts 7: a box on a verified-absent image that is ranked first is AP 0.5."""
    boxes = [{"id": 1, "image_id": 2, "category_id": 1, "bbox": [10, 10, 50, 50], "area": 2500}]
    images = [
        {"id": 1, "file_name": "1.jpg", "width": 100, "height": 100, "neg_category_ids": [1]},
        {"id": 2, "file_name": "2.jpg", "width": 100, "height": 100},
    ]
    kinds = [{"id": 1, "name": "cup", "frequency": "f"}]
    file = write(tmp_path / "v.json", {"images": images, "annotations": boxes, "categories": kinds})
    monkeypatch.setenv("LVIS_GT_PATH", str(file))
    for queries, value in (("federated", 0.5), ("positive", 1.0)):
        rows = rows_of(file, "lvis", tmp_path / f"{queries}.jsonl", "--queries", queries)
        said: list[Json] = [[{"bbox_2d": [100, 100, 600, 600], "label": "cup"}] for _ in rows]
        document = scored(answered(tmp_path / queries, rows, said))
        assert figures(document)["AP"] == pytest.approx(value)


MISSING = [
    pytest.param("odinw13", "GLIP_ROOT", "AerialMaritimeDrone/large/test/annotations_", id="odinw"),
    pytest.param("lvis", "LVIS_GT_PATH", "lvis_v1_val.json", id="lvis"),
]


@pytest.mark.parametrize(("layout", "variable", "file"), MISSING)
def test_missing_annotations_are_one_sentence_with_variable_and_path(
    layout: str, variable: str, file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1)
    root = tmp_path / "data"
    if layout == "lvis":
        root = write(root / "v.json", noisy_boxes.truth(rng, 2))
    else:
        noisy_boxes.odinw(root, rng)
    rows = rows_of(root, layout, tmp_path / "s.jsonl")
    path = answered(tmp_path / "run", rows, ["[]"] * len(rows))
    capsys.readouterr()
    assert mmeval("score", "--results", path) == 2
    told = [line for line in capsys.readouterr().err.splitlines() if "is missing" in line]
    assert len(told) == 1
    assert variable in told[0] and file in told[0]


def test_a_tool_lends_scores_and_the_reply_alone_keeps_its_number(tmp_path: Path) -> None:
    path, rows, _, _ = fscd(tmp_path, 3)
    alone = figures(scored(path))
    assert alone["AP"] == alone["AP_constant"]
    for row in rows:
        corners = [
            [
                gold["bbox"][0],
                gold["bbox"][1],
                gold["bbox"][0] + gold["bbox"][2],
                gold["bbox"][1] + gold["bbox"][3],
            ]
            for gold in row["answer"]
        ]
        tool = [{"bbox": each, "score": 0.9} for each in corners]
        write(path.parent / "tool_detections" / f"{row['eval-id']}.json", tool)
    lent = figures(scored(path))
    assert lent["AP_constant"] == alone["AP"]
    assert lent["AP"] > alone["AP"]


def test_masks_of_lvis_are_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {
        "eval-id": 1,
        "answer": [],
        "messages": [{"role": "user"}],
        "dataset_meta": {"dataset_name": "LVISMask"},
    }
    assert mmeval("score", "--results", answered(tmp_path, [row], ["[]"])) == 2
    told = capsys.readouterr().err
    assert "no public protocol" in told and "--protocol @matching" in told


def test_masks_can_be_matched_in_our_own_way(tmp_path: Path) -> None:
    corners = [10, 10, 60, 10, 60, 60, 10, 60]
    gold = {"category_id": 1, "segmentation": [corners]}
    row = {"width": 100, "height": 100, "answer": [gold], "messages": [{"role": "user"}]}
    row["dataset_meta"] = {"dataset_name": "LVISMask"}
    half = [10, 10, 60, 10, 60, 35, 10, 35]
    said: list[Json] = [[gold], [{"category_id": 1, "polygon": half}], "[]", [{**gold, "category_id": 2}]]
    path = answered(tmp_path, [{"eval-id": at, **row} for at in range(4)], said)
    found = figures(scored(path, "--protocol", "@matching"))
    assert (found["precision"], found["recall"]) == (pytest.approx(2 / 3), 0.5)
    assert found["mIoU"] == pytest.approx((1 + 0.5) / 4)


def test_nothing_found_is_zero_and_never_an_error(tmp_path: Path) -> None:
    rng = random.Random(5)
    rows = rows_of(
        noisy_boxes.fscd_147(tmp_path / "f", noisy_boxes.truth(rng, 3)), "fscd147", tmp_path / "s.jsonl"
    )
    document = scored(answered(tmp_path / "run", rows, ["", "no", "[]"]))
    assert (figures(document)["AP"], figures(document)["F1"]) == (0.0, 0.0)
    assert document["summary"]["invalid"] == 0


ORDERS = [
    pytest.param(("a", "b"), 0.5, 1.0, id="text-ids-as-they-come"),
    pytest.param((1, 2), 0.5, 0.5, id="number-ids-by-number"),
]


@pytest.mark.parametrize(("names", "straight", "turned"), ORDERS)
def test_equal_scores_are_settled_by_the_order_of_images(
    names: tuple[Any, Any], straight: float, turned: float, tmp_path: Path
) -> None:
    """Facts 7: a box too many in the first image and the right one in the second, or the other way round."""
    row = {"width": 100, "height": 100, "messages": [{"role": "user"}]}
    row["dataset_meta"] = {"dataset_name": "FSCD_147_bbox_val"}
    rows = [{"eval-id": names[0], **row, "answer": []}]
    rows += [{"eval-id": names[1], **row, "answer": [{"bbox": [10, 10, 50, 50]}]}]
    found = [
        figures(scored(answered(tmp_path, [dict(each) for each in order], ["[[100, 100, 600, 600]]"] * 2)))
        for order in (rows, rows[::-1])
    ]
    assert [each["AP"] for each in found] == pytest.approx([straight, turned])
    assert found[0]["F1"] == found[1]["F1"] == pytest.approx(2 / 3)


# How models write the box (96, 120, 480, 360) of an image of 960 by 480: protocol, reply, model.
FORMS = [
    pytest.param("RefCOCO", "<ref>it</ref><box>(100,250),(500,750)</box>", id="qwen-vl"),
    pytest.param("RefCOCO", "<ref>it</ref><box>[[100, 250, 500, 750]]</box>", id="internvl"),
    pytest.param("RefCOCO+", "The left dog [[100,250,500,750]].", id="cogvlm"),
    pytest.param(
        "RefCOCOg", '```json\n[{"bbox_2d": [100, 250, 500, 750], "label": "it"}]\n```', id="qwen3-vl"
    ),
    pytest.param("RefCOCO@pixels", '[{"bbox_2d": [96, 120, 480, 360], "label": "it"}]', id="qwen2.5-vl"),
    pytest.param("RefCOCO@shikra", "Answer: [0.100,0.250,0.500,0.750] .", id="shikra"),
    pytest.param("RefCOCOg@lmms-eval", "[0.1, 0.25, 0.5, 0.75]", id="llava"),
    pytest.param("RefCOCO+@minigpt-v2", "<p>it</p> {<10><25><50><75>}", id="minigpt-v2"),
]


@pytest.mark.parametrize(("protocol", "reply"), FORMS)
def test_one_box_in_the_form_of_each_model(protocol: str, reply: str, tmp_path: Path) -> None:
    row = {"answer": [96, 120, 384, 240], "width": 960, "height": 480, "messages": [{"role": "user"}]}
    wrong = "[[0, 0, 0.01, 0.01]]"
    path = answered(
        tmp_path, [{"eval-id": at, **row} for at in range(4)], [reply, reply, wrong, "it is gone"]
    )
    found = figures(scored(path, "--protocol", protocol))
    assert found["accuracy"] == 50.0
    assert found["mean_iou"] == pytest.approx(0.5, abs=1e-2)


def test_the_threshold_of_shikra_is_above_a_half(tmp_path: Path) -> None:
    row = {"eval-id": 1, "answer": [0, 0, 500, 1000], "width": 1000, "height": 1000}
    row["messages"] = [{"role": "user"}]
    for protocol, value in (("RefCOCO@lmms-eval", 100.0), ("RefCOCO@shikra", 0.0)):
        path = answered(tmp_path, [dict(row)], [[0, 0, 1, 1]])
        assert figures(scored(path, "--protocol", protocol))["accuracy"] == value


def test_the_average_of_screenspot_is_that_of_six_groups(tmp_path: Path) -> None:
    groups = [("ios", "text"), ("ios", "icon"), ("macos", "text"), ("windows", "icon"), ("shop", "text")]
    rows = [
        {"eval-id": at, "answer": [100, 100, 50, 50], "width": 1000, "height": 500, "data_source": source}
        | {"data_type": kind, "messages": [{"role": "user"}]}
        for at, (source, kind) in enumerate(
            [*groups, ("forum", "icon"), ("android", "text"), ("tool", "icon")]
        )
    ]
    said: list[Json] = ["(0.12,0.25)", "(0.9,0.25)", "(0.1,0.2)", "(0.15,0.3)", "click", "(0.2,0.2)"]
    said += ["(0.11,0.21)", "[0.1, 0.2, 0.15, 0.3]"]
    found = figures(scored(answered(tmp_path, rows, said), "--protocol", "ScreenSpot@seeclick"))
    assert (found["mobile_text"], found["mobile_icon"], found["web_icon"]) == (100.0, 0.0, 50.0)
    assert found["average"] == pytest.approx((100 + 0 + 100 + 100 + 0 + 50) / 6)
    assert found["accuracy"] == pytest.approx(100 * 5 / 8)
