"""Measures the CPU seconds in which the links of web archives are found and resolved.

    python warc.py [--megabytes 200] [--runs 5] [--shards DIRECTORY]

Prints a table in Markdown: the package in Spark, the package alone, fastwarc with resiliparse, and
warcio with lxml. All read the same archives in turn, in one run, on one core each, and make a list
of the links with absolute URLs. Without --shards, archives of the documentation on this machine are
written to a temporary directory. An engine that is not installed is skipped with a message.

Ends with status 1 if the package alone is not at least 10 times as fast as lxml, and 3 times as
fast as resiliparse.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

# The attributes whose values lxml lists, most used first.
ATTRIBUTES = ("href", "src", "action", "background", "cite", "data", "longdesc", "usemap")
ATTRIBUTES += ("codebase", "classid", "archive", "profile")


class Engine(NamedTuple):
    """A way to find the links of archives."""

    title: str
    # The distributions that it needs.
    needs: tuple[str, ...]
    # Returns the number of links in archives.
    count: Optional[Callable[[list[str]], int]]
    # The package alone takes at most the CPU time of this engine divided by the mark.
    mark: Optional[int] = None


def with_package(paths: list[str]) -> int:
    import relink

    return sum(
        links.num_rows for path in paths for links, _ in relink.scan_warc(path, name=path)
    )


def with_resiliparse(paths: list[str]) -> int:
    """Walks the trees: the time of an element of a `query_selector_all` grows with their number."""
    from urllib.parse import urljoin

    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.parse.html import HTMLTree, NodeType

    names, element, kind = set(ATTRIBUTES), NodeType.ELEMENT, WarcRecordType.response
    n_links = 0
    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, record_types=kind, parse_http=True):
                if "html" not in (record.http_content_type or ""):
                    continue
                charset = record.http_charset or "utf-8"
                tree = HTMLTree.parse_from_bytes(record.reader.read(), charset)
                page = base = record.headers["WARC-Target-URI"]
                declared = tree.document.query_selector("base[href]")
                if declared is not None:
                    base = urljoin(page, declared.getattr("href"))
                links = [
                    (page, node.tag, name, resolved(base, node.getattr(name)))
                    for node in tree.document
                    if node.type == element
                    for name in node.attrs
                    if name in names
                ]
                n_links += len(links)
    return n_links


def resolved(base: str, text: str) -> Optional[str]:
    from urllib.parse import urljoin

    try:
        return urljoin(base, text.strip())
    except ValueError:
        return None


def with_lxml(paths: list[str]) -> int:
    import lxml.html
    from warcio.archiveiterator import ArchiveIterator

    n_links = 0
    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file):
                media = record.http_headers and record.http_headers.get_header("Content-Type")
                if record.rec_type != "response" or "html" not in (media or ""):
                    continue
                body = record.content_stream().read()
                if not body.strip():
                    continue
                page = record.rec_headers.get_header("WARC-Target-URI")
                document = lxml.html.document_fromstring(body)
                document.make_links_absolute(page, handle_failures="ignore")
                links = [(page, e.tag, name, url) for e, name, url, _ in document.iterlinks()]
                n_links += len(links)
    return n_links


ENGINES = {
    "spark": Engine("pyrelink in Spark", ("pyspark", "pyarrow"), None),
    "package": Engine("pyrelink", ("pyarrow",), with_package),
    "resiliparse": Engine(
        "fastwarc, resiliparse, urljoin", ("fastwarc", "resiliparse"), with_resiliparse, 3
    ),
    "lxml": Engine("warcio, lxml", ("warcio", "lxml"), with_lxml, 10),
}


def run_alone(count: Callable[[list[str]], int], paths: list[str]) -> dict[str, float]:
    """Runs an engine in this process; its modules are imported before the clock starts."""
    count(paths[:1])
    started = time.process_time()
    n_links = count(paths)
    return {"cpu": time.process_time() - started, "links": n_links}


def run_spark(paths: list[str]) -> dict[str, float]:
    """Runs a job with one core, and returns the CPU time of the JVM and of its Python workers."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from relink.spark import link_graph

    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    graph = link_graph(spark, paths)
    # The first job starts workers and compiles code of the JVM.
    graph.rows.write.format("noop").mode("overwrite").save()
    before, started = graph.counts.value("rows"), cpu_of_tree(os.getpid())
    graph.rows.write.format("noop").mode("overwrite").save()
    cpu = cpu_of_tree(os.getpid()) - started
    n_links = graph.counts.value("rows") - before
    spark.stop()
    return {"cpu": cpu, "links": n_links}


