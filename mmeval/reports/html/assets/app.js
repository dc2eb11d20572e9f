// Where one is, by the address behind the #; keys; dark and light.

const THEMES = ["auto", "dark", "light"];
let samples = null;
let shownRun = null;

function remembered() {
  try { return localStorage.getItem("mmeval-theme"); } catch { return null; }
}

function theme(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  try { localStorage.setItem("mmeval-theme", name); } catch { /* a page from disk may have no storage */ }
}

function themeButton() {
  let at = Math.max(0, THEMES.indexOf(remembered()));
  theme(THEMES[at]);
  const button = el("button", { type: "button", id: "theme", click: () => {
    at = (at + 1) % THEMES.length;
    theme(THEMES[at]);
    button.textContent = `Theme: ${THEMES[at]}`;
  } }, `Theme: ${THEMES[at]}`);
  return button;
}

async function show() {
  const [, kind, place, , row] = location.hash.slice(1).split("/");
  if (kind === "run" && head.runs[Number(place)]) {
    if (shownRun !== Number(place)) {
      const asked = location.hash;
      const [page, made] = await runPage(Number(place));
      if (location.hash !== asked) return;
      byId("main").replaceChildren(page);
      [samples, shownRun] = [made, Number(place)];
      scrollTo(0, 0);
    }
    if (row !== undefined) await samples.open(Number(row));
    else samples.close();
    document.title = `${head.runs[shownRun].name} – mmeval report`;
  } else {
    [samples, shownRun] = [null, null];
    byId("main").replaceChildren(kind === "benchmark" ? benchmarkPage(Number(place)) : runsPage());
    document.title = "mmeval report";
    scrollTo(0, 0);
  }
  document.documentElement.dataset.ready = location.hash || "#";
}

function typing(target) {
  return target.matches?.("input, select, textarea");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && samples) {
    if (samples.panel.firstChild) location.hash = `/run/${shownRun}`;
    else if (typing(event.target)) samples.grid.go(samples.grid.at);
  } else if (typing(event.target)) return;
  else if (event.key === "/" && samples) { samples.box.focus(); samples.box.select(); event.preventDefault(); }
  else if (samples?.move && (event.key === "j" || event.key === "k")) samples.move(event.key === "j" ? 1 : -1);
});

byId("top").append(el("nav", { "aria-label": "report" }, link("/", "All runs"),
  head.benchmarks.length > 1 && head.benchmarks.length <= 12 ? head.benchmarks.map((each, number) => link(`/benchmark/${number}`, each.name)) : null),
  el("span", { class: "hint" }, `mmeval ${head.version}`), themeButton());
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("main").focus(); });
addEventListener("hashchange", show);
show();
