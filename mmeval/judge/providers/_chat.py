"""One client of the chat-completions protocol: a session kept open, one POST per request.

It speaks HTTP through aiohttp itself. `bench/judge.py` shows why: the OpenAI SDK alone takes the CPU that a
whole judged sample may take.
"""

from __future__ import annotations

import base64
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

import aiohttp
import orjson
import yarl

from mmeval.errors import JudgeError
from mmeval.judge.providers._dialect import Body, Dialect
from mmeval.judge.providers._replies import (
    Refusal,
    Remedies,
    failure,
    read_completion,
    read_refusal,
    redacted,
    shortened,
)
from mmeval.judge.wire import Completion, Identity, Rejected, Request, Transient

LARGEST_REPLY = 32 * 2**20
CONNECT_SECONDS = 30.0
# A word of a reply must never pass for a key: only long keys are searched for in replies.
SHORTEST_KEY = 16


class Address(NamedTuple):
    """A base URL taken apart: what may be shown, what is asked, and what must not be shown."""

    base: str
    query: str
    host: str
    user: str | None
    secrets: tuple[str, ...]


def read_address(url: str) -> Address:
    """Take a base URL apart; `/chat/completions` at its end is left out.

    Raises:
        JudgeError: it is no http(s) URL.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise JudgeError(f"{_bare(url)!r} is no address of a judge; write https://HOST[:PORT]/v1")
    place = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    base = urlunsplit((parts.scheme, place if port is None else f"{place}:{port}", path, "", ""))
    user = None if parts.username is None else f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    hidden = [
        parts.password,
        unquote(parts.password or ""),
        *(item.partition("=")[2] for item in parts.query.split("&")),
    ]
    return Address(base, parts.query, host, user, tuple(each for each in hidden if each and len(each) > 3))


def _bare(url: str) -> str:
    """A URL that could not be read, without what stands before an @ or after a question mark."""
    return shortened(url.rpartition("@")[2].partition("?")[0])


def clean_key(key: str | None, remedy: str) -> str | None:
    """A key without the line break that came with it; None for an empty one.

    Raises:
        JudgeError: it holds a character that no header can carry.
    """
    key = (key or "").strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise JudgeError(f"the API key holds a character that no key has; {remedy}")
    return key or None


def basic(user: str) -> str:
    """The header for a user and a password."""
    return f"Basic {base64.b64encode(user.encode()).decode()}"


@dataclass(frozen=True)
class Place:
    """Where requests go: the full URL, the headers with the key, and what must never be shown.

    `lacks` says what is missing (a key); it is told when somebody has to be asked, not before: what is in the
    cache, or needs no judge after all, needs no key.
    """

    url: str
    host: str
    headers: Mapping[str, str]
    secrets: tuple[str, ...]
    remedies: Remedies
    timeout: float
    lacks: str | None = None


class ChatProvider:
    """A judge behind the chat-completions protocol."""

    def __init__(self, identity: Identity, place: Place) -> None:
        self.dialect = Dialect(identity.model)
        self._identity = identity
        self._place = place
        self._url = yarl.URL(place.url)
        self._proxy, wrong = _proxy(place.url, place.host)
        self._lacks = place.lacks or wrong
        self._secrets = (*place.secrets, *_password(self._proxy))
        self._session: aiohttp.ClientSession | None = None
        self._keys = tuple(each.encode() for each in place.secrets if len(each) >= SHORTEST_KEY)

    @property
    def identity(self) -> Identity:
        """Who answers."""
        return self._identity

    def __repr__(self) -> str:
        """Without headers."""
        return f"ChatProvider({self._identity.model!r} at {self._identity.endpoint})"

    async def complete(self, request: Request) -> Completion:
        """Send one request; once more without it if the server refuses one of its parameters."""
        if self._lacks is not None:
            raise JudgeError(self._lacks)
        while True:
            sent = self.dialect.body(request)
            answer = await self._answer(sent)
            if isinstance(answer, Completion):
                return answer
            refusal, headers = answer
            if not self.dialect.learn(refusal.status, refusal.says, sent):
                raise failure(refusal, headers, self._place.remedies)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _answer(self, body: Body) -> Completion | tuple[Refusal, Mapping[str, str]]:
        status, headers, data = await self._post(orjson.dumps(body))
        for key in self._keys:
            if key in data:
                data = data.replace(key, b"[key]")
        try:
            made = read_completion(data) if 200 <= status < 300 else read_refusal(status, data)
        except Transient as malformed:
            raise Transient(malformed.kind, self._hidden(str(malformed))) from None
        if isinstance(made, Completion):
            return made
        return made._replace(message=self._hidden(made.message)), headers

    async def _post(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        try:
            async with self._opened().post(
                self._url, data=body, proxy=self._proxy, allow_redirects=False
            ) as response:
                return response.status, response.headers, await _whole(response)
        except (aiohttp.ClientError, OSError) as error:
            raise self._broken(error) from None

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=self._place.timeout, sock_connect=CONNECT_SECONDS),
                headers={
                    "Content-Type": "application/json",
                    "Accept": "application/json",
                    **self._place.headers,
                },
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session

    def _broken(self, error: Exception) -> Exception:
        """What a failed connection means."""
        where, says = self._place.remedies.where, self._hidden(f"{type(error).__name__}: {error}")
        if isinstance(error, aiohttp.ClientSSLError | aiohttp.ClientHttpProxyError):
            return JudgeError(
                f"{where} cannot be asked safely: {says}; check the address, certificates and proxy"
            )
        if isinstance(error, aiohttp.ClientResponseError):
            return Transient("malformed", f"{where} does not speak HTTP: {says}")
        if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ConnectionTimeoutError):
            return Transient("timeout", f"{where} did not answer within {self._place.timeout:g} s")
        return Transient("connection", f"the connection to {where} broke: {says}")

    def _hidden(self, text: str) -> str:
        return shortened(redacted(text, self._secrets))


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    """The body, unless it is larger than any reply can be. One that is packed says nothing of its size."""
    length, packed = response.content_length, "Content-Encoding" in response.headers
    if length is not None and length <= LARGEST_REPLY and not packed:
        return await response.read()
    data = bytearray()
    async for chunk in response.content.iter_any():
        data += chunk
        if len(data) > LARGEST_REPLY:
            raise Rejected(f"the reply is larger than {LARGEST_REPLY >> 20} MB")
    return bytes(data)


def _proxy(url: str, host: str) -> tuple[str | None, str | None]:
    """The proxy that the environment names for this host, found once, not for every call; or what is wrong.

    One without a scheme is meant as `http://`, as everywhere. It is never shown: it may hold a password.
    """
    if urllib.request.proxy_bypass(host):
        return None, None
    proxies, scheme = urllib.request.getproxies(), urlsplit(url).scheme
    found = proxies.get(scheme) or proxies.get("all")
    if not found:
        return None, None
    found = found if "://" in found else f"http://{found}"
    kind = found.partition("://")[0].lower()
    if kind in ("http", "https"):
        return found, None if _named(found) else f"{scheme}_proxy in the environment is no address of a proxy"
    return None, (
        f"the environment names a {shortened(kind)} proxy for {host}, and only http proxies can be used: set "
        f"{scheme}_proxy to one, or no_proxy={host} to go without"
    )


def _named(url: str) -> bool:
    """Whether a URL names a host, and its port is one."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _password(url: str | None) -> tuple[str, ...]:
    """The password in a URL, as it stands and as it is meant, if it is long enough to be one."""
    hidden = (urlsplit(url).password or "") if url and _named(url) else ""
    return tuple(each for each in (hidden, unquote(hidden)) if len(each) > 3)
