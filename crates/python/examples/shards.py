"""Writes web archives of the documentation on this machine, each record a member of gzip.

    python shards.py DIRECTORY [--shards 64] [--megabytes 64] [--source TREE ...]

Needs warcio. Without --source, the trees are those of SOURCES that are there. The same trees give
the same archives.
"""

from __future__ import annotations

import argparse
import io
import itertools
import random
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Iterable, Iterator
from urllib.parse import quote

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

SOURCES = ("python3.11", "python3", "libboost1.81-doc", "postgresql-doc-15", "openjdk-17-doc")
DATE = "2024-05-01T12:00:00Z"

Page = tuple[str, bytes]


def sources() -> list[Path]:
    """Returns the trees of documentation on this machine."""
    trees = [Path("/usr/share/doc") / name for name in SOURCES]
    try:
        command = ["rustc", "--print", "sysroot"]
        root = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        trees.insert(0, Path(root) / "share/doc/rust/html")
    except (OSError, subprocess.CalledProcessError):
        pass
    return [tree for tree in trees if tree.is_dir()]


def pages(trees: Iterable[Path], n_bytes: int) -> Iterator[Page]:
    """Returns about `n_bytes` of pages with their URLs, in a fixed random order in each tree."""
    trees = list(trees)
    for tree in trees:
        files = sorted(path for path in tree.rglob("*.html") if path.is_file())
        random.Random(26).shuffle(files)
        remaining = n_bytes // len(trees)
        host = f"http://{tree.name.replace('.', '-')}.docs.example/"
        for path in files:
            if remaining <= 0:
                break
            body = path.read_bytes()
            remaining -= len(body)
            yield host + quote(path.relative_to(tree).as_posix()), body


def write(directory: Path, n_shards: int, documents: Iterable[Page]) -> list[Path]:
    """Writes pages to archives in turn, and returns the paths of the archives."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = [directory / f"shard-{number:03}.warc.gz" for number in range(n_shards)]
    files = [path.open("wb") for path in paths]
    writers = [WARCWriter(file, gzip=True) for file in files]
    for (url, body), writer in zip(documents, itertools.cycle(writers)):
        writer.write_record(_record(writer, url, body))
    for file in files:
        file.close()
    return paths


def _record(writer: WARCWriter, url: str, body: bytes):
    fields = [("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body)))]
    http = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
    warc = {
        "WARC-Date": DATE,
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>",
    }
    return writer.create_warc_record(
        url, "response", payload=io.BytesIO(body), http_headers=http, warc_headers_dict=warc
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--megabytes", type=int, default=64, help="of pages, before compression")
    parser.add_argument(
        "--source", type=Path, action="append", help="a tree with pages; may be repeated"
    )
    options = parser.parse_args()
    trees = options.source or sources()
    if not trees:
        sys.exit("error: no documentation is installed; use --source")
    paths = write(options.directory, options.shards, pages(trees, options.megabytes * 1_000_000))
    n_bytes = sum(path.stat().st_size for path in paths)
    print(f"{len(paths)} archives with {n_bytes} bytes in {options.directory}")


if __name__ == "__main__":
    main()
