"""Agreement with recorded verdicts as text for a terminal."""

from __future__ import annotations

from mmeval.compare.recorded import Agreement, Disagreement
from mmeval.reports.reasons import sentence
from mmeval.reports.terminal import interval, number, table
from mmeval.text.counted import many

REASONS = 10
LONGEST = 160


def agreement_text(path: str, made: Agreement, shown: int) -> str:
    """How far our verdicts are the recorded ones, and why they are not."""
    who = ", ".join(made.by) or "another harness"
    share = "-" if made.agreement is None else f"{made.agreement:.1%}"
    rows = many(made.compared, "row", "rows")
    lines = [
        f"{path}: our verdicts beside those of {who}",
        f"agree on {made.agreeing} of {rows} ({share}, 95 % {interval(made.ci95)})"
        f"   mean score: ours {number(made.ours)}, theirs {number(made.theirs)}",
    ]
    if made.unrecorded:
        lines.append(f"  {many(made.unrecorded, 'row has', 'rows have')} no recorded verdict")
    if made.firsts:
        lines.append(
            f"  {many(made.firsts, 'row has', 'rows have')} several answers, of which the first was graded "
            "here: it is compared with their verdict on the first (--score_predictions all scores the others)"
        )
    if made.unsettled:
        lines.append(
            f"  {many(made.unsettled, 'row is', 'rows are')} not settled here, or measured over the run"
        )
    return "\n\n".join(
        block for block in ("\n".join(lines), _table(made), _reasons(made), _list(made, shown)) if block
    )


def _table(made: Agreement) -> str:
    names = list(next(iter(made.table.values()), {}))
    rows = [(ours, *(str(count) for count in cells.values())) for ours, cells in made.table.items()]
    return table("ours (down) and theirs (across)", ("", *names), rows)


def _reasons(made: Agreement) -> str:
    rows = [
        (name, str(count), sentence(name.partition(": ")[2], last=True))
        for name, count in list(made.reasons.items())[:REASONS]
    ]
    return table("why ours differ, by stage and reason", ("stage: reason", "rows", "in words"), rows)


def _list(made: Agreement, shown: int) -> str:
    rows = [line for each in made.disagreements[:shown] for line in _disagreement(each)]
    if not rows:
        return ""
    title = f"disagreements: {len(made.disagreements)}, shown {min(shown, len(made.disagreements))}"
    return "\n".join([f"{title} (--flips N, --json lists all)", *rows])


def _disagreement(each: Disagreement) -> list[str]:
    return [
        f"  {each.id}   gold {_cut(each.gt)}   answered {_cut(each.pred)}",
        f"    ours    {number(each.ours)}   read {_cut(each.our_extracted)}   {each.our_reason}",
        f"    theirs  {number(each.theirs)}   read {_cut(each.their_extracted)}",
    ]


def _cut(value: object) -> str:
    text = "nothing" if value is None else value if isinstance(value, str) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
