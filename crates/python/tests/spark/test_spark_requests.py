"""How many requests a task makes of a store: a server of S3 that counts them. Needs no cluster."""

from __future__ import annotations

import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import shards as generator

import relink
from relink.spark import pieces
from relink.spark.ranges import Range, ranges
from relink.spark.storage import Location

PIECE = 1 << 20


class Store(ThreadingHTTPServer):
    """A bucket with one object."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.body = body
        # The first and last byte of each GET, and the number of HEADs.
        self.gets: list[tuple[int, int]] = []
        self.n_heads = 0


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self.server.n_heads += 1
        self.answer(200, len(self.server.body))

    def do_GET(self) -> None:
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        part = self.server.body[first : last + 1]
        self.server.gets.append((first, first + len(part) - 1))
        self.answer(206, len(part))
        self.wfile.write(part)

    def answer(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def archive(tmp_path_factory) -> Path:
    """An archive of about 3.5 MiB, with a member of gzip for each record."""
    octets = random.Random(1)
    pages = (
        (f"http://h.example/{n}/", f"<a href={n}>{octets.randbytes(28_000).hex()}".encode())
        for n in range(125)
    )
    return generator.write(tmp_path_factory.mktemp("archive"), 1, pages)[0]


@pytest.fixture
def store(archive, monkeypatch):
    server = Store(archive.read_bytes())
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.setenv(name, "none")
    monkeypatch.setattr(pieces, "PIECE", PIECE)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def targets(part: Range) -> list[str]:
    with Location(part.path).open(start=part.start, end=part.end) as file:
        batches = relink.scan_warc(file, start=part.start, end=part.end)
        return [target for links, _ in batches for target in links.column("target").to_pylist()]


def test_an_archive_is_fetched_in_pieces(archive, store):
    size = len(store.body)
    found = targets(Range("s3://bucket/a.warc.gz"))
    assert found == targets(Range(str(archive))) and len(found) == 125
    starts = range(0, size, PIECE)
    assert sorted(store.gets) == [(at, min(at + PIECE, size) - 1) for at in starts]
    assert len(store.gets) == 4 and store.n_heads == 1


def test_ranges_are_fetched_once_but_for_their_edges(archive, store):
    parts = ranges("s3://bucket/a.warc.gz", split=2 * PIECE)
    assert [part.start for part in parts] == [0, 2 * PIECE] and store.n_heads == 1
    assert [target for part in parts for target in targets(part)] == targets(Range(str(archive)))
    # Two pieces and the end of the last record; the head of the file, and two pieces.
    assert len(store.gets) == 3 + 3
    assert sum(last + 1 - first for first, last in store.gets) <= len(store.body) + 2 * PIECE
