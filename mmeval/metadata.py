"""The dataset contract: what `metadata.json` and a sample's `dataset_meta` may say, and nothing else."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    ValidationError,
    model_validator,
)

from mmeval import strict_json
from mmeval.errors import MetadataError

Texts: TypeAlias = tuple[str, ...]
M = TypeVar("M", bound=BaseModel)
OneOrMore = Annotated[Texts, Field(min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)


class Filter(_Model):
    """Rows to keep: those whose `field` is one of `is`, or none of `not` (canonical texts)."""

    field: str
    is_: OneOrMore | None = Field(default=None, alias="is")
    not_: OneOrMore | None = Field(default=None, alias="not")

    @model_validator(mode="after")
    def _one_condition(self) -> Filter:
        if (self.is_ is None) == (self.not_ is None):
            raise ValueError('give exactly one of "is" and "not"')
        return self


class Derive(_Model):
    """Fields made of another one: its text cut at every `split`, piece by piece, or copied whole.

    `from` is a flat field, or `eval-id`. With `modulo` a whole number is copied as its remainder. Nothing is
    made where the text has another number of pieces than `into` has names, or is no whole number where one
    is needed, and a field that already has a value keeps it.
    """

    from_: str = Field(alias="from", min_length=1)
    into: OneOrMore
    split: Annotated[str, Field(min_length=1)] | None = None
    modulo: Annotated[int, Field(strict=True, ge=1)] | None = None

    @model_validator(mode="after")
    def _whole(self) -> Derive:
        if self.split is None and len(self.into) != 1:
            raise ValueError('without "split" the text is copied: "into" must name one field')
        if self.split is not None and self.modulo is not None:
            raise ValueError('"split" cuts a text, "modulo" takes a number: give one of them')
        if len(set(self.into)) != len(self.into):
            raise ValueError('"into" names a field twice')
        return self


class RouteCase(_Model):
    """One arm of a route: rows whose fields are all in `when` go through `pipeline`."""

    when: dict[str, OneOrMore]
    pipeline: OneOrMore
    params: dict[str, JsonValue] = {}


class Route(_Model):
    """Different pipelines for different rows; the first case that holds wins, `default` catches the rest."""

    route: OneOrMore
    cases: Annotated[tuple[RouteCase, ...], Field(min_length=1)]
    default: Texts | None = None


class Unsupported(_Model):
    """The dataset says that its official protocol is not expressible here."""

    unsupported: str
    reason: str | None = None


class Aggregate(BaseModel):
    """One named number. Keys beyond these are the reducer's own parameters."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    name: Annotated[str, Field(min_length=1)]
    reduce: str
    over: OneOrMore | None = Field(default=None, description="subsets that count; all by default")
    where: dict[str, OneOrMore] = Field(
        default={}, description="rows that count: every field among its values"
    )
    scale: Annotated[float, Field(strict=True, gt=0, le=1e6)] = 1.0
    headline: Annotated[bool, Field(strict=True)] = False

    @property
    def params(self) -> dict[str, Any]:
        """The reducer's own parameters."""
        return dict(self.model_extra or {})


class Resource(_Model):
    """A file, or a folder of them, that stages or aggregates read.

    It lies below the first variable of `env` that is set ("GLIP_ROOT", or with a folder below it
    "LMUData/GLIP"); a variable that names a file is that file. Without one it lies beside the run. `paths`
    holds one file for each value of the row's field `by`. `kind`: any JSON (`json`), annotations of COCO or
    LVIS (`coco`), or a folder with one JSON file per row, named by the row's id (`rows`). `sha256` of several
    files is that of their sorted hashes.
    """

    path: str = ""
    paths: dict[str, str] = {}
    by: str | None = None
    env: Texts = ()
    kind: Literal["json", "coco", "rows"] = "json"
    optional: Annotated[bool, Field(strict=True)] = False
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    @model_validator(mode="after")
    def _place(self) -> Resource:
        if (self.by is None) != (not self.paths):
            raise ValueError('give "by" and "paths" together: the field, and a file for each of its values')
        if self.paths and self.path:
            raise ValueError('give "path" or "paths", not both')
        if not (self.path or self.paths or self.env):
            raise ValueError('give "path", "paths" or "env": nothing says where it lies')
        return self


