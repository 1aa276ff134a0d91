"""The groups that measure the whole program on one large file: a mailbox, a sitemap, a page, a web
archive."""

import filecmp
from pathlib import Path

from measure import Engine, Failed, run

PEERS = Path(__file__).resolve().parent / "peers.py"
MB = 1_000_000


def mailbox(bench):
    group = bench.group(
        "mailbox",
        "A mailbox",
        "MB/s",
        "One core. relink rewrites all messages of a generated mailbox of newsletters; the others parse them and decode all bodies "
        "(mail-parser converts texts to UTF-8 too), and write nothing.",
    )
    corpora, relink = bench.corpora, bench.programs.relink
    size = (10 if bench.is_quick else 1000) * MB
    if not corpora.has_room(size * 2.5):
        size = 100 * MB
    path, text = corpora.mailbox(size)
    group.note(text)
    mail = bench.programs.benches["mail"]
    convert = [relink, "absolutize", path, "-j", "1", "--quiet", "-o"]
    engines = [
        Engine("relink", [*convert, "-"], cores=1),
        Engine("relink --verify none", [*convert, "-", "--verify", "none"], cores=1),
        _unpack(bench, path),
        Engine("mailparse", [mail, "mailparse", path], cores=1),
        Engine("mail-parser", [mail, "mail-parser", path], cores=1),
        Engine("Python email", [bench.python, PEERS, "email", path], cores=1),
    ]
    bench.alternate(group, "absolutize", "newsletters", engines, path.stat().st_size)
    # A program that copies a mailbox and changes nothing would be fast.
    out = corpora.path("out.mbox")
    try:
        run([*convert, out])
        if filecmp.cmp(path, out, shallow=False):
            bench.skip("mailbox: relink has changed nothing")
        for engine in engines[3:]:
            group.count("newsletters", engine.name, run(engine.command, keep=True).output.decode().strip())
    except Failed as error:
        bench.skip(f"mailbox: {error}")
    corpora.clear(path.name, out.name, "unpacked")


def sitemap(bench):
    group = bench.group(
        "sitemap",
        "A sitemap",
        "MB/s",
        "One core. `xmllint` and `xmllint --stream` parse the file and print nothing.",
    )
    corpora, relink = bench.corpora, bench.programs.relink
    path = corpora.sitemap((5 if bench.is_quick else 100) * MB)
    base = ["--base", "https://docs.example/sitemap.xml", "-j", "1", "-q"]
    absolutize = [relink, "absolutize", path, *base, "-o", "-"]
    engines = [
        Engine("relink refs", [relink, "refs", path, *base], cores=1),
        Engine("relink absolutize", absolutize, cores=1),
        Engine("relink absolutize --verify none", [*absolutize, "--verify", "none"], cores=1),
        Engine("xmllint --stream", ["xmllint", "--noout", "--stream", path], cores=1),
        Engine("xmllint", ["xmllint", "--noout", path], cores=1),
    ]
    bench.alternate(group, "read", "sitemap", engines, path.stat().st_size)
    _count_references(group, "sitemap", relink, path, base)
    corpora.clear(path.name)


def memory(bench):
    group = bench.group(
        "memory",
        "Memory per byte of the largest document",
        "MB/s",
        "`relink absolutize -j 1 -o -` of one document.",
    )
    corpora, relink = bench.corpora, bench.programs.relink
    for name, make, size in (
        ("HTML", corpora.page, 1000),
        ("CSS", corpora.style_sheet, 100),
        ("XML", corpora.sitemap, 100),
        ("JSON", corpora.feed, 100),
    ):
        size = (size // 20 if bench.is_quick else size) * MB
        # The document, and what relink needs of it.
        if not corpora.has_room(size * 6):
            bench.skip(f"memory: there is no room for a document of {size // MB} MB")
            continue
        path = make(size)
        limits = ["--limit", "document-size=none", "--limit", "memory=none"]
        command = [relink, "absolutize", path, "--base", "https://docs.example/a/b/", "-j", "1", "-q", *limits, "-o", "-"]
        bench.alternate(group, "absolutize", name, [Engine("relink", command, cores=1)], path.stat().st_size, n_runs=min(3, bench.n_runs))
        group.count(name, "bytes", path.stat().st_size)
        _count_references(group, name, relink, path, limits)
        corpora.clear(path.name)


def archives(bench):
    group = bench.group(
        "archives",
        "Web archives",
        "MB/s",
        "One core. A WARC of pages of the documentation of Rust, a gzip member for each record; MB are of the decompressed records. "
        "`inflate` is flate2 with zlib-rs, and does nothing else.",
    )
    corpora, relink, python = bench.corpora, bench.programs.relink, bench.programs.python
    for tree in bench.trees("rust"):
        path, length = corpora.archive(tree, (5 if bench.is_quick else 200) * MB)
        engines = [
            Engine("relink refs", [relink, "refs", path, "-j", "1", "-q"], cores=1),
            _unpack(bench, path),
            Engine("inflate", [bench.programs.benches["inflate"], path], cores=1),
            Engine("gzip -dc", ["gzip", "-dc", path], cores=1),
        ]
        peers = [("warcio + lxml", "warcio"), ("fastwarc + resiliparse", "fastwarc")] if python else []
        peers = [Engine(name, [python, PEERS, command, path], cores=1) for name, command in peers]
        bench.alternate(group, "refs", tree.name, [*engines, *peers], length)
        _count_references(group, tree.name, relink, path, [])
        for engine in peers:
            try:
                group.count(tree.name, engine.name, run(engine.command, keep=True).output.decode().strip())
            except Failed as error:
                bench.skip(f"archives: {error}")
        corpora.clear(path.name, "unpacked")


def _unpack(bench, path):
    """The engine that unpacks a file to a new directory."""
    out = bench.corpora.path("unpacked")
    command = [bench.programs.relink, "unpack", path, "-j", "1", "-q", "-o", out]
    return Engine("relink unpack", command, lambda: bench.corpora.clear(out.name), cores=1)


def _count_references(group, subject, relink, path, options):
    """Records how many references relink lists."""
    command = ["sh", "-c", '"$@" | wc -l', "sh", relink, "refs", path, *options]
    group.count(subject, "references of relink", int(run(command, keep=True).output))
