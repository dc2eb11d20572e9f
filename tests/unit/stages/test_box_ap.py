"""Stage box-ap: boxes beside golds, and everything that keeps one from being used."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mmeval.boxes.annotations import AnnotationSets, read_annotations
from mmeval.errors import UsageError
from mmeval.stages.box_ap import BoxAp
from mmeval.types import Case, Invalid, Json, Measured, Options, Sample

PIXELS: dict[str, Any] = {"grid": "pixels", "form": "xywh"}
GOLD = {"bbox": [10, 10, 20, 20], "label": "dog"}
SIZE: dict[str, Json] = {"width": 200, "height": 100}
FILE: dict[str, Any] = {
    "images": [
        {
            "id": 7,
            "file_name": "a/b.jpg",
            "width": 100,
            "height": 50,
            "neg_category_ids": [2],
            "not_exhaustive_category_ids": [1],
        },
        {"id": 8, "coco_url": "http://images.example/val2017/c.jpg", "width": 10, "height": 10},
    ],
    "annotations": [
        {"id": 0, "image_id": 7, "category_id": 1, "bbox": [10, 10, 20, 20], "area": 300, "iscrowd": 0},
        {"id": 1, "image_id": 7, "category_id": 3, "bbox": [40, 10, 20, 20], "iscrowd": 1},
    ],
    "categories": [{"id": 1, "name": "Dog"}, {"id": 2, "name": "baby_buggy"}, {"id": 3, "name": "crowd"}],
}
ANNOTATIONS = read_annotations(json.dumps(FILE).encode())


def case(reply: Any, answer: Json = None, fields: dict[str, Json] | None = None, **resources: Any) -> Case:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    sample = Sample(
        id=5,
        question="",
        options=Options(()),
        answer=answer,
        references=(),
        predictions=(text,),
        question_type="open",
        fields=SIZE if fields is None else fields,
    )
    return Case(sample, text, (), resources)


def said(stage: BoxAp, given: Case) -> dict[str, Any]:
    outcome = stage(given)
    assert isinstance(outcome, Measured), outcome
    assert isinstance(outcome.evidence, dict)
    return outcome.evidence


def box(*numbers: float, **more: Json) -> dict[str, Json]:
    return {"bbox": list(numbers), "label": "dog", **more}


FRAMES = [
    # a box of 20 by 20 at (10, 10) on an image of 200 by 100
    pytest.param({"grid": "1000", "form": "xyxy"}, [50, 100, 150, 300], id="grid-of-1000"),
    pytest.param({"grid": 1000, "form": "xyxy"}, [50, 100, 150, 300], id="grid-as-a-number"),
    pytest.param({"grid": "1000", "form": "yxyx"}, [100, 50, 300, 150], id="y-first"),
    pytest.param({"grid": "1", "form": "xyxy"}, [0.05, 0.1, 0.15, 0.3], id="grid-of-1"),
    pytest.param({"grid": "pixels", "form": "xyxy"}, [10, 10, 30, 30], id="corners"),
    pytest.param({"grid": "pixels", "form": "xywh"}, [10, 10, 20, 20], id="corner-and-size"),
    pytest.param({"grid": "pixels", "form": "cxcywh"}, [20, 20, 20, 20], id="centre-and-size"),
]


@pytest.mark.parametrize(("params", "numbers"), FRAMES)
def test_coordinates_are_read_as_declared(params: dict[str, Any], numbers: list[float]) -> None:
    found = said(BoxAp(**params), case([{"bbox_2d": numbers, "label": "DOG"}], [GOLD]))
    assert found["boxes"][0]["box"] == pytest.approx([10, 10, 20, 20])
    assert found["boxes"][0]["category"] == found["golds"][0]["category"] == "dog"
    assert (found["tp"], found["fp"], found["fn"], found["f1"]) == (1, 0, 0, 1.0)
    assert found["mean_iou"] == pytest.approx(1)
    assert found["image"] == "5"


DROPPED = [
    pytest.param([box(10, 10, 20)], {"three-numbers": 1}, 0, id="three-numbers"),
    pytest.param([box(10, 10, -20, 20)], {"negative-size": 1}, 0, id="negative-size"),
    pytest.param([box(10, 10, 20, 20), {"bbox": None}], {"null": 1}, 1, id="null"),
    pytest.param([box(1e308, 1, 1e308, 1e308)], {"infinite": 1}, 0, id="too-large"),
    pytest.param([{"bbox": [10, 10, 20, 20]}], {"no-label": 1}, 0, id="no-label"),
    pytest.param("", {}, 0, id="empty"),
    pytest.param("I see no dog here.", {}, 0, id="prose"),
    pytest.param([], {}, 0, id="empty-list"),
]


@pytest.mark.parametrize(("reply", "dropped", "left"), DROPPED)
def test_what_is_no_box_is_counted(reply: Any, dropped: dict[str, int], left: int) -> None:
    found = said(BoxAp(**PIXELS), case(reply, [GOLD]))
    assert found["dropped"] == dropped
    assert len(found["boxes"]) == left
    assert found["fn"] == 1 - left


REFUSED = [
    pytest.param({}, case([], [GOLD], {}), "missing-image-size", id="no-size"),
    pytest.param(
        {"gold_grid": "1000", **PIXELS}, case([], [GOLD], {}), "missing-image-size", id="no-gold-size"
    ),
    pytest.param(PIXELS, case([], None), "missing-reference", id="no-gold"),
    pytest.param(PIXELS, case([], [[1, 2, 3]]), "unparsable-gold: box 0 has no four numbers", id="gold"),
    pytest.param({**PIXELS, "image_field": "image_id"}, case([], [GOLD]), "no-image-name", id="no-image"),
    pytest.param(
        {**PIXELS, "category_field": "what"}, case([], [GOLD]), "no-category-named", id="no-category"
    ),
    pytest.param({**PIXELS, "score_mode": "original"}, case([], [GOLD]), "no-tool-detections", id="no-tools"),
    pytest.param(PIXELS, case([], annotations=ANNOTATIONS), "unknown-image", id="unknown-image"),
    pytest.param(
        PIXELS, case([], annotations=AnnotationSets("domain", {})), "no-annotations", id="unknown-domain"
    ),
]


@pytest.mark.parametrize(("params", "given", "reason"), REFUSED)
def test_a_row_that_cannot_be_graded_says_why(params: dict[str, Any], given: Case, reason: str) -> None:
    assert BoxAp(**params)(given) == Invalid(reason)


@pytest.mark.parametrize("size", [{"width": "200", "height": "100"}, {"width": 200.0, "height": 100}])
def test_a_size_may_be_a_text(size: dict[str, Json]) -> None:
    found = said(BoxAp(), case([box(50, 100, 150, 300)], [GOLD], size))
    assert found["tp"] == 1


@pytest.mark.parametrize("size", [{"width": 0, "height": 9}, {"width": True, "height": 9}, {"width": "x"}])
def test_a_size_that_is_none(size: dict[str, Json]) -> None:
    assert BoxAp()(case([], [GOLD], size)) == Invalid("missing-image-size")


def test_golds_come_from_a_file() -> None:
    fields: dict[str, Json] = {"image": "elsewhere/b.jpg"}
    reply = [box(100, 200, 300, 600), {"bbox": [0, 0, 9, 9], "label": "unicorn"}]
    found = said(BoxAp(evaluator="lvis"), case(reply, None, fields, annotations=ANNOTATIONS))
    assert (found["width"], found["height"], found["tp"]) == (100, 50, 1)
    assert found["golds"] == [
        {"box": [10, 10, 20, 20], "category": "1", "area": 300, "crowd": False, "id": 0},
        {"box": [40, 10, 20, 20], "category": "3", "area": 400, "crowd": True, "id": 1},
    ]
    assert found["boxes"][0]["category"] == "1"
    assert found["dropped"] == {"unknown-label": 1}
    assert (found["negative"], found["not_exhaustive"]) == (["2"], ["1"])


def test_which_file_a_field_says() -> None:
    sets = AnnotationSets("domain", {"one": ANNOTATIONS})
    found = said(BoxAp(), case([], None, {"domain": "one", "image_id": 8}, annotations=sets))
    assert (found["width"], found["golds"]) == (10, [])


ASKED = [
    pytest.param("dog", 1, [], ["1"], id="there"),
    pytest.param("baby buggy", 0, ["2"], [], id="verified-absent"),
    pytest.param(3, 1, [], [], id="by-number"),
]


@pytest.mark.parametrize(("asked", "golds", "negative", "partly"), ASKED)
def test_a_row_may_ask_for_one_category(
    asked: Json, golds: int, negative: list[str], partly: list[str]
) -> None:
    stage = BoxAp(category_field="what", image_field="image_id", evaluator="lvis")
    given = case([[0, 0, 500, 500]], None, {"what": asked, "image_id": 7}, annotations=ANNOTATIONS)
    found = said(stage, given)
    assert found["image"] == "7"
    assert len(found["golds"]) == golds
    assert (found["negative"], found["not_exhaustive"]) == (negative, partly)
    assert len({each["category"] for each in found["boxes"] + found["golds"]}) == 1


LABELS = [
    pytest.param("case_insensitive", "DOG", 1, id="folded"),
    pytest.param("exact", "DOG", 0, id="exact-differs"),
    pytest.param("exact", "dog", 1, id="exact"),
]


@pytest.mark.parametrize(("label_match", "label", "tp"), LABELS)
def test_how_labels_are_compared(label_match: Any, label: str, tp: int) -> None:
    found = said(BoxAp(**PIXELS, label_match=label_match), case([box(10, 10, 20, 20, label=label)], [GOLD]))
    assert found["tp"] == tp


def test_all_boxes_may_be_of_one_class() -> None:
    found = said(BoxAp(**PIXELS, single_class=True), case("10, 10, 20, 20", [[10, 10, 20, 20]]))
    assert (found["tp"], found["boxes"][0]["category"]) == (1, "object")


def test_categories_bring_numbers_and_labels_together() -> None:
    given = case([box(10, 10, 20, 20)], [{"bbox": [10, 10, 20, 20], "category_id": 18}])
    assert said(BoxAp(**PIXELS), given)["tp"] == 0
    known = case([box(10, 10, 20, 20)], given.sample.answer, categories={"18": {"name": "Dog"}})
    assert said(BoxAp(**PIXELS), known)["tp"] == 1


SCORES = [
    pytest.param("response", [0.9, 0.2, 1.0], id="its-own"),
    pytest.param("constant", [1.0, 1.0, 1.0], id="constant"),
    pytest.param("auto", [1.0, 1.0, 1.0], id="auto-without-tools"),
]
REPLY = [box(10, 10, 20, 20, score=0.9), box(50, 10, 20, 20, score=0.2), box(90, 10, 20, 20)]


@pytest.mark.parametrize(("mode", "scores"), SCORES)
def test_where_scores_come_from(mode: Any, scores: list[float]) -> None:
    found = said(BoxAp(**PIXELS, score_mode=mode), case(REPLY, [GOLD]))
    assert [each["score"] for each in found["boxes"]] == scores
    assert "modes" not in found
    unscored = ["1 boxes have no score of their own and count with 1"] if mode == "response" else []
    assert found["notes"] == unscored


def test_boxes_below_a_score_are_dropped() -> None:
    found = said(BoxAp(**PIXELS, score_mode="response", min_score=0.2), case(REPLY, [GOLD]))
    assert len(found["boxes"]) == 3
    found = said(BoxAp(**PIXELS, score_mode="response", min_score=0.3), case(REPLY, [GOLD]))
    assert (len(found["boxes"]), found["dropped"]) == (2, {"low-score": 1})


def test_of_too_many_boxes_the_best_stay_in_order() -> None:
    found = said(BoxAp(**PIXELS, score_mode="response", max_boxes=2), case(REPLY, [GOLD]))
    assert [each["score"] for each in found["boxes"]] == [0.9, 1.0]
    assert found["dropped"] == {"over-limit": 1}


@pytest.mark.parametrize("mode", ["auto", "original"])
def test_tools_lend_score_and_box(mode: Any) -> None:
    tools = {"5": [{"bbox": [11, 10, 31, 30], "label": "Dog", "score": 0.7}]}
    found = said(BoxAp(**PIXELS, score_mode=mode), case(REPLY, [GOLD], tool_detections=tools))
    assert found["modes"] == {
        "constant": [1.0, 1.0, 1.0],
        "original": {
            "scores": [0.7, 0.5, 0.5],
            "boxes": [[11, 10, 20, 20], [50, 10, 20, 20], [90, 10, 20, 20]],
        },
    }


INDEXED = [
    pytest.param({}, {"5": 0.7, "6": 0.3}, 0.7, id="by-id-without-an-index"),
    pytest.param({"index": 6}, {"5": 0.7, "6": 0.3}, 0.3, id="by-index-where-both-are-there"),
    pytest.param({"index": "6"}, {"6": 0.3}, 0.3, id="index-as-a-text"),
    pytest.param({"index": 6}, {"5": 0.7}, 0.5, id="another-row-s-file-is-never-taken"),
    pytest.param({"index": None}, {"5": 0.7}, 0.7, id="no-index-is-none"),
]


@pytest.mark.parametrize(("fields", "files", "score"), INDEXED)
def test_a_tool_s_file_is_called_by_the_index(
    fields: dict[str, Json], files: dict[str, float], score: float
) -> None:
    """Ids that count from 0 beside indices from 1: each row took the file of the one before it."""
    tools = {name: [{"bbox": [10, 10, 30, 30], "score": each}] for name, each in files.items()}
    row = case([box(10, 10, 20, 20)], [GOLD], {**SIZE, **fields}, tool_detections=tools)
    assert said(BoxAp(**PIXELS), row)["modes"]["original"]["scores"] == [score]


def test_a_row_without_tools_of_its_own() -> None:
    found = said(BoxAp(**PIXELS), case(REPLY, [GOLD], tool_detections={}))
    assert found["modes"]["original"]["scores"] == [0.5, 0.5, 0.5]


def test_a_reading_that_looks_wrong_is_noted_and_kept() -> None:
    found = said(BoxAp(grid="pixels", form="xyxy"), case([box(900, 900, 990, 990)], [GOLD]))
    assert len(found["boxes"]) == 1
    assert found["notes"] == ["every box lies outside the image; is the grid pixels, the form xyxy?"]


def test_a_crowd_absorbs() -> None:
    crowd = {"bbox": [0, 0, 100, 100], "label": "dog", "iscrowd": 1}
    found = said(BoxAp(**PIXELS), case([box(10, 10, 20, 20), box(50, 50, 10, 10)], [GOLD, crowd]))
    assert (found["tp"], found["fp"], found["fn"], found["absorbed"]) == (1, 0, 0, [1])


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"grid": "feet"}, "grid is 'feet'"),
        ({"form": "xxyy"}, "form is 'xxyy'"),
        ({"label_match": "fuzzy"}, "label_match is 'fuzzy'"),
        ({"score_mode": "best"}, "score_mode is 'best'"),
        ({"evaluator": "voc"}, "evaluator is 'voc'"),
        ({"max_boxes": 0}, "max_boxes is 0"),
    ],
)
def test_unknown_parameters_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        BoxAp(**params)


def test_a_gold_of_no_category_is_an_error_where_none_is_asked_for() -> None:
    """Nobody could find it, and AP would be 0 without a word."""
    outcome = BoxAp(**PIXELS)(case([box(10, 10, 20, 20)], [[10, 10, 20, 20]]))
    assert outcome == Invalid("unparsable-gold: box 0 has no category; single_class takes all for one")
    one = BoxAp(**PIXELS, single_class=True)
    assert said(one, case([box(10, 10, 20, 20)], [[10, 10, 20, 20]]))["tp"] == 1


NAMES_IMAGE = [
    pytest.param({"image_id": 7}, 1, id="known"),
    pytest.param({"image_id": 99}, None, id="unknown-image-never-the-row-s-id"),
    pytest.param({"image_path": "/d/nobody.jpg"}, None, id="unknown-path"),
    pytest.param({}, 1, id="the-row-s-id-where-no-field-names-one"),
]


@pytest.mark.parametrize(("fields", "golds"), NAMES_IMAGE)
def test_an_unknown_image_is_not_another_one(fields: dict[str, Json], golds: int | None) -> None:
    file = {**FILE, "images": [{"id": 7}, {"id": 5}]}
    file["annotations"] = [
        {"id": 1, "image_id": each, "category_id": 1, "bbox": [10, 10, 20, 20]} for each in (5, 7)
    ]
    found = read_annotations(json.dumps(file).encode())
    outcome = BoxAp(**PIXELS)(case([], None, {**SIZE, **fields}, annotations=found))
    if golds is None:
        assert outcome == Invalid("unknown-image")
    else:
        assert isinstance(outcome, Measured)


def test_the_size_of_the_annotations_counts_where_the_golds_are_theirs() -> None:
    """A row that tells the size of a picture that was made smaller for the model."""
    fields: dict[str, Json] = {"image_id": 7, "width": 50, "height": 25}
    found = said(BoxAp(), case([box(100, 200, 300, 600)], None, fields, annotations=ANNOTATIONS))
    assert (found["width"], found["height"], found["boxes"][0]["box"]) == (100, 50, [10, 10, 20, 20])


def test_a_row_that_the_tool_has_no_file_for_is_told() -> None:
    modes = said(BoxAp(**PIXELS), case([box(10, 10, 20, 20)], [GOLD], tool_detections={}))["modes"]
    assert modes["original"] == {"scores": [0.5], "boxes": [[10, 10, 20, 20]], "missing": True}
    empty = said(BoxAp(**PIXELS), case([box(10, 10, 20, 20)], [GOLD], tool_detections={"5": []}))
    assert "missing" not in empty["modes"]["original"]
    odd = said(
        BoxAp(**PIXELS), case([box(10, 10, 20, 20)], [GOLD], tool_detections={"5": [[1, 2, 3, 4, 0.9]]})
    )
    assert odd["notes"] == ["1 detections of the tool are no box with a score, and lend nothing"]


def test_what_the_numbers_of_categories_stand_for_is_told() -> None:
    fields: dict[str, Json] = {"image_id": 7}
    found = said(BoxAp(**PIXELS), case([box(1, 1, 2, 2)], None, fields, annotations=ANNOTATIONS))
    assert found["labels"] == {"1": "Dog", "3": "crowd"}
    assert "labels" not in said(BoxAp(**PIXELS), case([box(10, 10, 20, 20)], [GOLD]))


@pytest.mark.parametrize(
    ("reply", "gold", "told"),
    [
        ({"category_id": 1}, {"category_id": 1, "label": "dog"}, "by number, the golds by label"),
        ({"label": "dog"}, {"category_id": 1}, "by label, the golds by number"),
        ({"label": "dog"}, {"category_id": 1, "label": "dog"}, None),
        ({"category_id": 1}, {"category_id": 1}, None),
    ],
)
def test_names_that_never_meet_are_told(
    reply: dict[str, Json], gold: dict[str, Json], told: str | None
) -> None:
    numbers: dict[str, Json] = {"bbox": [10, 10, 20, 20]}
    found = said(BoxAp(**PIXELS), case([{**numbers, **reply}], [{**numbers, **gold}]))
    assert [told in note for note in found["notes"]] == ([] if told is None else [True])
    assert found["tp"] == (told is None)
