// Tables that engines write as HTML: only rows, cells and spans are taken, the rest is text.

import { el } from "./dom.js";
import { inline } from "./inline.js";

const TAG = /<(\/?)(table|thead|tbody|tfoot|caption|tr|td|th)\b([^<>]*)>/gi;
const MOST_SPAN = 1000;

/** Return whether `markdown` is such a table. */
export function isHtmlTable(markdown) {
  return /^\s*<table[\s>]/i.test(markdown) && /<\/table>\s*$/i.test(markdown);
}

/** Return the table that `markup` describes. */
export function htmlTable(markup) {
  const body = el("tbody");
  let row = null;
  let cell = null;
  let end = 0;
  for (const match of markup.matchAll(TAG)) {
    cell?.texts.push(markup.slice(end, match.index));
    end = match.index + match[0].length;
    const name = match[2].toLowerCase();
    if (name !== "tr" && name !== "td" && name !== "th") continue;
    close(cell);
    cell = null;
    if (name === "tr") {
      row = null;
      if (match[1] === "") body.append((row = el("tr")));
    } else if (match[1] === "") {
      if (row === null) body.append((row = el("tr")));
      cell = { element: el(name, spans(match[3])), texts: [] };
      row.append(cell.element);
    }
  }
  close(cell);
  return el("table", {}, body);
}

function close(cell) {
  cell?.element.append(inline(cell.texts.join(" ").trim()));
}

function spans(attributes) {
  const found = {};
  for (const match of attributes.matchAll(/\b(colspan|rowspan)\s*=\s*["']?(\d{1,4})/gi)) {
    found[match[1].toLowerCase()] = Math.min(Number(match[2]), MOST_SPAN);
  }
  return found;
}
