"""OpenAI's batch interface over the connection of a chat client: files up, batches, files down."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import orjson

from mmeval.errors import JudgeError
from mmeval.judge.providers._batch_lines import Remote
from mmeval.judge.providers._chat import ChatProvider
from mmeval.judge.providers._replies import failure, read_refusal
from mmeval.judge.wire import Request, Transient

COMPLETIONS = "/v1/chat/completions"
# The name of the field of a batch's metadata that says which of our records it is.
MARK = "mmeval"
_PAGE = 100
# What a server answers that takes no files.
_NO_SUCH_PLACE = frozenset({404, 405, 501})
# Seconds without a byte; a whole file takes as long as it takes.
_FILES = aiohttp.ClientTimeout(total=None, sock_connect=30.0, sock_read=300.0)


class BatchApi:
    """The batch interface of the server of a chat client. Calls raise as `Provider.complete` does."""

    def __init__(self, provider: ChatProvider) -> None:
        self._provider = provider
        head, _, query = provider._place.url.partition("?")
        self._base = head.removesuffix("/chat/completions")
        self._query = f"?{query}" if query else ""

    def line(self, name: str, request: Request) -> bytes:
        """One request as a line of the file that goes up."""
        body = self._provider.dialect.body(request)
        return orjson.dumps({"custom_id": name, "method": "POST", "url": COMPLETIONS, "body": body}) + b"\n"

    async def upload(self, path: Path, name: str) -> str:
        """Bring a file of such lines up; its id.

        Raises:
            JudgeError: the server takes no files, and so no batches.
        """
        with path.open("rb") as file, aiohttp.MultipartWriter("form-data") as form:
            form.append("batch").set_content_disposition("form-data", name="purpose")
            part = form.append(file, {"Content-Type": "application/jsonl"})
            part.set_content_disposition("form-data", name="file", filename=name)
            told = await self._json("POST", "files", data=form, headers=form.headers, timeout=_FILES)
        return str(told["id"])

    async def create(self, file: str, mark: str) -> Remote:
        """Begin a batch over an uploaded file, with our mark on it."""
        asked = {
            "input_file_id": file,
            "endpoint": COMPLETIONS,
            "completion_window": "24h",
            "metadata": {MARK: mark},
        }
        return _remote(await self._json("POST", "batches", data=orjson.dumps(asked)))

    async def get(self, name: str) -> Remote:
        """How a batch stands."""
        return _remote(await self._json("GET", f"batches/{name}"))

    async def find(self, mark: str) -> Remote | None:
        """The batch that carries our mark, if the server knows it."""
        after = ""
        while True:
            told = await self._json("GET", f"batches?limit={_PAGE}{after}")
            page = [_remote(each) for each in told.get("data", [])]
            for each in page:
                if (each.metadata or {}).get(MARK) == mark:
                    return each
            if not page or not told.get("has_more"):
                return None
            after = f"&after={page[-1].id}"

    async def content(self, file: str) -> AsyncIterator[bytes]:
        """The lines of a file that the server made."""
        rest = b""
        try:
            async with self._send("GET", f"files/{file}/content", timeout=_FILES) as response:
                if response.status != 200:
                    raise self._failure(response.status, response.headers, await response.read())
                async for chunk in response.content.iter_any():
                    *lines, rest = (rest + chunk).split(b"\n")
                    for line in lines:
                        yield self._without_keys(line)
        except (aiohttp.ClientError, OSError) as error:
            raise self._provider._broken(error) from None
        if rest:
            yield self._without_keys(rest)

    def _without_keys(self, line: bytes) -> bytes:
        for key in self._provider._keys:
            line = line.replace(key, b"[key]")
        return line

    def _send(self, method: str, path: str, **options: Any) -> Any:
        if self._provider._lacks is not None:
            raise JudgeError(self._provider._lacks)
        joint = "&" if "?" in path else "?"
        query = self._query.replace("?", joint, 1)
        url = f"{self._base}/{path}{query}"
        proxy = self._provider._proxy
        return self._provider._opened().request(method, url, proxy=proxy, allow_redirects=False, **options)

    async def _json(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        try:
            async with self._send(method, path, **options) as response:
                status, headers, data = response.status, response.headers, await response.read()
        except (aiohttp.ClientError, OSError) as error:
            raise self._provider._broken(error) from None
        if not 200 <= status < 300:
            if status in _NO_SUCH_PLACE and path == "files":
                where = self._provider._place.remedies.where
                raise JudgeError(
                    f"{where} has no batch interface (it answered {status}); ask without --judge_batch"
                )
            raise self._failure(status, headers, data)
        try:
            told = orjson.loads(data)
        except orjson.JSONDecodeError:
            raise Transient("malformed", f"{path}: the answer is not JSON") from None
        if not isinstance(told, dict):
            raise Transient("malformed", f"{path}: the answer is no object")
        return told

    def _failure(self, status: int, headers: Mapping[str, str], data: bytes) -> Exception:
        refusal = read_refusal(status, data)
        if status == 404:
            where, says = self._provider._place.remedies.where, self._provider._hidden(refusal.message)
            return JudgeError(
                f"{where} answered 404: {says or 'no message'}; to forget a batch that is gone for good: "
                "mmeval judge cache prune --batches"
            )
        shown = refusal._replace(message=self._provider._hidden(refusal.message))
        return failure(shown, headers, self._provider._place.remedies)


def _remote(told: object) -> Remote:
    try:
        return msgspec.convert(told, Remote)
    except msgspec.ValidationError as error:
        raise Transient("malformed", f"the answer is no batch: {error}") from None
