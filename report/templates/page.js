// What the pages do beyond being read: sorting, filtering, intervals at a tap, a table as CSV. Everything is in the pages
// already; without this script they are pages of tables.
document.documentElement.classList.add("scripted");
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const field = document.getElementById("filter");
const intervals = document.getElementById("intervals");
const verdicts = all("button[data-verdict]");

// ---- The state: the address has it, and "back" leads to the one before ----

let state = parseAddress(location.hash);

function go(change, replace = false) {
  state = { ...state, ...change };
  history[replace ? "replaceState" : "pushState"](null, "", writeAddress(state));
  show();
}

function show() {
  if (field.value.trim() !== state.filter) field.value = state.filter;
  intervals.checked = state.intervals !== "";
  for (const button of verdicts) button.setAttribute("aria-pressed", String(button.dataset.verdict === state.verdict));
  for (const table of all("table.sortable")) sort(table);
  filter();
  reachable();
}

// Opens what a place is folded into, and scrolls there.
function lead() {
  const place = document.getElementById(state.at);
  for (let around = place; around; around = around.parentElement) if (around.tagName === "DETAILS") around.open = true;
  place?.querySelector(":scope > details")?.setAttribute("open", "");
  place?.scrollIntoView();
}

addEventListener("popstate", () => {
  const before = state.at;
  state = parseAddress(location.hash);
  show();
  if (state.at !== before) lead();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]:not(.csv)');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go({ at: parseAddress(link.getAttribute("href")).at });
  lead();
});

// ---- Sorting: a button beside each column's name sorts every table of the page that has such a column ----

const firstOrder = new Map(all("table.sortable").map((table) => [table, all("tbody tr", table)]));

function cellOf(row, column) {
  const cell = row.cells[column];
  const measured = cell.querySelector("b");
  return { row, value: numberIn(measured?.dataset.value ?? (measured || cell).textContent), text: cell.textContent };
}

function sort(table) {
  const heads = all("thead th", table);
  const column = heads.findIndex((th) => th.dataset.label === state.sort);
  const rows = firstOrder.get(table);
  const sorted = column < 0 ? rows : ordered(rows.map((row) => cellOf(row, column)), state.order === "down").map(({ row }) => row);
  table.tBodies[0].append(...sorted);
  heads.forEach((th, i) => {
    if (i === column) th.setAttribute("aria-sort", state.order === "down" ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  });
}

for (const th of all("table.sortable thead th")) {
  const label = (th.dataset.label = th.textContent.trim());
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sort";
  button.setAttribute("aria-label", `sort by ${label}`);
  button.addEventListener("click", () => go({ sort: label, order: state.sort === label && !state.order ? "down" : "" }));
  th.append(button);
}

// ---- Filtering: rows that have the words; all rows of a table whose title has them ----

function filter() {
  const has = (text) => !state.filter || matches(state.filter, text);
  const known = verdicts.some((button) => button.dataset.verdict === state.verdict);
  const found = { table: 0, row: 0, sentence: 0, figure: 0 };
  for (const block of all(".block")) {
    const whole = has(block.querySelector("h2, h3").textContent);
    let kept = 0;
    for (const row of all("tbody tr", block)) {
      row.hidden = !(whole || has(row.textContent));
      kept += !row.hidden;
    }
    block.hidden = kept === 0;
    found.row += kept;
    if (state.filter) all("details", block).forEach((details) => (details.open = !whole && kept > 0));
  }
  for (const row of all(".claims tbody tr")) {
    row.hidden = !has(row.textContent) || (known && row.dataset.verdict !== state.verdict);
    found.sentence += !row.hidden;
  }
  for (const item of all("li[data-words]")) {
    item.hidden = !has(`${item.textContent} ${item.dataset.words}`);
    found.table += !item.hidden;
    const link = item.querySelector("a");
    link.href = link.getAttribute("href").replace(/#.*/, "") + writeAddress({ at: "", filter: has(item.textContent) ? "" : state.filter });
  }
  for (const figure of all("figure")) found.figure += !(figure.hidden = !has(figure.textContent));
  for (const run of all(".run")) run.hidden = !has(run.textContent);
  for (const group of all("details.group")) {
    const parts = all("li[data-words], figure, .claims tbody tr", group);
    group.hidden = parts.length > 0 && parts.every((part) => part.hidden);
    if ((state.filter || (known && group.querySelector(".claims"))) && !group.hidden) group.open = true;
  }
  const told = Object.entries(found).filter(([, count]) => count).map(([what, count]) => `${count} ${what}${count === 1 ? "" : "s"}`);
  document.getElementById("found").textContent = state.filter ? told.join(", ") || "nothing found" : "";
}

// Each letter is not a step back: the first one is, and clearing the field.
field.addEventListener("input", () => {
  const next = field.value.trim();
  go({ filter: next }, Boolean(next) === Boolean(state.filter));
});
intervals.addEventListener("change", () => go({ intervals: intervals.checked ? "1" : "" }));
for (const button of verdicts)
  button.addEventListener("click", () => go({ verdict: state.verdict === button.dataset.verdict ? "" : button.dataset.verdict }));

// ---- A number's interval at a tap; "intervals" shows all of them, by style alone ----

document.addEventListener("click", (event) => {
  const cell = event.target.closest(".numbers td");
  if (cell && cell.querySelector(".more")) cell.classList.toggle("open");
});

// ---- A table as CSV: measured, interval and published of each column ----

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function asCsv(table) {
  const text = (element) => (element ? element.textContent.trim() : "");
  const measured = (element) => (/ to /.test(text(element)) ? element.dataset.value : number(element)); // a CPU's, over hosts
  const number = (element) => text(element).replace(/[~†\s]/g, "").replace("–", "");
  const rows = all("tr", table).filter((row) => !row.hidden).map((row) =>
    [...row.cells].flatMap((cell, i) => {
      if (cell.tagName === "TH" && cell.scope === "col") return i && table.querySelector("td .more") ? [text(cell), `${text(cell)}: interval`, `${text(cell)}: published`] : [text(cell)];
      if (cell.tagName === "TH" || !table.querySelector("td .more")) return [text(cell)];
      return [measured(cell.querySelector("b")) || text(cell.querySelector(".verified")), text(cell.querySelector(".more")), number(cell.querySelector("small")?.firstChild)];
    }));
  return rows.map((row) => row.map(quoted).join(",") + "\n").join("");
}

for (const table of all("table[data-csv]")) {
  const link = document.createElement("a");
  link.className = "csv";
  link.textContent = "CSV";
  link.download = table.dataset.csv;
  link.href = "#";
  link.addEventListener("click", () => {
    link.href = URL.createObjectURL(new Blob([asCsv(table)], { type: "text/csv" }));
  });
  const again = table.closest(".block").querySelector(".again");
  if (again) again.append(" · ", link);
  else table.parentElement.after(link);
}

// ---- Around them ----

// What is wider than its place is scrolled by keys, too.
function reachable() {
  for (const place of all(".scroll")) {
    const wide = place.scrollWidth > place.clientWidth;
    for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", "wider than the page: scrolls"]])
      if (wide) place.setAttribute(name, value);
      else place.removeAttribute(name);
  }
}
addEventListener("resize", reachable);
show();
if (state.at) lead();
