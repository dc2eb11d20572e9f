"""Where a page may be written: over an older page of ours, and over nothing else unless told."""

from __future__ import annotations

import re
from pathlib import Path

from mmeval.errors import UsageError
from mmeval.readers import is_own

# The title of a page stands within its first bytes.
GLANCE = 4096
OURS = re.compile(rb"<title>mmeval (report|compare)</title>")


def refuse_foreign(target: Path, option: str, force: bool) -> None:
    """Never write a page over predictions or scores, nor unless told over anything that is no such page.

    Raises:
        UsageError: it would.
    """
    if is_own(target.name) or target.name == "result.json":
        raise UsageError(f"{option} {target}: is the name of a file that is scored or was; give another name")
    if force or not (target.exists() or target.is_symlink()):
        return
    if not target.is_file() or not _ours(target, option):
        raise UsageError(
            f"{option} {target}: holds something else; give a free name, or --force to write over it"
        )


def _ours(target: Path, option: str) -> bool:
    try:
        with target.open("rb") as file:
            return OURS.search(file.read(GLANCE)) is not None
    except OSError as error:
        raise UsageError(f"{option} {target}: cannot be read ({error.strerror}); give another name") from None
