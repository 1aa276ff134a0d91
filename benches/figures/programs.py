"""Builds relink and the benches of its crates, installs the Python libraries that are compared, and
finds the version of everything."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from measure import say

ROOT = Path(__file__).resolve().parents[2]
# The manifest with the crates that are compared.
PEERS = "benches/peers/Cargo.toml"
# The benches that are measured, and the manifest of each.
BENCHES = {"html": PEERS, "references": PEERS, "mail": PEERS, "inflate": "crates/warc/Cargo.toml"}
LIBRARIES = ["lxml==6.1.3", "turbohtml==1.15.4", "warcio==1.8.1", "fastwarc==2.0.1", "resiliparse==2.0.1"]
# The crates that are compared, with the lock file and the package that depend on each.
PEERS_LOCK = ("benches/peers/Cargo.lock", "relink-peers")
CRATES = {
    "html5ever": PEERS_LOCK,
    "markup5ever_rcdom": PEERS_LOCK,
    "lol_html": PEERS_LOCK,
    "html5gum": PEERS_LOCK,
    "url": PEERS_LOCK,
    "fluent-uri": PEERS_LOCK,
    "iri-string": PEERS_LOCK,
    "oxiri": PEERS_LOCK,
    "mailparse": PEERS_LOCK,
    "mail-parser": PEERS_LOCK,
    "flate2": ("Cargo.lock", "relink-warc"),
    "zlib-rs": ("Cargo.lock", "flate2"),
}


def _executables(arguments):
    """Runs cargo, and returns the executables that it built, by name."""
    command = ["cargo", *arguments, "--message-format=json-render-diagnostics"]
    built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        raise SystemExit(f"error: {' '.join(command)} failed")
    messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
    return {message["target"]["name"]: message["executable"] for message in messages if message.get("executable")}


class Programs:
    """The programs that are measured. `python` is None if the libraries cannot be installed."""

    def __init__(self):
        say("building")
        target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve()
        self.relink = _executables(["build", "--release", "--bin", "relink"])["relink"]
        self.benches = {}
        for manifest in sorted(set(BENCHES.values())):
            benches = [word for bench in BENCHES if BENCHES[bench] == manifest for word in ("--bench", bench)]
            self.benches.update(_executables(["bench", "--no-run", "--manifest-path", manifest, "--target-dir", target, *benches]))
        self.directory = target / "figures"
        self.directory.mkdir(parents=True, exist_ok=True)
        self.python = self._install()

    def _install(self):
        """Returns the Python of an environment with the libraries, made if it is not there."""
        python = self.directory / "venv/bin/python"
        names = [library.split("==")[0] for library in LIBRARIES]
        check = [python, "-c", "import " + ", ".join(names)]
        if python.exists() and subprocess.run(check, capture_output=True).returncode == 0:
            return python
        say("installing " + ", ".join(LIBRARIES))
        for command in (
            [sys.executable, "-m", "venv", "--clear", self.directory / "venv"],
            [python, "-m", "pip", "install", "--quiet", "--timeout", "30", *LIBRARIES],
            check,
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                say(f"skipped: the libraries for Python cannot be installed: {last}")
                return None
        return python

    def versions(self):
        """The versions of all that takes part, by name."""
        commit = _line(["git", "describe", "--always", "--dirty"])
        versions = {"relink": f"{_line([self.relink, '--version']).split()[-1]} ({commit})", "rustc": _line(["rustc", "--version"])[6:]}
        versions |= _crates()
        versions["Python"] = platform.python_version()
        if self.python:
            names = [library.split("==")[0] for library in LIBRARIES]
            code = f"import importlib.metadata as m; print(*(m.version(n) for n in {names}))"
            versions |= dict(zip(names, _line([self.python, "-c", code]).split()))
        for name, command in {
            "cp": ["cp", "--version"],
            "gzip": ["gzip", "--version"],
            "wget": ["wget", "--version"],
            "xmllint": ["xmllint", "--version"],
            "strace": ["strace", "--version"],
        }.items():
            found = re.search(r"(?<![\w.])\d[\d.]+", _line(command)) if shutil.which(name) else None
            versions[name] = found[0] if found else "not installed"
        # It prints that of its library, 20914 for 2.9.14.
        if re.fullmatch(r"\d{5}", versions["xmllint"]):
            major, minor, patch = re.match(r"(\d)(\d\d)(\d\d)", versions["xmllint"]).groups()
            versions["xmllint"] = f"{major}.{int(minor)}.{int(patch)}"
        return versions


def _line(command):
    """The first line that a command prints."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return (done.stdout.splitlines() or [""])[0]


def _crates():
    """The versions of the crates that are compared, from the lock files."""
    versions = {}
    for crate, (lock, user) in CRATES.items():
        packages = {}
        for text in (ROOT / lock).read_text().split("[[package]]")[1:]:
            fields = dict(re.findall(r'^(\w+) = "(.*)"$', text, re.M))
            packages.setdefault(fields["name"], []).append((fields["version"], re.findall(r'^ "(.*)",$', text, re.M)))
        words = [words for _, dependencies in packages[user] for words in map(str.split, dependencies) if words[0] == crate]
        # The version is written only where there are several.
        versions[crate] = words[0][1] if len(words[0]) > 1 else packages[crate][0][0]
    return versions


def machine():
    """What the run depends on, for the head of the table."""
    model = platform.processor() or platform.machine()
    try:
        found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
        model = found[1] if found else model
    except OSError:
        pass
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "kernel": f"{platform.system()} {platform.release()}",
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "memory": memory,
    }
