"""Which weights a local judge has."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from mmeval.errors import JudgeError
from mmeval.judge.providers import _weights
from mmeval.judge.providers._weights import content_hash, find_weights

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / _weights.MEMORY


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "models" / "judge"
    (folder / "parts").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "parts" / "more.safetensors").write_bytes(b"more")
    return folder


def test_a_folder_is_known_by_its_name_and_content(model: Path) -> None:
    found = find_weights(str(model))
    assert found.source == str(model)
    assert found.name == "judge"
    assert found.revision == f"sha256:{content_hash(model)}"
    assert found.commit is None


def test_the_same_weights_elsewhere_are_the_same(model: Path, tmp_path: Path) -> None:
    before = find_weights(str(model))
    model.rename(tmp_path / "judge")
    after = find_weights(str(tmp_path / "judge"))
    assert (after.name, after.revision) == (before.name, before.revision)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        pytest.param("model.safetensors", True, id="weights"),
        pytest.param("config.json", True, id="configuration"),
        pytest.param("tokenizer.json", True, id="new-file"),
        pytest.param("chat_template.jinja", True, id="template"),
        pytest.param("parts/more.safetensors", True, id="in-a-folder"),
        pytest.param("README.md", False, id="description"),
        pytest.param("sample.png", False, id="picture"),
        pytest.param(".gitattributes", False, id="hidden"),
    ],
)
def test_what_counts(model: Path, name: str, counts: bool) -> None:
    before = content_hash(model)
    (model / name).write_bytes(b"changed")
    assert (content_hash(model) != before) is counts


def test_a_file_moved_within_the_folder_counts(model: Path) -> None:
    before = content_hash(model)
    (model / "parts" / "more.safetensors").rename(model / "parts" / "less.safetensors")
    assert content_hash(model) != before


def test_hashes_are_remembered(model: Path, memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_hash(model)
    assert memory.is_file()

    def refuse(_: Path) -> str:
        raise AssertionError("read again")

    monkeypatch.setattr(_weights, "_hash", refuse)
    assert content_hash(model) == before


def test_a_change_that_hides_its_time_is_seen(model: Path) -> None:
    file = model / "model.safetensors"
    before, times = content_hash(model), file.stat()
    file.write_bytes(b"WEIGHTS")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert content_hash(model) != before


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}', b"[]"])
def test_a_damaged_memory_is_no_memory(model: Path, memory: Path, content: bytes) -> None:
    before = content_hash(model)
    memory.write_bytes(content)
    assert content_hash(model) == before


def test_a_memory_that_cannot_be_kept_is_done_without(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_hash(model)
    monkeypatch.setenv("MMEVAL_CACHE_DIR", str(model / "config.json" / "below"))
    assert content_hash(model) == before


def test_a_single_file_is_a_model(tmp_path: Path) -> None:
    file = tmp_path / "judge.gguf"
    file.write_bytes(b"weights")
    assert find_weights(str(file)).name == "judge.gguf"


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JudgeError, match=r"no config\.json"):
        find_weights(str(tmp_path))


def hub(monkeypatch: pytest.MonkeyPatch, cached: str | None, newest: str | None) -> None:
    """A Hub with one model, of which a commit is in the cache and another one is the newest."""
    made, errors = ModuleType("huggingface_hub"), ModuleType("huggingface_hub.errors")

    class Refused(OSError):
        pass

    def snapshot_download(name: str, local_files_only: bool) -> str:
        assert local_files_only
        if cached is None:
            raise Refused("not in the cache")
        return f"/hub/models--{name.replace('/', '--')}/snapshots/{cached}"

    class Api:
        def model_info(self, name: str) -> object:
            if newest is None:
                raise Refused(f"404: {name}")
            return type("Info", (), {"sha": newest})

    made.snapshot_download, made.HfApi = snapshot_download, Api  # type: ignore[attr-defined]
    errors.HfHubHTTPError = errors.OfflineModeIsEnabled = Refused  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "huggingface_hub", made)
    monkeypatch.setitem(sys.modules, "huggingface_hub.errors", errors)


@pytest.mark.parametrize(
    ("cached", "newest"),
    [pytest.param(COMMIT, "f" * 40, id="cached"), pytest.param(None, COMMIT, id="not-cached")],
)
def test_a_model_of_the_hub_is_known_by_its_commit(
    monkeypatch: pytest.MonkeyPatch, cached: str | None, newest: str
) -> None:
    hub(monkeypatch, cached, newest)
    assert find_weights("owner/judge") == ("owner/judge", "owner/judge", COMMIT, COMMIT)


def test_a_model_that_is_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hub(monkeypatch, None, None)
    with pytest.raises(JudgeError, match=r"owner/judge.*no folder here.*404"):
        find_weights("owner/judge")


def test_without_the_hubs_library_only_folders_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(JudgeError, match="huggingface_hub is not installed"):
        find_weights("owner/judge")
