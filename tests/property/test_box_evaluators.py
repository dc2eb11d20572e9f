"""On generated sets of boxes every backend gives what the official evaluators give, to the last digit."""

from __future__ import annotations

import random
from typing import Any

import detection_sets
import lvis_official
import pytest

from mmeval.detection.backends import backend
from mmeval.detection.coco import from_coco
from mmeval.detection.measure import measure
from mmeval.detection.protocol import Caps, caps

pytest.importorskip("hotcoco")
pytest.importorskip("pycocotools")

SAME = 1e-12
SEEDS = range(200)
COCO = caps("coco", None)


def numbers(made: dict[str, float | None]) -> dict[str, float]:
    """As the official summaries write them: -1 for nothing to measure."""
    return {name: -1.0 if value is None else value for name, value in made.items()}


@pytest.mark.parametrize("start", SEEDS[::20])
def test_equal_to_cocoeval(start: int) -> None:
    fast, reference = backend("hotcoco", "coco"), backend("reference", "coco")
    for seed in range(start, start + 20):
        truth, results = detection_sets.generated(seed)
        made = from_coco(truth, results)
        found = measure(made, COCO, fast).official
        assert found == measure(made, COCO, reference).official, seed
        if results:
            official = detection_sets.coco_official(truth, results)
            assert numbers(found) == pytest.approx(official, abs=SAME), seed


@pytest.mark.parametrize("cap", [300, 7])
def test_equal_to_lviseval(cap: int) -> None:
    if not lvis_official.can_ask():
        pytest.skip("neither lvis nor a Python with the peers (MMEVAL_PEERS_PYTHON) is there")
    sets = [detection_sets.generated(seed) for seed in SEEDS]
    answers = lvis_official.ask([(*each, cap) for each in sets])
    fast, at = backend("hotcoco", "lvis"), caps("lvis", cap)
    for seed, (truth, results), answer in zip(SEEDS, sets, answers, strict=True):
        frequencies = {str(each["id"]): each["frequency"] for each in truth["categories"]}
        found = measure(from_coco(truth, results), at, fast, frequencies).official
        assert found == answer.reference, seed
        if answer.official is not None:
            assert numbers(found) == pytest.approx(answer.official, abs=SAME), seed


def test_the_sets_hold_what_they_should() -> None:
    sets = [detection_sets.generated(seed) for seed in SEEDS]
    assert any(len(results) == 0 for _, results in sets)
    assert any(not truth["annotations"] for truth, _ in sets)
    assert any(gold["iscrowd"] for truth, _ in sets for gold in truth["annotations"])
    assert any(len(_most(results)) > 300 for _, results in sets if results)
    assert any(len({each["score"] for each in results}) == 1 for _, results in sets if len(results) > 5)


def _most(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The detections of the image that has most of them."""
    images = {each["image_id"] for each in results}
    return max(([each for each in results if each["image_id"] == image] for image in images), key=len)


@pytest.mark.parametrize("evaluator", ["coco", "lvis"])
@pytest.mark.parametrize("seed", range(12))
def test_without_ties_no_order_changes_a_digit(seed: int, evaluator: Any) -> None:
    """Ties are what order decides, and nothing else."""
    truth, results = detection_sets.generated(seed)
    rng = random.Random(seed)
    for number, each in enumerate(rng.sample(results, len(results))):
        each["score"] = 1 / (number + 2)
    at: Caps = caps(evaluator, None)
    before = measure(from_coco(truth, results), at, backend("hotcoco", evaluator)).official
    shuffled = {**truth, "images": rng.sample(truth["images"], len(truth["images"]))}
    after = measure(from_coco(shuffled, rng.sample(results, len(results))), at, backend("hotcoco", evaluator))
    assert after.official == before


@pytest.mark.parametrize("seed", range(8))
def test_every_image_drawn_once_is_the_set_itself(seed: int) -> None:
    import numpy as np

    truth, results = detection_sets.generated(seed)
    made = from_coco(truth, results)
    fast = backend("hotcoco", "coco")
    drawn = made.drawn(np.arange(len(made.images)))
    assert measure(drawn, COCO, fast).official == measure(made, COCO, fast).official


def test_golds_as_detections_are_perfect() -> None:
    for seed in range(20):
        truth, _ = detection_sets.generated(seed)
        golds = [each for each in truth["annotations"] if not each["iscrowd"]]
        found = [{**each, "score": 0.5} for each in golds]
        made = measure(from_coco({**truth, "annotations": golds}, found), COCO, backend("hotcoco", "coco"))
        if made.official["AP"] is None:
            assert not golds
        else:
            assert (made.official["AP"], made.official["AR100"]) == pytest.approx((1.0, 1.0), abs=SAME)
