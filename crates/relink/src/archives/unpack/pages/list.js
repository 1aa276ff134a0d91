/* Searches the rows of a list by what the user sees of them, and by the first words of messages.
   The other parts of a mailbox are loaded into frames once something is searched for. */
const most = 500;
const field = document.getElementById("search");
const count = document.getElementById("count");
const main = document.querySelector("main");
const all = count.textContent;
const parts = document.getElementById("parts");
const token = parts?.dataset.token ?? "";
const others = [...(parts?.querySelectorAll("a") ?? [])];
const here = Math.max(0, others.findIndex((link) => link.hasAttribute("aria-current")));

/* What is shown of a row: the reference to its page, its texts with their classes, and other
   captures of the page: how many, their times, and a command. */
const read = (row) => {
  const link = row.querySelector("a");
  const texts = [...link.children].map((child) => [child.localName, child.className, child.textContent]);
  return [link.getAttribute("href"), texts, [...row.querySelectorAll("summary, li, p")].map((child) => child.textContent)];
};
const own = () => [...document.querySelectorAll("section li.m")].map(read);

/* All parts in their order; of each row also the text that is searched. */
const loaded = [];
function add(idx, rows) {
  loaded[idx] = rows.map((row) => [row[1].map(([, , text]) => text).join(" ").toLowerCase(), row]);
}

/* Loads the first part that is missing, then the next one. */
let isLoading = false;
function load() {
  const idx = others.findIndex((_, idx) => loaded[idx] === undefined);
  isLoading = idx >= 0;
  if (!isLoading) return;
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.sandbox = "allow-scripts";
  frame.src = `${others[idx].getAttribute("href")}#${token}`;
  const take = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    removeEventListener("message", take);
    frame.remove();
    add(idx, data);
    load();
    show();
  };
  addEventListener("message", take);
  document.body.append(frame);
}

function made([href, texts, captures]) {
  const link = document.createElement("a");
  link.setAttribute("href", href);
  for (const [name, kind, text] of texts) {
    const child = link.appendChild(document.createElement(name));
    child.className = kind;
    child.appendChild(document.createElement("bdi")).textContent = text;
    if (text === "") child.replaceChildren();
  }
  const row = document.createElement("li");
  row.className = "m";
  row.append(link);
  if (captures.length > 0) row.append(capturesOf(captures));
  return row;
}

function capturesOf([summary, ...times]) {
  const [details, list] = ["details", "ul"].map((name) => document.createElement(name));
  const add = (parent, name, text) => { parent.appendChild(document.createElement(name)).textContent = text; };
  const command = times.pop();
  add(details, "summary", summary);
  for (const time of times) add(list, "li", time);
  details.append(list);
  add(details, "p", command);
  return details;
}

const found = document.createElement("ol");
found.id = "found";
found.className = document.querySelector("section")?.className ?? "";

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  main.classList.toggle("searched", words.length > 0);
  found.replaceChildren();
  count.textContent = all;
  if (words.length === 0) return;
  let n = 0;
  const rows = [];
  for (const part of loaded) {
    for (const [text, row] of part ?? []) {
      if (!words.every((word) => text.includes(word))) continue;
      if (n < most) rows.push(made(row));
      n += 1;
    }
  }
  found.append(...rows);
  if (n > most) found.appendChild(document.createElement("li")).textContent = `The first ${most} are shown.`;
  count.textContent = `${n}${isLoading ? "+" : ""} of ${all}`;
}

function begin() {
  if (loaded[here] === undefined) {
    add(here, own());
    load();
  }
  show();
}

/* The next or the previous row that is shown gets the focus. */
function step(by) {
  const links = [...document.querySelectorAll(main.classList.contains("searched") ? "#found a" : "section a")];
  const at = links.indexOf(document.activeElement);
  (links[at + by] ?? (at < 0 ? links[0] : null))?.focus();
}

if (parent !== window) {
  if (token !== "" && location.hash === `#${token}`) parent.postMessage(own(), "*");
} else {
  main.prepend(found);
  field.hidden = false;
  field.addEventListener("input", begin);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") { field.value = ""; show(); }
    if (event.target === field) return;
    if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
    if (event.key === "/") { event.preventDefault(); field.focus(); }
  });
}
