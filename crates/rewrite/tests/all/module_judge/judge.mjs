// Tells of each script (a line of hexadecimal digits on standard input) what V8 says: the specifiers of its static imports and exports, each
// once, in hexadecimal and separated by commas; `none` if it has none, `error` if it is no module.
import { readFileSync } from "node:fs";
import { SourceTextModule } from "node:vm";

const hex = (text) => Buffer.from(text, "utf8").toString("hex");
for (const line of readFileSync(0, "utf8").split("\n").slice(0, -1)) {
  const text = Buffer.from(line, "hex").toString("utf8");
  let answer = "error";
  try {
    const names = new SourceTextModule(text).dependencySpecifiers;
    answer = [...new Set(names)].map(hex).join(",") || "none";
  } catch {}
  console.log(answer);
}
