// The access token: kept for this tab only, asked for when the service wants one.

const KEY = "docparser.token";

export class Token {
  /** `dialog` is the element that asks, `storage` a session's. */
  constructor(dialog, storage) {
    this.dialog = dialog;
    this.storage = storage;
    this.form = dialog.querySelector("form");
    this.input = dialog.querySelector("input");
    this.complaint = dialog.querySelector(".complaint");
    this.asking = null;
    /** Whether the service wants a token that it has not got. */
    this.refused = false;
    this.onchange = () => {};
  }

  /** The token, or null. */
  get value() {
    return this.storage.getItem(KEY);
  }

  /** Forget the token. */
  forget() {
    this.storage.removeItem(KEY);
    this.onchange();
  }

  /** Note that the service answered without, or in spite of, the token. */
  note(refused) {
    if (refused === this.refused) return;
    this.refused = refused;
    this.onchange();
  }

  /** Return whether there is another token than `tried`, after asking for one if need be. */
  ask(tried) {
    if (this.value !== tried) return Promise.resolve(true);
    this.asking ??= this.#asked(tried !== null).finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  #asked(wasRefused) {
    this.complaint.textContent = wasRefused ? "The service does not accept this token." : "";
    this.input.value = "";
    this.dialog.showModal();
    this.input.focus();
    return new Promise((resolve) => {
      const done = new AbortController();
      const end = (answer) => {
        done.abort();
        this.dialog.close();
        resolve(answer);
      };
      const { signal } = done;
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        this.storage.setItem(KEY, this.input.value.trim());
        this.input.value = "";
        this.onchange();
        end(true);
      }, { signal });
      const cancel = this.dialog.querySelector(".quiet");
      cancel.addEventListener("click", () => end(false), { signal });
      this.dialog.addEventListener("cancel", () => end(false), { signal });
    });
  }
}
