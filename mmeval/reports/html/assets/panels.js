// What a score says besides its samples: figures, groups, judge, deviations, provenance.

const PARTS = 60;

function stamp(config) {
  const kind = String(config.official_protocol);
  return el("span", { class: `stamp stamp-${kind}` }, STAMPS[kind] ?? kind);
}

function remarks(run) {
  const { summary, config } = run;
  const failed = summary.llm_errors + summary.errors;
  return [
    failed ? `${plural(failed, "row", "rows")} failed: the value lies in ${interval(summary.headline.bounds)}` : null,
    summary.invalid ? `${plural(summary.invalid, "row is", "rows are")} invalid and ${summary.invalid === 1 ? "counts" : "count"} as wrong` : null,
    run.shown < run.rows ? `${count(run.shown)} of ${count(run.rows)} samples are shown, evenly spread; figures and charts are of all` : null,
    ...summary.warnings,
    ...(config.official_protocol === false && !config.deviations.length ? ["not official"] : []),
  ].filter(Boolean);
}

function pipeline(told) {
  if (Array.isArray(told)) return told.join(" → ") || "none";
  if (!told || typeof told !== "object") return "none";
  const arms = (told.cases ?? []).map((arm) => `${text(arm.when)}: ${(arm.pipeline ?? []).join(" → ")}`);
  return [`by ${(told.route ?? []).join(", ")}`, ...arms, told.default ? `else: ${told.default.join(" → ")}` : null].filter(Boolean).join("; ");
}

function headline(run) {
  const told = run.summary.headline;
  return el("div", { class: "headline" },
    el("p", { class: "big" }, el("span", { class: "name" }, told.name), " ", el("strong", null, figure(told.value))),
    intervalBar(told, endOf([told])),
    el("p", null, `95 % interval ${interval(told.ci95)}${told.method ? ` (${told.method})` : ""}; n = ${count(told.n)}; coverage ${percent(run.summary.coverage)}; an answer was read in ${share(run.summary.read, run.summary.total)} `, stamp(run.config)));
}

function counts(summary) {
  const names = ["total", "filtered", "valid", "invalid", "read", "decided", "undecided", "correct", "llm_errors", "errors"];
  const rates = ["accuracy", "accuracy_valid", "accuracy_decided", "coverage", "mean_score"];
  return el("dl", { class: "counts" }, [...names.map((name) => [name, count(summary[name])]), ...rates.map((name) => [name, figure(summary[name])])]
    .map(([name, value]) => el("div", null, el("dt", null, name.replaceAll("_", " ")), el("dd", null, value))));
}

function aggregates(summary) {
  const rows = Object.entries(summary.aggregates).map(([name, told]) => [name, figure(told.value),
    intervalBar({ ...told, scale: told.scale }, endOf([told])), interval(told.ci95), count(told.n), told.reduce, told.method ?? "–", told.notes.join("; ")]);
  return plainTable("Aggregates", ["name", "value", "on its scale", "95 % interval", "n", "made by", "interval by", "notes"], rows, [1, 3, 4]);
}

function sameParts(summary, name, other) {
  const [a, b] = [own(summary.groups, name), own(summary.groups, other)];
  if (!a || !b) return a === b;
  const [ours, theirs] = [own(summary.aggregates, name), own(summary.aggregates, other)];
  if (!ours || !theirs || ours.reduce !== theirs.reduce) return false;
  const keys = Object.keys(a);
  const near = (key) => Math.abs((a[key] ?? 0) / ours.scale - (b[key] ?? 0) / theirs.scale) < 1e-9;
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && near(key));
}

// Bars with intervals by field, of one run or several side by side.
function fieldBars(runs) {
  const names = [...new Set(runs.flatMap((run) => Object.keys(run.spread)))];
  return names.map((name) => groupBars(`Mean score by ${name.replaceAll("_", " ")}, with 95 % intervals`,
    runs.filter((run) => own(run.spread, name)).map((run) => ({ name: run.name, bars: run.spread[name] }))));
}

