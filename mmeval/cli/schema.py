"""`mmeval schema`: the JSON Schemas of what is read and written."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from mmeval.cli.output import say


class Kind(StrEnum):
    """What has a schema."""

    metadata = "metadata"
    result = "result"
    score = "score"


def schema(kind: Annotated[Kind, typer.Argument(help="Which file.")]) -> None:
    """Print a JSON Schema: of metadata.json, of result.json, or of score.json."""
    import orjson

    from mmeval import schemas

    say(orjson.dumps(schemas.of(kind.value), option=orjson.OPT_INDENT_2).decode())
