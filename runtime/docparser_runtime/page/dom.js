// Makes elements. Text becomes text nodes: nothing here, or anywhere else, parses markup.

/** Return the element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/**
 * Return a new element.
 * `attributes`: `class`, `data-*`, `aria-*` and so on; `on…` are listeners; false and null are left out.
 * `children`: nodes and texts; null is left out.
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Say `text` to those who listen to the page instead of looking at it. */
export function say(text) {
  byId("live").textContent = text;
}
