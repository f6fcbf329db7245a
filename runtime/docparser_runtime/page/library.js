// The list of documents: those of this tab and the caller's tasks at the service.

import { Doc, progressText } from "./doc.js";
import { byId, el } from "./dom.js";
import { TASKS } from "./reading.js";

const NAMES = "docparser.names";
const MOST_NAMES = 300;
const BUSY_MS = 2500;
const IDLE_MS = 15_000;
const PAGE_SIZE = 20;
const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

export class Library {
  #docs = [];
  #rows = new Map();
  #next = null;
  #open = null;

  /** `act` has the functions `open(doc)` and `cancel(doc)`. */
  constructor(api, reading, act) {
    this.api = api;
    this.reading = reading;
    this.act = act;
    byId("more").addEventListener("click", () => this.load(this.#next));
  }

  /** Take in a document of this tab. */
  add(doc) {
    this.#insert(doc);
    this.#render();
  }

  /** Return the document of a task, whether known or not yet. */
  byTask(id) {
    return this.#docs.find((doc) => doc.id === id) ?? null;
  }

  /** Mark which document is open. */
  mark(doc) {
    this.#open = doc;
    this.#render();
  }

  /** Forget everything, as when another caller signs in. */
  clear() {
    this.#docs = [];
    this.#rows.clear();
    this.#next = null;
    this.#render();
  }

  /** Ask for the caller's tasks, again and again. */
  async watch() {
    await this.load(null, false);
    const busy = this.#docs.some((doc) => !doc.ended);
    setTimeout(() => this.watch(), busy ? BUSY_MS : IDLE_MS);
  }

  /** Take in the tasks that come after `after`, or the newest. */
  async load(after = null, asking = true) {
    if (this.reading.hasTasks === false || document.hidden || (this.api.token.refused && !asking)) return;
    const query = new URLSearchParams({ limit: PAGE_SIZE, ...(after === null ? {} : { after }) });
    try {
      const { tasks, next } = await this.api.json(`${TASKS}?${query}`, { quiet: !asking });
      this.reading.hasTasks = true;
      if (after !== null || this.#next === null) this.#next = next ?? null;
      for (const task of tasks) this.#take(task);
      this.#render();
    } catch (problem) {
      if (problem.code === "tasks_disabled") this.reading.hasTasks = false;
    }
  }

  /** Return a document for `task`, which may be new here. */
  take(task) {
    const doc = this.#take(task);
    this.#render();
    return doc;
  }

  #take(task) {
    const known = this.byTask(task.id);
    if (known !== null) {
      if (known !== this.#open || known.ended) known.setTask({ ...known.task, ...task });
      return known;
    }
    const doc = new Doc(names()[task.id] ?? "Document");
    doc.setTask(task);
    this.#insert(doc);
    return doc;
  }

  #insert(doc) {
    this.#docs.push(doc);
    doc.addEventListener("change", () => {
      if (doc.id !== null && doc.file !== null) remember(doc.id, doc.name);
      this.#later();
    });
  }

  #later() {
    this.scheduled ??= requestAnimationFrame(() => {
      this.scheduled = null;
      this.#render();
    });
  }

  #render() {
    const shown = [...this.#docs].sort((one, other) => other.createdAt - one.createdAt);
    const rows = shown.map((doc) => this.#row(doc));
    const list = byId("documents");
    // Only what moved is moved, so that the focus stays where it is.
    rows.forEach((row, index) => {
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
    });
    while (list.children.length > rows.length) list.lastElementChild.remove();
    byId("count").textContent = shown.length === 0 ? "" : String(shown.length);
    byId("empty").hidden = shown.length > 0;
    byId("more").hidden = this.#next === null;
  }

  #row(doc) {
    if (!this.#rows.has(doc)) this.#rows.set(doc, rowOf(doc, this.act));
    const row = this.#rows.get(doc);
    const [open, cancel] = row.querySelectorAll("button");
    const isOpen = doc === this.#open;
    row.dataset.status = doc.status;
    open.setAttribute("aria-current", isOpen);
    row.querySelector(".name").textContent = doc.name;
    row.querySelector(".when").textContent = when(doc.createdAt);
    row.querySelector(".state").textContent = progressText(doc);
    const bar = row.querySelector("progress");
    bar.hidden = doc.status !== "running";
    bar.max = Math.max(doc.pageCount, 1);
    bar.value = doc.pagesDone;
    cancel.hidden = doc.ended;
    cancel.setAttribute("aria-label", `Cancel ${doc.name}`);
    return row;
  }
}

function rowOf(doc, act) {
  return el("li", {},
    el("button", { type: "button", class: "open", onclick: () => act.open(doc) },
      el("span", { class: "name" }), el("span", { class: "when" }), el("span", { class: "state" })),
    el("button", { type: "button", class: "cross", title: "Cancel", onclick: () => act.cancel(doc) }, "×"),
    el("progress", { "aria-hidden": "true" }));
}

function when(date) {
  const today = date.toDateString() === new Date().toDateString();
  return (today ? time : day).format(date);
}

/** The service keeps no names of files. This tab does, until it is closed. */
function names() {
  return JSON.parse(sessionStorage.getItem(NAMES) ?? "{}");
}

function remember(id, name) {
  const known = names();
  if (known[id] === name) return;
  const entries = [...Object.entries(known), [id, name]].slice(-MOST_NAMES);
  sessionStorage.setItem(NAMES, JSON.stringify(Object.fromEntries(entries)));
}
