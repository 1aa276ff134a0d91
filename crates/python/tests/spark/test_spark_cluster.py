"""A cluster of two processes gives what one process gives, whatever happens to it."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

from rows import references, rows

from relink.spark import link_graph


def test_the_result_is_that_of_one_process(spark, shards, expected):
    graph = link_graph(spark, shards).persist()
    assert rows(graph.rows) == expected
    assert graph.problems.count() == 0
    counts = {"archives": len(shards), "rows": expected.total(), "problems": 0}
    assert graph.counts.as_dict() == counts
    graph.unpersist()


def test_ranges_of_archives_give_each_record_once(spark, shards, expected):
    paths = shards[:8]
    # Many ranges begin inside a record, and some contain the beginning of none.
    graph = link_graph(spark, paths, split=7001)
    assert graph.rows.rdd.getNumPartitions() > 3 * len(paths)
    assert rows(graph.rows) == references(paths)


def test_a_task_reads_one_archive(spark, shards):
    tasks = (
        link_graph(spark, shards)
        .rows.selectExpr("spark_partition_id() AS task", "archive")
        .distinct()
    )
    assert sorted(row.archive for row in tasks.collect()) == sorted(shards)
    assert tasks.select("task").distinct().count() == len(shards)


def test_an_executor_that_is_killed_loses_and_doubles_nothing(spark, shards, expected, tmp_path):
    graph = link_graph(spark, shards)
    output = str(tmp_path / "graph")
    failures = []

    def write():
        try:
            graph.write(output)
        except Exception as error:
            failures.append(error)

    before = executors()
    assert len(before) == 2
    job = threading.Thread(target=write)
    job.start()
    while job.is_alive() and graph.counts.value("archives") < 8:
        time.sleep(0.02)
    n_done = graph.counts.value("archives")
    os.kill(before[0], signal.SIGKILL)
    assert job.is_alive() and n_done < len(shards), (
        f"{n_done} archives: the job was not in its middle"
    )
    job.join()

    assert not failures
    # Spark has replaced it.
    deadline = time.monotonic() + 60
    while len(executors()) < 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    after = executors()
    assert before[0] not in after and before[1] in after and len(after) == 2
    assert rows(spark.read.parquet(output + "/output=rows")) == expected
    assert not (tmp_path / "graph/output=problems").exists()


def executors() -> list[int]:
    """Returns the process ids of the executors that this process started, oldest first."""
    found = []
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit():
            continue
        try:
            command = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(directory.name)
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in command and is_descendant(
            pid
        ):
            found.append(pid)
    return sorted(found)


def is_descendant(pid: int) -> bool:
    """Returns true for a child of this process, a child of it, and so on."""
    while pid > 1:
        if pid == os.getpid():
            return True
        try:
            # The name of the program, in parentheses, may contain spaces.
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False
        pid = int(stat.rpartition(")")[2].split()[1])
    return False
