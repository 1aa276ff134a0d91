"""Measures relink beside other programs, all in one run, and writes a table in Markdown.

    python3 benches/figures [--only GROUP ...] [--quick] [--runs N] [--busy] [--out FILE]

Builds everything, prepares the documents, and lets the programs take turns. All runs are in a JSON
file next to the table. Needs Python 3.9 and Linux; what is not installed is skipped with a message.
"""

import argparse
import json
import os
import shlex
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True

import commands
import documents
import libraries
import measure
import programs
import trees
from corpora import Corpora
from measure import say

GROUPS = {
    "html": libraries.html,
    "urls": libraries.urls,
    "trees": trees.trees,
    "commands": commands.commands,
    "cores": commands.cores,
    "converters": trees.converters,
    "mailbox": documents.mailbox,
    "sitemap": documents.sitemap,
    "memory": documents.memory,
    "archives": documents.archives,
}


class Group:
    """The runs and counts of a part of the table. Nothing in it is computed from other numbers."""

    def __init__(self, name, title, unit, about):
        self.name, self.title, self.unit, self.notes = name, title, unit, [about]
        self.records, self.counts = [], []
        self.other_cores = None

    def note(self, text):
        self.notes.append(text)

    def add(self, work, subject, engine, number, taken, size):
        """Records a run. `size` is what the unit of the group counts: bytes, files, references."""
        self.records.append({
            "work": work,
            "subject": subject,
            "engine": engine,
            "run": number,
            "wall": taken.wall,
            "user": taken.user,
            "system": taken.system,
            "peak": taken.peak,
            "floor": taken.floor,
            "size": size,
            "first": taken.first,
        })

    def count(self, subject, name, value):
        self.counts.append({"subject": subject, "name": name, "value": value})


class Bench:
    """What all groups use, and what they found."""

    def __init__(self, options, corpora):
        self.is_quick, self.n_runs = options.quick, options.runs
        self.corpora = corpora
        self.programs = programs.Programs()
        self.python = self.programs.python or sys.executable
        self.groups, self.skipped = [], []

    def group(self, *fields):
        self.groups.append(Group(*fields))
        return self.groups[-1]

    def skip(self, reason):
        say(f"skipped: {reason}")
        self.skipped.append(reason)

    def trees(self, *keys):
        for tree, reason in self.corpora.trees(*keys):
            if reason:
                self.skip(reason)
            else:
                say(f"  {tree.name}")
                yield tree

    def alternate(self, group, work, subject, engines, size, *, n_runs=None):
        """Lets commands take turns, and records each run."""
        label = f"{group.name}: {subject}"
        for engine, number, taken in measure.alternate(engines, n_runs or self.n_runs, self.skip, label):
            group.add(work, subject, engine.name, number, taken, size)


def options():
    about, *more = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(prog="python3 benches/figures", description=about, epilog=more[-1])
    parser.add_argument("--only", nargs="+", choices=GROUPS, metavar="GROUP", default=list(GROUPS), help=f"one of {', '.join(GROUPS)}")
    parser.add_argument("--quick", action="store_true", help="small samples and two runs, to test this command itself")
    parser.add_argument("--runs", type=int, help="runs of each program [default: 10, with --quick 2]")
    parser.add_argument("--busy", action="store_true", help="run although the machine is busy; the table says so")
    parser.add_argument("--out", type=Path, help="the table [default: target/figures/figures.md, with --quick quick.md]")
    given = parser.parse_args()
    given.runs = given.runs or (2 if given.quick else 10)
    if given.runs < 1:
        parser.error("--runs must be at least 1")
    return given


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    given = options()
    load, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    if load > cores and not given.busy:
        say(f"error: the machine is busy: its load is {load:.1f}, with {cores} cores; wait, or use --busy")
        return 2
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, interrupt)
    corpora = Corpora(given.quick)
    try:
        bench = Bench(given, corpora)
        for name in given.only:
            say(f"{name}")
            other = measure.OtherWork()
            GROUPS[name](bench)
            bench.groups[-1].other_cores = other.cores()
        results = {
            "commands": [shlex.join(["python3", "benches/figures", *sys.argv[1:]])],
            "machine": programs.machine(),
            "versions": bench.programs.versions(),
            "load": load,
            "busy": load > cores,
            "quick": given.quick,
            "runs": given.runs,
            "in_memory": corpora.is_in_memory,
            "skipped": bench.skipped,
            "groups": [vars(group) for group in bench.groups],
        }
    except KeyboardInterrupt:
        measure.stop_running()
        say("interrupted")
        return 130
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        corpora.remove()
    # Imported late: what this process needs is part of the memory of its children.
    import ratios
    import table

    results["ratios"] = ratios.ratios(results["groups"])
    out = given.out or bench.programs.directory / ("quick.md" if given.quick else "figures.md")
    raw = out.with_suffix(".json")
    raw.write_text(json.dumps(results, indent=1) + "\n")
    text = table.render(results)
    out.write_text(text)
    print(text)
    say(f"{out} has the table, {raw} all runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
