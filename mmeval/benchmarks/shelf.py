"""Pictures on disk: one file each, named after its bytes, whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from mmeval.benchmarks.pictures import Lost, suffix
from mmeval.errors import Incomplete, UsageError

LARGEST = 256 * 1024 * 1024
_TIMEOUT = 30
_PAUSES = (0.5, 2.0)
# Answers that say "not now" rather than "no more".
_LATER = frozenset((408, 425, 429))
_HEADERS = {"User-Agent": "mmeval (benchmark data)"}


class _Later(NamedTuple):
    said: str


class Shelf:
    """A folder of pictures. Equal pictures are one file; what is there already is not written again.

    A context manager: where the work in it fails, what was written goes again; but not where an address does
    not answer now (`Incomplete`), for then the next run goes on with what is there.

    Attributes:
        folder: where it is; made when the first picture comes.
    """

    def __init__(self, folder: Path, pause: Callable[[float], None] = time.sleep) -> None:
        self.folder = folder
        self._pause = pause
        self._made: list[Path] = []
        self._names: dict[str, str] = {}
        self._answered = False
        self._unknown: str | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and not issubclass(kind, Incomplete):
            self.discard()

    def put(self, data: bytes, stem: str | None = None) -> str:
        """Keep a picture; its path.

        Raises:
            UsageError: the folder cannot be written to.
        """
        path = self.folder / f"{stem or hashlib.sha256(data).hexdigest()[:20]}.{suffix(data)}"
        if not path.exists():
            self._write(path, data)
        return str(path)

    def fetch(self, address: str, sha256: str | None) -> str | Lost:
        """Keep the picture at an address; why it cannot be had where its address is gone for good.

        Args:
            address: http or https.
            sha256: of the bytes that belong there, if that is known.

        Raises:
            Incomplete: the address does not answer now; what was fetched so far stays for the next run.
        """
        stem = "at-" + hashlib.sha256(address.encode()).hexdigest()[:20]
        there = self._names.get(stem) or next((str(path) for path in self.folder.glob(f"{stem}.*")), None)
        if there is None:
            data = self._asked(address)
            if isinstance(data, Lost):
                return data
            if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256.lower():
                return Lost("picture-changed")
            if suffix(data) is None:
                return Lost("not-a-picture")
            there = self.put(data, stem)
        self._names[stem] = there
        return there

    def check(self) -> None:
        """That the network was there, where names of hosts were not found.

        Raises:
            Incomplete: no address at all answered, so none of them can be said to be gone.
        """
        if self._unknown is not None and not self._answered:
            raise Incomplete(f"{self._unknown}: no address answers; is there a network? run again to go on")

    def discard(self) -> None:
        """Take away what this run wrote."""
        with suppress(OSError):
            for path in self._made:
                path.unlink(missing_ok=True)
            self.folder.rmdir()

    def _write(self, path: Path, data: bytes) -> None:
        part = path.with_name(f".{path.name}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            os.replace(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise UsageError(
                f"{self.folder}: cannot write pictures there ({error.strerror}); make room, or give --media"
            ) from None
        self._made.append(path)

    def _asked(self, address: str) -> bytes | Lost:
        """What lies at an address, asked for up to three times."""
        said = ""
        for pause in (0.0, *_PAUSES):
            self._pause(pause)
            answer = self._once(address)
            if not isinstance(answer, _Later):
                return answer
            said = answer.said
        raise Incomplete(f"{address}: cannot be fetched now ({said}); run again to go on where this ended")

    def _once(self, address: str) -> bytes | Lost | _Later:
        try:
            request = urllib.request.Request(address, headers=_HEADERS)
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
                data: bytes = answer.read(LARGEST)
        except urllib.error.HTTPError as error:
            self._answered = True
            error.close()
            later = error.code >= 500 or error.code in _LATER
            return _Later(f"HTTP {error.code}") if later else Lost("address-gone")
        except (ValueError, http.client.InvalidURL):
            return Lost("address-gone")
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, socket.gaierror) and reason.errno == socket.EAI_NONAME:
                self._unknown = address
                return Lost("address-gone")
            return _Later(str(reason) or type(reason).__name__)
        self._answered = True
        return data
