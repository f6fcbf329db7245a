// Takes documents in: chosen, dropped anywhere on the page, or pasted.

import { byId } from "./dom.js";

/** Call `take(files)` for files that a person hands over, in any of these ways. */
export function takeFiles(take) {
  const input = byId("file");
  byId("choose").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    take([...input.files]);
    input.value = ""; // the same file may be chosen again
  });
  document.addEventListener("paste", (event) => {
    if (event.clipboardData?.files.length) take([...event.clipboardData.files]);
  });
  takeDrops(take);
}

function takeDrops(take) {
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  const show = (shown) => document.body.classList.toggle("dragging", shown);
  window.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    show(true);
  });
  window.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) show(false);
  });
  window.addEventListener("drop", (event) => {
    show(false);
    if (!carriesFiles(event)) return;
    event.preventDefault();
    take([...event.dataTransfer.files]);
  });
}
