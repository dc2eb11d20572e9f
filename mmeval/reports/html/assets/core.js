// Building the document, reading the data, saying numbers. Texts only ever become text nodes.

const SVG = "http://www.w3.org/2000/svg";
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[A-Za-z0-9+/=]+$/i;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else if (name.startsWith("on") || name === "style" || name === "srcdoc") throw new Error(`no attribute ${name}`);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
// Names come from datasets: `constructor` is a name like any other.
const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);
const byId = (id) => document.getElementById(id);
const say = (text) => { byId("live").textContent = text; };

const head = JSON.parse(byId("head").textContent);

function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  return bytes;
}

async function unpacked(id) {
  const stream = new Blob([bytesOf(byId(id).textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

const BLOCK = 500;
const KEPT = 40;
const tables = new Map();
const blocks = new Map();

function tableOf(run) {
  if (!tables.has(run)) tables.set(run, unpacked(`columns-${run}`));
  return tables.get(run);
}

// A block of rows; the last few stay unpacked.
function blockOf(run, place) {
  const id = `rows-${run}-${place}`;
  if (!blocks.has(id)) blocks.set(id, unpacked(id));
  const found = blocks.get(id);
  blocks.delete(id);
  blocks.set(id, found);
  if (blocks.size > KEPT) blocks.delete(blocks.keys().next().value);
  return found;
}

const rowOf = async (run, row) => (await blockOf(run, Math.floor(row / BLOCK)))[row % BLOCK];

// Where a picture lies: inside the page, or below its folder; never anywhere else.
function pictureAt(told) {
  if (told.startsWith("#")) {
    const url = byId(`picture-${told.slice(1)}`)?.textContent ?? "";
    return PICTURE.test(url) ? url : null;
  }
  return /^[A-Za-z0-9_.~%/-]+$/.test(told) && !told.startsWith("/") ? told : null;
}

const VERDICTS = {
  right: "right", partly: "partly right", wrong: "wrong", measured: "measured", undecided: "undecided",
  invalid: "invalid", llm_error: "judge failed", error: "failed",
};
const MARKS = {
  right: "✓", partly: "◐", wrong: "✗", measured: "∑", undecided: "?", invalid: "⊘", llm_error: "!", error: "!",
};
const STAMPS = { true: "official", false: "not official", null: "none declared" };

function figure(value) {
  if (typeof value !== "number") return "–";
  return Math.abs(value) < 10 ? value.toFixed(4) : value.toFixed(2);
}
const interval = (ends) => (ends ? `${figure(ends[0])} to ${figure(ends[1])}` : "–");
const share = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "–");
const percent = (value) => (typeof value === "number" ? `${(100 * value).toFixed(1)} %` : "–");
const count = (value) => (typeof value === "number" ? value.toLocaleString("en") : "–");
const plural = (number, one, many) => `${count(number)} ${number === 1 ? one : many}`;
const inWords = (code, last) => own(head.words, code)?.[last ? 1 : 0] ?? code;

// A value as a person reads it: short ones on one line, of long ones each member on its own.
function text(value) {
  const line = typeof value === "string" ? value : JSON.stringify(value);
  if (typeof value !== "object" || value === null || line.length <= 100) return line;
  if (Array.isArray(value)) return `[\n${value.map((each) => `  ${JSON.stringify(each)}`).join(",\n")}\n]`;
  return `{\n${Object.entries(value).map(([name, each]) => `  ${JSON.stringify(name)}: ${JSON.stringify(each)}`).join(",\n")}\n}`;
}

// Cells before a column of headings; `cells` may hold nodes.
function plainTable(caption, heads, rows, numeric = []) {
  if (!rows.length) return null;
  const cell = (tag, attributes) => (value, place) =>
    el(tag, { ...attributes, class: numeric.includes(place) ? "number" : null }, value);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", null,
      el("caption", null, caption),
      el("thead", null, el("tr", null, heads.map(cell("th", { scope: "col" })))),
      el("tbody", null, rows.map((row) => el("tr", null, row.map((value, place) =>
        place ? cell("td")(value, place) : el("th", { scope: "row" }, value)))))));
}

const section = (title, ...inside) => {
  const shown = inside.flat(Infinity).filter(Boolean);
  return shown.length ? el("section", null, el("h2", null, title), shown) : null;
};
const charts = (title, ...inside) => {
  const made = section(title, ...inside);
  made?.classList.add("charts");
  return made;
};
const list = (texts) => (texts && texts.length ? el("ul", null, texts.map((each) => el("li", null, each))) : null);
