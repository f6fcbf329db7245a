// Puts the page together.

import { Api } from "./api.js";
import { Doc } from "./doc.js";
import { byId, say } from "./dom.js";
import { Health } from "./health.js";
import { takeFiles } from "./intake.js";
import { Library } from "./library.js";
import { Options } from "./options.js";
import { askPassword } from "./password.js";
import { Reading, taskPath } from "./reading.js";
import { Token } from "./token.js";
import { Viewer } from "./viewer.js";

const PASSWORD_CODES = new Set(["password_required", "password_invalid"]);
const token = new Token(byId("token-dialog"), sessionStorage);
const api = new Api(token);
const reading = new Reading(api);
const options = new Options();
const library = new Library(api, reading, { open, cancel });
let viewer = null;
let mostBytes = Infinity;

function open(doc, { focus = true } = {}) {
  const before = viewer?.doc ?? null;
  if (before === doc) return;
  viewer?.close();
  byId("side").prepend(byId("drop")); // it makes room for the document
  // Only the open document is followed; a stream without a task would end with its connection.
  if (before !== null && before.id !== null) before.abort?.abort();
  viewer = new Viewer(doc, api, { cancel, again });
  library.mark(doc);
  showAddress(doc);
  if (focus) viewer.title.focus();
  if (doc.id !== null && doc.summary === null) reading.follow(doc);
}

function showAddress(doc) {
  const address = doc.id === null ? " " : `#task=${encodeURIComponent(doc.id)}`;
  if (location.hash !== address.trim()) history.pushState(null, "", address.trim() || location.pathname);
  document.title = `${doc.name} – DocParser`;
}

async function read(doc, password = null) {
  const addressed = () => doc.id !== null && viewer?.doc === doc && showAddress(doc);
  doc.addEventListener("change", addressed);
  await reading.submit(doc, password);
  doc.removeEventListener("change", addressed);
  if (doc.id !== null && viewer?.doc === doc) await reading.follow(doc);
  if (!PASSWORD_CODES.has(doc.problem?.code) || viewer?.doc !== doc) return;
  const wrong = doc.problem.code === "password_invalid" ? "This password does not open it." : "";
  const given = await askPassword(doc.name, wrong);
  if (given !== null) await read(doc, given);
}

async function cancel(doc) {
  try {
    await reading.cancel(doc);
  } catch (problem) {
    complain(`It could not be cancelled: ${problem.message}`);
  }
}

function again(doc) {
  read(doc);
}

function take(files) {
  const chosen = options.chosen();
  complain(chosen === null ? "This is no page range: numbers and spans from 1, such as 1-3,7,10-." : "");
  if (chosen === null) return;
  const docs = [];
  for (const file of files) {
    if (file.size > mostBytes) complain(`${file.name} is larger than ${megabytes(mostBytes)} MB, the most that is taken here.`);
    else if (file.size === 0) complain(`${file.name} is empty.`);
    else docs.push(new Doc(file.name || "Pasted document", file, chosen));
  }
  for (const doc of docs) library.add(doc);
  if (docs.length > 0) open(docs[0]);
  for (const doc of docs) read(doc);
}

function complain(text) {
  byId("complaint").textContent = text;
}

function megabytes(bytes) {
  return Math.floor(bytes / 1024 / 1024);
}

/** Open the document that the address names. */
async function openAddressed() {
  const id = new URLSearchParams(location.hash.slice(1)).get("task");
  if (id === null || viewer?.doc.id === id) return;
  try {
    const doc = library.byTask(id) ?? library.take(await api.json(taskPath({ id })));
    open(doc, { focus: false });
  } catch (problem) {
    complain(problem.detail ?? String(problem));
  }
}

async function describe() {
  try {
    const config = await api.json("config");
    mostBytes = config.runtime.maxBodyBytes;
    options.offer(config.engine?.tiers ?? []);
    byId("model").textContent = config.model.name ?? config.model.engine;
    byId("hint").textContent = `PDF and images, up to ${megabytes(mostBytes)}\u00a0MB`;
  } catch {
    say("The service does not tell what it runs.");
  }
}

function showWhoIsIn() {
  const signedIn = token.value !== null;
  byId("sign-out").hidden = !signedIn;
  byId("sign-in").hidden = !token.refused;
  byId("docs-link").hidden = signedIn; // a link cannot bring the token along
}

async function start() {
  token.onchange = showWhoIsIn;
  showWhoIsIn();
  byId("sign-out").addEventListener("click", () => {
    token.forget();
    location.assign(location.pathname);
  });
  byId("sign-in").addEventListener("click", async () => {
    if (await token.ask(token.value)) location.reload();
  });
  byId("list").open = !matchMedia("(max-width: 60rem)").matches;
  window.addEventListener("hashchange", openAddressed);
  takeFiles(take);
  new Health(api).watch();
  await describe();
  await openAddressed();
  library.watch();
}

start();
