// Small charts: an interval on a scale, groups with error bars, the flow through the stages.

const SERIES = 6;

function drawing(width, height, label, ...inside) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "chart" },
    svg("title", null, label), inside);
}

// The end of a scale: 1 or what its protocol scales to, or beyond it where a figure is larger.
function endOf(figures) {
  const most = Math.max(0, ...figures.flatMap((each) => [each.value ?? 0, each.ci95?.[1] ?? 0, each.bounds?.[1] ?? 0]));
  const scale = figures[0]?.scale ?? 1;
  return most <= scale ? scale : most * 1.05;
}

// A value as a dot, its 95 % interval as a line; bounds as a dashed line where there is no value.
function intervalBar(told, end) {
  const [width, height] = [180, 18];
  const at = (value) => 4 + (Math.min(Math.max(value, 0), end) / end) * (width - 8);
  const line = (ends, kind) => svg("path", { d: `M${at(ends[0])} 9H${at(ends[1])}M${at(ends[0])} 4v10M${at(ends[1])} 4v10`, class: kind });
  const bounded = told.value === null && told.bounds && told.bounds[0] !== null;
  return drawing(width, height, `${figure(told.value)}, 95 % interval ${interval(told.ci95)}, on a scale to ${figure(end)}`,
    svg("line", { x1: 4, x2: width - 4, y1: 9, y2: 9, class: "rail" }),
    told.ci95 ? line(told.ci95, "whisker") : null,
    bounded ? line(told.bounds, "bounds") : null,
    told.value === null ? null : svg("circle", { cx: at(told.value), cy: 9, r: 3, class: "dot" }));
}

// Where a scale from 0 to `end` is marked: at most five steps of 1, 2, 2.5 or 5 times a power of ten, and its end
// where that is one of them.
function ticks(end) {
  const power = 10 ** Math.floor(Math.log10(end));
  const step = [0.2, 0.25, 0.5, 1, 2, 2.5, 5].map((part) => part * power).find((part) => end / part <= 5.000001);
  return Array.from({ length: Math.floor(end / step + 1e-6) + 1 }, (_, place) => +(place * step).toPrecision(6));
}

// Horizontal bars; `series` are [{name, bars: [{name, value, ci95, n}]}] that share the bars' names.
function groupBars(title, series) {
  const names = [...new Set(series.flatMap((one) => one.bars.map((bar) => bar.name)))];
  const bars = series.flatMap((one) => one.bars).filter((bar) => bar.value !== null);
  if (!bars.length) return null;
  const high = Math.max(1e-9, ...bars.map((bar) => bar.ci95?.[1] ?? bar.value), ...bars.map((bar) => bar.value));
  const end = high <= 1 ? 1 : high * 1.05;
  const each = series.length > 1 ? 12 : 16;
  const step = each * series.length + 10;
  const [left, width, height] = [204, 734, names.length * step + 26];
  const at = (value) => left + (Math.max(0, value) / end) * (width - left - 130);
  const inside = names.map((name, row) => {
    const top = row * step + 6;
    const drawn = series.map((one, place) => {
      const bar = one.bars.find((other) => other.name === name);
      if (!bar || bar.value === null) return null;
      const y = top + place * each;
      const middle = y + each / 2;
      const ends = bar.ci95;
      return svg("g", null,
        svg("title", null, `${one.name ? `${one.name}, ` : ""}${name}: ${figure(bar.value)}, 95 % ${interval(ends)}, n = ${bar.n ?? "–"}`),
        svg("rect", { x: left, y: y + 1, width: Math.max(1, at(bar.value) - left), height: each - 3, class: `series-${place % SERIES}` }),
        ends ? svg("path", { d: `M${at(ends[0])} ${middle}H${at(ends[1])}M${at(ends[0])} ${middle - 4}v8M${at(ends[1])} ${middle - 4}v8`, class: "error" }) : null,
        svg("text", { x: at(Math.max(bar.value, ends?.[1] ?? 0)) + 6, y: middle + 4, class: "small" },
          figure(bar.value), bar.n === undefined ? "" : `  n ${count(bar.n)}`));
    });
    return svg("g", null,
      svg("text", { x: left - 8, y: top + (each * series.length) / 2 + 4, "text-anchor": "end", class: "label" }, clipped(name, 26)), drawn);
  });
  const axis = ticks(end).map((value) => svg("g", null,
    svg("line", { x1: at(value), x2: at(value), y1: 2, y2: height - 20, class: "grid-line" }),
    svg("text", { x: at(value), y: height - 5, "text-anchor": "middle", class: "small" }, value)));
  return el("figure", null, el("figcaption", null, title), legend(series.map((one) => one.name)),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title }, drawing(width, height, title, axis, inside)));
}