class Judge(_Model):
    """How an LLM is asked, and what the official set-up is."""

    contract: str
    prompt: str
    prompts: Texts = Field(default=(), description="prompt ids that this benchmark takes")
    inputs: dict[str, str] = Field(default={}, description="template name to sample field")
    prompt_text: str | None = Field(default=None, description="a text in place of the prompt's own")
    placeholders: dict[str, str] = Field(
        default={}, description="the text's own names of its places, to names of inputs"
    )
    official_model: str | None = None
    official_prompt_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    @model_validator(mode="after")
    def _placed(self) -> Judge:
        if self.placeholders and self.prompt_text is None and self.official_prompt_sha256 is None:
            raise ValueError('"placeholders" are those of "prompt_text", or of the official text; give one')
        return self


class Provenance(_Model):
    """Where the protocol comes from."""

    note: str | None = None
    official: str | None = Field(default=None, description="owner/repo path@commit")
    status: Literal["official", "derived"] | None = None
    paper: str | None = None


class Fields(_Model):
    """Fields that hold gold and prediction where they are not the default ones."""

    gt: str | None = None
    pred: str | None = None


def _form(pipeline: object) -> str:
    """Which form a pipeline is meant to have, so that a mistake in it is told about that form alone."""
    if isinstance(pipeline, Route) or (isinstance(pipeline, dict) and {"route", "cases"} & pipeline.keys()):
        return "Route"
    return "Unsupported" if isinstance(pipeline, Unsupported | dict) else "[stages]"


Pipeline: TypeAlias = Annotated[
    Annotated[Texts, Tag("[stages]")]
    | Annotated[Route, Tag("Route")]
    | Annotated[Unsupported, Tag("Unsupported")],
    Discriminator(_form),
]


def _counted(rows: object) -> str:
    """Whether a number of rows is given, or several."""
    return "[several]" if isinstance(rows, list | tuple) else "[one]"


RowCount: TypeAlias = Annotated[int, Field(strict=True, ge=1)]
RowCounts: TypeAlias = Annotated[
    Annotated[RowCount, Tag("[one]")]
    | Annotated[tuple[RowCount, ...], Field(min_length=2), Tag("[several]")],
    Discriminator(_counted),
]


class Block(_Model):
    """One protocol: everything that determines a score but the predictions."""

    task_type: str | None = None
    score_pipeline: Pipeline | None = None
    score_params: dict[str, JsonValue] = {}
    score_fields: Fields = Fields()
    score_question_type: Literal["mcq", "yes_no", "numeric", "open"] | None = None
    score_predictions: Literal["first", "all"] = "first"
    score_derive: tuple[Derive, ...] = ()
    score_filter: tuple[Filter, ...] = ()
    score_resources: dict[str, Resource] = {}
    score_aggregates: tuple[Aggregate, ...] = ()
    score_judge: Judge | None = None
    score_rows: RowCounts | None = None
    score_protocol: Provenance = Provenance()
    score_note: str | None = None
    prompt_template: JsonValue = None

    @property
    def row_counts(self) -> tuple[int, ...]:
        """How many rows the benchmark has: one number per table that goes by its name; none if not known."""
        rows = self.score_rows
        return rows if isinstance(rows, tuple) else () if rows is None else (rows,)

    @model_validator(mode="after")
    def _names(self) -> Block:
        names = [aggregate.name for aggregate in self.score_aggregates]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"aggregate name {twice[0]!r} is used twice")
        if self.score_aggregates and sum(a.headline for a in self.score_aggregates) != 1:
            raise ValueError('exactly one aggregate must say "headline": true')
        return self


class Subset(Block):
    """A subset's protocol, and its named variants."""

    variants: dict[str, Block] = {}


class DataFile(_Model):
    """A table of the benchmark's questions and golds: where it is published, and what it must hold."""

    repo: str | None = Field(default=None, description="owner/name of a dataset repository on Hugging Face")
    file: str | None = Field(default=None, description="its path in there")
    revision: str | None = None
    md5: Annotated[str, Field(pattern="^[0-9a-f]{32}$")] | None = None
    lists: Texts = Field(default=(), description="columns whose cells may be written lists: ['a', 'b']")

    @model_validator(mode="after")
    def _address(self) -> DataFile:
        if (self.repo is None) != (self.file is None):
            raise ValueError('give both "repo" and "file", or neither')
        return self


