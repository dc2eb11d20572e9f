// A table of which only the rows in view exist. Arrows move, Enter opens.

const HIGH = 30;
const TALLEST = 12_000_000;
const COLUMNS = [
  ["id", "sample"], ["verdict", "verdict"], ["score", "score"], ["stage", "decided by"], ["reason", "reason"],
  ["type", "type"], ["extracted", "read"], ["gold", "gold"], ["answer", "answer"],
];

class Grid {
  constructor(table, open, sort) {
    this.table = table;
    this.open = open;
    this.sort = sort;
    this.rows = [];
    this.at = 0;
    this.key = null;
    this.falling = false;
    this.body = el("div", { class: "grid-body", role: "rowgroup" });
    this.heads = COLUMNS.map(([key, name], place) => el("div", { role: "columnheader", "aria-colindex": place + 1, "aria-sort": "none", class: `cell col-${key}` },
      el("button", { type: "button", click: () => this.sortBy(key), title: `Sort by ${name}` }, name, el("span", { class: "arrow", "aria-hidden": "true" }))));
    this.head = el("div", { role: "row", "aria-rowindex": 1, class: "grid-row grid-head" }, this.heads);
    this.view = el("div", { class: "grid-view", scroll: () => this.draw(), keydown: (event) => this.key_(event), click: (event) => this.click(event), role: "presentation" }, this.body);
    this.node = el("div", { class: "grid", role: "grid", "aria-label": "samples", "aria-colcount": COLUMNS.length },
      el("div", { role: "rowgroup" }, this.head), this.view);
    new ResizeObserver(() => this.draw()).observe(this.view);
  }

  show(rows, keep) {
    const before = keep ? this.rows[this.at] : undefined;
    this.rows = rows;
    this.at = Math.max(0, before === undefined ? 0 : rows.indexOf(before));
    this.body.style.height = `${Math.min(TALLEST, rows.length * HIGH)}px`;
    this.node.setAttribute("aria-rowcount", rows.length + 1);
    if (!keep) this.view.scrollTop = 0;
    this.draw();
  }

  sortBy(key) {
    this.falling = this.key === key ? !this.falling : false;
    this.key = key;
    COLUMNS.forEach(([name], place) => this.heads[place].setAttribute("aria-sort", name !== key ? "none" : this.falling ? "descending" : "ascending"));
    this.sort();
    say(`sorted by ${COLUMNS.find((column) => column[0] === key)[1]}, ${this.falling ? "falling" : "rising"}`);
  }

  // Browsers cap how tall a box may be; beyond it the scroll bar stands for a share of the rows.
  get first() {
    const [whole, seen] = [this.rows.length * HIGH, this.view.clientHeight];
    if (whole <= TALLEST) return Math.floor(this.view.scrollTop / HIGH);
    return Math.floor((this.view.scrollTop / (TALLEST - seen)) * ((whole - seen) / HIGH));
  }

  get fitting() {
    return Math.ceil(this.view.clientHeight / HIGH) + 1;
  }

  draw() {
    const first = Math.max(0, Math.min(this.first - 4, this.rows.length - 1));
    const last = Math.min(this.rows.length, this.first + this.fitting + 4);
    const focused = this.body.contains(document.activeElement);
    const top = this.rows.length * HIGH <= TALLEST ? first * HIGH : this.view.scrollTop - (this.first - first) * HIGH;
    const shown = [];
    for (let place = first; place < last; place += 1) shown.push(this.row(place, top + (place - first) * HIGH));
    // One row can be reached by Tab: the current one, or one in view.
    if (shown.length && !shown.some((node) => node.tabIndex === 0)) shown[Math.min(4, shown.length - 1)].tabIndex = 0;
    this.body.replaceChildren(...shown);
    // The head is as wide as the rows, which a scroll bar may stand beside.
    this.head.style.paddingRight = `${this.view.offsetWidth - this.view.clientWidth}px`;
    if (focused) this.body.querySelector(`[aria-rowindex="${this.at + 2}"]`)?.focus({ preventScroll: true });
  }

  row(place, top) {
    const row = this.rows[place];
    const verdict = decoded(this.table.verdict)(row);
    const cells = {
      id: this.table.id[row],
      verdict: [el("span", { class: "mark", "aria-hidden": "true" }, MARKS[verdict] ?? "·"), " ", VERDICTS[verdict] ?? verdict],
      score: this.table.score[row] === null ? "–" : +this.table.score[row].toFixed(4),
      stage: decoded(this.table.stage)(row) ?? "–",
      reason: decoded(this.table.reason)(row) ?? "",
      type: decoded(this.table.type)(row) ?? "",
      extracted: this.table.extracted[row] ?? "–",
      gold: this.table.gold[row] ?? "–",
      answer: this.table.answer[row] ?? "(missing)",
    };
    const node = el("div", { role: "row", class: `grid-row verdict-${verdict}`, tabindex: place === this.at ? "0" : "-1", "aria-rowindex": place + 2,
      "aria-selected": place === this.at ? "true" : "false", "data-place": place, "data-row": row },
      COLUMNS.map(([key], column) => el("div", { role: "gridcell", "aria-colindex": column + 1, class: `cell col-${key}`,
        title: key === "reason" && cells.reason ? inWords(cells.reason, true) : null }, cells[key])));
    node.style.top = `${top}px`;
    return node;
  }

  click(event) {
    const node = event.target.closest("[data-place]");
    if (!node) return;
    this.go(Number(node.dataset.place));
    this.open(this.rows[this.at]);
  }

  // Make a row the current one, in view and focused.
  go(place, focus = true) {
    if (!this.rows.length) return;
    this.at = Math.max(0, Math.min(place, this.rows.length - 1));
    const [whole, seen] = [this.rows.length * HIGH, this.view.clientHeight];
    const want = this.at * HIGH;
    const shown = this.first * HIGH;
    const target = want < shown ? want : want + HIGH > shown + seen ? want + HIGH - seen : null;
    if (target !== null) this.view.scrollTop = whole <= TALLEST ? target : (target / (whole - seen)) * (TALLEST - seen);
    this.draw();
    if (focus) this.body.querySelector(`[aria-rowindex="${this.at + 2}"]`)?.focus({ preventScroll: true });
  }

  key_(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = event.target.closest?.("[data-place]");
    const here = node ? Number(node.dataset.place) : this.at;
    const page = Math.max(1, this.fitting - 2);
    const steps = { ArrowDown: here + 1, ArrowUp: here - 1, PageDown: here + page, PageUp: here - page, Home: 0, End: this.rows.length - 1 };
    if (event.key in steps) this.go(steps[event.key]);
    else if (event.key === "Enter") { this.go(here); this.open(this.rows[this.at]); }
    else return;
    event.preventDefault();
  }

  // The row before or after the one that is open.
  step(by) {
    this.go(this.at + by, false);
    return this.rows[this.at];
  }
}
