"""A prompt as its TOML file declares it."""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import Any, Literal, TypeAlias

import msgspec

from mmeval.errors import UsageError
from mmeval.judge._slots import Style
from mmeval.types import Json

Shape: TypeAlias = Literal["whole", "answer", "final"]

_UNKNOWN = re.compile("unknown field `(?P<name>[^`]*)`")


class Messages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said. `{name}` is an input, `{instruction}` how the contract wants its reply.

    `notice` stands above the user's message and says what fenced data is; by default in English.
    """

    user: str
    system: str | None = None
    notice: str | None = None


class Response(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the prediction the judge sees.

    `whole`: all of it. `answer`: without its reasoning. `final`: without its reasoning the first `<answer>`
    element, else the last box, else all. `tail`: of that, the last so many characters.
    """

    shape: Shape = "whole"
    tail: int | None = None


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the question the judge sees: what stands after the last `after`, if that occurs."""

    after: str | None = None


class Reference(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How several references become one text, and whether a label is shown with its option ("B. red")."""

    join: str = "; "
    take: Literal["all", "first"] = "all"
    with_option_text: bool = False


class Field(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An input that is a field of the sample.

    `field`: its name there, if it is another one. `optional`: whether its line is left out where the sample
    has none. `listed`: how the items of a list stand. `counts`: the parameter of the contract that is their
    number.
    """

    field: str | None = None
    optional: bool = False
    listed: Literal["joined", "lines", "numbered"] = "joined"
    counts: str | None = None


class Shortcuts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Predictions that are settled unasked: texts that are wrong, and the reference itself, if `equal`."""

    wrong: tuple[str, ...] = ()
    equal: bool = False


class Official(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An official text, by the SHA-256 of its UTF-8 bytes; the text itself stays with its authors.

    `where`: repository, path, name, commit. `style`, `placeholders`: how its places are written, and which of
    our inputs belongs into which. `strip`: the official code strips the text. `tail`: places that it adds in
    the end, in our form. `part`: one piece of what it sends, or made anew at run time: of no use alone.
    `system_sha256`: that of its system message.
    """

    sha256: str
    where: str
    style: Style = "format"
    placeholders: dict[str, str] = {}
    strip: bool = False
    tail: str = ""
    part: bool = False
    system_sha256: str | None = None


class Spec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One file."""

    description: str
    contract: str
    messages: Messages
    contract_params: dict[str, Any] = {}
    question: Question = Question()
    reference: Reference = Reference()
    response: Response = Response()
    fields: dict[str, Field] = {}
    shortcuts: Shortcuts = Shortcuts()
    reference_syntax: Literal["and_or_composition"] | None = None
    images: tuple[str, ...] = ()
    temperature: float | None = None
    max_tokens: int | Literal["none"] | None = None
    official_models: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    official: tuple[Official, ...] = ()

    def determining(self) -> dict[str, Json]:
        """All that determines what is sent and how the reply is read; not the words about it."""
        plain: dict[str, Json] = msgspec.to_builtins(self)
        about = ("description", "official_models", "aliases", "official")
        return {name: value for name, value in plain.items() if name not in about}


STRUCTS = (Spec, Messages, Question, Reference, Response, Field, Shortcuts, Official)
KNOWN = sorted({name for struct in STRUCTS for name in struct.__struct_fields__})


def read_spec(text: str, where: str) -> Spec:
    """A prompt of the text of a TOML file.

    Raises:
        UsageError: it is no TOML, or says something that nobody knows; with the nearest key that is known.
    """
    try:
        return msgspec.convert(tomllib.loads(text), Spec)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where}: not TOML: {error}") from None
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}{_hint(str(error))}") from None


def _hint(message: str) -> str:
    unknown = _UNKNOWN.search(message)
    if unknown is None:
        return ""
    near = difflib.get_close_matches(unknown["name"], KNOWN, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(KNOWN)}"
