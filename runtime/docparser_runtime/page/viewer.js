// The open document: what can be done with it, how far it is, and its pages.

import { progressText } from "./doc.js";
import { byId, el, say } from "./dom.js";
import { save } from "./downloads.js";
import { PageView } from "./pageview.js";
import { Pictures } from "./pictures.js";

const NEAR = "1200px 0px";
const AT_EYE_LEVEL = "-40% 0px -59% 0px";
const VIEWS = { both: "Both", text: "Text", page: "Page" };
const SPEAK_EVERY_MS = 4000;

export class Viewer {
  /** `act` has the functions `cancel(doc)` and `again(doc)`. */
  constructor(doc, api, act) {
    this.doc = doc;
    this.act = act;
    this.api = api;
    this.pictures = new Pictures(api, doc);
    this.views = [];
    this.stale = new Set();
    this.closed = new AbortController();
    this.settled = false;
    this.spoken = { text: "", at: -Infinity };
    this.observer = new IntersectionObserver((entries) => this.#moved(entries), { rootMargin: NEAR });
    this.eye = new IntersectionObserver((entries) => this.#passed(entries), { rootMargin: AT_EYE_LEVEL });
    this.#build();
    const { signal } = this.closed;
    doc.addEventListener("change", () => this.#later(), { signal });
    doc.addEventListener("page", (event) => this.#later(event.detail), { signal });
    for (const index of [...doc.pages.keys(), ...doc.drafts.keys()]) this.stale.add(index);
    this.#refresh();
  }

  /** Free what the document took here. */
  close() {
    this.closed.abort();
    this.observer.disconnect();
    this.eye.disconnect();
    this.pictures.close();
    this.element.remove();
  }

  #build() {
    const { doc } = this;
    this.title = el("h2", { id: "title", tabindex: -1 }, doc.name);
    this.status = el("p", { class: "status", id: "status" });
    this.bar = el("progress", { "aria-label": "Pages read" });
    this.cancel = el("button", { type: "button", class: "quiet", onclick: () => this.act.cancel(doc) }, "Cancel");
    this.again = el("button", { type: "button", class: "primary", onclick: () => this.act.again(doc) }, "Try again");
    this.saves = el("div", { class: "saves", role: "group", "aria-label": "Download" },
      ...["Markdown", "JSON", "HTML"].map((form) =>
        el("button", { type: "button", onclick: () => this.#save(form) }, form)));
    this.pages = el("div", { class: "pages", "data-view": this.#rememberedView() });
    this.goto = this.#goto();
    this.bars = el("div", { class: "tools" }, this.#viewChoice(), this.goto, this.saves, this.again, this.cancel);
    this.element = el("section", { class: "viewer", "aria-labelledby": "title" },
      el("header", { class: "bar" },
        el("div", { class: "names" }, this.title, this.status), this.bars, this.bar),
      this.pages);
    byId("document").replaceChildren(this.element);
  }

  #viewChoice() {
    const choices = Object.entries(VIEWS).map(([view, label]) => {
      const input = el("input", { type: "radio", name: "view", value: view, checked: view === this.#rememberedView() });
      input.addEventListener("change", () => {
        sessionStorage.setItem("docparser.view", view);
        this.pages.dataset.view = view;
        for (const page of this.views) page.showPicture();
      });
      return el("label", {}, input, el("span", {}, label));
    });
    return el("fieldset", { class: "segments" }, el("legend", { class: "unseen" }, "Show"), ...choices);
  }

  #rememberedView() {
    const remembered = sessionStorage.getItem("docparser.view");
    if (remembered in VIEWS) return remembered;
    return matchMedia("(max-width: 48rem)").matches ? "text" : "both";
  }

  #goto() {
    this.number = el("input", { type: "number", min: 1, value: 1, inputmode: "numeric" });
    this.number.addEventListener("change", () => {
      const view = this.views[Number(this.number.value) - 1];
      view?.element.scrollIntoView({ block: "start" });
    });
    this.total = el("span");
    return el("label", { class: "goto" }, "Page ", this.number, this.total);
  }

  #later(index = null) {
    if (index !== null) this.stale.add(index);
    this.scheduled ??= requestAnimationFrame(() => {
      this.scheduled = null;
      if (!this.closed.signal.aborted) this.#refresh();
    });
  }

  #refresh() {
    const { doc } = this;
    const text = progressText(doc);
    this.title.textContent = doc.name;
    this.status.textContent = text;
    this.status.dataset.status = doc.lost ? "lost" : doc.status;
    this.#speak(text);
    this.#refreshBar();
    this.cancel.hidden = doc.ended;
    this.again.hidden = !doc.ended || doc.status === "done" || doc.file === null;
    this.saves.hidden = doc.status !== "done";
    this.pages.dataset.ended = doc.ended;
    this.#grow();
    for (const index of this.stale) this.views[index]?.refresh();
    this.stale.clear();
    if (doc.ended !== this.settled) this.#settle();
  }

  /** Tell pages that will not be read so. */
  #settle() {
    this.settled = this.doc.ended;
    for (const view of this.views) if (view.page === null) view.refresh();
  }

  #refreshBar() {
    const { doc, bar } = this;
    bar.hidden = doc.ended;
    bar.max = Math.max(doc.pageCount, 1);
    if (doc.status === "running" && doc.pageCount > 0) bar.value = doc.pagesDone;
    else bar.removeAttribute("value");
  }

  /** Make places for pages that have become known. */
  #grow() {
    // Pages may come in any order, and before their number is known.
    let wanted = this.doc.pageCount;
    for (const index of this.stale) wanted = Math.max(wanted, index + 1);
    const made = document.createDocumentFragment();
    for (let index = this.views.length; index < wanted; index += 1) {
      const view = new PageView(this.doc, index, this.pictures);
      view.refresh();
      this.views.push(view);
      made.append(view.element);
      this.observer.observe(view.element);
      this.eye.observe(view.element);
    }
    this.pages.append(made);
    this.goto.hidden = this.views.length < 2;
    this.number.max = this.views.length;
    this.total.textContent = ` of ${this.views.length}`;
  }

  #moved(entries) {
    for (const entry of entries) {
      const view = this.views[Number(entry.target.dataset.index)];
      if (entry.isIntersecting) view.show();
      else view.hide();
    }
  }

  /** Tell which page is looked at, unless a person is typing a number. */
  #passed(entries) {
    const page = entries.find((entry) => entry.isIntersecting);
    if (page && document.activeElement !== this.number) this.number.value = Number(page.target.dataset.index) + 1;
  }

  #speak(text) {
    if (text === this.spoken.text) return;
    const now = performance.now();
    const rest = this.spoken.at + SPEAK_EVERY_MS - now;
    if (rest > 0 && !this.doc.ended && !this.doc.lost) {
      this.speaking ??= setTimeout(() => {
        this.speaking = null;
        if (!this.closed.signal.aborted) this.#speak(progressText(this.doc));
      }, rest);
      return;
    }
    this.spoken = { text, at: now };
    say(this.doc.status === "done" ? `${this.doc.name} has been read: ${text}` : text);
  }

  async #save(form) {
    try {
      await save(this.doc, form, this.api);
    } catch (problem) {
      this.status.textContent = `The download failed: ${problem.message}`;
      say(this.status.textContent);
    }
  }
}
