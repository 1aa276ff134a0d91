#!/usr/bin/env node
// Runs the program, which npm installed with the package of this system and processor.
"use strict";
const { spawn } = require("node:child_process");

const name = `relink-cli-${process.platform}-${process.arch}`;
const fail = (message) => {
  console.error(`error: ${message}`);
  process.exit(2);
};

let program;
try {
  program = require.resolve(`${name}/bin/relink${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  fail(`the package ${name} is not installed; npm leaves it out with --omit=optional, and if there is no program for this system`);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`${program}: ${error.message}`));
// A terminal sends Ctrl-C to both, and the program ends the file that it writes first.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("exit", (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
