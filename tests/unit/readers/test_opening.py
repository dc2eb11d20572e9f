"""Files of other harnesses through the same door as ours, and pickles through none."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mmeval import Job, score
from mmeval.errors import ResultError
from mmeval.readers import BadRow, Fields, ForeignRun, open_run

VLM = {"index": 1, "question": "q", "A": "cat", "B": "dog", "answer": "A", "prediction": "A"}


class Bomb:
    """What runs where it is opened."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("opened"),)


@pytest.mark.parametrize("name", ["preds.pkl", "result.json", "m_pets.xlsx", "x.eval"])
def test_pickles_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ResultError, match=r"is a pickle.* never opened.*PRED_FORMAT=tsv"):
        open_run(tmp_path / name)
    assert not (tmp_path / "opened").exists()


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_the_same_surface(tmp_path: Path) -> None:
    rows = [VLM, {**VLM, "index": 1, "prediction": None}, {**VLM, "index": 2}]
    with open_run(written(tmp_path / "m_POPE.json", *rows)) as run:
        assert isinstance(run, ForeignRun)
        assert (run.format, run.n_rows, run.duplicate_ids) == ("vlmevalkit", 3, {"1": 2})
        assert [meta.block for meta in run.metas] == [{"dataset_name": "POPE"}]
        kinds = [item.reason if isinstance(item, BadRow) else item.id for item in run.samples(Fields())]
    assert kinds == ["duplicate-id", "duplicate-id", 2]


def test_flaws_of_cells_cost_their_rows(tmp_path: Path) -> None:
    rows = ["index\tquestion\tanswer\tprediction", "1\tq\tA\t" + "x" * 32_767, "2\tq\tA\tA"]
    path = tmp_path / "m_pets.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with open_run(path) as run:
        kinds = [item.reason if isinstance(item, BadRow) else item.id for item in run.samples(Fields())]
    assert kinds == ["cell-truncated", 2]


def test_a_score_keeps_what_was_recorded_and_where_it_came_from(tmp_path: Path) -> None:
    written(tmp_path / "m_pets_gpt.json", {**VLM, "hit": 0}, {**VLM, "index": 2, "hit": 1})
    path = written(tmp_path / "m_pets.json", VLM, {**VLM, "index": 2}, {**VLM, "index": 3})
    scored = score(str(path), Job())
    assert scored.score == tmp_path / "m_pets.score.json"
    told = msgspec.json.decode(scored.score.read_bytes())
    assert [line.get("recorded", {}).get("score") for line in told["samples"]] == [0, 1, None]
    assert "recorded" not in told["samples"][2]
    result = told["provenance"]["result"]
    assert (result["format"], result["file"]) == ("vlmevalkit", "m_pets.json")
    assert [part["file"] for part in result["with"]] == ["m_pets_gpt.json"]
    assert result["about"] == {}
    assert score(str(path), Job()).up_to_date
    written(tmp_path / "m_pets_gpt.json", {**VLM, "hit": 1})
    assert not score(str(path), Job()).up_to_date, "other verdicts beside it are another run"


def test_a_column_of_our_own_files_that_is_no_verdict(tmp_path: Path, make_row: Any) -> None:
    verdict = {"score": 1, "extracted": None, "by": "someone"}
    rows = [
        make_row(0, recorded="2024-01-01"),
        make_row(1, recorded=verdict),
        make_row(2, recorded={"by": 3}),
    ]
    scored = score(str(written(tmp_path / "result.json", *rows)), Job())
    lines = msgspec.json.decode(scored.score.read_bytes())["samples"]
    assert [line.get("recorded") for line in lines] == [None, {**verdict, "metric": None}, None]


def test_a_row_is_explained_from_the_file_of_the_other_harness(tmp_path: Path, mmeval: Any) -> None:
    path = written(tmp_path / "m_pets.json", {**VLM, "hit": 1}, {**VLM, "index": 2, "hit": 0})
    scored = score(str(path), Job())
    told = mmeval("explain", scored.score, 2).out
    assert "question  q" in told
    assert "A. cat" in told
    assert "recorded  vlmevalkit: score 0 by hit" in told
    written(path, VLM)
    assert "not shown" in mmeval("explain", scored.score, 2).out
