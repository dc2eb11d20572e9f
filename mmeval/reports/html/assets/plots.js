// Plots with two axes: precision against recall, said against gold, share within a tolerance.

const PLOT = { width: 420, height: 340, left: 56, right: 14, top: 12, bottom: 44 };

function axes(title, x, y, ...inside) {
  const at = { x: (value) => PLOT.left + x.to(value) * (PLOT.width - PLOT.left - PLOT.right),
    y: (value) => PLOT.height - PLOT.bottom - y.to(value) * (PLOT.height - PLOT.top - PLOT.bottom) };
  const bottom = PLOT.height - PLOT.bottom;
  return drawing(PLOT.width, PLOT.height, title,
    x.ticks.map((value) => svg("g", null,
      svg("line", { x1: at.x(value), x2: at.x(value), y1: PLOT.top, y2: bottom, class: "grid-line" }),
      svg("text", { x: at.x(value), y: bottom + 16, "text-anchor": "middle", class: "small" }, +value.toPrecision(4)))),
    y.ticks.map((value) => svg("g", null,
      svg("line", { x1: PLOT.left, x2: PLOT.width - PLOT.right, y1: at.y(value), y2: at.y(value), class: "grid-line" }),
      svg("text", { x: PLOT.left - 6, y: at.y(value) + 4, "text-anchor": "end", class: "small" }, +value.toPrecision(4)))),
    svg("text", { x: (PLOT.left + PLOT.width) / 2, y: PLOT.height - 8, "text-anchor": "middle", class: "label" }, x.name),
    svg("text", { transform: `translate(14 ${PLOT.height / 2 - 10}) rotate(-90)`, "text-anchor": "middle", class: "label" }, y.name),
    inside.map((make) => make(at)));
}

const unit = (name) => ({ name, to: (value) => value, ticks: [0, 0.2, 0.4, 0.6, 0.8, 1] });

// Numbers from low to high; symmetrically logarithmic where the largest would press all others together.
function range(name, low, high, logarithmic) {
  const bent = logarithmic ? (value) => Math.sign(value) * Math.log10(1 + Math.abs(value)) : (value) => value;
  const [from, to] = [bent(low), bent(high)];
  const steps = [0, 1, 2, 3, 4].map((step) => from + ((to - from) * step) / 4);
  const back = logarithmic ? (value) => Math.sign(value) * (10 ** Math.abs(value) - 1) : (value) => value;
  return { name, to: (value) => (to > from ? (bent(value) - from) / (to - from) : 0.5),
    ticks: steps.map((step) => (logarithmic ? Math.round(back(step)) : +back(step).toPrecision(3))) };
}

function curves(runs) {
  const drawn = runs.filter((run) => run.curve);
  if (!drawn.length) return null;
  const title = "Precision and recall of boxes at IoU 0.5, all categories pooled";
  const lines = drawn.map((run, place) => (at) => {
    const points = run.curve.points;
    const path = points.map(([recall, precision], number) => `${number ? "L" : "M"}${at.x(recall).toFixed(1)} ${at.y(precision).toFixed(1)}`).join("");
    const last = points.at(-1);
    return svg("g", { class: `stroke-${place % SERIES}` },
      svg("title", null, `${run.name}: ${count(run.curve.right)} of ${plural(run.curve.golds, "gold box", "gold boxes")} found with ${plural(run.curve.boxes, "box", "boxes")}`),
      svg("path", { d: path, fill: "none" }),
      last ? svg("circle", { cx: at.x(last[0]), cy: at.y(last[1]), r: 4, class: `series-${place % SERIES}` }) : null);
  });
  return el("figure", null, el("figcaption", null, title), legend(drawn.map((run) => run.name)),
    axes(title, unit("recall"), unit("precision"), ...lines),
    el("p", { class: "hint" }, "A dot ends each curve; where all scores are equal there is nothing but the dot. Not part of any score."));
}

function pairPlots(runs) {
  const drawn = runs.filter((run) => run.pairs);
  return drawn.length ? [drawn.map((run) => scatter(run, drawn.length > 1)), within(drawn)] : null;
}

function scatter(run, named) {
  const dots = run.pairs.dots;
  const every = dots.flatMap(([gold, said]) => [gold, said]);
  const low = Math.min(0, ...every);
  const high = Math.max(1, ...every);
  const sorted = every.map(Math.abs).sort((a, b) => a - b);
  const logarithmic = high - low > 20 * (sorted[Math.floor(sorted.length / 2)] || 1);
  const most = Math.max(...dots.map((dot) => dot[2]));
  const title = `Said against gold${named ? `, ${run.name}` : ""}${logarithmic ? " (logarithmic)" : ""}`;
  return el("figure", null, el("figcaption", null, title),
    axes(title, range("gold", low, high, logarithmic), range("said", low, high, logarithmic),
      (at) => svg("line", { x1: at.x(low), y1: at.y(low), x2: at.x(high), y2: at.y(high), class: "whisker" }),
      (at) => dots.map(([gold, said, number]) => svg("circle", { cx: at.x(gold).toFixed(1), cy: at.y(said).toFixed(1), r: (2.5 + 6 * Math.sqrt((number - 1) / Math.max(1, most))).toFixed(1), class: "bubble" },
        svg("title", null, `gold ${gold}, said ${said}: ${plural(number, "row", "rows")}`)))),
    el("p", { class: "hint" }, `${plural(run.pairs.rows, "numeric row", "numeric rows")}; no number was read in ${count(run.pairs.unread)}`,
      run.pairs.left_out ? `; ${count(run.pairs.left_out)} rarer ones are not drawn` : "", ". On the line: exactly right."));
}

function within(runs) {
  const title = "Share of numeric rows within a relative error";
  const lines = runs.map((run, place) => (at) => svg("g", { class: `stroke-${place % SERIES}` },
    svg("path", { fill: "none", d: run.pairs.within.map(([error, part], number) => `${number ? "L" : "M"}${at.x(error)} ${at.y(part)}`).join("") }),
    run.pairs.within.map(([error, part]) => svg("circle", { cx: at.x(error), cy: at.y(part), r: 3, class: `series-${place % SERIES}` },
      svg("title", null, `${run.name}: ${percent(part)} within ${error}`)))));
  const mean = (run) => run.pairs.within.reduce((sum, each) => sum + each[1], 0) / run.pairs.within.length;
  return el("figure", null, el("figcaption", null, title), legend(runs.map((run) => run.name)),
    axes(title, { name: "relative error at most", to: (value) => value / 0.5, ticks: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5] }, unit("share"), ...lines),
    el("p", { class: "hint" }, `Mean over the ten tolerances (MRA): ${runs.map((run) => `${runs.length > 1 ? `${run.name} ` : ""}${figure(mean(run))}`).join(", ")}.`));
}
