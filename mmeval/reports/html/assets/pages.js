// The three kinds of page: all runs, one benchmark, one run with its samples.

const link = (to, ...inside) => el("a", { href: `#${to}` }, ...inside);

// A name of a file or folder may break after its signs, not within its words.
const breakable = (name) => name.split(/(?<=[_/-])/).flatMap((part, place) => (place ? [el("wbr"), part] : [part]));

function runsTable(places) {
  const ends = new Map(head.benchmarks.map((each) => [each.name, endOf(each.runs.map((place) => head.runs[place].summary.headline))]));
  const number = (each) => head.benchmarks.findIndex((one) => one.name === each.benchmark);
  return plainTable("Runs", ["run", "benchmark", "headline", "value", "95 % interval", "from – to", "n", "read", "decided", "official and remarks"],
    places.map((place) => {
      const run = head.runs[place];
      const told = run.summary.headline;
      return [link(`/run/${place}`, ...breakable(run.name)), link(`/benchmark/${number(run)}`, run.benchmark), told.name, figure(told.value),
        intervalBar(told, ends.get(run.benchmark)), interval(told.ci95), count(told.n), share(run.summary.read, run.summary.total),
        percent(run.summary.coverage), [stamp(run.config), list(remarks(run))]];
    }), [3, 5, 6, 7, 8]);
}

function runsPage() {
  return el("div", null, el("h1", null, plural(head.runs.length, "run", "runs")),
    el("p", { class: "hint" }, "A dot is the value, a line its 95 % interval, a dashed line the bounds where rows failed."),
    runsTable(head.runs.map((_, place) => place)));
}

function benchmarkPage(number) {
  const benchmark = head.benchmarks[number];
  if (!benchmark) return runsPage();
  const runs = benchmark.runs.map((place) => head.runs[place]);
  return el("div", null, el("h1", null, benchmark.name), runsTable(benchmark.runs),
    charts("Groups", fieldBars(runs), partBars(runs)), charts("Boxes", curves(runs)), charts("Numbers", pairPlots(runs)),
    runs.map((run, place) => section(`Stages of ${run.name}`, stageFlow(run.flow), link(`/run/${benchmark.runs[place]}`, `Samples of ${run.name}`))));
}

function choice(id, name, wanted, lists, changed) {
  const made = el("select", { id, change: (event) => changed(event.target.value) }, lists);
  made.value = wanted;
  return el("div", { class: "field" }, el("label", { for: id }, name), made);
}

const option = (value, name) => el("option", { value }, name);

function coded(column, name) {
  const seen_ = new Map();
  for (const code of column.rows) seen_.set(code, (seen_.get(code) ?? 0) + 1);
  const found = [...seen_].map(([code, number]) => [column.values[code], number]).sort((a, b) => b[1] - a[1]);
  return [option("", "all"), ...found.map(([value, number]) => option(`=${value ?? ""}`, `${name(value)} (${count(number)})`))];
}

function reasonOptions(column) {
  const seen_ = new Map();
  for (const code of column.rows) {
    const known = (column.values[code] ?? "").split(": ")[0];
    seen_.set(known, (seen_.get(known) ?? 0) + 1);
  }
  return [option("", "all"), ...[...seen_].sort((a, b) => b[1] - a[1]).map(([code, number]) => option(`=${code}`, `${code || "none"} (${count(number)})`))];
}

// Everything about the samples of one run: filters, table, and the panel of the open one.
class Samples {
  constructor(place, table) {
    this.place = place;
    this.table = table;
    this.run = head.runs[place];
    this.wanted = { ...NOTHING };
    this.other = null;
    this.turn = 0;
    this.hits = null;
    this.grid = new Grid(table, (row) => { location.hash = `/run/${place}/sample/${row}`; }, () => this.arrange(true));
    this.status = el("p", { class: "status", role: "status" });
    this.panel = el("div", { class: "panel" });
    this.node = el("div", { class: "samples" }, this.filters(), this.status, el("div", { class: "split" }, this.grid.node, this.panel));
    this.apply();
  }

