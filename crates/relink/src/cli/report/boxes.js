/* The boxes of RFC 1808, section 3: each context inside the one that it falls back to. */

const sourceWords = {
  embedded: "in the document",
  encapsulating: "around the document",
  retrieval: "the URL of the document",
  hint: "provenance metadata",
  none: "no base",
};

const sourceSections = {
  embedded: "RFC 3986, 5.1.1",
  encapsulating: "RFC 3986, 5.1.2",
  retrieval: "RFC 3986, 5.1.3",
  hint: "no specification",
  none: "RFC 3986, 5.1.4",
};

function boxes(chain) {
  let inner = null;
  for (const context of chain) {
    const text = element("p", {},
      context.decides ? element("strong", { class: "decides" }, "\u2605 decides ") : null,
      quoted(context.words), " ", element("span", { class: "soft" }, `(${context.section})`));
    inner = element("div", { class: `context ${context.decides ? "is-deciding" : ""}` }, inner, text);
  }
  return element("div", { class: "boxes", role: "group", "aria-label": "contexts, the innermost first" }, inner);
}

/* The name of a document inside a document. */
function partName({ part, embedded }) {
  const inner = embedded.map(({ slot }) => slot);
  return [part === null ? null : `part ${part}`, ...inner].filter((name) => name !== null).join(" \u203a ");
}

function baseBlock(base) {
  const inside = partName(base);
  return element("section", { class: "base" },
    inside === "" ? null : element("h3", {}, inside),
    element("p", {}, "Base ", base.base === null ? element("em", {}, "unknown") : quoted(base.base)),
    boxes(base.chain),
    base.scopes.map((scope) => [element("p", { class: "soft" }, "An element in it has a base of its own:"), boxes(scope.chain)]));
}
