// Pictures of pages: from the file itself where the browser can show it, else from the service.

import { taskPath } from "./reading.js";

const SHOWN_BY_BROWSERS = new Set(["image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp"]);
const MOST_KEPT = 40;
const MOST_AT_ONCE = 2;

/** Pictures of the pages of one document. */
export class Pictures {
  #kept = new Map();
  #own = null;
  #running = 0;
  #waiting = [];

  constructor(api, doc) {
    this.api = api;
    this.doc = doc;
  }

  /**
   * Return an address that shows page `index`, or null where there is no picture of it. The address
   * is good until more than `MOST_KEPT` others have been asked for.
   */
  async of(index, signal) {
    const { file } = this.doc;
    if (file !== null && SHOWN_BY_BROWSERS.has(file.type)) {
      return (this.#own ??= URL.createObjectURL(file));
    }
    const kept = this.#kept.get(index);
    if (kept !== undefined) return this.#keep(index, kept);
    return this.doc.id === null ? null : this.#fetched(index, signal);
  }

  /** Free all pictures. */
  close() {
    for (const url of this.#kept.values()) URL.revokeObjectURL(url);
    this.#kept.clear();
    if (this.#own !== null) URL.revokeObjectURL(this.#own);
    this.#own = null;
  }

  async #fetched(index, signal) {
    await this.#turn(signal);
    try {
      const path = `${taskPath(this.doc)}/pages/${index}/image`;
      const response = await this.api.send(path, { signal, quiet: true });
      return this.#keep(index, URL.createObjectURL(await response.blob()));
    } catch (error) {
      if (signal.aborted || error.passing) throw error;
      return null; // a page without a picture is still of use
    } finally {
      this.#running -= 1;
      this.#waiting.pop()?.();
    }
  }

  /** Wait for a place. The page that was asked for last comes first: it is the one in sight. */
  async #turn(signal) {
    while (this.#running >= MOST_AT_ONCE) {
      await new Promise((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
    if (signal.aborted) {
      this.#running -= 1;
      this.#waiting.pop()?.();
      signal.throwIfAborted();
    }
  }

  #keep(index, url) {
    this.#kept.delete(index);
    this.#kept.set(index, url);
    if (this.#kept.size > MOST_KEPT) {
      const [oldest, gone] = this.#kept.entries().next().value;
      this.#kept.delete(oldest);
      URL.revokeObjectURL(gone);
    }
    return url;
  }
}
