// Requests to the service, with the token, and its errors as `Problem`.

/** What the service, or the way to it, answered instead of a result. */
export class Problem extends Error {
  constructor(status, code, detail, retrySeconds = null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.retrySeconds = retrySeconds;
  }

  /** Whether the same request may succeed later. */
  get passing() {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** The service at the address that this page came from. */
export class Api {
  constructor(token) {
    this.token = token;
  }

  /**
   * Return the answer of `path`. Throws `Problem` for anything but success, and the signal's
   * AbortError. `quiet` requests do not ask a person for a token.
   */
  async send(path, { method = "GET", headers = {}, body = null, signal = null, quiet = false } = {}) {
    for (;;) {
      const tried = this.token.value;
      const all = tried === null ? headers : { ...headers, Authorization: `Bearer ${tried}` };
      const response = await reach(path, { method, headers: all, body, signal, cache: "no-store" });
      this.token.note(response.status === 401);
      if (response.ok) return response;
      const problem = await problemOf(response);
      if (problem.status !== 401) throw problem;
      const again = quiet ? this.token.value !== tried : await this.token.ask(tried);
      if (!again) throw problem;
    }
  }

  /** Return the JSON that `path` answers with. */
  async json(path, options = {}) {
    return (await this.send(path, options)).json();
  }
}

async function reach(path, options) {
  try {
    return await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "unreachable", "The service does not answer.");
  }
}

async function problemOf(response) {
  const seconds = Number.parseInt(response.headers.get("Retry-After") ?? "", 10);
  const retry = Number.isNaN(seconds) ? null : seconds;
  try {
    const body = await response.json();
    return new Problem(response.status, String(body.code), String(body.detail), retry);
  } catch {
    return new Problem(response.status, "unknown", `The service answered ${response.status}.`, retry);
  }
}
