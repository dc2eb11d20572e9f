"""AP of 180,000 boxes on 5,000 images: ours beside pycocotools, CPU seconds in one process, memory in two.

    python bench/boxes.py [images]

Needs hotcoco and pycocotools (`pip install 'mmeval-score[boxes]'`). Prints one JSON line per comparison.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mmeval.aggregates.box_ap import BoxAp  # noqa: E402
from mmeval.boxes.reading import read_boxes  # noqa: E402
from mmeval.detection.backends import backend  # noqa: E402
from mmeval.detection.coco import from_coco  # noqa: E402
from mmeval.detection.columns import Pool  # noqa: E402
from mmeval.detection.evidence import SaidBox, TrueBox  # noqa: E402
from mmeval.detection.measure import measure  # noqa: E402
from mmeval.detection.protocol import caps  # noqa: E402
from mmeval.types import Row  # noqa: E402

IMAGES, GOLDS, FOUND, CATEGORIES = 5000, 36_000, 180_000, 80
ROUNDS = 5
SMALLER, FASTER = 5, 40
CAPS = caps("coco", None)


class Made(NamedTuple):
    """Generated annotations and results, as COCO tools exchange them."""

    truth: dict[str, Any]
    results: list[dict[str, Any]]


def generate(images: int) -> Made:
    """Golds of any size; detections near most of them, some of these twice, and twice as many elsewhere."""
    import numpy as np

    rng = np.random.default_rng(5)
    golds, found = GOLDS * images // IMAGES, FOUND * images // IMAGES
    popular = 1 / np.arange(1, CATEGORIES + 1) ** 0.6
    share = popular / popular.sum()
    where = rng.integers(1, images + 1, golds)
    what = rng.choice(CATEGORIES, golds, p=share) + 1
    size = np.exp(rng.normal(4, 1, (golds, 2))).clip(4, 400)
    box = np.column_stack([rng.random((golds, 2)) * (640, 480), size]).round(2)
    seen = rng.choice(golds, found // 3)
    near = (box[seen] + rng.normal(0, 0.1, (len(seen), 4)) * np.tile(size[seen], 2)).clip(0.5)
    left = found - len(seen)
    away = np.column_stack(
        [rng.random((left, 2)) * (600, 440), np.exp(rng.normal(3.8, 1, (left, 2))).clip(2, 400)]
    )
    truth = {
        "images": [{"id": number, "width": 640, "height": 480} for number in range(1, images + 1)],
        "categories": [{"id": number, "name": f"c{number}"} for number in range(1, CATEGORIES + 1)],
        "annotations": [
            {
                "id": number,
                "image_id": image,
                "category_id": category,
                "bbox": each,
                "area": each[2] * each[3] * 0.7,
                "iscrowd": 0,
            }
            for number, (image, category, each) in enumerate(
                zip(where.tolist(), what.tolist(), box.tolist(), strict=True), 1
            )
        ],
    }
    results = zip(
        np.concatenate([where[seen], rng.integers(1, images + 1, left)]).tolist(),
        np.concatenate([what[seen], rng.choice(CATEGORIES, left, p=share) + 1]).tolist(),
        np.concatenate([near, away]).round(2).tolist(),
        np.concatenate([rng.beta(4, 2, len(seen)), rng.beta(1.2, 6, left)]).round(5).tolist(),
        strict=True,
    )
    keys = ("image_id", "category_id", "bbox", "score")
    return Made(truth, [dict(zip(keys, each, strict=True)) for each in results])


def peer(made: Made) -> float:
    """AP as pycocotools gives it."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        golds = COCO()
        golds.dataset = made.truth
        golds.createIndex()
        run = COCOeval(golds, golds.loadRes(made.results), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return float(run.stats[0])


def objects(made: Made) -> float:
    """AP of the same two objects."""
    return _ap(measure(from_coco(made.truth, made.results), CAPS, backend("hotcoco", "coco")).official["AP"])


def rows_of(made: Made) -> list[Row]:
    """The rows that a stage leaves: one an image, its boxes as evidence."""
    golds, found = by_image(made.truth["annotations"]), by_image(made.results)
    return [
        Row(str(image["id"]), None, "ok", True, None, None, None, {}, _evidence(image["id"], golds, found))
        for image in made.truth["images"]
    ]


Grouped = dict[int, list[dict[str, Any]]]


def by_image(entries: list[dict[str, Any]]) -> Grouped:
    """Entries by the image that they name."""
    grouped: Grouped = defaultdict(list)
    for each in entries:
        grouped[each["image_id"]].append(each)
    return grouped


def _evidence(image: int, golds: Grouped, found: Grouped) -> dict[str, Any]:
    return {
        "image": str(image),
        "boxes": [
            {"box": each["bbox"], "score": each["score"], "category": str(each["category_id"])}
            for each in found[image]
        ],
        "golds": [
            {"box": each["bbox"], "category": str(each["category_id"]), "area": each["area"], "crowd": False}
            for each in golds[image]
        ],
    }


def replies_of(made: Made) -> dict[int, str]:
    """What a model would have written, image by image."""
    found = by_image(made.results)
    keys = ("category_id", "bbox", "score")
    return {
        image["id"]: json.dumps([{key: each[key] for key in keys} for each in found[image["id"]]])
        for image in made.truth["images"]
    }


def replies(made: Made, texts: dict[int, str]) -> float:
    """AP of the boxes that are read out of replies."""
    golds = by_image(made.truth["annotations"])
    pool = Pool()
    for image, text in texts.items():
        said = [SaidBox(box.values, str(box.category_id), box.score or 0.0) for box in read_boxes(text).boxes]
        pool.add_image(
            str(image),
            [TrueBox(tuple(each["bbox"]), str(each["category_id"]), each["area"]) for each in golds[image]],
        )
        pool.add_boxes(str(image), said)
    return _ap(measure(pool.columns(), CAPS, backend("hotcoco", "coco")).official["AP"])


def _ap(value: float | None) -> float:
    assert value is not None
    return value


def seconds(run: Callable[[], float], rounds: int) -> tuple[float, float]:
    """The best CPU time of these rounds, and what came out."""
    best, value = float("inf"), 0.0
    for _ in range(rounds):
        started = time.process_time()
        value = run()
        best = min(best, time.process_time() - started)
    return best, value


def speed(made: Made) -> None:
    """Each of ours against pycocotools, in this process."""
    rows, texts = rows_of(made), replies_of(made)
    ours = {
        "objects": lambda: objects(made),
        "rows": lambda: _ap(BoxAp(backend="hotcoco")(rows).value),
        "replies": lambda: replies(made, texts),
    }
    ours["objects"]()
    taken = {name: seconds(run, ROUNDS) for name, run in ours.items()}
    theirs, expected = seconds(lambda: peer(made), 1)
    for name, (mine, value) in taken.items():
        asked = f"at least {FASTER} times faster" if name != "replies" else "told"
        print(
            json.dumps(
                {
                    "case": name,
                    "ours_s": round(mine, 3),
                    "peer_s": round(theirs, 2),
                    "peer/ours": round(theirs / mine, 1),
                    "same AP": value == expected,
                    "asked": asked,
                }
            ),
            flush=True,
        )


def memory(made: Made) -> None:
    """Peak memory of a process of its own that reads both files and gives AP."""
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (("truth", made.truth), ("results", made.results)):
            Path(folder, f"{name}.json").write_text(json.dumps(value))
        peaks = {
            name: json.loads(
                subprocess.run(
                    [sys.executable, __file__, "--alone", name, folder],
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            for name in ("objects", "peer")
        }
    ratio = peaks["peer"]["mb"] / peaks["objects"]["mb"]
    print(
        json.dumps(
            {
                "case": "memory",
                "ours_mb": peaks["objects"]["mb"],
                "peer_mb": peaks["peer"]["mb"],
                "peer/ours": round(ratio, 1),
                "same AP": peaks["peer"]["AP"] == peaks["objects"]["AP"],
                "asked": f"less than a {SMALLER}th",
            }
        )
    )


def alone(name: str, folder: str) -> None:
    """One side, from files; prints its AP and the peak of this process."""
    value = _ours_alone(folder) if name == "objects" else peer(_loaded(folder, json.loads))
    print(json.dumps({"AP": value, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}))


def _ours_alone(folder: str) -> float:
    import orjson

    # The objects of the files are free to go once the columns are made.
    columns = from_coco(*_loaded(folder, orjson.loads))
    return _ap(measure(columns, CAPS, backend("hotcoco", "coco")).official["AP"])


def _loaded(folder: str, load: Callable[[bytes], Any]) -> Made:
    return Made(*(load(Path(folder, f"{each}.json").read_bytes()) for each in ("truth", "results")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        alone(*sys.argv[2:])
    else:
        generated = generate(int(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
        memory(generated)
        speed(generated)
