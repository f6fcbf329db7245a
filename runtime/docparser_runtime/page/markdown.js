// Markdown as elements: headings, lists, tables, quotes, code, rules and paragraphs.

import { el } from "./dom.js";
import { htmlTable, isHtmlTable } from "./htmltable.js";
import { inline } from "./inline.js";

const HEADING = /^(#{1,6})\s+(\S.*)$/;
const FENCE = /^(`{3,}|~{3,})/;
const RULE = /^(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const QUOTE = /^>\s?/;
const ITEM = /^(\s*)(?:([-*+])|(\d{1,9})[.)])\s+(.*)$/;
const ROW = /^\s*\|.*\|\s*$/;
const ALIGNMENT = /^\s*\|(?:\s*:?-+:?\s*\|)+\s*$/;
const DEEPEST = 8; // of quotes and lists in each other

/** Return a fragment that shows `text`. Headings begin `shift` levels below their own. */
export function markdown(text, shift = 0, depth = 0) {
  const into = document.createDocumentFragment();
  if (isHtmlTable(text)) {
    into.append(scrolling(htmlTable(text)));
    return into;
  }
  const lines = text.split("\n");
  let at = 0;
  while (at < lines.length) {
    const [node, next] = piece(lines, at, shift, depth);
    if (node !== null) into.append(node);
    at = next;
  }
  return into;
}

/** Return the element that begins at line `at`, or null, and the line after it. */
function piece(lines, at, shift, depth) {
  const line = lines[at];
  if (line.trim() === "") return [null, at + 1];
  const heading = HEADING.exec(line);
  if (heading) return [headingOf(heading, shift), at + 1];
  if (FENCE.test(line)) return fenced(lines, at);
  if (RULE.test(line.trim())) return [el("hr"), at + 1];
  if (ROW.test(line) && ALIGNMENT.test(lines[at + 1] ?? "")) return table(lines, at);
  if (QUOTE.test(line) && depth < DEEPEST) return quote(lines, at, shift, depth);
  if (ITEM.test(line)) return list(lines, at);
  return paragraph(lines, at);
}

function headingOf(match, shift) {
  const level = match[1].length;
  return el(`h${Math.min(level + shift, 6)}`, { class: `level-${level}` }, inline(match[2].trimEnd().replace(/\s#+$/, "")));
}

function fenced(lines, at) {
  const mark = FENCE.exec(lines[at])[1];
  let end = at + 1;
  while (end < lines.length && !lines[end].startsWith(mark)) end += 1;
  return [el("pre", {}, el("code", {}, lines.slice(at + 1, end).join("\n"))), end + 1];
}

function quote(lines, at, shift, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [el("blockquote", {}, markdown(inner.join("\n"), shift, depth + 1)), end];
}

/** Lists nest by their indentation. */
function list(lines, at, depth = 0) {
  const first = ITEM.exec(lines[at]);
  const indent = first[1].length;
  const numbered = first[3] !== undefined;
  const element = numbered ? el("ol", { start: first[3] === "1" ? null : first[3] }) : el("ul");
  let last = null;
  while (at < lines.length) {
    const match = ITEM.exec(lines[at]);
    if (match && match[1].length > indent && last !== null && depth < DEEPEST) {
      const [inner, next] = list(lines, at, depth + 1);
      last.append(inner);
      at = next;
    } else if (match && match[1].length >= indent && (match[3] !== undefined) === numbered) {
      last = el("li", {}, inline(match[4]));
      element.append(last);
      at += 1;
    } else if (!match && last !== null && /^\s+\S/.test(lines[at])) {
      last.append(" ", inline(lines[at].trim()));
      at += 1;
    } else break;
  }
  return [element, at];
}

function table(lines, at) {
  const alignments = cells(lines[at + 1]).map(alignment);
  const head = el("thead", {}, row("th", lines[at], alignments));
  const body = el("tbody");
  let end = at + 2;
  while (end < lines.length && ROW.test(lines[end])) {
    body.append(row("td", lines[end], alignments));
    end += 1;
  }
  return [scrolling(el("table", {}, head, body)), end];
}

function row(kind, line, alignments) {
  const made = el("tr");
  cells(line).forEach((text, index) => {
    made.append(el(kind, { class: alignments[index], scope: kind === "th" ? "col" : null }, inline(text)));
  });
  return made;
}

function cells(line) {
  const inside = line.trim().slice(1, -1);
  return inside.split(/(?<!\\)\|/).map((text) => text.trim().replaceAll("\\|", "|"));
}

function alignment(rule) {
  if (!rule.endsWith(":")) return null;
  return rule.startsWith(":") ? "centre" : "right";
}

function scrolling(inner) {
  return el("div", { class: "scrolling" }, inner);
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== "" && !begins(lines, end)) end += 1;
  const element = el("p");
  lines.slice(at, end).forEach((line, index) => {
    if (index > 0) element.append(/( {2}|\\)$/.test(lines[at + index - 1]) ? el("br") : " ");
    element.append(inline(line.trim().replace(/\\$/, "")));
  });
  return [element, end];
}

/** Whether line `at` begins something else than a paragraph. */
function begins(lines, at) {
  const line = lines[at];
  return HEADING.test(line) || FENCE.test(line) || QUOTE.test(line) || ITEM.test(line)
    || (ROW.test(line) && ALIGNMENT.test(lines[at + 1] ?? ""));
}
