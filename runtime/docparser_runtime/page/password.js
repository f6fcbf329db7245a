// Asks for the password of an encrypted document. It is sent along, used at once and kept nowhere.

import { byId } from "./dom.js";

/** Return the password that a person types for the document `name`, or null. */
export function askPassword(name, complaint) {
  const dialog = byId("password-dialog");
  const input = byId("password");
  byId("password-name").textContent = name;
  byId("password-error").textContent = complaint;
  input.value = "";
  dialog.showModal();
  input.focus();
  return new Promise((resolve) => {
    const done = new AbortController();
    const { signal } = done;
    const end = (answer) => {
      done.abort();
      input.value = "";
      dialog.close();
      resolve(answer);
    };
    byId("password-form").addEventListener("submit", (event) => {
      event.preventDefault();
      end(input.value);
    }, { signal });
    byId("password-cancel").addEventListener("click", () => end(null), { signal });
    dialog.addEventListener("cancel", () => end(null), { signal });
  });
}
