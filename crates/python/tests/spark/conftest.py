"""Archives of local documentation, and a cluster of two executor processes.

The tests need Java, PySpark, pyarrow and warcio; where one of them is missing, none is collected.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Iterator

import pytest

TESTS = Path(__file__).resolve().parents[1]
EXAMPLES = TESTS.parent / "examples"
sys.path[:0] = [str(EXAMPLES), str(TESTS)]

MISSING = [name for name in ("pyspark", "pyarrow", "warcio") if not importlib.util.find_spec(name)]
MISSING += [] if shutil.which("java") else ["java"]
collect_ignore_glob = ["test_*.py"] if MISSING else []

# There are as many shards, of more pages, with RELINK_FULL=1.
N_SHARDS = 64
N_BYTES = 64_000_000 if os.environ.get("RELINK_FULL") == "1" else 6_000_000


def pytest_report_header() -> list[str]:
    return [f"skipped: tests of Spark: not installed: {', '.join(MISSING)}"] if MISSING else []


def made_up_pages(n_pages: int) -> Iterator[tuple[str, bytes]]:
    """Returns pages with references of several slots, for machines without documentation."""
    for number in range(n_pages):
        url = f"http://host-{number % 7}.example/{number}/page.html"
        links = "".join(f'<a href="../{k}/page.html?n={number}#{k}">{k}</a>' for k in range(200))
        body = f'<!DOCTYPE html><base href="/{number}/x/"><img src="a b.png">{links}'
        yield url, body.encode()


@pytest.fixture(scope="session")
def shards(tmp_path_factory) -> list[str]:
    """The paths of 64 archives with pages of documentation, a gzip member for each record."""
    import shards as generator

    trees = generator.sources()
    pages = generator.pages(trees, N_BYTES) if trees else made_up_pages(1000)
    paths = generator.write(tmp_path_factory.mktemp("shards"), N_SHARDS, pages)
    return [str(path) for path in paths]


@pytest.fixture(scope="session")
def some_shards(shards) -> list[str]:
    """A few of the archives."""
    return shards[:4]


@pytest.fixture(scope="session")
def expected(shards) -> Counter:
    """The references that one process finds in the archives, without Spark."""
    from rows import references

    found = references(shards)
    assert found.total() > 10_000
    return found


@pytest.fixture(scope="session", autouse=True)
def settings(tmp_path_factory) -> None:
    """Files are not compressed by snappy, whose library cannot be loaded beside that of musl."""
    directory = tmp_path_factory.mktemp("conf")
    codec = "spark.sql.parquet.compression.codec zstd\n"
    (directory / "spark-defaults.conf").write_text(codec)
    os.environ["SPARK_CONF_DIR"] = str(directory)


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """A session on a cluster of two executors, each a process with one core."""
    from pyspark.sql import SparkSession

    # The executors run the Python of this environment, and import what it imports.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.local.dir": str(tmp_path_factory.mktemp("spark")),
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
    }
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
