"""The commands and examples of docs/spark.md, run as they are written there.

Those of other engines are in test_spark_engines.py. Not run is the command for YARN, which needs a
cluster. The commands run offline: packages are those of this environment.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import shards as generator

CRATE = Path(__file__).resolve().parents[2]
PAGE = CRATE.parents[1] / "docs/spark.md"
ENVIRONMENT = Path(sys.prefix)

pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="not in a checkout")

# What the page takes for granted: a session, archives, a tree, and a store of Hadoop.
BEFORE = """
from pathlib import Path
from pyspark.sql import SparkSession
from relink.spark import absolutize_files
spark = (
    SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.hadoop.fs.viewfs.mounttable.default.link./site", Path("site").absolute().as_uri())
    .getOrCreate()
)
paths = ["shards/shard-000.warc.gz", "shards/shard-001.warc.gz"]
"""
AFTER = """
assert graph.rows.count() == spark.read.parquet("graph/output=rows").count() > 0
assert Path("absolute/a.html").read_text() == '<a href="https://example.org/b">'
assert bytes(pages.first().content) == Path("absolute/a.html").read_bytes()
"""


def run(command: list[str], directory: Path) -> subprocess.CompletedProcess:
    paths = [path for path in sys.path if path.endswith("site-packages")]
    settings = {
        "PATH": f"{ENVIRONMENT}/bin:{os.environ['PATH']}",
        "PIP_NO_INDEX": "1",
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join(paths),
        "SPARK_WORKER_DIR": str(directory / "work"),
    }
    done = subprocess.run(
        command, cwd=directory, env={**os.environ, **settings}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    return done


def test_the_commands_of_the_first_job(tmp_path):
    if not generator.sources():
        pytest.skip("no documentation is installed")
    section = PAGE.read_text().split("## A first job")[1].split("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    commands = [line for line in lines if "--master yarn" not in line]
    assert len(commands) == len(lines) - 1
    # What the page calls a checkout with a wheel.
    (tmp_path / "crates").symlink_to(CRATE.parent)
    (tmp_path / "target").mkdir()
    (tmp_path / "target/python").symlink_to(ENVIRONMENT.parent)
    done = run(["bash", "-euc", "\n".join(commands)], tmp_path)
    hosts = re.findall(r"^ *\d+ [\w.-]+$", done.stdout, re.M)
    assert hosts and "cannot be read" not in done.stdout


def test_the_examples(tmp_path):
    pages = ((f"http://h.example/{n}", b'<a href="b">') for n in range(4))
    generator.write(tmp_path / "shards", 2, pages)
    (tmp_path / "site").mkdir()
    (tmp_path / "site/a.html").write_text('<a href="b">')
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(blocks) > 3
    (tmp_path / "page.py").write_text("\n".join([BEFORE, *blocks, AFTER]))
    run([sys.executable, "page.py"], tmp_path)
