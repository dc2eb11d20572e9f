"""`doctor`: what is broken is said, with the remedy."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval.reports import health


def by_name() -> dict[str, health.Finding]:
    return {finding.name: finding for finding in health.examine()}


def test_a_whole_installation() -> None:
    found = by_name()
    assert {finding.state for finding in found.values()} <= {"ok", "missing"}
    assert "every block usable" in found["protocols"].says
    assert "rule-match" in found["stages"].says


def test_a_missing_extra_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(health.EXTRAS, "boxes", ("no_such_library",))
    finding = by_name()["extra boxes"]
    assert finding.state == "missing"
    assert "pip install 'mmeval-score[boxes]'" in finding.says


def test_a_missing_library_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "CORE", ["no-such-library"])
    finding = by_name()["no-such-library"]
    assert (finding.state, "install mmeval-score again" in finding.says) == ("broken", True)


def test_a_broken_protocol_is_named(protocols: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    protocols(bad={"subsets": {"main": {"score_pipeline": ["anl"]}}})
    from mmeval import library, registry

    monkeypatch.setattr(registry, "protocol_folders", library.protocol_folders)
    finding = by_name()["protocols"]
    assert finding.state == "broken"
    assert "protocols/bad/metadata.json" in finding.says
    assert "did you mean 'anls'?" in finding.says


def test_the_findings_as_lines() -> None:
    lines = health.text(
        [health.Finding("a", "ok", "fine"), health.Finding("long", "broken", "no")]
    ).splitlines()
    assert lines == ["ok       a     fine", "broken   long  no"]


def test_a_key_is_said_to_be_set_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", "")
    monkeypatch.delenv("AZURE_OPENAI_AD_TOKEN", raising=False)
    monkeypatch.delenv("JUDGE_API_KEY", raising=False)
    found = by_name()
    assert (found["judge openai"].state, found["judge openai"].says) == ("ok", "OPENAI_API_KEY set")
    assert found["judge azure_openai"].state == "missing"
    assert "AZURE_OPENAI_API_KEY" in found["judge azure_openai"].says
    assert "sk-secret" not in health.text(list(found.values()))


def test_where_replies_are_kept_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MMEVAL_CACHE_DIR", "/somewhere")
    assert by_name()["judge cache"].says.startswith("/somewhere")
