"""The groups of the commands on whole trees: each beside the command that it is compared with, and on
one core beside two."""

import subprocess

from measure import Engine

# The statuses of a command that may find something, such as broken references.
WITH_FINDINGS = (0, 1)


def commands(bench):
    group = bench.group(
        "commands",
        "Other commands on whole trees",
        "µs/file",
        "Two cores. `mv -n` renames a page and writes nothing; `--update` finds nothing changed; `undo` reverts `--in-place`. What a "
        "command needs is made outside of the measured time.",
    )
    for tree in bench.trees("std", "pydoc"):
        _commands(bench, group, bench.corpora.copy(tree, "in"))
        bench.corpora.clear("in", f"sample-{tree.key}")


def cores(bench):
    group = bench.group(
        "cores",
        "One core and two",
        "µs/file",
        "`-j 1` on one core, and the default on two. The share that stays on one core is computed from both (Karp and Flatt 1990: two divided "
        "by the speed-up, less one), and the speed-up of 16 cores from it (Amdahl 1967), as if memory and disk were as fast for all of them.",
    )
    for tree in bench.trees("rust", "std"):
        _cores(bench, group, bench.corpora.copy(tree, "in"))
        bench.corpora.clear("in", f"sample-{tree.key}")


def _cores(bench, group, tree):
    corpora, relink = bench.corpora, bench.programs.relink
    out = corpora.path("out")
    of_tree = [tree.root, "--base", tree.base, "-q"]

    def clear():
        corpora.clear("out")

    for work, command in {
        "refs": [relink, "refs", *of_tree],
        "check": [relink, "check", *of_tree],
        "absolutize -o": [relink, "absolutize", *of_tree, "-o", out],
    }.items():
        engines = [
            Engine("one core", [*command, "-j", "1"], clear, cores=1, accepts=WITH_FINDINGS),
            Engine("two cores", command, clear, cores=2, accepts=WITH_FINDINGS),
        ]
        bench.alternate(group, work, tree.name, engines, tree.n_files)
    clear()


def _commands(bench, group, tree):
    corpora, relink = bench.corpora, bench.programs.relink
    out, current, copy, report = (corpora.path(name) for name in ("out", "current", "copy", "report.html"))
    pages = sorted(tree.root.rglob("*.html"), key=lambda page: (page.stat().st_size, page))
    of_tree = [tree.root, "--base", tree.base, "-q"]
    absolutize = [relink, "absolutize", *of_tree, "-o"]
    in_place = [relink, "absolutize", copy, "--base", tree.base, "--in-place", "-q"]
    update = [*absolutize, current, "--update"]

    def clear():
        corpora.clear("out", "report.html", "copy", ".copy.relink-manifest")

    def copy_in():
        clear()
        subprocess.run(["cp", "-r", "--reflink=never", tree.root, copy], check=True)

    def convert_in_place():
        copy_in()
        subprocess.run(in_place, check=True)

    def write_current():
        # What is as young as the index is not trusted: the second run writes one that is.
        if not current.exists():
            for _ in range(2):
                subprocess.run(update, check=True, stderr=subprocess.DEVNULL)

    read = [
        Engine("refs", [relink, "refs", *of_tree], cores=2),
        Engine("refs --format json", [relink, "refs", *of_tree, "--format", "json"], cores=2),
        Engine("check", [relink, "check", *of_tree], cores=2, accepts=WITH_FINDINGS),
        *(
            Engine(f"mv -n, {which} page", [relink, "mv", "-n", page, page.with_suffix(".new.html")], cwd=tree.root, cores=2)
            for which, page in {"largest": pages[-1], "middle": pages[len(pages) // 2]}.items()
        ),
    ]
    write = [
        Engine("absolutize -o", [*absolutize, out], clear, cores=2),
        Engine("--report", [*absolutize, out, "--report", report], clear, cores=2),
        Engine("--update", update, write_current, cores=2),
        Engine("--in-place", in_place, copy_in, cores=2),
        Engine("undo", [relink, "undo", copy, "-q"], convert_in_place, cores=2),
        Engine("sed -i", ["find", copy, "-type", "f", "-exec", "sed", "-i", "s,http://h/,http://i/,g", "{}", "+"], copy_in, cores=2),
    ]
    bench.alternate(group, "read", tree.name, read, tree.n_files)
    bench.alternate(group, "write", tree.name, write, tree.n_files)
    clear()
    corpora.clear("current", ".current.relink-stamps")
