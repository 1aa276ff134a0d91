/* The data of the page: what the run wrote, as tables whose rows are numbers and texts. */

const data = JSON.parse(document.getElementById("data").textContent);
const isCheck = data.command === "check";
const nounOfRows = isCheck ? "problem" : "reference";

/* The columns of a row of a reference, by their names. */
const at = Object.fromEntries(data.columns.map((name, index) => [name, index]));

const formatter = new Intl.NumberFormat("en");
const count = (n) => formatter.format(n);
const plural = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

const severalPaths = data.paths.length > 1;

/* The name of a document: its path, below its PATH if there are several. */
function documentName(number) {
  const found = data.documents[number];
  const root = data.paths[found.root] ?? "";
  let name = found.path === "" ? root : found.path;
  if (severalPaths && found.path !== "" && !root.endsWith(found.path)) {
    name = `${root.replace(/\/$/, "")}/${found.path}`;
  }
  return found.unit === null ? name : `${name}, message ${found.unit}`;
}

const names = data.documents.map((_, number) => documentName(number));

/* The directory of a document. */
const directories = data.documents.map(({ path }) => {
  const end = path.lastIndexOf("/");
  return end < 0 ? "." : path.slice(0, end);
});

const hosts = new Map();

/* The host of a URL, or what there is instead of one. */
function hostOf(url) {
  if (url === null) return "no target";
  const found = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?/i.exec(url);
  if (!found) return "no target";
  const host = found[2] ? found[2].slice(found[2].lastIndexOf("@") + 1) : `${found[1]}:`;
  if (!hosts.has(host)) hosts.set(host, host);
  return hosts.get(host);
}

const outcomeOf = (row) => data.outcomes[row[at.outcome]];
const classOf = (row) => outcomeOf(row).class;
const words = { changed: "changed", kept: "unchanged", failed: isCheck ? "problem" : "not handled" };

/* The ways in which references are counted and selected. */
const facets = {
  slot: { title: "Kind of place", one: "Slot", of: (row) => data.slots[row[at.slot]] },
  directory: { title: "Directory", one: "Directory", of: (row) => directories[row[at.document]] },
  file: { title: "Missing file", one: "File", of: (row) => row[at.file] },
  host: { title: "Host of the target", one: "Host", of: (row) => hostOf(row[at.target]) },
  outcome: {
    title: isCheck ? "Problem" : "Outcome",
    one: isCheck ? "Problem" : "Outcome",
    of: (row) => outcomeOf(row).words,
  },
};
