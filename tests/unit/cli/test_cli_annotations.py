"""`mmeval samples --annotations`: rows for boxes, from the files that their authors publish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import annotation_files as made
import pytest

from mmeval.cli import main


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as left:
        main(["samples", *map(str, arguments)])
    said = capsys.readouterr()
    return int(left.value.code or 0), said.out, said.err


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_queries_of_lvis_become_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = made.write(tmp_path / "lvis.json", made.LVIS), tmp_path / "out" / "s.jsonl"
    code, said, told = call(capsys, "--annotations", file, "--layout", "lvis", "--images", "pics", "-o", out)
    rows = read(out)
    assert (code, said) == (0, f"6 samples in {out}\n")
    assert "the picture of the first row is not at pics/val2017/000000000030.jpg" in told
    assert rows[0]["media"] == ["pics/val2017/000000000030.jpg"]
    assert [row["query"][0] for row in rows] == ["n", "p", "p", "n", "p", "n"]
    assert rows[0]["dataset_meta"]["dataset_name"] == "LVIS_bbox_val_federated"


def test_a_question_of_ones_own_can_use_the_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = made.fscd_147(tmp_path / "fscd"), tmp_path / "s.jsonl"
    asked = ("--question", "Box all {category}.")
    assert call(capsys, "--annotations", root, "--layout", "fscd147", *asked, "-o", out)[0] == 0
    assert [row["messages"][0]["question"] for row in read(out)] == ["Box all beads.", "Box all sea shells."]


def test_a_variant_that_needs_no_file_can_be_injected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = made.odinw(tmp_path / "glip"), tmp_path / "s.jsonl"
    for flags, needed in (
        ((), {"annotations", "tool_detections"}),
        (("--protocol", "@rows"), {"tool_detections"}),
    ):
        out.unlink(missing_ok=True)
        assert call(capsys, "--annotations", root, "--layout", "odinw13", *flags, "-o", out)[0] == 0
        assert set(read(out)[0]["dataset_meta"]["score_resources"]) == needed


MISUSED = [
    pytest.param(("--layout", "lvis"), "belong to --annotations", id="layout-alone"),
    pytest.param(("--images", "x", "--data", "y"), "belong to --annotations", id="images-of-a-table"),
    pytest.param(("--annotations", "x", "--data", "y"), "a benchmark of its own", id="two-benchmarks"),
    pytest.param(("--annotations", "x", "--split", "val"), "a benchmark of its own", id="split"),
    pytest.param(("--annotations", "x"), "--layout None: give one of lvis", id="no-layout"),
    pytest.param(("--annotations", "x", "--layout", "lvis"), "x: cannot be read", id="no-file"),
]


@pytest.mark.parametrize(("flags", "said"), MISUSED)
def test_flags_that_do_not_go_together(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, told = call(capsys, *flags)
    assert code == 2
    assert said in told
