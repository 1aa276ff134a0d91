"""The groups that measure libraries in memory: finding and rewriting references, and resolving URLs.

The engines take turns inside one process, the bench of a crate, which prints a line for each pass
(`driver.rs`).
"""

import json

from measure import Failed, Run, run


def _passes(bench, group, executable, tree, unit):
    """Runs a bench over a tree, and records its passes. `unit` is the count that a pass goes over."""
    command = [bench.programs.benches[executable], "--runs", bench.n_runs, tree.root]
    try:
        lines = [json.loads(line) for line in run(command, cores=1, keep=True).output.splitlines()]
    except Failed as error:
        bench.skip(f"{group.name}: {tree.name}: {error}")
        return
    counts, passes = lines[0], lines[1:]
    for name, value in counts.items():
        group.count(tree.name, name, value)
    for taken in passes:
        cpu = taken["cpu_ns"]
        measured = Run(taken["wall_ns"] / 1e9, None if cpu is None else cpu / 1e9, 0, None)
        group.add(taken["work"], tree.name, taken["engine"], taken["run"], measured, counts[unit])


def html(bench):
    group = bench.group(
        "html",
        "Finding and rewriting in memory",
        "MB/s",
        "One core. Each pass is over all HTML files of the tree, which are in memory, in path order. Files that are not in UTF-8 are "
        "excluded, since not all engines read them. lol_html has handlers for twelve attributes.",
    )
    for tree in bench.trees("rust", "std", "pydoc", "boost"):
        _passes(bench, group, "html", tree, "bytes")


def urls(bench):
    group = bench.group(
        "urls",
        "Resolving and relativizing URLs",
        "ns/reference",
        "One core. Each pass is once over the `href` and `src` of all pages of the tree, in path order, without those that a crate "
        "rejects. urlcore and oxiri write into a reused buffer. The time of `relativize` includes parsing the target.",
    )
    for tree in bench.trees("rust", "std", "pydoc", "boost"):
        _passes(bench, group, "references", tree, "references")
