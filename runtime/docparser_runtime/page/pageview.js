// One page: its picture with boxes beside its text. What is lit in one is lit in the other.

import { el } from "./dom.js";
import { markdown } from "./markdown.js";
import { Roving } from "./roving.js";

const HEADING_SHIFT = 3; // below the headings of this page itself
const SHOWN_LABEL = 60;

export class PageView {
  #shown = null; // ends what runs while the page is shown
  #asked = false;
  #lit = null;

  constructor(doc, index, pictures) {
    this.doc = doc;
    this.index = index;
    this.pictures = pictures;
    this.image = null;
    this.sheet = el("div", { class: "sheet" });
    this.text = el("div", { class: "text" });
    const number = index + 1;
    const heading = el("h3", { class: "number", id: `${doc.key}-p${number}` }, `Page ${number}`);
    this.element = el("article", {
      class: "page",
      "data-index": index,
      "aria-labelledby": heading.id,
      onpointerover: (event) => this.#light(event.target),
      onpointerleave: () => this.#light(null),
      onfocusin: (event) => this.#light(event.target),
      onfocusout: () => this.#light(null),
      onclick: (event) => this.#follow(event),
      onkeydown: (event) => event.key === "Enter" && this.#follow(event),
    }, heading, this.sheet, this.text);
  }

  get page() {
    return this.doc.pages.get(this.index) ?? null;
  }

  /** Fill the page with its contents. */
  show() {
    if (this.#shown !== null) return;
    this.#shown = new AbortController();
    this.element.style.minHeight = "";
    this.refresh();
    this.showPicture();
  }

  /** Drop the contents, keeping their height: a thousand pages must not be held at once. */
  hide() {
    if (this.#shown === null || this.element.contains(document.activeElement)) return;
    this.#shown.abort();
    this.#shown = null;
    this.element.style.minHeight = `${this.element.offsetHeight}px`;
    this.#asked = false;
    this.image = null;
    this.sheet.replaceChildren();
    this.text.replaceChildren();
  }

  /** Show what has become known of the page since. */
  refresh() {
    const { page } = this;
    if (page !== null) this.#shape(page.width, page.height);
    this.element.classList.toggle("awaited", page === null);
    if (this.#shown === null) return;
    this.#lit = null;
    this.text.replaceChildren(page === null ? this.#awaited() : this.#read(page));
    this.sheet.replaceChildren(...(this.image ? [this.image] : []), ...(page ? [this.#boxes(page)] : []));
    for (const group of [this.sheet, this.text]) new Roving(group, "[data-block]");
  }

  #shape(width, height) {
    this.sheet.style.setProperty("--ratio", String(width / height));
  }

  #awaited() {
    const draft = this.doc.drafts.get(this.index);
    if (draft !== undefined) return el("p", { class: "draft" }, draft);
    return el("p", { class: "hint" }, this.doc.ended ? "This page was not read." : "Not read yet");
  }

  #read(page) {
    const into = document.createDocumentFragment();
    for (const note of notes(page)) into.append(el("p", { class: "note" }, note));
    if (page.blocks.length === 0) {
      into.append(page.markdown ? markdown(page.markdown, HEADING_SHIFT) : el("p", { class: "hint" }, "Nothing to read here."));
    }
    page.blocks.forEach((block, number) => {
      const attributes = { class: `block ${kindClass(block)}`, "data-block": number, tabindex: -1, role: "group" };
      const label = `${block.kind}, ${number + 1} of ${page.blocks.length}`;
      into.append(el("div", { ...attributes, "aria-label": label }, markdown(block.markdown, HEADING_SHIFT)));
    });
    return into;
  }

  #boxes(page) {
    const boxes = el("div", { class: "boxes", role: "group", "aria-label": "Blocks on the page" });
    page.blocks.forEach((block, number) => {
      const [left, top, right, bottom] = block.box;
      const label = `${block.kind}: ${block.text.slice(0, SHOWN_LABEL)}`;
      const box = el("button", {
        type: "button", class: `box ${kindClass(block)}`, "data-block": number, tabindex: -1, "aria-label": label,
      });
      box.style.left = percent(left, page.width);
      box.style.top = percent(top, page.height);
      box.style.width = percent(right - left, page.width);
      box.style.height = percent(bottom - top, page.height);
      boxes.append(box);
    });
    return boxes;
  }

  /** Get the picture, if the page is in sight and is looked at as a page. */
  async showPicture() {
    if (this.#shown === null || this.#asked || !this.sheet.checkVisibility()) return;
    const { signal } = this.#shown;
    this.#asked = true;
    let url = null;
    try {
      url = await this.pictures.of(this.index, signal);
    } catch {
      if (!signal.aborted) this.#asked = false; // may be asked for again
    }
    if (url === null || signal.aborted) return;
    const image = el("img", { alt: `Page ${this.index + 1} as it looks`, decoding: "async", draggable: "false" });
    image.addEventListener("error", () => image.remove());
    image.addEventListener("load", () => {
      if (this.page === null) this.#shape(image.naturalWidth, image.naturalHeight);
    });
    image.src = url;
    this.image = image;
    this.sheet.prepend(image);
  }

  #light(target) {
    const block = target?.closest?.("[data-block]")?.dataset.block ?? null;
    if (block === this.#lit) return;
    for (const element of this.element.querySelectorAll(".lit")) element.classList.remove("lit");
    this.#lit = block;
    if (block === null) return;
    for (const element of this.element.querySelectorAll(`[data-block="${block}"]`)) element.classList.add("lit");
  }

  /** Go from a box to its text; and show the box of a text. */
  #follow(event) {
    const from = event.target.closest("[data-block]");
    if (from === null || event.target.closest("a") !== null) return;
    const other = this.sheet.contains(from) ? this.text : this.sheet;
    const counterpart = other.querySelector(`[data-block="${from.dataset.block}"]`);
    counterpart?.scrollIntoView({ block: "nearest" });
    if (event.type === "keydown" || other === this.text) {
      event.preventDefault();
      counterpart?.focus({ preventScroll: true });
    }
  }
}

function percent(part, whole) {
  return `${(100 * part) / whole}%`;
}

function kindClass(block) {
  return `kind-${/^[a-z_-]+$/.test(block.kind) ? block.kind : "other"}`;
}

function notes(page) {
  return [
    page.truncated ? "The engine stopped before the end of this page." : null,
    page.lowered ? "The service was under pressure, so the engine looked at this page less closely." : null,
    page.repetition ? "The engine began to repeat itself on this page and was stopped." : null,
  ].filter((note) => note !== null);
}
