"""Archives, a cluster of two executor processes, and what a single process finds."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))

# The environment of the tests has all of these, or the tests are skipped.
pyspark = pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
pytest.importorskip("warcio")
if shutil.which("java") is None:
    pytest.skip("java is not installed", allow_module_level=True)

import shards as generator  # noqa: E402

import relink  # noqa: E402

# All shards are larger with RELINK_FULL=1; their number is the same.
N_SHARDS = 64
N_BYTES = 64_000_000 if os.environ.get("RELINK_FULL") == "1" else 6_000_000


def made_up_pages(n_pages: int):
    """Returns pages with references of several slots, for machines without documentation."""
    for number in range(n_pages):
        url = f"http://host-{number % 7}.example/{number}/page.html"
        links = "".join(f'<a href="../{k}/page.html?n={number}#{k}">{k}</a>' for k in range(200))
        body = f'<!DOCTYPE html><base href="/{number}/x/"><img src="a b.png">{links}'
        yield url, body.encode()


@pytest.fixture(scope="session")
def shards(tmp_path_factory) -> list[str]:
    """The paths of 64 archives with pages of local documentation, a gzip member for each record."""
    trees = generator.sources()
    pages = generator.pages(trees, N_BYTES) if trees else made_up_pages(1000)
    return [
        str(path) for path in generator.write(tmp_path_factory.mktemp("shards"), N_SHARDS, pages)
    ]


@pytest.fixture(scope="session")
def expected(shards) -> Counter:
    """The references that one process finds in the archives, without Spark."""
    found = references(shards)
    assert found.total() > 10_000
    return found


@pytest.fixture(scope="session")
def some_shards(shards) -> list[str]:
    """A few of the archives."""
    return shards[:4]


@pytest.fixture(scope="session")
def some_expected(some_shards) -> Counter:
    """The references that one process finds in a few of the archives."""
    return references(some_shards)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A cluster of two executors, each a process with one core."""
    # The executors run the Python of this environment, and import what it imports.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    builder = pyspark.sql.SparkSession.builder.master("local-cluster[2,1,1024]")
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


COLUMNS = ("page", "slot", "text", "target", "record_id", "offset", "base_source")


def references(paths) -> Counter:
    """Returns each reference of archives with the number of times that it is there."""
    found: Counter = Counter()
    for path in paths:
        for batch, _ in relink.warc_references(path, name=path):
            found.update(
                zip(*(batch.column(name).to_pylist() for name in COLUMNS), [path] * len(batch))
            )
    return found


def rows(frame) -> Counter:
    """Returns the rows of a DataFrame of references as `references` does."""
    return Counter(map(tuple, frame.select(*COLUMNS, "archive").collect()))
