/* The sections of the page, and its colours. */

const sections = {
  overview: { name: "Overview", make: () => overview(select) },
  references: { name: isCheck ? "Problems" : "References", make: references, n: data.references.length, after: () => apply() },
  documents: { name: "Documents and bases", make: documents, n: data.documents.length },
  skipped: { name: "Skipped", make: skipped, n: data.skipped.length },
  messages: { name: "Messages", make: messages, n: data.messages.length },
};

function go(name) {
  if (location.hash === `#${name}`) render();
  else location.hash = name;
}

/* Shows the references with one value of a facet. */
function select(name, value) {
  for (const key of Object.keys(filter)) filter[key] = "";
  if (name === "document") filter.search = names[value].toLowerCase();
  else filter[name] = value;
  go("references");
}

let isFirst = true;

function render() {
  const wanted = location.hash.slice(1);
  const name = Object.hasOwn(sections, wanted) ? wanted : "overview";
  const { make, after } = sections[name];
  byId("view").replaceChildren(make());
  after?.();
  for (const link of byId("sections").querySelectorAll("a")) {
    if (link.hash === `#${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.body.dataset.section = name;
  scrollTo(0, 0);
  if (!isFirst) byId("main").focus({ preventScroll: true });
  isFirst = false;
}

const themes = ["auto", "light", "dark"];
let theme = "auto";

function paint() {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Colours: ${theme}`;
}

byId("theme").addEventListener("click", () => {
  theme = themes[(themes.indexOf(theme) + 1) % themes.length];
  paint();
});
paint();

byId("title").textContent = `link ${data.command}`;
byId("subject").replaceChildren(...data.paths.flatMap((path, number) => [number > 0 ? ", " : "", quoted(path)]));
document.title = `relink ${data.command}: ${visible(data.paths.join(", "))}`;
for (const [name, { name: title, n }] of Object.entries(sections)) {
  byId("sections").append(element("li", {}, element("a", { href: `#${name}` }, title,
    n === undefined ? null : element("span", { class: "n" }, ` ${count(n)}`))));
}
addEventListener("hashchange", render);
render();
