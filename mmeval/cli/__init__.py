"""The command `mmeval`: one file per command. Nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import typer

from mmeval.cli import check, compare, doctor, explain, judge, protocols, samples, schema, score, show, stages
from mmeval.cli.export import export
from mmeval.cli.import_ import import_
from mmeval.cli.output import say, tolerate
from mmeval.cli.report import report
from mmeval.errors import MmevalError

EPILOG = (
    "Exit codes: 0 done, 1 a gate was missed, 2 usage or input error, 3 incomplete but resumable, "
    "130 interrupted."
)

app = typer.Typer(
    name="mmeval",
    help="Scores what vision-language models answered, by the protocol that the dataset declares.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("score")(score.score)
# An eval-id may look like an option: -1.
app.command("explain", context_settings={"ignore_unknown_options": True})(explain.explain)
app.command("show")(show.show)
app.command("compare")(compare.compare)
app.command("report")(report)
app.command("samples")(samples.samples)
app.command("export")(export)
app.command("import")(import_)
app.command("check")(check.check)
app.command("schema")(schema.schema)
app.command("doctor")(doctor.doctor)
app.add_typer(stages.app, name="stages")
app.add_typer(protocols.app, name="protocols")
app.add_typer(judge.app, name="judge")


@app.callback(invoke_without_command=True)
def _root(
    version: bool = typer.Option(False, "--version", help="Print the version and exit."),
) -> None:
    if version:
        import importlib.metadata

        say(f"mmeval {importlib.metadata.version('mmeval-score')}")
        raise typer.Exit


def snake(arguments: Sequence[str]) -> list[str]:
    """Flags in the dashed form become the snake_case form; values and everything after `--` stay."""
    told: list[str] = []
    for index, argument in enumerate(arguments):
        if argument == "--":
            return told + list(arguments[index:])
        flag, equals, value = argument.partition("=")
        if re.fullmatch(r"--[a-z][a-z0-9_-]*", flag):
            flag = "--" + flag[2:].replace("-", "_")
        told.append(flag + equals + value)
    return told


# Typer's usage errors have no public name of their own.
USAGE: type[Exception] = typer.BadParameter.__mro__[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code; a user's mistake is one sentence, never a traceback."""
    # Looking for pydantic plug-ins reads the metadata of every installed package; none concerns us.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    tolerate()
    try:
        told = snake(sys.argv[1:] if arguments is None else arguments)
        code = app(args=told, prog_name="mmeval", standalone_mode=False)
    except MmevalError as error:
        say(f"error: {error}", err=True)
        code = error.exit_code
    except USAGE as error:
        say(usage(error), err=True)
        code = 2
    except typer.Abort:
        code = 130
    if code == 130:
        say("interrupted; nothing half-written was left", err=True)
    sys.exit(code or 0)


def usage(error: Exception) -> str:
    """A usage error in one sentence; the help text where a command was called without anything."""
    message = str(error) if not hasattr(error, "format_message") else error.format_message()
    if message.startswith("Usage:"):
        return str(message)
    message = " ".join(message.split())
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", "mmeval")
    said = message.replace("Value error, ", "").rstrip(".")
    return f"error: {said}{' ' if said.endswith('?') else '; '}see {command} --help"
