// One document of the list: what is known of it, and who is told when that changes.

import { firstIndexes } from "./options.js";

const ENDED = new Set(["done", "failed", "cancelled"]);
let count = 0;

/**
 * A document. Events: `change` (status, progress), `page` (its index in `detail`; read or being
 * written).
 */
export class Doc extends EventTarget {
  /** Position of the next document. */
  key = `d${(count += 1)}`;
  /** Status of a task, or `sending` or `waiting` before there is one. */
  status = "sending";
  /** What `GET …/tasks/ID` answers, or null. */
  task = null;
  /** Pages that were read, by index. */
  pages = new Map();
  /** Text of pages that are being written, by index. */
  drafts = new Map();
  /** The last event of a stream, or null. */
  summary = null;
  /** `{code, detail}` of a failure, or null. */
  problem = null;
  /** Whether the connection broke and is being made again. */
  lost = false;
  /** Id of the last event that came, or null. */
  lastId = null;
  /** Ends what runs for this document here. */
  abort = null;

  /** `options` are how it is to be read, by their names in a request. */
  constructor(name, file = null, options = {}) {
    super();
    this.name = name;
    this.file = file;
    this.options = options;
    this.createdAt = new Date();
  }

  get id() {
    return this.task?.id ?? null;
  }

  get ended() {
    return ENDED.has(this.status);
  }

  get pageCount() {
    return Math.max(this.task?.pages ?? 0, this.pages.size);
  }

  get pagesDone() {
    return Math.max(this.task?.pages_done ?? 0, this.pages.size);
  }

  /**
   * Indexes of its pages in their order. Those to come are a guess, where the page range was chosen
   * elsewhere; in the end only those are left that were read.
   */
  get indexes() {
    const guessed = this.summary === null ? firstIndexes(this.options.page_range, this.pageCount) : [];
    const known = new Set([...this.pages.keys(), ...this.drafts.keys(), ...guessed]);
    return [...known].sort((one, other) => one - other);
  }

  /** Take what the service says of the task. */
  setTask(task) {
    if (this.ended && !ENDED.has(task.status)) return; // an answer that was overtaken
    this.task = task;
    this.status = task.status;
    this.createdAt = task.created_at ? new Date(task.created_at) : this.createdAt;
    this.problem = task.error ?? null;
    this.changed();
  }

  /** Take an event of a stream. */
  receive({ event, data }) {
    if (event === "status") this.setTask({ ...this.task, ...data });
    else if (event === "delta") this.#draft(data);
    else if (event === "page") this.#page(data);
    else if (event === "done") this.#done(data);
    else if (event === "error") this.fail(data);
  }

  /** End with a failure, or as cancelled. */
  fail(problem) {
    const cancelled = problem.code === "task_cancelled";
    this.status = cancelled ? "cancelled" : "failed";
    this.problem = cancelled ? null : { code: problem.code, detail: problem.detail };
    this.changed();
  }

  /** Change some fields and tell. */
  set(fields) {
    Object.assign(this, fields);
    this.changed();
  }

  /** Begin anew, for another try with the same file. */
  reset() {
    this.pages.clear();
    this.drafts.clear();
    this.set({ status: "sending", task: null, summary: null, problem: null, lost: false, lastId: null });
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  #draft({ index, text, restart }) {
    if (this.pages.has(index)) return;
    const before = restart ? "" : (this.drafts.get(index) ?? "");
    this.drafts.set(index, before + text);
    this.#tell(index);
  }

  #page(page) {
    this.drafts.delete(page.index);
    this.pages.set(page.index, page);
    this.#tell(page.index);
    this.changed();
  }

  #done(summary) {
    this.summary = summary;
    this.status = "done";
    this.changed();
  }

  #tell(index) {
    this.dispatchEvent(new CustomEvent("page", { detail: index }));
  }
}

/** Return the sentence that tells how far a document is. */
export function progressText(doc) {
  if (doc.lost) return "Connection lost, trying again…";
  switch (doc.status) {
    case "sending": return "Sending…";
    case "waiting": return "Waits for the document before it";
    case "queued": return queueText(doc.task?.queue_position);
    case "running": return doc.pageCount ? `Reading, ${doc.pagesDone} of ${pagesText(doc.pageCount)}` : "Reading…";
    case "done": return doneText(doc);
    case "cancelled": return doc.pagesDone ? `Cancelled after ${pagesText(doc.pagesDone)}` : "Cancelled";
    default: return doc.problem?.detail ?? "Failed";
  }
}

function queueText(position) {
  if (!position) return "Next in line";
  return position === 1 ? "1 document before it" : `${position} documents before it`;
}

function doneText(doc) {
  const seconds = doc.summary?.timings?.parse;
  const time = seconds === undefined ? "" : `, ${secondsText(seconds)}`;
  return `${pagesText(doc.pageCount)}${time}`;
}

/** Return a number of pages in words. */
export function pagesText(number) {
  return number === 1 ? "1 page" : `${number} pages`;
}

function secondsText(seconds) {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
