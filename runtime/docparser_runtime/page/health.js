// How the service is: its probe, and how much waits, from its metrics.

import { byId } from "./dom.js";

const EVERY_MS = 5000;
const STATES = { ready: "Ready", loading: "Loading the engine", draining: "Shutting down", failed: "Cannot read" };
const RUNNING = "docparser_requests_running";
const WAITING = "docparser_requests_waiting";

export class Health {
  constructor(api) {
    this.api = api;
  }

  /** Look now, and again every few seconds while the page is in sight. */
  watch() {
    const look = () => document.hidden || this.#look();
    document.addEventListener("visibilitychange", look);
    setInterval(look, EVERY_MS);
    look();
  }

  async #look() {
    const reason = await this.#reason();
    const known = reason in STATES;
    byId("health").dataset.state = reason === "ready" ? "good" : known ? "waiting" : "bad";
    byId("health-text").textContent = STATES[reason] ?? reason;
    byId("load").textContent = reason === "ready" ? await this.#load() : "";
  }

  async #reason() {
    try {
      return (await (await fetch("readyz", { cache: "no-store" })).json()).reason;
    } catch {
      return "Not reachable";
    }
  }

  async #load() {
    try {
      const text = await (await this.api.send("metrics", { quiet: true })).text();
      const running = sum(text, RUNNING);
      const waiting = sum(text, WAITING);
      if (running === null) return "";
      return `${running} being read, ${waiting ?? 0} waiting`;
    } catch {
      return "";
    }
  }
}

/** Return the sum of a metric in the text format over all labels; null when there is none. */
function sum(text, name) {
  let total = null;
  for (const line of text.split("\n")) {
    const match = /^([a-z_]+)(?:\{[^}]*\})? ([\d.e+-]+)/.exec(line);
    if (match && match[1] === name) total = (total ?? 0) + Number(match[2]);
  }
  return total;
}
