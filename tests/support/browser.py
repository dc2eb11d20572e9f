"""A headless Chromium, driven over its DevTools protocol: as much as tests of a page need.

`MMEVAL_CHROMIUM` names the binary (`scripts/browser` prints one); without it there is no browser.
"""

from __future__ import annotations

import asyncio
import base64
import os
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import aiohttp

BINARY = os.environ.get("MMEVAL_CHROMIUM", "")
WAIT = 30.0
_T = TypeVar("_T")

FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
    "--window-size=1400,1000",
)
KEYS = {
    "Enter": 13,
    "Escape": 27,
    "ArrowDown": 40,
    "ArrowUp": 38,
    "Home": 36,
    "End": 35,
    "PageDown": 34,
    "Tab": 9,
}


class Page:
    """One page, and everything that it complained about or asked for."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.complaints: list[str] = []
        self.dialogs: list[str] = []
        self.requests: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                self._waiting.pop(told["id"]).set_result(told)
            else:
                self._note(told["method"], told["params"])

    def _note(self, method: str, params: dict[str, Any]) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(params["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(f"console.{params['type']}: {params['args']}")
        elif method == "Log.entryAdded":
            self.complaints.append(f"{params['entry']['source']}: {params['entry']['text']}")
        elif method == "Page.javascriptDialogOpening":
            self.dialogs.append(params["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    async def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Call a method of the protocol."""
        self._number += 1
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[self._number] = answer
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        told = await asyncio.wait_for(answer, WAIT)
        assert "error" not in told, told["error"]
        result: dict[str, Any] = told["result"]
        return result

    async def run(self, script: str) -> Any:
        """The value of an expression, awaited where it is a promise."""
        told = await self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    async def until(self, script: str, seconds: float = WAIT) -> Any:
        """The value of an expression once it is true."""
        end = asyncio.get_running_loop().time() + seconds
        while not (value := await self.run(script)):
            assert asyncio.get_running_loop().time() < end, f"never true: {script}"
            await asyncio.sleep(0.02)
        return value

    async def open(self, path: Path, anchor: str = "") -> None:
        """Go to a file and wait until the page shows what the anchor asks for."""
        await self.send("Page.navigate", url="about:blank")
        await self.send("Page.navigate", url=path.as_uri() + anchor)
        await self.until(f"document.documentElement?.dataset.ready === {(anchor or '#')!r}")

    async def key(self, key: str) -> None:
        """Press a key."""
        text = key if len(key) == 1 else "\r" if key == "Enter" else None
        code = KEYS.get(key, ord(key[0]))
        how = {"key": key, "windowsVirtualKeyCode": code, **({"text": text} if text else {})}
        await self.send("Input.dispatchKeyEvent", type="keyDown", **how)
        await self.send("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    async def click(self, selector: str) -> None:
        """Click on the middle of the first element that fits, as a mouse does."""
        where = await self.run(
            f"(() => {{const n = document.querySelector({selector!r}); n.scrollIntoView({{block: 'center'}});"
            "const r = n.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2];})()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            await self.send(
                "Input.dispatchMouseEvent", type=kind, x=where[0], y=where[1], button="left", clickCount=1
            )

    async def choose(self, selector: str, value: str) -> None:
        """Choose an entry of a list, as a person does."""
        await self.run(
            f"(() => {{const n = document.querySelector({selector!r}); n.value = {value!r};"
            "n.dispatchEvent(new Event('change', {bubbles: true}));})()"
        )

    async def type(self, text: str) -> None:
        """Write into what has the focus."""
        await self.send("Input.insertText", text=text)

    async def picture(self, path: Path) -> None:
        """A screenshot of what is in view."""
        told = await self.send("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(told["data"]))


@asynccontextmanager
async def browser(dark: bool = False) -> AsyncIterator[Page]:
    """A browser with one empty page; gone afterwards, with all that it wrote."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        flags = [*FLAGS, f"--user-data-dir={home}", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        process = await asyncio.create_subprocess_exec(
            BINARY,
            *flags,
            "about:blank",
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            port = await _port(Path(home) / "DevToolsActivePort")
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    pages = [each for each in await answer.json() if each["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    page = Page(socket)
                    for area in ("Page", "Runtime", "Log", "Network"):
                        await page.send(f"{area}.enable")
                    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
                    await page.send("Emulation.setEmulatedMedia", features=[scheme])
                    yield page
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _port(path: Path) -> str:
    for _ in range(1500):
        if path.is_file() and (text := path.read_text()).count("\n"):
            return text.split("\n")[0]
        await asyncio.sleep(0.02)
    raise AssertionError("the browser did not start")


def drive(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a test's conversation with a browser."""
    return asyncio.run(work)
