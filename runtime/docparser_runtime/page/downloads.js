// Saves what was read: from the service where there is a task, else from what came here.

import { el } from "./dom.js";
import { markdown } from "./markdown.js";
import { taskPath } from "./reading.js";

const KINDS = {
  Markdown: { ending: "md", mediaType: "text/markdown", make: (doc) => contentOf(doc) },
  JSON: { ending: "json", mediaType: "application/json", make: (doc) => JSON.stringify(answerOf(doc), null, 2) },
  HTML: { ending: "html", mediaType: "text/html", make: (doc) => htmlOf(doc) },
  PDF: { ending: "pdf", mediaType: "application/pdf", make: null },
};
const STYLE = "body{font:1rem/1.6 Georgia,serif;max-width:44rem;margin:2rem auto;padding:0 1rem}"
  + "table{border-collapse:collapse}td,th{border:1px solid #8888;padding:.25rem .6rem}"
  + ".right{text-align:right}.centre{text-align:center}pre{overflow-x:auto}";

export const FORMS = Object.keys(KINDS);

/**
 * Return whether the document can be saved in a form. As a PDF it comes with its text in it, to be
 * searched; only the service can make that, of the document that it has kept.
 */
export function isOffered(form, doc) {
  return KINDS[form].make !== null || doc.id !== null;
}

/** Let the browser save the document in one of its forms. Throws when it cannot be got. */
export async function save(doc, form, api) {
  const { ending, mediaType, make } = KINDS[form];
  const content = doc.id === null ? new Blob([make(doc)], { type: mediaType }) : await result(doc, mediaType, api);
  offer(content, `${stem(doc)}${form === "PDF" ? ".searchable" : ""}.${ending}`);
}

async function result(doc, mediaType, api) {
  const response = await api.send(`${taskPath(doc)}/result`, { headers: { Accept: mediaType } });
  return new Blob([await response.blob()], { type: mediaType });
}

function sorted(doc) {
  return [...doc.pages.values()].sort((one, other) => one.index - other.index);
}

function contentOf(doc) {
  return sorted(doc).map((page) => page.markdown).filter((text) => text !== "").join("\n\n");
}

function answerOf(doc) {
  return { ...doc.summary, content: contentOf(doc), pages: sorted(doc) };
}

/** The same elements as on this page, written out: they hold no markup of the document. */
function htmlOf(doc) {
  const body = el("body", {}, ...sorted(doc).map((page) => el("section", { id: `page-${page.index + 1}` }, markdown(page.markdown))));
  const head = el("head", {},
    el("meta", { charset: "utf-8" }),
    el("meta", { "http-equiv": "Content-Security-Policy", content: "default-src 'none'; style-src 'unsafe-inline'" }),
    el("title", {}, doc.name),
    el("style", {}, STYLE));
  return `<!doctype html>\n${el("html", {}, head, body).outerHTML}\n`;
}

function stem(doc) {
  return doc.name.replace(/\.[A-Za-z0-9]{1,5}$/, "") || "document";
}

function offer(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = el("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
