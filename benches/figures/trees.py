"""The groups that measure the whole program on whole trees: beside cp, and beside other converters."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from measure import Engine, Failed, run

PEERS = Path(__file__).resolve().parent / "peers.py"
# The trees whose system calls are not counted, since that takes minutes.
N_TRACED = 60_000


def trees(bench):
    group = bench.group(
        "trees",
        "Whole trees beside cp -r",
        "µs/file",
        "Two cores. `relink absolutize` with the check of the output; a copy is `cp -r --reflink=never`. Output is removed, and trees for "
        "`--in-place` are copied, outside of the measured time. All files are on " + ("tmpfs." if bench.corpora.is_in_memory else "a disk."),
    )
    corpora = bench.corpora
    for tree in bench.trees("rust", "std", "pydoc"):
        _tree(bench, group, corpora.copy(tree, "in"))
        corpora.clear("in", f"sample-{tree.key}")
    for n_files in (500, 2_000) if bench.is_quick else (20_000, 200_000):
        if not corpora.has_room(n_files * 3 * 8_000):
            bench.skip(f"trees: there is no room for {n_files:,} tiny files")
            continue
        _tree(bench, group, corpora.tiny(n_files))
        corpora.clear("tiny")


def _tree(bench, group, tree):
    corpora, relink = bench.corpora, bench.programs.relink
    out, copy = corpora.path("out"), corpora.path("copy")

    def clear():
        corpora.clear("out", "copy", ".copy.relink-manifest")

    def copy_in():
        clear()
        subprocess.run(["cp", "-r", "--reflink=never", tree.root, copy], check=True)

    convert = [relink, "absolutize", tree.root, "--base", tree.base, "-o", out, "-q"]
    in_place = [relink, "absolutize", copy, "--base", tree.base, "--in-place", "-q"]
    engines = [
        Engine("relink -o", convert, clear, cores=2),
        Engine("relink -o --verify none", [*convert, "--verify", "none"], clear, cores=2),
        Engine("relink --in-place", in_place, copy_in, cores=2),
        Engine("cp -r", ["cp", "-r", "--reflink=never", tree.root, out], clear, cores=2),
    ]
    bench.alternate(group, "absolutize", tree.name, engines, tree.n_files)
    group.count(tree.name, "files", tree.n_files)
    group.count(tree.name, "bytes", tree.n_bytes)
    if tree.n_files <= N_TRACED:
        for engine in engines[::2]:
            _count_calls(bench, group, tree, engine)
    clear()


def _count_calls(bench, group, tree, engine):
    """Counts the system calls of a run, without futex, whose number depends on chance."""
    calls = bench.corpora.path("calls")
    engine.prepare()
    try:
        run(["strace", "-f", "-c", "-o", calls, *engine.command], cores=2)
    except Failed as error:
        bench.skip(f"trees: the system calls of {tree.name}: {error}")
        return
    rows = [line.split() for line in calls.read_text().splitlines()]
    n_calls = sum(int(row[3]) for row in rows if len(row) >= 5 and row[3].isdigit() and row[-1] not in ("futex", "total"))
    group.count(tree.name, f"system calls per file, {engine.name}", round(n_calls / tree.n_files, 2))
    calls.unlink()


def converters(bench):
    group = bench.group(
        "converters",
        "Beside other converters",
        "MB/s",
        "One core, the HTML of python3.11-doc. relink reads and writes files; lxml and turbohtml convert pages in memory, into another "
        "notation; of `wget -k` it is the conversion after the download, whose time wget measures.",
    )
    corpora, relink, python = bench.corpora, bench.programs.relink, bench.programs.python
    for tree in bench.trees("pydoc"):
        pages = corpora.copy(tree, "pages", pages_only=True)
        out, mirror = corpora.path("out"), corpora.path("mirror")

        def clear():
            corpora.clear("out", "mirror")

        convert = [relink, "absolutize", pages.root, "--base", tree.base, "-o", out, "-q", "-j", "1"]
        engines = [
            Engine("relink", convert, clear, cores=1),
            Engine("relink --verify none", [*convert, "--verify", "none"], clear, cores=1),
        ]
        if python:
            engines += [Engine(name, [python, PEERS, name, pages.root], read=_own_time, cores=1) for name in ("turbohtml", "lxml")]
        server, port = None, 0
        try:
            if shutil.which("wget"):
                server, port = _serve(pages.root)
                command = f"wget -r -l inf -np -k -P {mirror} -o {mirror}.log http://127.0.0.1:{port}/; cat {mirror}.log"
                engines.append(Engine("wget -k", ["sh", "-c", command], clear, _wget_time, environment={"LC_ALL": "C"}, cores=1))
            else:
                bench.skip("converters: wget is not installed")
            bench.alternate(group, "absolutize", tree.name, engines, pages.n_html)
        finally:
            if server:
                server.kill()
                server.wait()
        group.count(tree.name, "pages", pages.n_pages)
        converted = sum(path.stat().st_size for path in mirror.rglob("*.html")) if mirror.exists() else 0
        if converted:
            group.count(tree.name, "bytes that wget converts, of " + str(pages.n_html), converted)
        clear()
        corpora.clear("pages", "mirror.log")


def _own_time(taken):
    """The time that a peer measured itself."""
    own = json.loads(taken.output)
    return replace(taken, wall=own["wall"], user=own["cpu"], system=0)


def _wget_time(taken):
    found = re.search(rb"Converted links in \d+ files in ([\d.]+) seconds", taken.output)
    if not found or not float(found[1]):
        raise Failed("wget converted nothing, or too little to measure")
    return replace(taken, wall=float(found[1]), user=None, peak=None)


def _serve(root):
    """Starts a server of files. Returns it, and its port."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", root, "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    # It says where it listens, and nothing else there.
    line = server.stdout.readline()
    found = re.search(rb" port (\d+) ", line)
    if not found:
        server.kill()
        raise Failed(f"no server of files: {line!r}")
    return server, int(found[1])
