// Which rows are shown: filters over the columns, and a search through every text of every row.

const NOTHING = { text: "", verdict: "", stage: "", reason: "", type: "", group: "", other: "", change: "differs" };

function decoded(column) {
  return (row) => column.values[column.rows[row]];
}

// One coded column against one value; true for all where no value is asked for.
function among(column, wanted) {
  if (wanted === "" || !column) return null;
  const code = column.values.findIndex((value) => (value ?? "") === wanted.slice(1));
  return (row) => column.rows[row] === code;
}

function reasonTest(column, wanted) {
  if (wanted === "") return null;
  const codes = new Set();
  column.values.forEach((value, code) => { if ((value ?? "").split(": ")[0] === wanted.slice(1)) codes.add(code); });
  return (row) => codes.has(column.rows[row]);
}

function verdictTest(column, wanted) {
  if (wanted === "not-right") {
    const right = column.values.indexOf("right");
    return (row) => column.rows[row] !== right;
  }
  return among(column, wanted);
}

function groupTest(table, wanted) {
  if (wanted === "") return null;
  const [name, value] = JSON.parse(wanted);
  return among(own(table.groups, name), `=${value}`);
}

// Rows whose verdict is another one in the other run; `change` narrows it to the better or worse ones.
function otherTest(table, other, change) {
  if (!other) return null;
  const places = new Map(other.id.map((id, row) => [id, row]));
  const [own, its] = [decoded(table.verdict), decoded(other.verdict)];
  return (row) => {
    const place = places.get(table.id[row]);
    if (place === undefined) return change === "missing";
    const [a, b] = [table.score[row], other.score[place]];
    if (change === "better") return a !== null && b !== null && a > b;
    if (change === "worse") return a !== null && b !== null && a < b;
    if (change === "answer") return table.extracted[row] !== other.extracted[place];
    return change === "differs" && (a !== b || own(row) !== its(place));
  };
}

function tests(table, wanted, other) {
  return [
    verdictTest(table.verdict, wanted.verdict), among(table.stage, wanted.stage), reasonTest(table.reason, wanted.reason),
    among(table.type, wanted.type), groupTest(table, wanted.group), otherTest(table, other, wanted.change),
  ].filter(Boolean);
}

// Rows that pass every filter, in file order.
function filtered(table, wanted, other) {
  const asked = tests(table, wanted, other);
  const found = [];
  for (let row = 0; row < table.n; row += 1) if (asked.every((test) => test(row))) found.push(row);
  return found;
}

const SORTS = {
  id: (table) => (row) => table.id[row],
  verdict: (table) => decoded(table.verdict),
  score: (table) => (row) => table.score[row] ?? -1,
  stage: (table) => (row) => decoded(table.stage)(row) ?? "",
  reason: (table) => (row) => decoded(table.reason)(row) ?? "",
  type: (table) => (row) => decoded(table.type)(row) ?? "",
  extracted: (table) => (row) => table.extracted[row] ?? "",
  gold: (table) => (row) => table.gold[row] ?? "",
  answer: (table) => (row) => table.answer[row] ?? "",
};

const collator = new Intl.Collator("en", { numeric: true });

function sorted(table, rows, key, falling) {
  if (!key) return rows;
  const read = SORTS[key](table);
  const values = new Map(rows.map((row) => [row, read(row)]));
  const numbers = key === "score";
  const order = (a, b) => (numbers ? values.get(a) - values.get(b) : collator.compare(values.get(a), values.get(b))) || 0;
  // Rows that are equal stay in file order, whichever way the column is sorted.
  return [...rows].sort((a, b) => (falling ? -order(a, b) : order(a, b)) || a - b);
}

const searchable = new Map();

function textsOf(row) {
  const said = [row.question, ...(row.options ?? []).flat(), row.pred, row.extracted, row.gt === undefined ? "" : text(row.gt)];
  for (const each of [row, ...(row.predictions ?? [])]) {
    said.push(each.pred);
    for (const step of each.trace ?? []) for (const call of step.judge ?? []) said.push(call.reply);
  }
  return said.filter((value) => typeof value === "string").join("\n").toLowerCase();
}

async function textBlock(run, place) {
  const id = `${run}-${place}`;
  if (!searchable.has(id)) searchable.set(id, (await unpacked(`rows-${run}-${place}`)).map(textsOf));
  return searchable.get(id);
}

// Searches block after block, so that the page stays alive; `found` is told what each adds. Ends when `stale`.
async function search(run, table, wanted, stale, found) {
  const needle = wanted.toLowerCase();
  const hits = new Set();
  for (let place = 0; place < head.runs[run].blocks; place += 1) {
    const texts = await textBlock(run, place);
    if (stale()) return null;
    texts.forEach((each, at) => {
      const row = place * BLOCK + at;
      if (each.includes(needle) || table.id[row].toLowerCase().includes(needle)) hits.add(row);
    });
    if (place % 8 === 7) {
      found(hits, (place + 1) / head.runs[run].blocks);
      await new Promise((done) => setTimeout(done));
    }
  }
  return hits;
}
