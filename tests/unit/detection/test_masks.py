"""Run lengths and polygons against pycocotools, which encodes what is read here."""

from __future__ import annotations

import random

import pytest

from mmeval.detection import masks
from mmeval.detection.masks import Mask, Size, overlaps, read_mask, runs_of
from mmeval.errors import UsageError

pytest.importorskip("pycocotools")


@pytest.mark.parametrize("seed", range(40))
def test_compressed_runs_are_read_as_they_were_written(seed: int) -> None:
    import numpy as np
    from pycocotools import mask as library

    rng = np.random.default_rng(seed)
    size = Size(*(int(each) for each in rng.integers(1, 90, 2)))
    pixels = np.asfortranarray((rng.random(size) < rng.random()).astype(np.uint8))
    if not pixels.any():
        pixels[0, 0] = 1
    written = library.encode(pixels)["counts"]
    runs = runs_of(written.decode())
    assert runs is not None
    flat = np.repeat(np.arange(len(runs)) % 2, np.array(runs, dtype=int))
    assert (flat.reshape(size, order="F") == pixels).all()
    for counts in (written.decode(), runs):
        assert read_mask({"size": [*size], "counts": counts}, size) == Mask(size, written)


def test_the_overlap_is_that_of_the_pixels() -> None:
    rng = random.Random(3)
    size = Size(60, 70)
    made = [read_mask([rng.uniform(0, 60) for _ in range(8)], size) for _ in range(12)]
    found = [each for each in made if isinstance(each, Mask)]
    table = overlaps(found, found, [False] * len(found))
    assert [table[place][place] for place in range(len(found))] == [1.0] * len(found)
    assert all(table[a][b] == table[b][a] for a in range(len(found)) for b in range(len(found)))
    assert overlaps(found, [], []) == [[] for _ in found]
    assert overlaps([], found, [False] * len(found)) == []


def test_both_libraries_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    hotcoco = pytest.importorskip("hotcoco")
    said = [[1, 1, 30, 4, 22, 40], [5, 5, 9, 5, 9, 9]]
    expected = read_mask(said, Size(50, 50))
    monkeypatch.setattr(masks, "_library", lambda: hotcoco.mask)
    assert read_mask(said, Size(50, 50)) == expected
    assert isinstance(expected, Mask)
    assert overlaps([expected], [expected], [False]) == [[1.0]]


def test_without_a_library_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    masks._library.cache_clear()
    with pytest.raises(UsageError, match=r"pip install 'mmeval-score\[boxes\]'"):
        read_mask([1, 1, 9, 1, 9, 9], Size(10, 10))
