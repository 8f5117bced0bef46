// What the pages show stands in their address, behind the #: "figures?filter=pr1002&sort=race&order=down". These
// functions know nothing of the page.
"use strict";
const PARTS = ["filter", "sort", "order", "verdict", "intervals"];

// The place to show and each part, "" where the address does not have it.
function parseAddress(hash) {
  const [at, query = ""] = splitOnce(hash.replace(/^#/, ""), "?");
  const given = new URLSearchParams(query);
  return Object.fromEntries([["at", decoded(at)], ...PARTS.map((name) => [name, given.get(name) ?? ""])]);
}

// The shortest address of a state: parseAddress(writeAddress(state)) is the state.
function writeAddress(state) {
  const given = new URLSearchParams(PARTS.filter((name) => state[name]).map((name) => [name, state[name]]));
  return "#" + encodeURIComponent(state.at) + (given.size ? `?${given}` : "");
}

function splitOnce(text, mark) {
  const place = text.indexOf(mark);
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)];
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Whether a text has every word of a filter.
function matches(filter, text) {
  return filter.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));
}

// The number of a cell's text: "~1 234.5×" is 1234.5. NaN where it is no number.
function numberIn(text) {
  const digits = text.replace(/[~†‡×%\s]/g, "");
  return digits === "" || digits === "–" ? NaN : Number(digits);
}

// The order of cells {value, text}. Cells without a number come last in either order, unless the column has none at
// all: then it is sorted as text.
function ordered(cells, down) {
  const numeric = cells.some(({ value }) => !isNaN(value));
  const sign = down ? -1 : 1;
  return [...cells].sort((a, b) => {
    if (!numeric) return sign * a.text.localeCompare(b.text, "en", { numeric: true });
    if (isNaN(a.value) || isNaN(b.value)) return isNaN(a.value) - isNaN(b.value);
    return sign * (a.value - b.value);
  });
}
