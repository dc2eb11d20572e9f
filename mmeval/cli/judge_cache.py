"""`mmeval judge cache`: the replies that were paid for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmeval.cli.output import say
from mmeval.errors import UsageError
from mmeval.text.counted import many
from mmeval.text.terminal_cells import aligned

if TYPE_CHECKING:
    from mmeval.judge.upkeep import Choice, Stats

app = typer.Typer(
    help="Look into the cache of judges' replies, take it along, or throw replies away.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[
    Path | None,
    typer.Option(
        "--cache_dir", help="Folder of the cache; else MMEVAL_CACHE_DIR, else the user's cache folder."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print as JSON.")]
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


@app.command("stats")
def show_stats(cache_dir: Folder = None, as_json: AsJson = False) -> None:
    """Count replies and tokens, by model and prompt."""
    from mmeval.judge import upkeep
    from mmeval.judge.cache import Cache

    with Cache.look(cache_dir) as cache:
        found = upkeep.stats(cache)
    say(_json(found) if as_json else _table(found))


@app.command("export")
def export(
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write, one reply a line (.jsonl).")],
    cache_dir: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Write every reply into a file, for another machine or for --judge_provider replay."""
    from mmeval.judge import upkeep
    from mmeval.judge.cache import Cache

    with Cache.look(cache_dir) as cache:
        count = upkeep.export(cache, out)
    told = f"{many(count, 'reply', 'replies')} in {out}"
    say(_json({"out": str(out), "replies": count}) if as_json else told)


@app.command("import")
def take_in(
    file: Annotated[Path, typer.Argument(help="File that `export` wrote.")],
    cache_dir: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Put exported replies into the cache; what it knows already stays."""
    from mmeval.judge import upkeep
    from mmeval.judge.cache import Cache

    with Cache.open(cache_dir) as cache:
        found = upkeep.take_in(cache, file)
    other = f", {found.different} of them with another reply, which was left out" if found.different else ""
    say(_json(found) if as_json else f"{found.new} new, {found.known} known already{other}")


@app.command("prune")
def prune(
    older_than: Annotated[
        str | None, typer.Option("--older_than", help="Age: 12h, 30d or 8w.", metavar="AGE")
    ] = None,
    model: Annotated[str | None, typer.Option("--model", help="Only this model's replies.")] = None,
    prompt: Annotated[str | None, typer.Option("--prompt", help="Only the replies to this prompt.")] = None,
    batches: Annotated[
        bool,
        typer.Option("--batches", help="Forget batches that are on record; their questions are asked again."),
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="All replies.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry_run", help="Only say what would go.")] = False,
    cache_dir: Folder = None,
    as_json: AsJson = False,
) -> None:
    """Throw replies away: those that fit everything that is named."""
    from mmeval.judge import upkeep
    from mmeval.judge.cache import Cache

    choice = None
    if not batches or everything or (older_than, model, prompt) != (None, None, None):
        choice = _choice(older_than, model, prompt, everything)
    with Cache.look(cache_dir) as cache:
        replies = 0 if choice is None else upkeep.matching(cache, choice)
        waiting = upkeep.stats(cache).waiting if batches else 0
    if not dry_run and replies + waiting:
        with Cache.open(cache_dir) as cache:
            replies = 0 if choice is None else upkeep.prune(cache, choice)
            waiting = upkeep.forget_batches(cache) if batches else 0
    if as_json:
        say(_json({"replies": replies, "waiting": waiting, "gone": not dry_run}))
        return
    also = f" and {many(waiting, 'waiting question', 'waiting questions')}" if batches else ""
    gone = "is gone" if replies == 1 and not also else "are gone"
    say(f"{many(replies, 'reply', 'replies')}{also} {'would go' if dry_run else gone}")


def _choice(older_than: str | None, model: str | None, prompt: str | None, everything: bool) -> Choice:
    from mmeval.judge.upkeep import Choice

    named = [value is not None for value in (older_than, model, prompt)]
    if everything and any(named):
        raise UsageError("--all leaves nothing to choose; leave out --older_than, --model and --prompt")
    if not everything and not any(named):
        raise UsageError("say which replies: --older_than 30d, --model, --prompt, or --all")
    return Choice(None if older_than is None else _before(older_than), model, prompt)


def _before(age: str) -> int:
    """The time that lies an age back, in seconds since 1970.

    Raises:
        UsageError: it is no age.
    """
    import time

    number, unit = age[:-1], age[-1:]
    if not (number.isascii() and number.isdigit() and unit in _UNITS and len(number) < 9):
        raise UsageError(f"--older_than {age}: is no age; write hours, days or weeks: 12h, 30d, 8w")
    return int(time.time()) - int(number) * _UNITS[unit]


def _json(value: object) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _table(found: Stats) -> str:
    rows: list[tuple[str, ...]] = [
        ("model", "prompt", "replies", "tokens in", "tokens out", "oldest", "newest")
    ]
    for group in found.groups:
        tokens = [
            "-" if count is None else str(count) for count in (group.prompt_tokens, group.completion_tokens)
        ]
        days = [_day(group.oldest), _day(group.newest)]
        rows.append((group.model, group.prompt or "-", str(group.replies), tokens[0], tokens[1], *days))
    waiting = f", {found.waiting} questions with a batch" if found.waiting else ""
    head = f"{found.path}: {many(found.replies, 'reply', 'replies')}, {found.bytes / 1e6:.1f} MB{waiting}"
    return "\n".join([head, *aligned(rows)]) if found.groups else head


def _day(seconds: int) -> str:
    import datetime

    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d")
