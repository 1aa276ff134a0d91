"""The documents that are measured: trees of this machine, and files that are generated, the same
ones on every machine.

Everything is below one directory, in memory if there is room, and a group removes what it made.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMORY = Path("/dev/shm")
MB = 1_000_000
# The most files of a tree with --quick.
N_QUICK_FILES = 300


def room(directory):
    """The bytes that a directory has room for; one in memory has no more than there is free memory."""
    free = shutil.disk_usage(directory).free
    if Path(directory).is_relative_to(MEMORY):
        with open("/proc/meminfo") as file:
            available = next(line for line in file if line.startswith("MemAvailable"))
        free = min(free, int(available.split()[1]) * 1024)
    return free


@dataclass
class Tree:
    """A directory of documents."""

    key: str
    name: str
    root: Path
    base: str
    n_files: int = 0
    n_pages: int = 0
    n_bytes: int = 0
    # The bytes of HTML alone.
    n_html: int = 0

    def __post_init__(self):
        for path in files(self.root):
            size = path.stat().st_size
            self.n_files += 1
            self.n_bytes += size
            if path.suffix == ".html":
                self.n_pages += 1
                self.n_html += size

    @property
    def size(self):
        return {"bytes": self.n_bytes, "files": self.n_files, "pages": self.n_pages, "html": self.n_html}


def files(root):
    """All files below a directory, in path order; symbolic links are not followed."""
    for directory, names, entries in os.walk(root):
        names.sort()
        for entry in sorted(entries):
            path = Path(directory, entry)
            if path.is_file() and not path.is_symlink():
                yield path


class Corpora:
    """The directory of a run, and what is in it."""

    def __init__(self, is_quick):
        self.is_quick = is_quick
        place = MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and room(MEMORY) > 500 * MB else tempfile.gettempdir()
        self.is_in_memory = place == MEMORY
        self.directory = Path(tempfile.mkdtemp(prefix="relink-figures.", dir=place))

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return self.directory / name

    def clear(self, *names):
        """Removes files and directories that are here, if they are."""
        paths = [str(self.path(name)) for name in names]
        subprocess.run(["rm", "-rf", "--", *paths], check=True)

    def has_room(self, n_bytes):
        return room(self.directory) > n_bytes * 1.1

    # Trees

    def sources(self):
        """The trees of this machine: key, name, root, URL."""
        try:
            sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
        except OSError:
            sysroot = "/"
        rust = Path(sysroot, "share/doc/rust/html")
        return [
            ("rust", "Rust docs", rust, "https://doc.rust-lang.org/"),
            ("std", "Rust std", rust / "std", "https://doc.rust-lang.org/std/"),
            ("pydoc", "python3.11-doc", Path("/usr/share/doc/python3.11/html"), "https://docs.python.org/3.11/"),
            ("boost", "libboost1.81-doc", Path("/usr/share/doc/libboost1.81-doc"), "https://www.boost.org/doc/libs/1_81_0/"),
        ]

    def trees(self, *keys):
        """Yields the trees with these keys, and the reason for each that is not here. With --quick
        each is a sample."""
        for key, name, root, base in self.sources():
            if key not in keys:
                continue
            if not root.is_dir():
                yield None, f"{name} is not installed: there is no {root}"
                continue
            tree = Tree(key, name, root, base)
            yield (self.sample(tree, -(-tree.n_files // N_QUICK_FILES)) if self.is_quick else tree), None

    def sample(self, tree, step):
        """Returns every nth file of a tree, in a directory of its own."""
        if step <= 1:
            return tree
        root = self.path(f"sample-{tree.key}")
        if not root.exists():
            for number, path in enumerate(files(tree.root)):
                if number % step == 0:
                    to = root / path.relative_to(tree.root)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, to)
        return Tree(tree.key, f"{tree.name} (a sample: 1 of {step} files)", root, tree.base)

    def copy(self, tree, name, *, pages_only=False, n_copies=3):
        """Copies a tree to where there is room for it several times, or a sample of it."""
        step = 1
        while not self.has_room(tree.n_bytes * n_copies / step):
            step *= 2
        tree = self.sample(tree, step)
        to = self.path(name)
        self.clear(name)
        if pages_only:
            for path in files(tree.root):
                if path.suffix == ".html":
                    target = to / path.relative_to(tree.root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, target)
        else:
            subprocess.run(["cp", "-r", "--reflink=never", tree.root, to], check=True)
        return Tree(tree.key, tree.name, to, tree.base)

    def tiny(self, n_files):
        """A tree of many files of a kilobyte each, a hundred in a directory."""
        root = self.path("tiny")
        self.clear("tiny")
        for number in range(n_files):
            if number % 100 == 0:
                directory = root / f"{number // 100:04}"
                directory.mkdir(parents=True)
            links = "".join(
                f'<p>Some words before <a href="../{link:04}/{number % 100}.html">link number {link}</a>.</p>\n' for link in range(12)
            )
            page = f"<!DOCTYPE html><meta charset=utf-8><title>Page {number}</title>\n{links}"
            (directory / f"{number % 100}.html").write_text(page)
        return Tree(f"tiny-{n_files}", f"{n_files:,} tiny files", root, "https://docs.example/")

    # Files

    def write(self, name, n_bytes, head, item, foot, between=""):
        """Writes a file of a size: numbered items between a head and a foot."""
        path = self.path(name)
        length, number = len(head) + len(foot), 0
        with open(path, "w", encoding="ascii", newline="") as file:
            file.write(head)
            while length < n_bytes:
                text = (between if number else "") + item(number)
                file.write(text)
                length += len(text)
                number += 1
            file.write(foot)
        return path

    def page(self, n_bytes):
        def item(number):
            return (
                f'<section id="s{number}"><h2>Section {number} of a long page</h2>\n<p>It has some words before '
                f'<a class="link" href="../part/{number % 977}/page-{number}.html#top">a link</a>, and as many after it, so that there is '
                "about as much text between references as in documentation &amp; other pages: two hundred octets, or some thirty words.\n"
                f'<img src="images/{number % 613}.png" alt="Image {number}" width="20" height="20"></section>\n'
            )

        return self.write("page.html", n_bytes, "<!DOCTYPE html>\n<meta charset=utf-8><title>A page</title>\n", item, "")

    def style_sheet(self, n_bytes):
        def item(number):
            return (
                f".block-{number} > a.icon:hover, .block-{number} > a.icon:focus {{\n  color: #{number % 4096:03x};\n  display: inline-block;\n"
                f"  margin: 0 {number % 7}px;\n  background: url(../images/{number}.png) no-repeat;\n  padding: 0 4px\n}}\n"
                f"@media (max-width: {number % 900}px) {{ .block-{number} {{ float: none; width: calc(100% - {number % 13}px) }} }}\n"
            )

        return self.write("style.css", n_bytes, '@charset "utf-8";\n', item, "")

    def sitemap(self, n_bytes):
        """A sitemap; the alternates are relative, so that there is something to make absolute."""
        head = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
            'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n'
        )

        def item(number):
            page = f"section-{number % 311}/topic-{number}/"
            return (
                f"<url>\n  <loc>https://docs.example/{page}</loc>\n  <lastmod>2026-01-{number % 28 + 1:02}</lastmod>\n"
                f"  <changefreq>monthly</changefreq>\n  <priority>0.{number % 10}</priority>\n"
                f'  <xhtml:link rel="alternate" hreflang="de" href="/de/{page}"/>\n</url>\n'
            )

        return self.write("sitemap.xml", n_bytes, head, item, "</urlset>\n")

    def feed(self, n_bytes):
        def item(number):
            return json.dumps({
                "id": f"https://docs.example/{number}",
                "url": f"posts/{number}.html",
                "title": f"Post {number}",
                "content_html": f'<p>Some words before <a href="../{number}/">a link</a> and some after it, as in a post of a feed.</p>',
                "image": f"images/{number % 97}.png",
            })

        head = '{"version": "https://jsonfeed.org/version/1.1", "title": "A feed", "items": [\n'
        return self.write("feed.json", n_bytes, head, item, "\n]}\n", ",\n")

    def mailbox(self, n_bytes):
        """A mailbox of newsletters, by a program of its own."""
        path = self.path("letters.mbox")
        with open(path, "wb") as out:
            command = [sys.executable, HERE / "newsletters.py", str(n_bytes)]
            text = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=True, text=True).stderr.strip()
        return path, text

    def archive(self, tree, n_bytes):
        """A web archive of every nth page of a tree, with a gzip member for each record, as
        crawlers write it. Returns its path, and the bytes of the records."""
        path = self.path("crawl.warc.gz")
        step = max(1, round(tree.n_html / n_bytes))
        pages = (page for page in files(tree.root) if page.suffix == ".html")
        length = 0
        with open(path, "wb") as out:
            for number, page in enumerate(pages):
                if number % step:
                    continue
                body = page.read_bytes()
                http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
                url = tree.base + page.relative_to(tree.root).as_posix()
                fields = (
                    f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012}>\r\n"
                    f"WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: {url}\r\n"
                    f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
                )
                record = fields.encode() + http + b"\r\n\r\n"
                compressor = zlib.compressobj(wbits=31)
                out.write(compressor.compress(record) + compressor.flush())
                length += len(record)
        return path, length
