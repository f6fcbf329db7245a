// How documents are to be read, as a person has chosen it.

import { byId, el } from "./dom.js";

const FIELDS = { pages: "page_range", tables: "tables", furniture: "headers_footers", tier: "tier" };

/** The fields beside the way in. What is left as it was is not sent. */
export class Options {
  constructor() {
    byId("reading").addEventListener("change", () => this.#tell());
    this.#tell();
  }

  /** Return the options by their names in a request, or null after complaining about them. */
  chosen() {
    const pages = byId("pages");
    if (!pages.checkValidity()) {
      byId("reading").open = true;
      pages.focus();
      return null;
    }
    byId("reading").open = false; // what is closed still tells what differs
    const values = Object.entries(FIELDS).map(([id, name]) => [name, valueOf(byId(id))]);
    return Object.fromEntries(values.filter(([, value]) => value !== ""));
  }

  /** Offer a choice among the engine's tiers, if it has any. */
  offer(tiers) {
    byId("tier").append(...tiers.map((tier) => el("option", { value: tier }, tier)));
    byId("tier-choice").hidden = tiers.length === 0;
  }

  /** Tell beside the closed fields what differs in them. */
  #tell() {
    const changed = Object.keys(FIELDS).map((id) => byId(id)).filter((field) => valueOf(field) !== "");
    byId("chosen").textContent = changed.map((field) => textOf(field)).join(", ");
  }
}

function valueOf(field) {
  if (field.type === "checkbox") return field.checked ? field.value : "";
  return field.value.replace(/\s/g, "");
}

function textOf(field) {
  if (field.id === "pages") return `pages ${valueOf(field)}`;
  return field.dataset.chosen ?? field.selectedOptions[0].textContent;
}

/** Return the first `count` indexes, from 0, of a page range such as `1-3,7,10-`; null is all. */
export function firstIndexes(range, count) {
  const found = [];
  let end = 0;
  for (const [first, last] of spans(range ?? "1-")) {
    for (let page = Math.max(first, end + 1); page <= last && found.length < count; page += 1) found.push(page - 1);
    end = Math.max(end, last);
  }
  return found;
}

function spans(range) {
  const parts = range.split(",").map((part) => part.split("-"));
  const numbers = parts.map(([first, last = first]) => [Number(first), last === "" ? Infinity : Number(last)]);
  return numbers.sort(([one], [other]) => one - other);
}
