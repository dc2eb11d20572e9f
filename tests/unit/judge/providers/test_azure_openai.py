"""The azure_openai provider: the environment of the official SDK, the deployment in the path."""

from __future__ import annotations

import asyncio

import pytest
from judge_server import Answer, JudgeServer, Raw, error

from mmeval.errors import JudgeError
from mmeval.judge.providers import azure_openai, open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Message, Request

REQUEST = Request((Message("user", "Is it so?"),))
NAMES = ("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_API_VERSION")
KEY = "azure-key-0123456789"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NAMES, "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")


def settings(base_url: str | None = None, key: str | None = None) -> JudgeSettings:
    return JudgeSettings(provider="azure_openai", base_url=base_url, key=key)


def ask(made: JudgeSettings, model: str = "my-gpt") -> Completion | BaseException:
    async def main() -> Completion | BaseException:
        provider = open_provider(made, model)
        found = await asyncio.gather(provider.complete(REQUEST), return_exceptions=True)
        await provider.close()
        return found[0]

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param(
            "", "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21", id="resource"
        ),
        pytest.param(
            "/openai", "/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21", id="openai"
        ),
        pytest.param(
            "/?api-version=2025-01-01",
            "/openai/deployments/my%20gpt/chat/completions?api-version=2025-01-01",
            id="query",
        ),
        pytest.param("/openai/v1/", "/openai/v1/chat/completions?api-version=2024-10-21", id="v1"),
    ],
)
def test_the_deployment_is_in_the_path(path: str, expected: str) -> None:
    with JudgeServer() as server:
        found = ask(settings(server.url.removesuffix("/v1") + path, KEY), "my gpt")
    assert isinstance(found, Completion)
    (seen,) = server.seen
    assert seen.path == expected
    assert seen.headers["api-key"] == KEY
    assert "authorization" not in seen.headers
    assert seen.body["model"] == "my gpt"


def test_everything_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with JudgeServer() as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", server.url.removesuffix("/v1") + "/")
        monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", "token-1")
        ask(settings())
        ask(settings(server.url.removesuffix("/v1")))
        monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
        ask(settings())
    token, same_address, key = (seen.headers for seen in server.seen)
    assert token["authorization"] == same_address["authorization"] == "Bearer token-1"
    assert key["api-key"] == KEY
    assert "authorization" not in key


def test_the_environments_key_goes_to_no_other_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    with JudgeServer() as server:
        found = ask(settings(server.url))
    assert isinstance(found, JudgeError)
    assert "AZURE_OPENAI_API_KEY" in str(found)
    assert server.received == 0


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("https://other.openai.azure.com", id="another-resource"),
        pytest.param("http://mine.openai.azure.com", id="in-the-clear"),
        pytest.param("https://my.cognitiveservices.azure.com/", id="cognitive-services"),
        pytest.param("https://vm.cloudapp.azure.com", id="anybodys-machine"),
        pytest.param("https://openai.azure.com.evil.example", id="looks-like-it"),
    ],
)
@pytest.mark.parametrize("name", ["AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"])
def test_what_the_environment_holds_goes_to_its_own_address_alone(
    url: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A configuration beside a run may name any resource, and anybody can have one."""
    monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    provider = azure_openai.open_provider(settings(url), "m")
    assert provider._place.headers == {}
    own = azure_openai.open_provider(settings("https://mine.openai.azure.com/"), "m")
    assert KEY in "".join(own._place.headers.values())


@pytest.mark.parametrize(
    ("missing", "named"),
    [
        pytest.param("AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_ENDPOINT", id="endpoint"),
        pytest.param("OPENAI_API_VERSION", "OPENAI_API_VERSION", id="version"),
    ],
)
def test_what_is_missing_is_named(missing: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.delenv(missing)
    with pytest.raises(JudgeError, match=named):
        found = ask(settings())
        assert isinstance(found, BaseException)
        raise found


def test_the_newer_interface_needs_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_VERSION")
    with JudgeServer(route=lambda seen: Raw(200, Answer("yes").body({}))) as server:
        ask(settings(server.url.removesuffix("/v1") + "/openai/v1", KEY))
    assert server.seen[0].path == "/openai/v1/chat/completions"


def test_identity_and_errors_name_the_resource_and_no_key() -> None:
    with JudgeServer(faults=lambda number, body: error(401, f"Access denied due to {KEY}")) as server:
        root = server.url.removesuffix("/v1")
        made = settings(f"{root}?api-version=2025-01-01", KEY)
        found = ask(made)
        identity = open_provider(made, "my-gpt").identity
    assert (identity.provider, identity.endpoint, identity.model) == ("azure_openai", root, "my-gpt")
    assert isinstance(found, JudgeError)
    assert "AZURE_OPENAI_API_KEY" in str(found)
    assert KEY not in str(found)
