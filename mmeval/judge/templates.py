"""Prompts: what a judge is told, with the case in it.

The library's are TOML files in `prompts/`, in our own words. A user may bring a text, an official one or one
of their own, and a dataset may ship one.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from mmeval.errors import UsageError
from mmeval.fingerprint import digest
from mmeval.judge._inputs import RESERVED
from mmeval.judge._official import Recognised, recognise, sha256
from mmeval.judge._prompt import NOTICE, OURS, Prompt, Rendered
from mmeval.judge._prompt_file import Spec, read_spec
from mmeval.judge._slots import Malformed, Slot, Text, official, ours
from mmeval.types import Json

__all__ = ["Prompt", "Rendered", "canonical", "from_file", "from_text", "names", "prompt"]

FOLDER = Path(__file__).parent / "prompts"
RENDERING = 1
"""Counted up when the same prompt and case give other messages; part of every prompt's hash."""


def names() -> tuple[str, ...]:
    """The prompts of the library, sorted."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def canonical(name: str) -> str | None:
    """The id of the prompt that a name means: `judge_vdr` is `judge-vdr`, and official names count."""
    wanted = _folded(name)
    known = names()
    if wanted in known:
        return wanted
    return next((each for each in known if wanted in map(_folded, prompt(each).spec.aliases)), None)


def _folded(name: str) -> str:
    return name.strip().lower().replace("_", "-")


@cache
def prompt(name: str) -> Prompt:
    """A prompt of the library.

    Raises:
        UsageError: there is none of that name; the message has the nearest one.
    """
    path = FOLDER / f"{_folded(name)}.toml"
    if not path.is_file():
        return prompt(_other_name(name))
    return _of_spec(path.stem, read_spec(path.read_text(encoding="utf-8"), path.name), path.name)


def _other_name(name: str) -> str:
    found = canonical(name)
    if found is None:
        near = difflib.get_close_matches(_folded(name), names(), 1)
        hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names())}"
        raise UsageError(f"no judge prompt {name!r}; {hint}")
    return found


def from_file(
    path: Path, like: Prompt, fields: Sequence[str] = (), placeholders: Mapping[str, str] | None = None
) -> Prompt:
    """A prompt of the user's, in place of one of the library's.

    Args:
        path: any text, or a TOML file of our form.
        like: the prompt whose contract, inputs and settings hold.
        fields: further names of inputs, as the benchmark declares them.
        placeholders: the text's own names of its places, to names of inputs.

    Raises:
        UsageError: it cannot be read, or has places that nobody can fill.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(f"judge prompt {path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"judge prompt {path}: not UTF-8; save it as UTF-8") from None
    if path.suffix.lower() == ".toml":
        return _of_own_file(read_spec(text, str(path)), str(path), like, fields, path.name)
    return from_text(text, str(path), like, placeholders, fields, path.name)


def from_text(
    text: str,
    where: str,
    like: Prompt,
    placeholders: Mapping[str, str] | None = None,
    fields: Sequence[str] = (),
    name: str | None = None,
) -> Prompt:
    """A prompt of a text: the official one if its hash says so, else one with `{name}` for its inputs.

    Args:
        text: the text.
        where: what to call it in messages.
        like: the prompt whose contract, inputs and settings hold.
        placeholders: the text's own names of its places, to names of inputs.
        fields: further names of inputs.
        name: the prompt's id; `where` by default.

    Raises:
        UsageError: a place that nobody can fill, none for the prediction, or a mere part of an official text.
    """
    found = recognise(text, like.spec.official)
    if found is not None:
        return _official(found, where, like, name or where)
    body = ours(text.removeprefix("\ufeff").replace("\r\n", "\n"), placeholders)
    _check(body, where, (*like.slots, *like.spec.fields, *fields))
    own_form = "instruction" not in body.slots
    return _reworded(like, name or where, body, schema_allowed=not own_form)


def _official(found: Recognised, where: str, like: Prompt, name: str) -> Prompt:
    about = found.official
    if about.part:
        raise UsageError(
            f"judge prompt {where}: this is only a part of what the official code sends ({about.where}); "
            "give the whole text as that code puts it together"
        )
    try:
        text = found.text.strip() if about.strip else found.text
        body = official(text, about.style, about.placeholders)
    except Malformed as error:
        raise UsageError(f"judge prompt {where}: {error}") from None
    if about.tail:
        body = _joined(body, ours(about.tail))
    made = _reworded(like, name, body, schema_allowed=False)
    return replace(made, official=about.system_sha256 is None, matched=found.how)


def _joined(head: Text, tail: Text) -> Text:
    """Two texts as one; the tail begins where the head ends."""
    return Text((*head.lines[:-1], head.lines[-1] + tail.lines[0], *tail.lines[1:]), head.loose)


def _of_own_file(spec: Spec, where: str, like: Prompt, fields: Sequence[str], name: str) -> Prompt:
    """A user's TOML file; its messages may both be the official ones, word for word."""
    messages = spec.messages
    found = recognise(messages.user, like.spec.official)
    system = None if messages.system is None else sha256(messages.system)
    if found is None or found.official.system_sha256 != system:
        return _of_spec(name, spec, where, fields)
    body = _official(found, where, like, name)
    told = None if messages.system is None else Text(((messages.system,),), loose=False)
    return replace(body, official=True, system=told, sha256=digest([body.sha256, messages.system]))


def _reworded(like: Prompt, name: str, body: Text, schema_allowed: bool) -> Prompt:
    """A prompt with another text, and no system message: the user's words are all that is said."""
    user = _with_places(body) if body.loose else body
    spec = like.spec
    told = {**spec.determining(), "messages": None}
    return replace(
        like,
        id=name,
        user=user,
        system=None,
        schema_allowed=schema_allowed,
        official=False,
        matched=None,
        sha256=digest([RENDERING, NOTICE, told, user.loose, [_plain(line) for line in user.lines]]),
    )


def _plain(line: Sequence[str | Slot]) -> list[Json]:
    return [list(piece) if isinstance(piece, Slot) else piece for piece in line]


def _of_spec(name: str, spec: Spec, where: str, fields: Sequence[str] = ()) -> Prompt:
    user = _with_places(ours(spec.messages.user.strip("\n")))
    system = None if spec.messages.system is None else ours(spec.messages.system.strip("\n"))
    _check(user, where, (*spec.fields, *fields))
    return Prompt(
        id=name,
        description=spec.description,
        contract=spec.contract,
        contract_params=spec.contract_params,
        sha256=digest([RENDERING, NOTICE, spec.determining()]),
        spec=spec,
        user=user,
        system=system,
        official_models=spec.official_models,
        official_sha256=tuple(each.sha256 for each in spec.official),
        temperature=spec.temperature,
        max_tokens=spec.max_tokens,
        schema_allowed="instruction" in user.slots,
        images=spec.images,
    )


def _with_places(body: Text) -> Text:
    """A text that has places for what a benchmark may add: before the instruction, or at the end."""
    missing = tuple((Slot(name),) for name in ("reference_syntax", "more") if name not in body.slots)
    at = next((n for n, line in enumerate(body.lines) if Slot("instruction") in line), len(body.lines))
    return Text((*body.lines[:at], *missing, *body.lines[at:]), body.loose)


def _check(body: Text, where: str, fields: Sequence[str]) -> None:
    known = (*RESERVED, *OURS, *fields)
    for name in body.slots:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {{{near[0]}}}? " if near else ""
            raise UsageError(
                f"judge prompt {where}: nothing is known that belongs into {{{name}}}; {hint}known: "
                f"{', '.join(sorted(set(known)))}. A literal {{{name}}} is written {{{{{name}}}}}"
            )
    if not {"response", "extracted"} & set(body.slots):
        raise UsageError(
            f"judge prompt {where}: it never shows the answer; write {{response}} where that goes"
        )