// The parts of one aggregate are drawn once, though several figures may be made of them; a single part is none.
function partBars(runs) {
  const all = [...new Set(runs.flatMap((run) => Object.keys(run.summary.groups)))];
  const split = (name) => runs.some((run) => Object.keys(own(run.summary.groups, name) ?? {}).length > 1);
  const names = all.filter((name, place) => split(name) && !all.slice(0, place).some((other) => runs.every((run) => sameParts(run.summary, name, other))));
  return names.map((name) => {
    const series = runs.filter((run) => own(run.summary.groups, name)).map((run) => ({ name: run.name,
      bars: Object.entries(run.summary.groups[name]).slice(0, PARTS).map(([part, value]) => ({ name: part, value })) }));
    return groupBars(`Parts of ${name}`, series);
  });
}

function judgePanel(run) {
  const { config, summary } = run;
  if (!run.judge.length && !summary.judge) return null;
  const judge = summary.judge ?? {};
  const hashes = Object.entries(config.judge_prompts ?? {});
  const cost = judge.cost_usd === null || judge.cost_usd === undefined ? "not known" : `${judge.cost_usd.toFixed(4)} US dollars`;
  const rows = [
    ["asked", [config.judge_model].flat().filter(Boolean).join(", ") || "nobody"],
    ["answered", [config.judge_model_answered].flat().filter(Boolean).join(", ") || "–"],
    ["provider", config.judge_provider ?? "–"], ["contract", config.judge_contract ?? "–"],
    ["prompt", config.judge_prompt ?? "–"], ["prompt SHA-256", config.judge_prompt_sha256 ?? "–"],
    ["official judge", { true: "yes", false: "no", null: "none is known, or nobody was asked" }[String(config.official_judge)]],
    ["rows put to it", count(judge.asked)], ["replies that counted", count(judge.replies)],
    ["tokens sent", count(judge.prompt_tokens)], ["tokens received", count(judge.completion_tokens)], ["cost", cost],
    ...Object.entries(judge.failures ?? {}).map(([code, number]) => [`failed: ${code}`, `${plural(number, "row", "rows")}`]),
  ];
  return section("Judge", list(run.judge), plainTable("Judge", ["what", "value"], rows),
    plainTable("Prompts that may be put", ["prompt", "SHA-256"], hashes));
}

function reasons(run) {
  const rows = Object.entries(run.summary.by_reason).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return plainTable("Why rows were not decided", ["reason", "in words", "rows"], rows.map(([code, number]) => [code, own(run.reasons, code) ?? code, count(number)]), [2]);
}

function provenancePanel(run) {
  const { config, provenance } = run;
  const rows = [
    ["protocol", `${config.protocol ?? "none"} (from ${config.protocol_source})`], ["pipeline", pipeline(config.score_pipeline)],
    ["fingerprint", config.fingerprint], ["mmeval", provenance.mmeval ?? "–"],
    ...Object.entries(provenance.result ?? {}).map(([name, value]) => [`result ${name}`, text(value)]),
    ["protocol SHA-256", provenance.protocol_sha256 ?? "–"],
    ...Object.entries(provenance.libraries ?? {}).map(([name, value]) => [name, value]),
    ...Object.entries(provenance.stages ?? {}).map(([name, value]) => [`stage ${name}`, `version ${value}`]),
    ...Object.entries(provenance.resources ?? {}).map(([name, value]) => [`resource ${name}`, text(value)]),
    ...Object.entries(config.knob_sources ?? {}).map(([name, value]) => [`${name} decided by`, value]),
  ];
  return section("Provenance", plainTable("What was scored, by what", ["what", "value"], rows),
    el("details", null, el("summary", null, "Parameters in force"), el("pre", { class: "said" }, text(run.params))));
}

function runPanels(run) {
  return [
    section("How it was decided", stageFlow(run.flow), reasons(run)),
    section("Figures", counts(run.summary), aggregates(run.summary)),
    charts("Groups", fieldBars([run]), partBars([run])),
    charts("Boxes", curves([run])), charts("Numbers", pairPlots([run])),
    judgePanel(run),
    section("Deviations from the official protocol", list(run.config.deviations)),
    section("Notes", list(run.config.protocol_notes)),
    provenancePanel(run),
  ];
}
