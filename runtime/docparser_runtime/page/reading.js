// Sends documents and follows what becomes of them.

import { Problem } from "./api.js";
import { events } from "./events.js";

const PARSE = "v1/document/parse";
export const TASKS = "v1/document/tasks";
const STREAM = "text/event-stream";
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
const TERMINAL = new Set(["done", "error"]);

export class Reading {
  /** Whether the service keeps tasks; null until it has told. */
  hasTasks = null;
  #sending = Promise.resolve();

  constructor(api) {
    this.api = api;
  }

  /**
   * Send the document's file. On return it is a task, or has failed, or, where it cannot be a task,
   * has been read. `doc.abort` ends it.
   */
  async submit(doc, password = null) {
    doc.reset();
    doc.abort = new AbortController();
    const { signal } = doc.abort;
    await this.#reporting(doc, signal, () => this.#inTurn(doc, signal, async () => {
      if (this.hasTasks !== false) await this.#asTask(doc, password, signal);
      if (doc.id === null) await this.#stream(doc, password, signal);
    }));
  }

  /** Follow a task to its end. Pages that came already are not asked for again. */
  async follow(doc) {
    doc.abort = new AbortController();
    const { signal } = doc.abort;
    await this.#reporting(doc, signal, () => this.#follow(doc, signal));
  }

  /** Cancel: the task at the service, or the stream by leaving it. */
  async cancel(doc) {
    if (doc.id === null) {
      doc.abort?.abort();
      doc.fail({ code: "task_cancelled" });
      return;
    }
    try {
      doc.setTask(await this.api.json(taskPath(doc), { method: "DELETE" }));
    } catch (problem) {
      if (problem.code !== "task_ended") throw problem;
    }
  }

  async #reporting(doc, signal, work) {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof Problem;
      doc.fail(known ? error : { code: "page_failed", detail: "This page did not understand the service." });
      if (!known) throw error;
    }
  }

  async #asTask(doc, password, signal) {
    // The key makes it safe to send again when the answer is lost.
    const headers = { "Idempotency-Key": randomKey() };
    const options = { method: "POST", headers, body: formOf(doc, password), signal };
    let task;
    try {
      task = await this.#patiently(() => this.api.json(TASKS, options), signal);
    } catch (problem) {
      if (problem.code !== "tasks_disabled") throw problem;
      this.hasTasks = false;
      return;
    }
    this.hasTasks = true;
    doc.setTask(task);
  }

  async #patiently(send, signal) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (problem) {
        if (signal.aborted || !(problem instanceof Problem) || problem.status !== 0 || tries === 3) throw problem;
        await pause(FIRST_PAUSE_MS * tries, signal);
      }
    }
  }

  /** One document after the other is sent: browsers open few connections to one service. */
  async #inTurn(doc, signal, work) {
    const before = this.#sending;
    const mine = (async () => {
      doc.set({ status: "waiting" });
      await before;
      signal.throwIfAborted();
      doc.set({ status: "sending" });
      await work();
    })();
    this.#sending = mine.catch(() => {});
    await mine;
  }

  async #stream(doc, password, signal) {
    const headers = { Accept: STREAM };
    const options = { method: "POST", headers, body: formOf(doc, password), signal };
    const response = await this.api.send(`${PARSE}?stream=true`, options);
    doc.set({ status: "running" });
    if (!(await untilBroken(doc, response.body, signal, () => {}))) {
      throw new Problem(0, "connection_lost", "The connection broke before the document was read.");
    }
  }

  async #follow(doc, signal) {
    let failures = 0;
    const heard = (id) => {
      doc.lastId = id ?? doc.lastId;
      failures = 0;
      if (doc.lost) doc.set({ lost: false });
    };
    for (;;) {
      const known = doc.lastId === null ? {} : { "Last-Event-ID": doc.lastId };
      const wait = await this.#connected(doc, { Accept: STREAM, ...known }, signal, heard);
      if (wait === null) return;
      doc.set({ lost: true });
      const grown = Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS);
      failures += 1;
      await pause(Math.max(grown, wait), signal);
    }
  }

  /** Return null when the stream came to its end, else how long to wait at least. */
  async #connected(doc, headers, signal, heard) {
    try {
      const path = `${taskPath(doc)}/events`;
      const response = await this.api.send(path, { headers, signal, quiet: doc.lost });
      return (await untilBroken(doc, response.body, signal, heard)) ? null : 0;
    } catch (problem) {
      if (signal.aborted || !problem.passing) throw problem;
      return (problem.retrySeconds ?? 0) * 1000;
    }
  }
}

/** Return the path of a document's task. */
export function taskPath(doc) {
  return `${TASKS}/${encodeURIComponent(doc.id)}`;
}

/** Pass events on; return whether the stream came to its end. */
async function untilBroken(doc, body, signal, heard) {
  try {
    for await (const event of events(body)) {
      if (signal.aborted) return true;
      doc.receive(event);
      heard(event.id);
      if (TERMINAL.has(event.event)) return true;
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
  }
  return false;
}

function formOf(doc, password) {
  const form = new FormData();
  form.append("file", doc.file, doc.file.name || "document");
  for (const [name, value] of Object.entries(doc.options)) form.append(name, value);
  if (password !== null) form.append("password", password);
  return form;
}

function randomKey() {
  // crypto.randomUUID is missing where the page does not come over TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
