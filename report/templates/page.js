// What the report's page does beyond being read: sorting, filtering, intervals at a tap, a table as CSV. Everything is in the
// page already; without this script it is a page of tables.
"use strict";
document.documentElement.classList.add("scripted");
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// ---- Sorting: a button beside each column's name ----

// A cell's number, of the measured value where there is one: "~1 234.5×" is 1234.5. NaN where the cell is no number.
function valueOf(cell) {
  const measured = cell.querySelector("b");
  const text = (measured?.dataset.value ?? (measured || cell).textContent).replace(/[~†×%\s]/g, "");
  return text === "" || text === "–" ? NaN : Number(text);
}

// Cells without a number come last in either order, unless the column has none at all: then it is sorted as text.
function sort(table, column, ascending) {
  const rows = all("tbody tr", table).map((row) => ({ row, value: valueOf(row.cells[column]), text: row.cells[column].textContent }));
  const numeric = rows.some(({ value }) => !isNaN(value));
  const sign = ascending ? 1 : -1;
  rows.sort((a, b) => {
    if (!numeric) return sign * a.text.localeCompare(b.text, "en", { numeric: true });
    if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
    return sign * (a.value - b.value);
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
  all("thead th", table).forEach((th, i) => {
    if (i === column) th.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    else th.removeAttribute("aria-sort");
  });
}

for (const table of all("table.sortable"))
  all("thead th", table).forEach((th, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.setAttribute("aria-label", `sort by ${th.textContent.trim()}`);
    button.addEventListener("click", () => sort(table, column, th.getAttribute("aria-sort") !== "ascending"));
    th.append(button);
  });

// ---- Filtering: rows that have the words; all rows of a table whose title has them ----

const field = document.getElementById("filter");
let verdict = "";

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.toLowerCase().includes(word));
  let shown = 0;
  for (const block of all(".block")) {
    const whole = has(block.querySelector("h3").textContent);
    let kept = 0;
    for (const row of all("tbody tr", block)) {
      row.hidden = !(whole || has(row.textContent));
      kept += !row.hidden;
    }
    block.hidden = kept === 0;
    shown += kept;
    if (words.length) all("details", block).forEach((details) => (details.open = !whole && kept > 0));
  }
  for (const row of all(".claims tbody tr")) {
    row.hidden = !has(row.textContent) || (verdict !== "" && row.dataset.verdict !== verdict);
    shown += !row.hidden;
  }
  for (const figure of all("figure")) figure.hidden = !has(figure.textContent);
  for (const run of all(".run")) run.hidden = !has(run.textContent);
  document.getElementById("found").textContent = words.length ? `${shown} rows` : "";
}

field.addEventListener("input", filter);
for (const button of all("button[data-verdict]")) {
  button.setAttribute("aria-pressed", "false");
  button.addEventListener("click", () => {
    verdict = verdict === button.dataset.verdict ? "" : button.dataset.verdict;
    for (const other of all("button[data-verdict]")) other.setAttribute("aria-pressed", String(other.dataset.verdict === verdict));
    filter();
  });
}

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
document.getElementById("intervals").addEventListener("change", reachable);
reachable();
