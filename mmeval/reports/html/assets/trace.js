// One sample in full: what was asked, what was answered, what every stage made of it.

const OUTCOMES = {
  pass: ["passed on", "could not decide"], score: ["decided", "decided"], measured: ["measured", "measured"],
  invalid: ["cannot grade this", "cannot grade this"], failed: ["failed", "failed"],
};
const AROUND = 60;

// The text in three parts by a span; spans count characters, not halves of them.
function parts(said, span) {
  const signs = /[\ud800-\udfff]/.test(said) ? Array.from(said) : null;
  const cut = (from, to) => (signs ? signs.slice(from, to).join("") : said.slice(from, to));
  return [cut(0, span[0]), cut(span[0], span[1]), cut(span[1])];
}

function marked(said, span) {
  if (!span) return said;
  const [before, inside, after] = parts(said, span);
  return [before, el("mark", null, inside), after];
}

function excerpt(said, span) {
  const [before, inside, after] = parts(said, span);
  return el("p", { class: "where" }, before.length > AROUND ? "…" : "", before.slice(-AROUND), el("mark", null, inside),
    after.slice(0, AROUND), after.length > AROUND ? "…" : "");
}

const spanOf = (trace) => [...(trace ?? [])].reverse().find((step) => step.span)?.span ?? null;

function answer(said, trace) {
  if (said === null || said === undefined) return el("p", { class: "hint" }, "There is no answer.");
  if (said === "") return el("p", { class: "hint" }, "The answer is empty.");
  return el("pre", { class: "said" }, marked(said, spanOf(trace)));
}

function call(each) {
  const turn = [`prompt ${each.prompt}`, each.model && each.model !== each.asked ? `${each.model} answered` : null,
    each.replicate ? `replicate ${each.replicate + 1}` : null, each.attempt ? `attempt ${each.attempt + 1}` : null,
    each.swapped ? "shown the other way round" : null].filter(Boolean).join(", ");
  const ruled = each.label === null ? `could not be read (${(each.why ?? "no-verdict").replaceAll("-", " ")})` : `ruled ${each.label}`;
  const tokens = each.prompt_tokens === null || each.prompt_tokens === undefined ? "" : `; ${count(each.prompt_tokens)} tokens sent, ${count(each.completion_tokens)} received`;
  return el("div", { class: "judge" }, el("p", null, el("strong", null, `${each.asked}: ${ruled}`), ` (${turn}${tokens})`),
    el("pre", { class: "said" }, each.reply));
}

function steps(run, said, trace) {
  if (!trace || !trace.length) return el("p", { class: "hint" }, "No stage saw this row.");
  return el("ol", { class: "steps" }, trace.map((step, place) => {
    const last = place === trace.length - 1;
    const read = step.extracted === null ? "" : `, read “${step.extracted}”`;
    const why = step.reason ? `: ${inWords(step.reason, last)}` : "";
    const set = own(head.runs[run].settings, step.stage);
    return el("li", { class: `outcome-${step.outcome}` },
      el("p", null, el("strong", null, step.stage), ` (version ${step.version}) `,
        `${(own(OUTCOMES, step.outcome) ?? [step.outcome, step.outcome])[last ? 1 : 0]}${read}${why}`,
        step.reason ? el("code", { class: "code" }, step.reason) : null),
      step.span && typeof said === "string" ? excerpt(said, step.span) : null,
      set ? el("p", { class: "hint" }, `set to ${set}`) : null,
      (step.judge ?? []).map(call));
  }));
}

function several(run, row) {
  if (!row.predictions || !row.predictions.length) return null;
  return [el("h3", null, `${row.predictions.length} predictions count`), row.predictions.map((each, place) =>
    el("details", null, el("summary", null, `${place + 1}. score ${each.score ?? "–"}, read ${each.extracted === null ? "nothing" : `“${clipped(each.extracted, 60)}”`}`),
      answer(each.pred, each.trace), steps(run, each.pred, each.trace)))];
}

function beside(other) {
  if (!other) return null;
  return [el("h3", null, `In ${other.name}`), el("p", null, other.row ? other.row.verdict : "This run has no such sample."),
    other.row ? answer(other.row.pred, other.row.trace) : null];
}

function options(row) {
  if (!row.options || !row.options.length) return null;
  return el("ul", { class: "options" }, row.options.map(([label, said]) => el("li", null, label ? el("strong", null, `${label}. `) : null, said)));
}

// The panel of one sample; `move` takes a step among the rows shown, `close` leaves.
function tracePanel(run, table, place, row, other, move, close) {
  const verdict = decoded(table.verdict)(place);
  const title = el("h2", { id: "trace-title", tabindex: "-1" }, `Sample ${table.id[place]}`);
  const groups = Object.entries(table.groups).map(([name, column]) => [name, column.values[column.rows[place]]]).filter((each) => each[1] !== null);
  return el("aside", { class: "trace", role: "dialog", "aria-labelledby": "trace-title" },
    el("div", { class: "bar" }, title,
      el("button", { type: "button", click: () => move(-1), "aria-label": "previous sample", title: "previous (k)" }, "↑"),
      el("button", { type: "button", click: () => move(1), "aria-label": "next sample", title: "next (j)" }, "↓"),
      el("button", { type: "button", click: close, "aria-label": "close", title: "close (Escape)" }, "✕")),
    el("p", { class: `verdict verdict-${verdict}` }, el("span", { class: "mark", "aria-hidden": "true" }, MARKS[verdict] ?? "·"), " ", row.verdict),
    seen(row),
    el("h3", null, "Question"),
    row.question === undefined ? el("p", { class: "hint" }, "Not shown: the run was not beside its score, or was another one by then.") : el("pre", { class: "said" }, row.question || "(none)"),
    options(row),
    el("h3", null, "Gold"), el("pre", { class: "said" }, row.gt === undefined ? "(none)" : text(row.gt)),
    el("h3", null, "Answer"), answer(row.pred, row.trace),
    row.predictions ? null : [el("h3", null, "Stages"), steps(run, row.pred, row.trace)],
    several(run, row), beside(other),
    row.recorded === undefined ? null : [el("h3", null, "Recorded by another harness"), el("pre", { class: "said" }, text(row.recorded))],
    groups.length ? [el("h3", null, "Groups"), el("ul", null, groups.map(([name, value]) => el("li", null, `${name}: ${value}`)))] : null,
    row.evidence === undefined ? null : el("details", null, el("summary", null, "Evidence"), el("pre", { class: "said" }, text(row.evidence))));
}
