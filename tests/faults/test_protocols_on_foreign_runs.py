"""Any protocol over any run: a score without failed rows, or one sentence; never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest
from judged_runs import by_rules

from mmeval import MmevalError, library
from mmeval.registry import protocol_folders

RUNS = Path(__file__).resolve().parents[1] / "fixtures" / "runs"
FILES = sorted(path for path in RUNS.glob("*/*.json*") if "score" not in path.name)


def references(folder: str) -> list[str]:
    metadata = library.load(folder)
    name = metadata.dataset_name or folder
    return [
        f"{name}:{subset}{variant}" if subset != "*" else f"{name}{variant}"
        for subset, block in metadata.subsets.items()
        for variant in ("", *(f"@{each}" for each in block.variants))
    ]


@pytest.mark.parametrize("folder", sorted(protocol_folders()))
def test_a_protocol_over_every_run(tmp_path: Path, folder: str) -> None:
    for reference in references(folder):
        for path in FILES:
            try:
                scored = by_rules(path, reference, out=tmp_path / "x.json", force=True)
            except MmevalError as error:
                assert "\n" not in str(error)
                # which run or protocol; of a file that is missing beside the run, where it was looked for
                said = (path.name, f"looked for {path.parent}", reference.partition("@")[0].partition(":")[0])
                assert any(each in str(error) for each in said)
            else:
                assert scored.failed == 0
