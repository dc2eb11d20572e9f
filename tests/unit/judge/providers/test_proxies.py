"""Proxies that the environment names: which one is used, and what is said of one that cannot be."""

from __future__ import annotations

import asyncio

import pytest
from judge_server import Answer, JudgeServer, Raw

from mmeval.errors import JudgeError
from mmeval.judge.providers import open_provider
from mmeval.judge.settings import JudgeSettings
from mmeval.judge.wire import Completion, Message, Provider, Request

REQUEST = Request((Message("user", "Is it so?"),))
NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def using(provider: Provider, request: Request) -> list[Completion | BaseException]:
    """Ask once, then close."""

    async def main() -> list[Completion | BaseException]:
        found = await asyncio.gather(provider.complete(request), return_exceptions=True)
        await provider.close()
        return found

    return asyncio.run(main())


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with JudgeServer(route=lambda seen: Raw(200, Answer("by proxy").body({}))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        (found,) = using(open_provider(JudgeSettings(base_url="http://judge.invalid/v1"), "m"), REQUEST)
        assert isinstance(found, Completion)
        assert found.text == "by proxy"
        assert proxy.seen[0].path == "http://judge.invalid/v1/chat/completions"
        with JudgeServer("direct") as server:
            (direct,) = using(open_provider(JudgeSettings(base_url=server.url), "m"), REQUEST)
        assert isinstance(direct, Completion)
        assert direct.text == "direct"


def test_a_proxy_may_be_named_without_a_scheme(monkeypatch: pytest.MonkeyPatch) -> None:
    with JudgeServer(route=lambda seen: Raw(200, Answer("by proxy").body({}))) as proxy:
        monkeypatch.setenv("http_proxy", f"127.0.0.1:{proxy.port}")
        (found,) = using(open_provider(JudgeSettings(base_url="http://judge.invalid/v1"), "m"), REQUEST)
    assert isinstance(found, Completion)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("all_proxy", "socks5://me:pass-1234@127.0.0.1:1", "a socks5 proxy for judge.invalid"),
        ("http_proxy", "http://me:pass-1234@:8080", "no address of a proxy"),
        ("http_proxy", "http://me:pass-1234@host:99999", "no address of a proxy"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_named_when_somebody_is_asked(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, says: str
) -> None:
    monkeypatch.delenv("http_proxy", raising=False)
    monkeypatch.setenv(variable, value)
    provider = open_provider(JudgeSettings(base_url="http://judge.invalid/v1"), "m")
    (found,) = using(provider, REQUEST)
    assert isinstance(found, JudgeError)
    assert says in str(found) and "pass-1234" not in str(found)
