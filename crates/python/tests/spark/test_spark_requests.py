"""How many requests a task makes of a store: a server of S3 that counts them. Needs no cluster."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import shards as generator
from store import served

import relink
from relink.spark import pieces
from relink.spark.ranges import Range, ranges
from relink.spark.storage import Location

PIECE = 1 << 20
NAME = "a.warc.gz"


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
    monkeypatch.setattr(pieces, "PIECE", PIECE)
    with served({NAME: archive.read_bytes()}) as server:
        # As executors find a store: by the variables of their environment.
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
            monkeypatch.setenv(name, "none")
        yield server


def targets(part: Range) -> list[str]:
    with Location(part.path).open(start=part.start, end=part.end) as file:
        batches = relink.scan_warc(file, start=part.start, end=part.end)
        return [target for links, _ in batches for target in links.column("target").to_pylist()]


def test_an_archive_is_fetched_in_pieces(archive, store):
    size = archive.stat().st_size
    found = targets(Range(f"s3://bucket/{NAME}"))
    assert found == targets(Range(str(archive))) and len(found) == 125
    starts = range(0, size, PIECE)
    assert sorted(store.gets) == [(NAME, at, min(at + PIECE, size) - 1) for at in starts]
    assert len(store.gets) == 4 and store.heads == {NAME: 1}


def test_ranges_are_fetched_once_but_for_their_edges(archive, store):
    parts = ranges(f"s3://bucket/{NAME}", split=2 * PIECE)
    assert [part.start for part in parts] == [0, 2 * PIECE] and store.heads == {NAME: 1}
    assert [target for part in parts for target in targets(part)] == targets(Range(str(archive)))
    # Two pieces and the end of the last record; the head of the file, and two pieces.
    assert len(store.gets) == 3 + 3
    n_bytes = sum(last + 1 - first for _, first, last in store.gets)
    assert n_bytes <= archive.stat().st_size + 2 * PIECE
