"""A page of the documentation that is typed: its commands are run in their order, its files are written.

On such a page a block ```sh holds commands, each run as it stands, in one folder. A block ```text behind it
is what they print: its lines must come in this order, spaces aside; `...` stands for anything. A block behind
a paragraph that is nothing but a path in backticks and a colon is that file. `# exit 1` behind a command is
its exit code.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
NAMED = re.compile(r"^`([\w./-]+)`:\s*\Z", re.M)
EXIT = re.compile(r"# exit (\d+)\s*$")


class Block(NamedTuple):
    """A block of a page: a file if it has a path, else commands, or what they print."""

    language: str
    text: str
    path: str | None


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page, in order."""
    text, last = page.read_text(encoding="utf-8"), 0
    for found in BLOCK.finditer(text):
        named = NAMED.search(text[last : found.start()])
        last = found.end()
        yield Block(found[1], found[2], named[1] if named else None)


def commands(text: str) -> Iterator[str]:
    """The commands of a block; a line that ends in a backslash goes on."""
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def run(command: str, folder: Path, home: Path) -> str:
    """What a command prints, both streams; its exit code must be the one that the page says."""
    path = f"{Path(sys.executable).parent}:{os.environ.get('PATH', '')}"
    told = EXIT.search(command)
    ran = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={"PATH": path, "HOME": str(home), "MMEVAL_CACHE_DIR": str(home / "cache"), "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert ran.returncode == (int(told[1]) if told else 0), f"{command}\n{ran.stdout}"
    return ran.stdout


def squeezed(text: str) -> str:
    """Text with single spaces."""
    return " ".join(text.split())


def missing(printed: str, promised: str) -> list[str]:
    """What a page promises and a command did not print, or not in this order."""
    there, at, absent = squeezed(printed), 0, []
    for line in promised.splitlines():
        for piece in filter(None, map(squeezed, line.split("..."))):
            found = there.find(piece, at)
            if found < 0:
                absent.append(piece)
            else:
                at = found + len(piece)
    return absent


def typed(page: Path, folder: Path, home: Path) -> int:
    """Type a page in a folder.

    Returns:
        how many commands it has.
    """
    printed, count = "", 0
    for block in blocks(page):
        if block.path:
            target = folder / block.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            lines = list(commands(block.text))
            printed = "".join(run(line, folder, home) for line in lines)
            count += len(lines)
        elif block.language == "text":
            absent = missing(printed, block.text)
            assert not absent, f"{page.name} promises {absent}, and this was printed:\n{printed}"
    return count
