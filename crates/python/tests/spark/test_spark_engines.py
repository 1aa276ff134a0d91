"""The examples of docs/spark.md for other engines, as they are written there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from rows import COLUMNS, references

import relink

SLOT = COLUMNS.index("slot")


@pytest.fixture(scope="module")
def page() -> str:
    path = Path(__file__).resolve().parents[4] / "docs/spark.md"
    if not path.exists():
        pytest.skip("docs/spark.md is not there")
    return path.read_text(encoding="utf-8")


def run(page: str, engine: str, paths: list[str]) -> dict:
    """Runs the example of an engine, and returns its variables."""
    code = re.search(rf"^```python {engine}\n(.*?)^```$", page, re.M | re.S)[1]
    variables = {"paths": paths}
    exec(compile(code, f"docs/spark.md: {engine}", "exec"), variables)
    return variables


@pytest.fixture(scope="module")
def by_slot(some_shards) -> dict[str, int]:
    counts: Counter = Counter()
    for reference, n in references(some_shards).items():
        counts[reference[SLOT]] += n
    return dict(counts)


def test_ray(page, some_shards, by_slot):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        counts = run(page, "ray", some_shards)["counts"]
    finally:
        ray.shutdown()
    assert dict(zip(counts["slot"], counts["count()"])) == by_slot


def test_dask(page, some_shards, by_slot):
    pytest.importorskip("dask.dataframe")
    assert run(page, "dask", some_shards)["counts"].to_dict() == by_slot


def test_duckdb(page, some_shards, by_slot):
    pytest.importorskip("duckdb")
    counts = run(page, "duckdb", some_shards)["counts"]
    assert dict(zip(counts["slot"], counts["n"])) == by_slot


def test_polars(some_shards, by_slot):
    polars = pytest.importorskip("polars")
    slots = polars.DataFrame(relink.scan_warc(some_shards))["slot"]
    assert dict(slots.value_counts().iter_rows()) == by_slot
