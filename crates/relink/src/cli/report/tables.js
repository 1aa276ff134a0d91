/* The sections with a table each, and what a row shows when it is opened. */

const numbers = (rows) => Int32Array.from(rows, (_, number) => number);

const dialog = byId("detail");
let opener = null;

/* Shows something in the dialog. The focus returns to the table afterwards. */
function show(title, from, ...content) {
  opener = from;
  dialog.replaceChildren(
    element("header", {}, element("h2", { id: "detail-title" }, title),
      element("button", { type: "button", class: "close", on: { click: () => dialog.close() } }, "Close")),
    element("div", {}, content));
  dialog.showModal();
  dialog.scrollTop = 0;
}
dialog.addEventListener("close", () => opener?.focus());
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

function list(pairs) {
  return element("dl", {}, pairs.filter(([, value]) => value !== null).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

const basesOf = new Map();
data.bases.forEach((base, number) => {
  if (!basesOf.has(base.document)) basesOf.set(base.document, []);
  basesOf.get(base.document).push(number);
});

function basesOfDocument(document) {
  const found = (basesOf.get(document) ?? []).map((number) => data.bases[number]);
  return [element("h3", { class: "rule" }, "Bases"), found.length === 0
    ? element("p", { class: "soft" }, "None are known.") : found.slice(0, 200).map(baseBlock),
    found.length > 200 ? element("p", { class: "soft" }, `${plural(found.length - 200, "more base")}`) : null];
}

function openReference(number, from) {
  const row = data.references[number];
  const [before, after] = [row[at.text], row[at.new_text]];
  const [old, now] = after === null ? [quoted(before), null] : difference(before, after);
  const source = row[at.base_source];
  show(isCheck ? "Problem" : "Reference", from, list([
    ["Document", quoted(names[row[at.document]])],
    ["Place", `line ${count(row[at.line])}, column ${count(row[at.column])}`],
    ["Slot", quoted(facets.slot.of(row))],
    [facets.outcome.one, badge(classOf(row), outcomeOf(row).words)],
    ["Reason", row[at.reason] === null ? null : quoted(row[at.reason], "prose")],
    [isCheck ? "Reference" : "Before", old],
    ["After", isCheck ? null : now ?? element("span", { class: "soft" }, "as before")],
    ["Missing file", row[at.file] === null ? null : quoted(row[at.file])],
    ["Target", row[at.target] === null ? element("span", { class: "soft" }, "none is known") : quoted(row[at.target])],
    ["Base from", source === null ? null : sourceWords[data.base_sources[source]]],
  ]), basesOfDocument(row[at.document]));
}

/* The text in which a row is searched. */
const searched = [];
function textOf(number) {
  if (searched[number] === undefined) {
    const row = data.references[number];
    searched[number] = [names[row[at.document]], row[at.text], row[at.new_text], row[at.target], row[at.reason], facets.slot.of(row)]
      .filter((text) => text !== null).join("\n").toLowerCase();
  }
  return searched[number];
}

const referenceColumns = () => {
  const of = (number) => data.references[number];
  const place = (row) => placeOf(names[row[at.document]], row[at.line], row[at.column]);
  const columns = [
    { name: "Place", width: "minmax(11rem, 1.3fr)", cell: (number) => place(of(number)),
      key: (number) => `${names[of(number)[at.document]]}\u0000${String(of(number)[at.line]).padStart(9, "0")}${String(of(number)[at.column]).padStart(9, "0")}` },
    { name: "Slot", width: "9.5rem", cell: (number) => quoted(facets.slot.of(of(number))), key: (number) => facets.slot.of(of(number)) },
    { name: facets.outcome.one, width: isCheck ? "13rem" : "12rem", cell: (number) => badge(classOf(of(number)), outcomeOf(of(number)).words), key: (number) => outcomeOf(of(number)).words },
    { name: isCheck ? "Reference" : "Before", width: "minmax(9rem, 1.2fr)", cell: (number) => quoted(of(number)[at.text]), key: (number) => of(number)[at.text] },
  ];
  if (isCheck) {
    columns.push({ name: "Reason", width: "minmax(12rem, 1.8fr)", cell: (number) => quoted(of(number)[at.reason], "prose"), key: (number) => of(number)[at.reason] });
  } else {
    columns.push({
      name: "After", width: "minmax(10rem, 1.5fr)", key: (number) => of(number)[at.new_text] ?? "",
      cell: (number) => {
        const row = of(number);
        if (row[at.new_text] !== null) return quoted(row[at.new_text]);
        return element("span", { class: "soft" }, row[at.reason] === null ? "as before" : quoted(row[at.reason], "prose"));
      },
    });
  }
  return columns;
};

const filter = { search: "", class: "", slot: "", outcome: "", file: "", directory: "", host: "" };

function passes(number) {
  const row = data.references[number];
  for (const name of ["slot", "outcome", "file", "directory", "host"]) {
    if (filter[name] !== "" && facets[name].of(row) !== filter[name]) return false;
  }
  if (filter.class !== "" && classOf(row) !== filter.class) return false;
  return filter.search === "" || textOf(number).includes(filter.search);
}

function choice(name, label, values) {
  const made = element("select", { id: `filter-${name}`, on: { change: () => { filter[name] = made.value; apply(); } } },
    element("option", { value: "" }, "all"), values.map(([value, text]) => element("option", { value }, visible(text))));
  made.value = filter[name];
  return element("label", {}, element("span", {}, label), made);
}

let grid = null;
let chips = null;
let found = null;

function apply() {
  const rows = numbers(data.references).filter(passes);
  grid.show(rows);
  const text = rows.length === data.references.length ? plural(rows.length, nounOfRows)
    : `${count(rows.length)} of ${plural(data.references.length, nounOfRows)}`;
  found.textContent = text;
  announce(text);
  chips.replaceChildren(...["file", "directory", "host"].filter((name) => filter[name] !== "").map((name) =>
    element("li", {}, element("button", { type: "button", class: "chip", on: { click: () => { filter[name] = ""; apply(); byId("filter-search").focus(); } } },
      `${facets[name].one} `, quoted(filter[name]), element("span", { "aria-hidden": "true" }, " \u00d7"), element("span", { class: "unseen" }, " remove this filter")))));
  for (const name of ["class", "slot", "outcome"]) {
    const select = byId(`filter-${name}`);
    if (select) select.value = filter[name];
  }
}

/* The values of a facet that occur, in alphabetical order. */
const valuesOf = (name) => [...new Set(data.references.map((row) => facets[name].of(row)))].sort().map((value) => [value, value]);

let waiting = 0;

function references() {
  grid = new Grid({
    label: isCheck ? "problems" : "references, before and after", columns: referenceColumns(),
    rows: numbers(data.references), open: openReference,
    empty: `No ${nounOfRows} matches. Change or reset the filters.`,
  });
  chips = element("ul", { class: "chips", "aria-label": "other filters" });
  found = element("p", { class: "found" });
  const search = element("input", {
    type: "search", id: "filter-search", placeholder: "path, text or URL", spellcheck: "false", autocomplete: "off",
    on: { input: () => { clearTimeout(waiting); waiting = setTimeout(() => { filter.search = search.value.toLowerCase(); apply(); }, 120); } },
  });
  search.value = filter.search;
  const reset = element("button", { type: "button", on: { click: () => {
    for (const name of Object.keys(filter)) filter[name] = "";
    search.value = "";
    apply();
    search.focus();
  } } }, "Reset");
  const classes = Object.keys(words).filter((kind) => data.outcomes.some((outcome) => outcome.class === kind));
  return element("div", { class: "fill" }, element("h2", { class: "unseen" }, isCheck ? "Problems" : "References"),
    element("form", { class: "filters", role: "search", on: { submit: (event) => event.preventDefault() } },
      element("label", { class: "grow" }, element("span", {}, "Search"), search),
      classes.length > 1 ? choice("class", "Result", classes.map((kind) => [kind, words[kind]])) : null,
      choice("outcome", facets.outcome.one, valuesOf("outcome")), choice("slot", "Slot", valuesOf("slot")), reset),
    element("div", { class: "found-line" }, found, chips), grid.element);
}

/* A section with a search and a table. */
function section({ title, noun, rows, columns, text, open, empty }) {
  const table = new Grid({ label: title, columns, rows: numbers(rows), open, empty });
  const line = element("p", { class: "found" }, plural(rows.length, noun));
  const texts = [];
  const search = element("input", {
    type: "search", placeholder: "search", spellcheck: "false", autocomplete: "off",
    on: { input: () => { clearTimeout(waiting); waiting = setTimeout(() => {
      const wanted = search.value.toLowerCase();
      const left = numbers(rows).filter((number) => (texts[number] ??= text(number).toLowerCase()).includes(wanted));
      table.show(left);
      line.textContent = left.length === rows.length ? plural(left.length, noun) : `${count(left.length)} of ${plural(rows.length, noun)}`;
      announce(line.textContent);
    }, 120); } },
  });
  return element("div", { class: "fill" }, element("h2", { class: "unseen" }, title),
    element("form", { class: "filters", role: "search", on: { submit: (event) => event.preventDefault() } },
      element("label", { class: "grow" }, element("span", {}, "Search"), search)),
    element("div", { class: "found-line" }, line), table.element);
}

function documents() {
  const n = new Int32Array(data.documents.length);
  for (const row of data.references) n[row[at.document]] += 1;
  const base = (number) => data.bases[basesOf.get(number)?.[0]];
  const state = (number) => {
    const { changed, failed } = data.documents[number];
    return failed ? "failed" : changed ? "changed" : "kept";
  };
  const stateWords = { changed: "changed", kept: "unchanged", failed: "failed" };
  const columns = [
    { name: "Document", width: "minmax(12rem, 1.5fr)", cell: (number) => placeOf(names[number]), key: (number) => names[number] },
    { name: "Base", width: "minmax(12rem, 1.6fr)", key: (number) => base(number)?.base ?? "",
      cell: (number) => (base(number)?.base ? quoted(base(number).base) : element("span", { class: "soft" }, "unknown")) },
    { name: "Source of the base", width: "12rem", key: (number) => base(number)?.base_source ?? "", cell: (number) => sourceWords[base(number)?.base_source] ?? "" },
    { name: `${isCheck ? "Problems" : "References"}`, width: "8.6rem", class: "number", key: (number) => n[number], cell: (number) => count(n[number]) },
  ];
  if (!isCheck) columns.push({ name: "Result", width: "9rem", key: state, cell: (number) => badge(state(number), stateWords[state(number)]) });
  return section({
    title: "Documents and bases", noun: "document", rows: data.documents, columns, empty: "No document matches.",
    text: (number) => `${names[number]}\n${base(number)?.base ?? ""}`,
    open: (number, from) => show("Document", from, list([
      ["Document", quoted(names[number])], ["Length", data.documents[number].bytes === undefined ? null : plural(data.documents[number].bytes, "byte")],
      [isCheck ? "Problems" : "References", element("button", { type: "button", class: "link", on: { click: () => { dialog.close(); select("document", number); } } }, count(n[number]))],
    ]), basesOfDocument(number)),
  });
}

const extents = { document: "document", part: "part of a message", field: "header field", embedded: "embedded document", list: "list of references" };

function skipped() {
  const of = (number) => data.skipped[number];
  const columns = [
    { name: "Place", width: "minmax(12rem, 1fr)", cell: (number) => placeOf(names[of(number).document], of(number).line, of(number).column), key: (number) => names[of(number).document] },
    { name: "What", width: "12rem", cell: (number) => badge(of(number).failed ? "failed" : "kept", extents[of(number).extent]), key: (number) => of(number).extent },
    { name: "Reason", width: "minmax(14rem, 2fr)", cell: (number) => quoted(of(number).reason, "prose"), key: (number) => of(number).reason },
  ];
  return section({
    title: "Skipped", noun: "place", rows: data.skipped, columns, empty: "Nothing was skipped.",
    text: (number) => `${names[of(number).document]}\n${of(number).reason}`,
    open: (number, from) => show("Skipped", from, list([
      ["Document", quoted(names[of(number).document])], ["Place", `line ${count(of(number).line)}, column ${count(of(number).column)}`],
      ["What", extents[of(number).extent]], ["Part", of(number).part], ["Reason", quoted(of(number).reason, "prose")],
    ]), basesOfDocument(of(number).document)),
  });
}

function messages() {
  const of = (number) => data.messages[number];
  const kinds = { error: "failed", warning: "failed", note: "kept", hint: "kept", report: "kept" };
  const columns = [
    { name: "Kind", width: "9rem", cell: (number) => badge(kinds[of(number).severity], of(number).severity), key: (number) => of(number).severity },
    { name: "Message", width: "minmax(20rem, 1fr)", cell: (number) => quoted(of(number).text, "prose"), key: (number) => of(number).text },
  ];
  return section({
    title: "Messages", noun: "message", rows: data.messages, columns, empty: "The run had no message.", text: (number) => of(number).text,
    open: (number, from) => show("Message", from, list([["Kind", of(number).severity], ["Message", quoted(of(number).text, "prose")]])),
  });
}
