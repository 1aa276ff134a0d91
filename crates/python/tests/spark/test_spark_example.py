"""The example job, run by spark-submit as docs/spark.md runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

from rows import COLUMNS, references

JOB = Path(__file__).resolve().parents[2] / "examples/most_linked.py"
SUBMIT = "from pyspark.find_spark_home import _find_spark_home as home; print(home())"


def test_the_job_prints_the_most_linked_hosts(some_shards, tmp_path):
    command = [sys.executable, "-c", SUBMIT]
    home = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    submit = [f"{home}/bin/spark-submit", "--master", "local-cluster[2,1,1024]"]
    missing = str(tmp_path / "missing.warc.gz")
    job = [
        *submit,
        str(JOB),
        *some_shards,
        missing,
        "--top",
        "3",
        "--output",
        str(tmp_path / "out"),
    ]
    # The cluster makes a directory for the logs of its executors.
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_HOME": home}
    environment["SPARK_WORKER_DIR"] = str(tmp_path / "work")
    done = subprocess.run(job, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]

    page, target = COLUMNS.index("page"), COLUMNS.index("target")
    hosts: Counter = Counter()
    for reference, n in references(some_shards).items():
        host = urlsplit(reference[target] or "").hostname
        if host and host != urlsplit(reference[page]).hostname:
            hosts[host] += n
    most = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:3]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[: len(most)] == [[str(n), host] for host, n in most]
    assert lines[len(most)][0] == missing + ":"
    assert (tmp_path / "out/_SUCCESS").exists()