def cpu_of_tree(root: int) -> float:
    """Returns the CPU seconds of a process, of all below it, and of those of them that ended."""
    times, parents = {}, {}
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit():
            continue
        try:
            # The name of the program, in parentheses, may contain spaces.
            fields = (directory / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(directory.name)] = int(fields[1])
        times[int(directory.name)] = sum(map(int, fields[11:15]))

    def is_below(process: int) -> bool:
        while process not in (root, 0):
            process = parents.get(process, 0)
        return process == root

    return sum(times[process] for process in times if is_below(process)) / os.sysconf("SC_CLK_TCK")


def measure(name: str, paths: list[str]) -> dict[str, float]:
    """Runs an engine in a process of its own."""
    command = [sys.executable, __file__, "--engine", name, *paths]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"error: {name} failed: {done.stderr.strip()[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def installed(engine: Engine) -> bool:
    missing = [name for name in engine.needs if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {engine.title}: not installed: {', '.join(missing)}", file=sys.stderr)
    return not missing


def table(results: dict[str, list[dict[str, float]]], n_bytes: int) -> str:
    """Returns the table: medians of all runs."""
    per_gb = {
        name: statistics.median(run["cpu"] for run in runs) / n_bytes * 1e9
        for name, runs in results.items()
    }
    lines = [
        "| | CPU seconds per GB | least | most | times the package alone | mark | links |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, runs in results.items():
        engine = ENGINES[name]
        seconds = sorted(run["cpu"] / n_bytes * 1e9 for run in runs)
        ratio = per_gb[name] / per_gb["package"]
        mark = f"≥ {engine.mark}: {verdict(engine, ratio)}" if engine.mark else ""
        lines.append(
            f"| {engine.title} | {per_gb[name]:.2f} | {seconds[0]:.2f} | {seconds[-1]:.2f}"
            f" | {ratio:.1f} | {mark} | {runs[0]['links']:,.0f} |"
        )
    return "\n".join(lines)


def verdict(engine: Engine, ratio: float) -> str:
    return "reached" if engine.mark is None or ratio >= engine.mark else "missed"


def versions() -> str:
    names = (
        "pyrelink",
        *dict.fromkeys(need for engine in ENGINES.values() for need in engine.needs),
    )
    known = []
    for name in names:
        try:
            known.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return f"Python {platform.python_version()}, {', '.join(known)}"


def compare(paths: list[str], n_runs: int) -> bool:
    """Runs all engines in turn, prints the table, and returns true if it reaches its marks."""
    n_bytes = sum(length(path) for path in paths)
    names = [name for name, engine in ENGINES.items() if installed(engine)]
    results: dict[str, list[dict[str, float]]] = {name: [] for name in names}
    load = os.getloadavg()[0]
    for number in range(n_runs):
        for name in names:
            print(f"run {number + 1} of {n_runs}: {ENGINES[name].title}", file=sys.stderr)
            results[name].append(measure(name, paths))
    text = table(results, n_bytes)
    print(
        f"{len(paths)} archives, {n_bytes / 1e6:,.0f} MB of records, {n_runs} runs; {versions()};"
    )
    print(f"load before the first run: {load:.1f}\n\n{text}")
    return "missed" not in text


def length(path: str) -> int:
    """Returns the length of the records of an archive, decompressed."""
    n_bytes = 0
    with gzip.open(path) as file:
        while piece := file.read(1 << 20):
            n_bytes += len(piece)
    return n_bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--megabytes", type=int, default=200, help="of pages, before compression")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--shards", type=Path, help="a directory with archives (*.warc.gz)")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("archives", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        count = ENGINES[options.engine].count
        paths = options.archives
        print(json.dumps(run_alone(count, paths) if count else run_spark(paths)))
        return
    with tempfile.TemporaryDirectory() as directory:
        paths = sorted((options.shards or Path(directory)).glob("*.warc.gz"))
        if options.shards is None:
            import shards

            pages = shards.pages(shards.sources(), options.megabytes * 1_000_000)
            paths = shards.write(Path(directory), 4, pages)
        is_fast = compare([str(path) for path in paths], options.runs)
    sys.exit(0 if is_fast else 1)


if __name__ == "__main__":
    main()
