"""`mmeval check`: is this metadata.json usable?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mmeval.cli.output import say


def check(
    metadata: Annotated[list[Path], typer.Argument(help="metadata.json files, or folders that hold one.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check metadata.json files: keys, types, stages, parameters, routes, aggregates."""
    from mmeval.errors import MmevalError
    from mmeval.lint import lint

    findings = []
    for path in metadata:
        file = path / "metadata.json" if path.is_dir() else path
        try:
            findings.append({"file": str(file), "ok": True, "says": lint(file)})
        except MmevalError as error:
            findings.append({"file": str(file), "ok": False, "says": [str(error)]})
    if as_json:
        import orjson

        say(orjson.dumps(findings, option=orjson.OPT_INDENT_2).decode())
    else:
        for each in findings:
            say(f"{'ok' if each['ok'] else 'error'}: {each['file']}")
            for text in each["says"] if isinstance(each["says"], list) else []:
                say(f"    {text}")
    raise typer.Exit(0 if all(each["ok"] for each in findings) else 2)
