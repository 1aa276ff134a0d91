/* Elements are made by this function alone: their contents are text, never markup. */

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") made.className = value;
    else if (key === "on") for (const [event, act] of Object.entries(value)) made.addEventListener(event, act);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

const byId = (id) => document.getElementById(id);

let announcing = 0;

/* Reports a change to a screen reader, once nothing else changes. */
function announce(text) {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    byId("status").textContent = text;
  }, 250);
}

/* Characters that show nothing, or that show others in another order, become visible. */
const hidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const visible = (text) =>
  text.replace(hidden, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

/* A text of the run. Its own direction does not change that of the page. */
const quoted = (text, extra = "") => element("bdi", { class: `code ${extra}`.trim() }, visible(text));

/* A place in a document, of which the directory is shortened first. */
function placeOf(name, line, column) {
  const end = name.lastIndexOf("/") + 1;
  const position = line === undefined ? "" : `:${line}:${column}`;
  return element("bdi", { class: "code place", title: visible(name + position) },
    element("span", { class: "directory" }, visible(name.slice(0, end))),
    element("span", { class: "file" }, visible(name.slice(end))),
    element("span", { class: "position" }, position));
}

/* A mark for a class of outcomes: a sign and a word, not only a colour. */
const signs = { changed: "\u2192", kept: "=", failed: "!" };
const badge = (kind, text) =>
  element("span", { class: `badge ${kind}` }, element("span", { class: "sign", "aria-hidden": "true" }, signs[kind]),
    element("span", { class: "text" }, text));

/* The old and the new text, with the part that differs marked. */
function difference(before, after) {
  let start = 0;
  const most = Math.min(before.length, after.length);
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const piece = (text, name) =>
    element("bdi", { class: "code" }, visible(text.slice(0, start)),
      element(name, {}, visible(text.slice(start, text.length - end))),
      visible(text.slice(text.length - end)));
  return [piece(before, "del"), piece(after, "ins")];
}
