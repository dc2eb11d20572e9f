"""`mmeval doctor`: is this installation whole?"""

from __future__ import annotations

from typing import Annotated

import typer

from mmeval.cli.output import say


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False) -> None:
    """Check the installation: versions, extras, stages, aggregates, every protocol of the library."""
    from mmeval.reports import health

    findings = health.examine()
    if as_json:
        import orjson

        say(orjson.dumps([each._asdict() for each in findings], option=orjson.OPT_INDENT_2).decode())
    else:
        say(health.text(findings))
    raise typer.Exit(0 if all(each.state != "broken" for each in findings) else 2)