class Metadata(_Model):
    """`metadata.json`: one benchmark."""

    dataset_name: str | None = None
    aliases: Texts = ()
    score_data: dict[str, DataFile] = Field(default={}, description="tables of the benchmark, by name")
    subsets: dict[str, Subset]


class MetaBlock(Block):
    """`dataset_meta` of a sample: the block of its subset, with the dataset's identity."""

    dataset_name: str | None = None
    subset: str | None = None
    split: str | None = None
    revision: str | None = None
    variants: dict[str, Block] = {}


# Editors on Windows put it before a file.
BOM = b"\xef\xbb\xbf"
DEEP = 12
RETIRED = (
    "it declares the retired score_type; re-push the dataset with score_pipeline in its metadata.json, "
    "then re-run inference"
)


class _Where(NamedTuple):
    path: str
    message: str


def parse_metadata(data: bytes, where: str) -> Metadata:
    """Read a `metadata.json`.

    Args:
        data: the file's bytes.
        where: what to call the file in messages.

    Raises:
        MetadataError: not JSON, an unknown or retired key, or a value of the wrong type.
    """
    raw = strict_json.loads(data.removeprefix(BOM), where)
    if not isinstance(raw, dict):
        raise MetadataError(f"{where}: must be an object with a key subsets")
    return _validate(Metadata, raw, where)


def read_metadata(path: Path) -> Metadata:
    """Read a `metadata.json` from disk; see `parse_metadata`."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise MetadataError(f"{path}: cannot be read ({error.strerror}); check the path") from None
    return parse_metadata(data, str(path))


def parse_block(raw: dict[str, Any], where: str) -> MetaBlock:
    """Read one `dataset_meta` block; see `parse_metadata`."""
    if "score_type" in raw:
        raise MetadataError(f"{where}: {RETIRED}")
    known = {k: v for k, v in raw.items() if k in MetaBlock.model_fields or k.startswith("score_")}
    strict_json.refuse_huge(known, where)
    return _validate(MetaBlock, known, where)


def _validate(model: type[M], raw: dict[str, Any], where: str) -> M:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = _explain(model, error)
        raise MetadataError(f"{where} at {first.path}: {first.message}") from None


def _explain(model: type[BaseModel], error: ValidationError) -> _Where:
    """The first fault, as a JSON path and a sentence with the nearest valid name."""
    found = sorted(
        error.errors(), key=lambda e: (e["type"] != "extra_forbidden", "score_type" not in e["loc"])
    )
    first = found[0]
    loc = [str(part) for part in first["loc"] if not _is_union_tag(part)]
    path = _path(loc)
    if loc and loc[-1] == "score_type":
        return _Where(path, RETIRED)
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(loc[-1], _known_keys(), 1)
        known = f"; did you mean {near[0]!r}?" if near else "; remove it"
        hint = "; it does not belong here" if near == loc[-1:] else known
        return _Where(path, f"unknown key {loc[-1]!r}{hint}")
    return _Where(path, f"{_in_json_words(first['msg'])} (found {_short(first['input'])})")


def _path(loc: list[str]) -> str:
    """A JSON path; the middle of a very deep one is left out."""
    shown = loc if len(loc) <= DEEP else [*loc[: DEEP // 2], "...", *loc[-DEEP // 2 :]]
    return "$" + "".join(f".{part}" for part in shown)


def _in_json_words(message: str) -> str:
    """What pydantic says of Python's types, said of JSON's."""
    message = re.sub(r"dictionary(?: or instance of \w+)?", "object", message.removeprefix("Value error, "))
    message = re.sub(r"\b(?:a valid )?tuple\b", "a list", message, flags=re.IGNORECASE)
    return message.replace("a valid string", "a text").replace("a valid object", "an object")


def _is_union_tag(part: str | int) -> bool:
    return isinstance(part, str) and (part in {"Route", "Unsupported"} or "[" in part)


def _known_keys() -> list[str]:
    models = (
        *(Subset, Metadata, Derive, Filter, Route, RouteCase, Unsupported),
        *(Resource, Judge, Provenance, Fields, DataFile),
    )
    return sorted({field.alias or name for model in models for name, field in model.model_fields.items()})


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def metadata_schema() -> dict[str, Any]:
    """The JSON Schema of `metadata.json`."""
    schema: dict[str, Any] = Metadata.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "mmeval metadata.json"
    return schema