function legend(names, from = 0) {
  if (names.length < 2) return null;
  return el("p", { class: "legend" }, names.map((name, place) =>
    el("span", null, svg("svg", { width: 12, height: 12, "aria-hidden": "true" },
      svg("rect", { width: 12, height: 12, class: `series-${(place + from) % SERIES}` })), " ", name)));
}

// A name that is drawn in the room of so many letters; those of East Asia take the room of two.
function clipped(name, most) {
  let room = most - 1;
  const letters = [...name];
  const kept = letters.findIndex((letter) => (room -= letter >= "\u1100" ? 2 : 1) < 0);
  return kept < 0 || (kept === letters.length - 1 && room > -2) ? name : `${letters.slice(0, kept).join("")}…`;
}

const FATES = [
  ["right", "right"], ["partly", "partly right"], ["wrong", "wrong"], ["measured", "measured"],
  ["invalid", "invalid"], ["failed", "failed"], ["passed", "passed on"],
];

// Each stage as a bar as wide as what came to it, in parts by what became of it; bands lead on to the next.
function stageFlow(flow) {
  if (!flow.nodes.length) return null;
  const [left, width, bar, gap] = [150, 720, 22, 36];
  const scale = (number) => (number / Math.max(1, flow.total)) * (width - left - 110);
  const open = flow.links.filter((link) => link[1] === "undecided").reduce((sum, link) => sum + link[2], 0);
  const rows = [
    { name: "", title: `all ${flow.unit}`, parts: [["passed", flow.total]] },
    ...flow.nodes.map((node) => ({ name: node.stage, title: node.stage, parts: FATES.map(([kind]) => [kind, node[kind]]) })),
    ...(open ? [{ name: "undecided", title: "undecided", parts: [["open", open]] }] : []),
  ];
  const place = new Map(rows.map((row, number) => [row.name, number]));
  const total = (row) => row.parts.reduce((sum, part) => sum + part[1], 0);
  const leaving = new Map(rows.map((row) => [row.name, left + scale(total(row) - (row.parts.find((part) => part[0] === "passed")?.[1] ?? 0))]));
  const coming = new Map(rows.map((row) => [row.name, left]));
  const ordered = [...flow.links].sort((a, b) => place.get(a[1]) - place.get(b[1]));
  const bands = ordered.map(([from, to, number]) => {
    if (!place.has(from) || !place.has(to)) return null;
    const [x, u, w] = [leaving.get(from), coming.get(to), scale(number)];
    leaving.set(from, x + w);
    coming.set(to, u + w);
    const [y, v] = [place.get(from) * (bar + gap) + bar, place.get(to) * (bar + gap)];
    const middle = (y + v) / 2;
    return svg("path", { class: "band", d: `M${x} ${y}C${x} ${middle} ${u} ${middle} ${u} ${v}H${u + w}C${u + w} ${middle} ${x + w} ${middle} ${x + w} ${y}Z` },
      svg("title", null, `${count(number)} from ${from || "the start"} to ${to}`));
  });
  const drawn = rows.map((row, number) => {
    const y = number * (bar + gap);
    let x = left;
    const parts = row.parts.filter((part) => part[1]).map(([kind, size]) => {
      const made = svg("rect", { x, y, width: Math.max(1, scale(size)), height: bar, class: `fate-${kind}` },
        svg("title", null, `${row.title}: ${count(size)} ${FATES.find((fate) => fate[0] === kind)?.[1] ?? "undecided"}`));
      x += scale(size);
      return made;
    });
    return svg("g", null, svg("text", { x: left - 8, y: y + 15, "text-anchor": "end", class: "label" }, clipped(row.title, 20)),
      parts, svg("text", { x: x + 6, y: y + 15, class: "small" }, count(total(row))));
  });
  const shown = FATES.filter(([kind]) => flow.nodes.some((node) => node[kind]));
  const unseen = Object.entries(flow.unseen).map(([status, number]) => `${count(number)} ${VERDICTS[status] ?? status}`);
  return el("figure", null,
    el("figcaption", null, `How ${count(flow.total)} ${flow.unit} went through the stages`),
    el("p", { class: "legend" }, shown.map(([kind, name]) => el("span", null,
      svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, svg("rect", { width: 12, height: 12, class: `fate-${kind}` })), " ", name))),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "stage flow" },
      drawing(width, rows.length * (bar + gap) - gap + 4, "Flow of samples through the stages; the table below has the numbers", bands, drawn)),
    unseen.length ? el("p", { class: "hint" }, `No stage saw: ${unseen.join(", ")}.`) : null,
    plainTable("Stages", ["stage", "came", ...shown.map((fate) => fate[1])],
      flow.nodes.map((node) => [node.stage, count(FATES.reduce((sum, [kind]) => sum + node[kind], 0)), ...shown.map(([kind]) => count(node[kind]))]),
      [1, 2, 3, 4, 5, 6, 7, 8]));
}
