"""Datasets laid out as on the Hugging Face Hub: from a folder, and from a server on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import importlib.util
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmeval.benchmarks.hub import open_dataset
from mmeval.errors import MetadataError, ResultError, UsageError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BLOCK = {"task_type": "multiple_choice_qa", "score_pipeline": ["exact-match", "rule-match"]}
METADATA = {"dataset_name": "Pets", "subsets": {"easy": BLOCK, "hard": {**BLOCK, "score_rows": 1}}}
ROWS = [
    {"id": "a", "question": "Which?", "A": "cat", "B": "dog", "answer": "B", "image": "a.png", "kind": "x"},
    {
        "id": "b",
        "question": "Which?",
        "choices": ["cat", "dog"],
        "answer": "A",
        "image": "b.png",
        "kind": "y",
    },
]


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row) for row in content), encoding="utf-8")
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def pets(tmp_path: Path) -> Path:
    folder = tmp_path / "pets"
    write(folder / "metadata.json", METADATA)
    write(folder / "easy" / "test.jsonl", ROWS)
    write(folder / "easy" / "val.jsonl", ROWS[:1])
    write(folder / "hard" / "test.json", ROWS[1:])
    return folder


def parquet(path: Path, rows: list[dict[str, Any]]) -> Path:
    pa = pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


class TestFolder:
    def test_a_row_is_a_sample_without_an_answer(self, pets: Path) -> None:
        data = open_dataset(str(pets), "easy", "test")
        first, second = data.rows()
        assert first == {
            "eval-id": "a",
            "messages": [{"role": "user", "question": "Which?", "options": {"A": "cat", "B": "dog"}}],
            "answer": "B",
            "id": "a",
            "kind": "x",
            "dataset_meta": {"dataset_name": "Pets", "subset": "easy", "split": "test", **BLOCK},
        }
        assert second["messages"][0]["options"] == {"A": "cat", "B": "dog"}
        assert (data.name, data.subset, data.split, data.revision) == ("Pets", "easy", "test", None)
        assert (data.n_rows, data.warnings) == (2, ())

    def test_rows_can_be_read_twice(self, pets: Path) -> None:
        data = open_dataset(str(pets), "easy", "test")
        assert list(data.rows()) == list(data.rows())

    def test_the_one_split_and_subset_are_picked(self, pets: Path) -> None:
        assert open_dataset(str(pets), "hard").split == "test"
        write(pets / "metadata.json", {"subsets": {"hard": BLOCK}})
        data = open_dataset(str(pets), None, "test")
        assert (data.name, data.subset, data.n_rows) == ("pets", "hard", 1)

    def test_any_subset_takes_the_starred_block(self, pets: Path) -> None:
        write(pets / "metadata.json", {"subsets": {"*": BLOCK}})
        assert open_dataset(str(pets), "hard").meta["score_pipeline"] == BLOCK["score_pipeline"]

    def test_the_identity_follows_what_was_read(self, pets: Path) -> None:
        before = open_dataset(str(pets), "easy", "test").sha256
        write(pets / "hard" / "test.json", ROWS)
        assert open_dataset(str(pets), "easy", "test").sha256 == before
        write(pets / "easy" / "test.jsonl", ROWS[:1])
        assert open_dataset(str(pets), "easy", "test").sha256 != before

    def test_without_metadata_nothing_is_declared(self, pets: Path) -> None:
        (pets / "metadata.json").unlink()
        data = open_dataset(str(pets), "hard", "test")
        assert data.meta == {"dataset_name": "pets", "subset": "hard", "split": "test"}
        assert "no metadata.json" in data.warnings[0]

    def test_the_card_says_which_files_are_which(self, pets: Path) -> None:
        (pets / "metadata.json").unlink()
        write(
            pets / "README.md",
            "---\nlicense: mit\nconfigs:\n- config_name: one\n  data_files:\n  - split: dev\n"
            "    path: easy/t*.jsonl\n- config_name: two\n  data_files: hard/*.json\n---\n# Pets\n",
        )
        data = open_dataset(str(pets), "one")
        assert (data.split, data.n_rows) == ("dev", 2)
        assert open_dataset(str(pets), "two").split == "test"
        with pytest.raises(UsageError, match="several subsets \\(one, two\\)"):
            open_dataset(str(pets))

    def test_parquet_is_read_in_shards(self, tmp_path: Path) -> None:
        for number, row in enumerate(ROWS):
            row = {**row, "image": {"bytes": b"\x89PNG\r\n\x1a\n", "path": None}}
            parquet(tmp_path / "data" / f"test-{number:05}-of-00002.parquet", [row])
        data = open_dataset(str(tmp_path))
        assert [row["eval-id"] for row in data.rows()] == ["a", "b"]
        assert not any("image" in row for row in data.rows())
        assert [one.media["image"]["bytes"][:4] for one in data.with_media()] == [b"\x89PNG"] * 2

    def test_a_row_with_several_questions_is_as_many_samples(self, tmp_path: Path) -> None:
        row = {"questions": ["How many cups?", "How many forks?"], "answers": ["3", "0"], "is_focused": True}
        write(tmp_path / "test.jsonl", [row, {**row, "id": "k"}])
        samples = list(open_dataset(str(tmp_path)).rows())
        assert [(each["eval-id"], each["answer"]) for each in samples] == [
            ("0-0", "3"),
            ("0-1", "0"),
            ("k-0", "3"),
            ("k-1", "0"),
        ]
        assert samples[1]["messages"] == [{"role": "user", "question": "How many forks?"}]
        assert samples[1]["is_focused"] is True


class TestRefusals:
    @pytest.mark.parametrize(
        ("subset", "split", "said"),
        [
            pytest.param(None, None, "several subsets \\(easy, hard\\); name one with --subset", id="subset"),
            pytest.param("esy", None, "no subset 'esy'; did you mean 'easy'", id="near-subset"),
            pytest.param("easy", None, "several splits \\(test, val\\); name one with --split", id="split"),
            pytest.param("easy", "tst", "no split 'tst'; did you mean 'test'", id="near-split"),
        ],
    )
    def test_what_is_not_there(self, pets: Path, subset: str | None, split: str | None, said: str) -> None:
        with pytest.raises(UsageError, match=said):
            open_dataset(str(pets), subset, split)

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            pytest.param("{", "not JSON", id="broken"),
            pytest.param({"subsets": {}}, "declares no subset", id="no-subset"),
            pytest.param({"subsets": {"easy": {"score_type": "mcq"}}}, "re-push the dataset", id="retired"),
            pytest.param({"subsets": {"easy": {"score_pipelin": []}}}, "'score_pipeline'", id="typo"),
        ],
    )
    def test_broken_metadata(self, pets: Path, content: Any, said: str) -> None:
        write(pets / "metadata.json", content)
        with pytest.raises(MetadataError, match=said):
            open_dataset(str(pets), "easy", "test")

    def test_a_missing_shard(self, tmp_path: Path) -> None:
        parquet(tmp_path / "test-00000-of-00002.parquet", ROWS[:1])
        with pytest.raises(UsageError, match="shard 1 of 2 is missing"):
            open_dataset(str(tmp_path))

    def test_a_parquet_that_is_none(self, tmp_path: Path) -> None:
        pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
        write(tmp_path / "test.parquet", "PAR1 and nothing more")
        with pytest.raises(ResultError, match="cannot be read as parquet"):
            open_dataset(str(tmp_path))

    def test_pyarrow_is_named_where_it_is_missing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path / "test.parquet", "PAR1")
        monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
        with pytest.raises(UsageError, match="pip install 'mmeval-score\\[hub\\]'"):
            open_dataset(str(tmp_path))

    def test_a_broken_row(self, tmp_path: Path) -> None:
        write(tmp_path / "test.jsonl", [1])
        with pytest.raises(ResultError, match="row 0: the row is a number"):
            list(open_dataset(str(tmp_path)).rows())

    def test_a_folder_without_rows(self, tmp_path: Path) -> None:
        write(tmp_path / "x.tsv", "index\tquestion\n")
        with pytest.raises(UsageError, match="goes to --data"):
            open_dataset(str(tmp_path))

    def test_a_revision_of_a_folder(self, pets: Path) -> None:
        with pytest.raises(UsageError, match="is a folder, which has none"):
            open_dataset(str(pets), "easy", "test", "main")

    def test_neither_a_folder_nor_a_repository(self, pets: Path) -> None:
        with pytest.raises(UsageError, match="neither a folder nor owner/name"):
            open_dataset(str(pets / "metadata.json"))
        with pytest.raises(UsageError, match="neither a folder nor owner/name"):
            open_dataset("no such thing")

    def test_the_library_is_named_where_it_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "huggingface_hub", None)
        with pytest.raises(UsageError, match="pip install 'mmeval-score\\[hub\\]'"):
            open_dataset("owner/name")


@contextlib.contextmanager
def hub_of(folder: Path, name: str) -> Iterator[str]:
    """A server that answers as the Hub does for one dataset repository at one commit."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for key, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(key, value)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            files = sorted(each for each in folder.rglob("*") if each.is_file())
            revision = path.split("/")[5] if path.startswith(f"/datasets/{name}/resolve/") else "v1"
            inside = f"/datasets/{name}/resolve/{revision}/"
            if path in (f"/api/datasets/{name}", f"/api/datasets/{name}/revision/v1"):
                siblings = [{"rfilename": each.relative_to(folder).as_posix()} for each in files]
                body = json.dumps({"id": name, "sha": COMMIT, "siblings": siblings}).encode()
                self.answer(200, body, {"Content-Type": "application/json"})
            elif path.startswith(inside) and (folder / path.removeprefix(inside)).is_file():
                body = (folder / path.removeprefix(inside)).read_bytes()
                etag = hashlib.sha1(body, usedforsecurity=False).hexdigest()
                self.answer(200, body, {"ETag": f'"{etag}"', "X-Repo-Commit": COMMIT})
            else:
                code = "RevisionNotFound" if "/revision/" in path else "RepoNotFound"
                self.answer(404, b"{}", {"X-Error-Code": code, "Content-Type": "application/json"})

        do_HEAD = do_GET

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


