// Server-sent events over fetch: EventSource can send neither a token nor a document.

const SILENCE_MS = 45_000; // three of the comments that keep a connection open

/**
 * Yield the events of a response's body as `{event, id, data}`, data parsed as JSON.
 * Throws when the connection breaks or nothing comes for too long.
 */
export async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new Parser();
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read());
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function withinTime(reading) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new TypeError("silence")), SILENCE_MS);
  });
  return Promise.race([reading, late]).finally(() => clearTimeout(timer));
}

/** Takes text in pieces and gives events; line ends may be LF, CR or both. */
class Parser {
  #rest = "";
  #id = null;
  #event = "";
  #data = [];

  *feed(text) {
    const all = this.#rest + text;
    // A CR at the end may be the first half of a line end.
    const whole = all.endsWith("\r") ? all.slice(0, -1) : all;
    const lines = whole.split(/\r\n|\r|\n/);
    this.#rest = lines.pop() + all.slice(whole.length);
    for (const line of lines) {
      if (line === "") yield* this.#dispatch();
      else this.#take(line);
    }
  }

  #take(line) {
    const at = line.indexOf(":");
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }

  *#dispatch() {
    if (this.#data.length > 0) {
      yield { event: this.#event || "message", id: this.#id, data: JSON.parse(this.#data.join("\n")) };
    }
    this.#event = "";
    this.#data = [];
  }
}
