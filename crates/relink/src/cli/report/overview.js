/* What happened, in numbers: by outcome, kind of place, directory and host. */

const FEW = 8;

function tally(facet) {
  const found = new Map();
  for (const row of data.references) {
    const value = facet.of(row);
    if (value === null) continue;
    let sums = found.get(value);
    if (!sums) found.set(value, (sums = { changed: 0, kept: 0, failed: 0, total: 0 }));
    sums[classOf(row)] += 1;
    sums.total += 1;
  }
  return [...found].sort(([a, x], [b, y]) => y.total - x.total || (a < b ? -1 : 1));
}

/* A bar of the share of each class. The numbers are in the title and in the cells. */
function bar(sums, most) {
  const parts = Object.keys(words).filter((kind) => sums[kind] > 0);
  const title = parts.map((kind) => `${count(sums[kind])} ${words[kind]}`).join(", ");
  const made = element("span", { class: "share", role: "img", "aria-label": title, title });
  for (const kind of parts) {
    const piece = element("span", { class: `piece ${kind}` });
    piece.style.width = `${(100 * sums[kind]) / most}%`;
    made.append(piece);
  }
  return made;
}

/* The columns of a table of sums. */
const widths = () => element("colgroup", {}, element("col", { class: "name" }), element("col"), element("col", { class: "sum" }));

function facetTable(name, select) {
  const facet = facets[name];
  const found = tally(facet);
  const most = Math.max(1, ...found.map(([, sums]) => sums.total));
  const body = element("tbody");
  const line = ([value, sums]) => element("tr", {},
    element("th", { scope: "row" },
      element("button", { type: "button", class: "link", title: value, on: { click: () => select(name, value) } }, quoted(value))),
    element("td", { class: "wide" }, bar(sums, most)),
    element("td", { class: "number" }, count(sums.total)));
  const fill = (n) => body.replaceChildren(...found.slice(0, n).map(line));
  fill(FEW);
  const more = found.length > FEW ? element("button", { type: "button", class: "more", "aria-expanded": "false" },
    `Show all ${count(found.length)}`) : null;
  more?.addEventListener("click", () => {
    const isOpen = more.getAttribute("aria-expanded") === "true";
    more.setAttribute("aria-expanded", !isOpen);
    more.textContent = isOpen ? `Show all ${count(found.length)}` : "Show fewer";
    fill(isOpen ? FEW : 500);
  });
  const note = found.length > 500 ? element("p", { class: "soft" }, "Only the first 500 are shown here; filter the table for others.") : null;
  return element("section", { class: "card" }, element("h2", {}, facet.title),
    element("table", { class: "facet" }, widths(),
      element("thead", { class: "unseen" }, element("tr", {}, element("th", { scope: "col" }, facet.one),
        element("th", { scope: "col" }, "Share"), element("th", { scope: "col" }, `${nounOfRows}s`))),
      body), more, more ? note : null);
}

function tile(value, label, kind, act) {
  const inner = [element("span", { class: "value" }, count(value)), element("span", { class: "label" }, label)];
  return element("li", { class: `tile ${value > 0 ? kind : ""}` },
    act && value > 0 ? element("button", { type: "button", on: { click: act } }, inner) : element("div", {}, inner));
}

function tiles(select) {
  const sums = data.summary;
  const n = { changed: 0, kept: 0, failed: 0 };
  for (const row of data.references) n[classOf(row)] += 1;
  const skipped = data.skipped.length;
  const skippedTile = tile(skipped, "skipped", "failed", () => go("skipped"));
  if (isCheck) {
    return [tile(sums.documents, "documents", ""), tile(sums.checked, "references checked", ""),
      tile(n.failed, "problems", "failed", () => select("class", "failed")),
      tile(tally(facets.file).length, "missing files", "failed"), skippedTile];
  }
  return [tile(sums.documents, "documents", "", () => go("documents")), tile(sums.changed, "documents changed", "changed", () => go("documents")),
    tile(n.changed, "references changed", "changed", () => select("class", "changed")),
    tile(n.kept, "references unchanged", "kept", () => select("class", "kept")),
    tile(n.failed, "could not be handled", "failed", () => select("class", "failed")), skippedTile];
}

/* The documents by the source of their base. */
function sourcesTable() {
  const found = new Map();
  for (const base of data.bases) found.set(base.base_source, (found.get(base.base_source) ?? 0) + 1);
  if (found.size === 0) return null;
  const most = Math.max(...found.values());
  const line = (source) => {
    const n = found.get(source);
    const share = element("span", { class: "share", "aria-hidden": "true" }, element("span", { class: "piece plain" }));
    share.firstChild.style.width = `${(100 * n) / most}%`;
    return element("tr", {},
      element("th", { scope: "row" }, sourceWords[source], " ", element("span", { class: "soft" }, sourceSections[source])),
      element("td", { class: "wide" }, share), element("td", { class: "number" }, count(n)));
  };
  return element("section", { class: "card" }, element("h2", {}, "Source of the base"),
    element("table", { class: "facet long" }, widths(),
      element("thead", { class: "unseen" }, element("tr", {}, element("th", { scope: "col" }, "Source"),
        element("th", { scope: "col" }, "Share"), element("th", { scope: "col" }, "Documents"))),
      element("tbody", {}, Object.keys(sourceWords).filter((source) => found.has(source)).map(line))),
    element("p", { class: "more-link" }, element("a", { href: "#documents" }, "Show the base of each document")));
}

function overview(select) {
  const sums = data.summary;
  const took = sums.seconds === undefined ? "" : ` in ${sums.seconds.toFixed(sums.seconds < 10 ? 2 : 0)} s`;
  const stopped = sums.interrupted ? element("p", { class: "notice" }, badge("failed", "The run was interrupted: the report is incomplete.")) : null;
  const none = data.references.length === 0 ? element("p", { class: "empty" }, isCheck ? "No problem was found." : "No reference was found.") : null;
  return element("div", {},
    element("h2", { class: "unseen" }, "Overview"), stopped,
    element("ul", { class: "tiles" }, tiles(select)), none,
    element("div", { class: "cards" },
      [tally(facets.file).length > 0 ? "file" : null, "outcome", "slot"].map((name) => (none || !name ? null : facetTable(name, select))), sourcesTable(),
      ["directory", "host"].map((name) => (none ? null : facetTable(name, select)))),
    sums.bytes === undefined ? null : element("p", { class: "soft" }, `${(sums.bytes / 1e6).toFixed(1)} MB of documents${took}.`));
}