SHOW = """
import json, sys
from mmeval.benchmarks.hub import open_dataset
from mmeval.errors import MmevalError
try:
    data = open_dataset(*json.loads(sys.argv[1]))
    told = [data.name, data.revision, data.sha256, list(data.rows()), data.place("easy/a.png")]
    print(json.dumps(told))
except MmevalError as error:
    print(json.dumps(str(error)))
"""


def seen(endpoint: str, home: Path, *arguments: str | None) -> Any:
    """What a process of its own sees, for the library reads its environment once."""
    clean = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
    ran = subprocess.run(
        [sys.executable, "-c", SHOW, json.dumps(arguments)],
        env={**clean, "HF_ENDPOINT": endpoint, "HF_HOME": str(home), "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.skipif(
    not importlib.util.find_spec("huggingface_hub"), reason="huggingface_hub is not installed"
)
class TestHub:
    def test_a_repository_is_read_as_the_folder_is_and_stays_at_hand(
        self, pets: Path, tmp_path: Path
    ) -> None:
        local = open_dataset(str(pets), "easy", "test")
        with hub_of(pets, "owner/pets") as endpoint:
            (pets / "easy" / "a.png").write_bytes(b"a picture")
            arguments = ("owner/pets", "easy", "test", "v1")
            name, revision, sha256, rows, picture = seen(endpoint, tmp_path / "home", *arguments)
            assert Path(picture).read_bytes() == b"a picture"
            assert (name, revision, sha256) == ("Pets", COMMIT, local.sha256)
            assert [row["dataset_meta"].pop("revision") for row in rows] == [COMMIT, COMMIT]
            assert rows == list(local.rows())
        for offline in (COMMIT, "v1"):
            again = seen(endpoint, tmp_path / "home", "owner/pets", "easy", "test", offline)
            assert again[:3] == ["Pets", COMMIT, local.sha256]
        assert "cannot be fetched" in seen(endpoint, tmp_path / "home", "owner/pets", "easy", "test", "v2")

    def test_what_the_hub_does_not_have(self, pets: Path, tmp_path: Path) -> None:
        with hub_of(pets, "owner/pets") as endpoint:
            said = seen(endpoint, tmp_path / "home", "owner/cats", None, None, None)
            assert "--dataset owner/cats: cannot be fetched (repository not found, HTTP 404)" in said
            said = seen(endpoint, tmp_path / "home", "owner/pets", "easy", "test", "v2")
            assert "owner/pets at v2: cannot be fetched (revision not found, HTTP 404)" in said

    def test_a_hub_that_is_not_there(self, tmp_path: Path) -> None:
        said = seen("http://127.0.0.1:9", tmp_path / "home", "owner/pets")
        assert said.startswith("--dataset owner/pets: cannot be fetched")
        assert "HF_ENDPOINT" in said
