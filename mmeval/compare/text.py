"""A comparison as text for a terminal: the cause in its first twenty lines, the samples below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mmeval.compare.causes import Cause, Move
from mmeval.compare.comparison import Comparison, Flip, Told
from mmeval.compare.paired import Paired
from mmeval.compare.several import Family
from mmeval.reports.reasons import sentence
from mmeval.reports.terminal import OFFICIAL, interval, number, table
from mmeval.text.counted import many

IDS = 20
KNOBS = 6
MOVES = 8
GROUPS = 5
CHANCE = 0.05
LONGEST = 300
# So many times more is looked at, for spaces fall together.
SPACES = 10


def family_text(family: Family, flips: int) -> str:
    """All comparisons: a table first where there are several, then each by itself."""
    blocks = [overview(family)] if len(family.comparisons) > 1 else []
    if family.alone:
        blocks.append(f"without a partner: {_ids(family.alone)}")
    blocks += [comparison_text(each, flips) for each in family.comparisons]
    return "\n\n".join(blocks)


def overview(family: Family) -> str:
    """A line a comparison, with the p-values of all of them together."""
    head = ("benchmark", "A", "B", "B - A", "95 % interval", "n", "p", "p (Holm)", "FDR")
    rows = [
        (each.benchmark, each.a.path, each.b.path, *_figures(each.main), _p(claim), _p(screen))
        for each, claim, screen in zip(family.comparisons, family.holm, family.fdr, strict=True)
    ]
    title = f"{len(rows)} comparisons; claim by the p-values of Holm, screen by the FDR"
    return table(title, head, rows)


def _figures(found: Paired | None) -> tuple[str, str, str, str]:
    if found is None:
        return "-", "-", "0", "-"
    return signed(found.difference), interval(found.ci95), str(found.n), _p(found.p)


def signed(value: float | None) -> str:
    """A difference with its sign; `-` where there is none."""
    return "-" if value is None else f"{'+' if value > 0 else ''}{number(value)}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.2g}" if value < 0.1 else f"{value:.2f}"


def comparison_text(made: Comparison, flips: int) -> str:
    """One comparison."""
    blocks = [
        "\n".join([*_head(made), *_knobs(made), *likely(made), *_headline(made), *_joined(made)]),
        _moves(made),
        _groups(made),
        _states(made),
        _deviations(made),
        _flips(made, flips),
    ]
    return "\n\n".join(block for block in blocks if block)


def _head(made: Comparison) -> list[str]:
    of = "two scorings of the same predictions" if made.kind == "scorings" else "two runs"
    return [f"{made.benchmark}: {of}", f"A  {_told(made.a)}", f"B  {_told(made.b)}"]


def _told(told: Told) -> str:
    value = f"{told.name} = {number(told.value)}"
    if told.failed and told.value is None:
        value = f"{told.name} in {interval(list(told.bounds))} ({many(told.failed, 'row', 'rows')} failed)"
    return f"{told.path}   {value}   official: {OFFICIAL[told.official]}"


def _knobs(made: Comparison) -> list[str]:
    """What differs in the scoring: what decides, first of all."""
    decisive = [str(knob) for knob in made.knobs if knob.decides]
    lines = [f"scored differently: {text}" for text in decisive[:KNOBS]]
    if len(decisive) > KNOBS:
        lines.append(f"scored differently: and {len(decisive) - KNOBS} knobs more (--json lists all)")
    return lines


def likely(made: Comparison) -> list[str]:
    """What the difference comes from, in a sentence or two."""
    if not made.matched:
        return ["no sample is in both: there is nothing to compare"]
    decisive = [knob.name for knob in made.knobs if knob.decides]
    lines = []
    if decisive and made.kind == "runs":
        lines.append(f"likely cause: the runs were scored differently ({', '.join(decisive[:KNOBS])})")
    found = None if made.causes is None else made.causes.likely
    word = "likely cause" if not lines else "and by rows"
    if found is not None and made.causes is not None:
        lines.append(f"{word}: {_cause(found)}, {_of_all(found, made.causes.points)}")
        lines += [f"  on the other side these rows are: {_counts(found.other)}"] if found.other else []
    elif made.causes is not None and made.causes.points:
        lines.append(f"{word}: no stage, reason, status or group explains half of it; the answers differ")
    elif not lines:
        lines.append(f"likely cause: {_balanced(made)}")
    return lines + _doubt(made)


def _balanced(made: Comparison) -> str:
    """What there is to say where both sides have as many points."""
    better, worse = (sum(flip.points * sign > 0 for flip in made.flips) for sign in (1, -1))
    if better or worse:
        return (
            f"nothing on the whole: B is better in {many(better, 'sample', 'samples')} and worse in {worse}"
        )
    if made.main is not None and made.main.difference:
        return "as many rows are right on both sides, but not the same ones"
    if made.flips:
        return f"nothing to explain; {many(len(made.flips), 'sample was', 'samples were')} decided otherwise"
    return "nothing to explain"


def _doubt(made: Comparison) -> list[str]:
    """What must be said beside a cause: failed rows are no verdicts, and small differences may be chance."""
    main = made.main
    if made.causes is None or not made.causes.points or main is None or main.p is None:
        return []
    if made.failed:
        told = f"B - A = {signed(main.difference)} (p = {_p(main.p)})"
        return [f"  failed rows are no verdicts; without them {told}: score again, and they are tried again"]
    return [f"  the difference may as well be chance (p = {_p(main.p)})"] if main.p > CHANCE else []


def _cause(found: Cause) -> str:
    rows = many(found.rows, "row", "rows")
    if found.side is None:
        return f"{found.name} ({rows})"
    reason = found.name.partition(": ")[2]
    verb = "are" if found.rows != 1 else "is"
    return f"{rows} of {found.side.upper()} {verb} `{found.name}` ({sentence(reason, last=True)})"


def _of_all(found: Cause, total: float) -> str:
    return f"{signed(found.points)} of {signed(total)}"


def _counts(counts: dict[str, int]) -> str:
    shown = ", ".join(f"{count} {name}" for name, count in list(counts.items())[:3])
    return shown + (", ..." if len(counts) > 3 else "")


def _headline(made: Comparison) -> list[str]:
    lines = []
    if made.headline is not None:
        lines += _difference(f"headline {made.a.name}", made.headline)
    elif made.no_headline is not None:
        lines.append(f"headline {made.a.name}: not compared, for {made.no_headline}")
    if made.bounds is not None:
        lines.append(f"  with failed rows anywhere between wrong and right: {interval(list(made.bounds))}")
    if made.rows is not None and (made.headline is None or not _same(made.headline, made.rows)):
        lines += _difference(made.of_rows, made.rows)
    return lines


def _same(first: Paired, second: Paired) -> bool:
    """Whether two differences are one and the same but for the scale."""
    return first.n == second.n and first.p == second.p and first.square == second.square


def _difference(name: str, found: Paired) -> list[str]:
    shown = [
        f"{name}: A {number(found.a)}, B {number(found.b)}, B - A = {signed(found.difference)}",
        f"95 % {interval(found.ci95)}" if found.ci95 else "no interval",
        f"p = {_p(found.p)} ({found.test})" if found.p is not None else "no p-value",
    ]
    more = [f"n = {found.n}" + (f" in {found.units} units" if found.units != found.n else "")]
    more += (
        [f"detectable from {number(found.detectable)} (80 % power, 5 % level)"] if found.detectable else []
    )
    more += [f"rho {found.rho:.2f}"] if found.rho is not None else []
    more += [f"{found.method}"] if found.method else []
    lines = ["   ".join(shown), "  " + "   ".join(more)]
    if found.ci95 and found.p is not None and (found.p <= CHANCE) is (found.ci95[0] <= 0 <= found.ci95[1]):
        lines.append("  interval and p-value disagree, as they may where few samples differ: claim by p")
    if found.square is not None:
        cells = found.square
        dependent = f"   (as if rows were independent: p = {_p(found.p_rows)})" if found.p_rows else ""
        lines.append(
            f"  2x2: both right {cells.both}, only A {cells.only_a}, only B {cells.only_b}, "
            f"neither {cells.neither}{dependent}"
        )
    return lines


def _joined(made: Comparison) -> list[str]:
    """What could be joined, and every id that could not."""
    coverage = [_percent(each.coverage) for each in (made.a, made.b)]
    lines = [f"samples: {made.matched} in both   decided: A {coverage[0]}, B {coverage[1]}"]
    for ids, what in (
        (made.failed, "failed on our side, left out of both with their groups"),
        (made.only_a, "only in A"),
        (made.only_b, "only in B"),
        (made.ambiguous, "several rows of one id, left out"),
        (made.golds, "not the same gold"),
        (made.questions, "not the same question"),
    ):
        lines += [f"  {what} ({len(ids)}): {_ids(ids)}"] if ids else []
    return lines


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids[:IDS]) + (f" and {len(ids) - IDS} more (--json)" if len(ids) > IDS else "")


def _moves(made: Comparison) -> str:
    if made.causes is None and not made.matched:
        return ""
    if made.causes is None:
        return "rows carry no score of their own, so the difference cannot be taken apart by rows"
    shown = [move for move in made.causes.moves if move.points or move.a != move.b][:MOVES]
    points = f"B - A = {signed(made.causes.points)} of the {made.causes.of}"
    title = f"where it comes from: {points}, by stage and reason"
    if made.failed:
        title += " (failed rows counted as wrong)"
    return table(title, ("A", "B", "rows", "B better", "B worse", "B - A"), [_move(each) for each in shown])


def _move(move: Move) -> tuple[str, ...]:
    b = "the same, another answer" if move.a == move.b else move.b
    return move.a, b, str(move.rows), str(move.better), str(move.worse), signed(move.points)


def _groups(made: Comparison) -> str:
    found = () if made.causes is None else made.causes.groups[:GROUPS]
    rows = [(each.name, str(each.rows), signed(each.points)) for each in found]
    return table("groups with more of the difference than of the rows", ("group", "rows", "B - A"), rows)


def _states(made: Comparison) -> str:
    rows = [(name, str(a), str(b)) for name, (a, b) in made.states.items()]
    return table("rows that are not decided", ("status: reason", "A", "B"), rows)


def _deviations(made: Comparison) -> str:
    """Deviations that one side has alone, and what else differs."""
    lines = [
        f"  - {name}: {text}"
        for name, own, other in (("A", made.a, made.b), ("B", made.b, made.a))
        for text in own.deviations
        if text not in other.deviations
    ]
    lines += [f"  - {knob}" for knob in made.knobs if not knob.decides]
    return "\n".join(["deviations of one side, and what else differs", *lines]) if lines else ""


def _flips(made: Comparison, flips: int) -> str:
    """The first samples that differ, those of the likely cause before the others."""
    found = None if made.causes is None else made.causes.likely
    first = set(() if found is None else found.ids)
    order = sorted(made.flips, key=lambda flip: flip.id not in first)[:flips]
    if not order:
        return ""
    title = f"samples that differ: {len(made.flips)}, shown {len(order)} (--flips N, --json lists all)"
    return "\n".join([title, *(line for flip in order for line in flip_lines(flip))])


def flip_lines(flip: Flip) -> list[str]:
    """One sample that differs, with both traces."""
    lines = [f"  {flip.id}   gold {_cut(flip.gt)}   B - A = {signed(flip.points)}"]
    for name, side in (("A", flip.a), ("B", flip.b)):
        lines.append(f"    {name}  {counted(side)}   answered {_cut(side['pred'])}")
        lines += [f"       {_step(step)}" for step in side["trace"]]
    return lines


def counted(side: dict[str, Any]) -> str:
    """What a side of a sample counts: its score, or its boxes."""
    boxes = side["boxes"]
    if side["score"] is None and boxes is not None:
        return f"{boxes['tp']} found, {boxes['fn']} missed, {boxes['fp']} too many"
    return "score -" if side["score"] is None else f"score {side['score']:g}"


def _step(step: dict[str, Any]) -> str:
    read = "" if step.get("extracted") is None else f" read {_cut(step['extracted'])}"
    why = f": {sentence(step['reason'], last=True)} ({step['reason']})" if step.get("reason") else ""
    return f"{step['stage']} {step['outcome']}{read}{why}"


def _cut(value: object) -> str:
    if value is None:
        return "(none)"
    whole = value if isinstance(value, str) else repr(value)
    text = " ".join(whole[: LONGEST * SPACES].split())
    whole_told = len(text) <= LONGEST and len(whole) <= LONGEST * SPACES
    return text if whole_told else text[: LONGEST - 3] + "..."
