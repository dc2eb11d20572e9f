"""Which of many files are runs of other harnesses, and which only belong to one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mmeval.readers.glimpse import OWN, PROMISING, SUFFIXES, Form, Glimpse, form_of, glimpse

_GOLD = "answer"


class Elsewhere(NamedTuple):
    """Runs of other harnesses, with their forms; and files that are read together with one of them."""

    runs: dict[Path, Form]
    companions: frozenset[Path]


def foreign_runs(files: Sequence[Path]) -> Elsewhere:
    """Look at the head of every file whose ending may be another harness's.

    A file of VLMEvalKit is a run if it holds golds too; a log of Inspect that mmeval wrote is none. Verdict
    files and reviews belong to the predictions beside them; alone they are runs. Of several links to one file
    only one is a run. A file that is damaged is a run that cannot be read, so that it is named; so is a link
    to nowhere, unless a file of its name lies there too (trees of VLMEvalKit link to what may have moved).
    """
    seen: dict[Path, tuple[Form, Glimpse]] = {}
    for path in files:
        if path.suffix.lower() in SUFFIXES:
            found = _looked_at(path, files)
            form = form_of(found)
            if form is not None and OWN not in found.names and (form != "vlmevalkit" or _GOLD in found.names):
                seen[path] = (form, found)
    belonging = {path for path, (form, found) in seen.items() if _belongs(path, form, found, seen)}
    belonging |= _links([path for path in seen if path not in belonging])
    runs = {path: form for path, (form, _) in seen.items() if path not in belonging}
    return Elsewhere(runs, frozenset(belonging))


def _looked_at(path: Path, files: Sequence[Path]) -> Glimpse:
    lost = path.suffix.lower() in PROMISING and path.is_symlink() and not path.exists()
    if lost and not any(each.name == path.name and each.exists() for each in files):
        return Glimpse("damaged")
    return glimpse(path)


def _belongs(path: Path, form: Form, found: Glimpse, seen: dict[Path, tuple[Form, Glimpse]]) -> bool:
    if form == "evalscope-reviews":
        from mmeval.readers.evalscope import predictions_of

        return predictions_of(path) is not None
    if form != "vlmevalkit":
        return False
    from mmeval.readers.vlmevalkit import front_of, is_verdicts

    if not is_verdicts(found.names):
        return False
    return front_of(path, (other for other in seen if other.parent == path.parent)) is not None


def _links(paths: Sequence[Path]) -> set[Path]:
    """All but one of several paths to one file; what is no link stays."""
    kept: dict[str, Path] = {}
    for path in sorted(paths, key=lambda each: (each.is_symlink(), each.parts)):
        kept.setdefault(os.path.realpath(path), path)
    return set(paths) - set(kept.values())
