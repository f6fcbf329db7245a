// The open document: what can be done with it, how far it is, and its pages.

import { progressText } from "./doc.js";
import { byId, el, say } from "./dom.js";
import { FORMS, isOffered, save } from "./downloads.js";
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
    this.views = new Map();
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
      ...FORMS.map((form) =>
        el("button", { type: "button", value: form, onclick: (event) => this.#save(form, event.target) }, form)));
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
        for (const page of this.views.values()) page.showPicture();
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
      const view = this.views.get(Number(this.number.value) - 1);
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
    for (const button of this.saves.children) button.hidden = !isOffered(button.value, doc);
    this.pages.dataset.ended = doc.ended;
    this.#grow();
    for (const index of this.stale) this.views.get(index)?.refresh();
    this.stale.clear();
    if (doc.ended !== this.settled) this.#settle();
  }

  /** Tell pages that will not be read so. */
  #settle() {
    this.settled = this.doc.ended;
    for (const view of this.views.values()) if (view.page === null) view.refresh();
  }

  #refreshBar() {
    const { doc, bar } = this;
    bar.hidden = doc.ended;
    bar.max = Math.max(doc.pageCount, 1);
    if (doc.status === "running" && doc.pageCount > 0) bar.value = doc.pagesDone;
    else bar.removeAttribute("value");
  }

  /** Make places for pages that have become known, each where it belongs; take away those of none. */
  #grow() {
    const indexes = this.doc.indexes;
    const wanted = new Set(indexes);
    for (const [index, view] of this.views) if (!wanted.has(index)) this.#remove(index, view);
    let next = this.pages.firstElementChild;
    for (const index of indexes) {
      const known = this.views.get(index);
      if (known === undefined) this.pages.insertBefore(this.#added(index).element, next);
      else next = known.element.nextElementSibling;
    }
    const last = (indexes.at(-1) ?? 0) + 1;
    this.goto.hidden = indexes.length < 2;
    this.number.max = last;
    this.total.textContent = ` of ${last}`;
  }

  #added(index) {
    const view = new PageView(this.doc, index, this.pictures);
    view.refresh();
    this.views.set(index, view);
    this.observer.observe(view.element);
    this.eye.observe(view.element);
    return view;
  }

  #remove(index, view) {
    this.observer.unobserve(view.element);
    this.eye.unobserve(view.element);
    view.hide();
    view.element.remove();
    this.views.delete(index);
  }

  #moved(entries) {
    for (const entry of entries) {
      const view = this.views.get(Number(entry.target.dataset.index));
      if (view === undefined) continue;
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

  async #save(form, button) {
    button.disabled = true; // a PDF is made only now
    try {
      await save(this.doc, form, this.api);
    } catch (problem) {
      this.status.textContent = `The download failed: ${problem.message}`;
      say(this.status.textContent);
    } finally {
      button.disabled = false;
    }
  }
}
