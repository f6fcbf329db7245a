// Inline Markdown as nodes: emphasis, code, links, escapes. What it does not know stays text.

import { el } from "./dom.js";

const LONGEST = 20_000; // of a text whose emphasis is looked for
const WINDOW = 2000; // in which a mark is closed: bounds the time that odd texts take
const DEEPEST = 6;
const SAFE_LINK = /^(https?:\/\/|mailto:)[^\s<>"]+$/i;
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

const RULES = [
  [/^\\([!-/:-@[-`{-~])/, (match) => match[1]],
  [/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, (match) => el("code", {}, match[2].trim())],
  [/^!\[([^\]]*)\]\([^()\s]*\)/, (match) => el("span", { class: "figure" }, match[1] || "picture")],
  [/^\[([^\]]+)\]\(([^()\s]+)\)/, (match, depth) => link(match, depth)],
  [/^(\*\*|__)(?=\S)([\s\S]*?\S)\1/, (match, depth) => el("strong", {}, inline(match[2], depth))],
  [/^~~(?=\S)([\s\S]*?\S)~~/, (match, depth) => el("s", {}, inline(match[1], depth))],
  [/^\*(?=\S)([^*]*[^*\s])\*(?!\*)/, (match, depth) => el("em", {}, inline(match[1], depth))],
  [/^_(?=\S)([^_]*[^_\s])_(?!\w)/, (match, depth) => el("em", {}, inline(match[1], depth))],
  [/^&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/, (match) => entity(match)],
  [/^<(\/?)(sub|sup|br)\s*\/?>/i, (match) => mark(match)],
];
const STARTS = /[\\`![*_~&<]/g;

/** Return the nodes of `text` in a fragment. */
export function inline(text, depth = 0) {
  const into = document.createDocumentFragment();
  if (depth > DEEPEST || text.length > LONGEST) {
    into.append(text);
    return into;
  }
  let at = 0;
  let plain = 0;
  while ((at = nextStart(text, at)) >= 0) {
    const found = matched(text, at, depth + 1);
    if (found === null) {
      at += 1;
      continue;
    }
    into.append(text.slice(plain, at), found.node);
    at += found.length;
    plain = at;
  }
  into.append(text.slice(plain));
  return into;
}

function nextStart(text, from) {
  STARTS.lastIndex = from;
  const match = STARTS.exec(text);
  return match === null ? -1 : match.index;
}

function matched(text, at, depth) {
  // An underscore inside a word is part of it, as in snake_case.
  if (text[at] === "_" && /\w/.test(text[at - 1] ?? "")) return null;
  const rest = text.slice(at, at + WINDOW);
  for (const [pattern, make] of RULES) {
    const match = pattern.exec(rest);
    const node = match === null ? null : make(match, depth);
    if (node !== null) return { node, length: match[0].length };
  }
  return null;
}

/** Only addresses that a person may follow become links; `javascript:` and the like stay text. */
function link(match, depth) {
  if (!SAFE_LINK.test(match[2])) return null;
  const safe = { href: match[2], rel: "noopener noreferrer nofollow", target: "_blank", title: match[2] };
  return el("a", safe, inline(match[1], depth));
}

function entity(match) {
  const code = match[1] ? Number(match[1]) : Number.parseInt(match[2] ?? "", 16);
  if (match[3]) return ENTITIES[match[3]] ?? null;
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

/** `<br>` breaks the line; `<sub>` and `<sup>`, which models write, vanish around their text. */
function mark(match) {
  return match[2].toLowerCase() === "br" ? el("br") : "";
}