  filters() {
    const set = (name) => (value) => { this.wanted[name] = value; this.apply(); };
    const { table } = this;
    this.box = el("input", { id: "search", type: "search", autocomplete: "off", spellcheck: "false", placeholder: "question, answer, gold, judge, id",
      input: () => { clearTimeout(this.timer); this.timer = setTimeout(() => set("text")(this.box.value), 150); } });
    const siblings = head.benchmarks.find((each) => each.name === this.run.benchmark).runs.filter((other) => other !== this.place);
    const groups = Object.entries(table.groups).map(([name, column]) => el("optgroup", { label: name },
      [...column.values].filter((value) => value !== null).sort(collator.compare).map((value) => option(JSON.stringify([name, value]), value))));
    this.fields = [
      choice("f-verdict", "Verdict", "", [...coded(table.verdict, (value) => VERDICTS[value] ?? value), option("not-right", "anything but right")], set("verdict")),
      choice("f-stage", "Decided by", "", coded(table.stage, (value) => value ?? "nobody"), set("stage")),
      choice("f-reason", "Reason", "", reasonOptions(table.reason), set("reason")),
      choice("f-type", "Question type", "", coded(table.type, (value) => value ?? "unknown"), set("type")),
      groups.length ? choice("f-group", "Group", "", [option("", "all"), ...groups], set("group")) : null,
      siblings.length ? choice("f-other", "Compare with", "", [option("", "no run"), ...siblings.map((other) => option(String(other), head.runs[other].name))], (value) => this.against(value)) : null,
      siblings.length ? choice("f-change", "Show", "differs", [option("differs", "another verdict there"), option("better", "better here"), option("worse", "worse here"),
        option("answer", "something else read there"), option("missing", "missing there")], set("change")) : null,
    ];
    return el("form", { class: "filters", role: "search", submit: (event) => event.preventDefault() },
      el("div", { class: "field wide" }, el("label", { for: "search" }, "Search ", el("kbd", null, "/")), this.box), this.fields,
      el("button", { type: "button", click: () => this.reset() }, "Clear"));
  }

  reset() {
    this.wanted = { ...NOTHING };
    this.other = null;
    this.box.value = "";
    for (const field of this.fields) if (field) field.querySelector("select").value = field.querySelector("select").id === "f-change" ? "differs" : "";
    this.apply();
  }

  async against(value) {
    this.wanted.other = value;
    this.other = value === "" ? null : await tableOf(Number(value));
    this.apply();
  }

  async apply() {
    const turn = ++this.turn;
    this.found = filtered(this.table, this.wanted, this.other);
    this.hits = null;
    if (this.wanted.text.trim()) {
      this.hits = new Set();
      const shown = (hits, done) => { this.hits = hits; this.arrange(true, done); };
      const hits = await search(this.place, this.table, this.wanted.text.trim(), () => turn !== this.turn, shown);
      if (hits === null) return;
      this.hits = hits;
    }
    this.arrange(false);
  }

  arrange(keep, done = 1) {
    const rows = this.hits === null ? this.found : this.found.filter((row) => this.hits.has(row));
    this.grid.show(sorted(this.table, rows, this.grid.key, this.grid.falling), keep);
    const whole = this.run.shown < this.run.rows ? `${count(this.table.n)} shown of ${count(this.run.rows)}` : count(this.table.n);
    this.status.textContent = `${count(rows.length)} of ${whole} samples${done < 1 ? `, searching: ${Math.round(100 * done)} %` : ""}`;
  }

  async open(row) {
    if (!(row >= 0 && row < this.table.n)) return;
    const told = await rowOf(this.place, row);
    const other = await this.besides(row);
    const at = this.grid.rows.indexOf(row);
    if (at >= 0) this.grid.go(at, false);
    const move = (by) => { location.hash = `/run/${this.place}/sample/${this.grid.step(by)}`; };
    this.panel.replaceChildren(tracePanel(this.place, this.table, row, told, other, move, () => { location.hash = `/run/${this.place}`; }));
    this.move = move;
    this.panel.classList.add("open");
    byId("trace-title").focus({ preventScroll: true });
    this.grid.draw();
  }

  async besides(row) {
    if (!this.other) return null;
    const place = this.other.id.indexOf(this.table.id[row]);
    const number = Number(this.wanted.other);
    return { name: head.runs[number].name, row: place < 0 ? null : await rowOf(number, place) };
  }

  close() {
    if (!this.panel.firstChild) return;
    this.panel.replaceChildren();
    this.panel.classList.remove("open");
    this.move = null;
    this.grid.go(this.grid.at);
  }
}

async function runPage(place) {
  const run = head.runs[place];
  if (!run) return [runsPage(), null];
  const samples = new Samples(place, await tableOf(place));
  const number = head.benchmarks.findIndex((each) => each.name === run.benchmark);
  return [el("div", null, el("h1", null, run.name, " ", el("small", null, link(`/benchmark/${number}`, run.benchmark))),
    headline(run), list(remarks(run)), el("section", { class: "wide" }, el("h2", null, "Samples"), samples.node), runPanels(run)), samples];
}
