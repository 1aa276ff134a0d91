"""A cluster of two processes gives what one process gives, whatever happens to it."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import sys
import termios
import threading
from collections import Counter
from pathlib import Path
from typing import Optional

from rows import references, rows
from waiting import wait_for, wait_until

from relink.spark import link_graph


def test_the_result_is_that_of_one_process(spark, shards, expected):
    graph = link_graph(spark, shards).persist()
    assert rows(graph.rows) == expected
    assert graph.problems.count() == 0
    counts = {"archives": len(shards), "rows": expected.total(), "problems": 0, "failed": 0}
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
    # The first archive is a pipe, so that the job cannot end before all of it is written.
    whole, others = Path(shards[0]).read_bytes(), shards[1:]
    pipe = tmp_path / "pipe.warc.gz"
    os.mkfifo(pipe)
    graph = link_graph(spark, [str(pipe), *others])
    output = str(tmp_path / "graph")
    failures = []

    def write():
        try:
            graph.write(output)
        except Exception as error:
            failures.append(error)

    before = set(executors())
    assert len(before) == 2
    job = threading.Thread(target=write)
    job.start()
    end = wait_for("a task opens the pipe", lambda: opened(pipe, job))
    (reader,) = wait_for("the task has it open", lambda: readers(pipe) or None)
    os.write(end, whole[: len(whole) // 2])
    wait_until("the task has read a half", lambda: n_octets_in(end) == 0)
    wait_until(
        "other tasks have ended", lambda: not job.is_alive() or graph.counts.value("archives") >= 8
    )
    assert job.is_alive(), failures

    (killed,) = (pid for pid in before if is_descendant(reader, pid))
    os.kill(killed, signal.SIGKILL)
    wait_until("the task is gone", lambda: reader not in readers(pipe))
    wait_until("it runs again", lambda: not job.is_alive() or readers(pipe))
    assert job.is_alive(), failures
    with open(end, "wb") as file:
        file.write(whole)
    job.join()

    assert not failures
    wait_until("Spark has replaced the executor", lambda: len(executors()) == 2)
    after = set(executors())
    assert killed not in after and before - {killed} < after
    by_path = Counter({(*row[:-1], str(pipe)): n for row, n in references(shards[:1]).items()})
    of_others = Counter({row: n for row, n in expected.items() if row[-1] != shards[0]})
    assert rows(spark.read.parquet(output + "/output=rows")) == by_path + of_others
    assert not (tmp_path / "graph/output=problems").exists()


def opened(pipe: Path, job: threading.Thread) -> Optional[int]:
    """Opens a pipe to write to it; returns None as long as nobody reads it."""
    assert job.is_alive(), "the job ended"
    try:
        end = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        assert error.errno == errno.ENXIO
        return None
    os.set_blocking(end, True)
    return end


def n_octets_in(end: int) -> int:
    """Returns how many bytes of a pipe nobody has read yet."""
    size = bytearray(4)
    fcntl.ioctl(end, termios.FIONREAD, size)
    return int.from_bytes(size, sys.byteorder)


def readers(pipe: Path) -> list[int]:
    """Returns the process ids of those that have a file open, without this one."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) == str(pipe):
                found.add(int(link.parts[2]))
        except OSError:
            continue
    return sorted(found - {os.getpid()})


def executors() -> list[int]:
    """Returns the process ids of the executors that this process started."""
    found = []
    for directory in Path("/proc").iterdir():
        if not directory.name.isdigit():
            continue
        try:
            command = (directory / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        pid = int(directory.name)
        is_executor = b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in command
        if is_executor and is_descendant(pid, os.getpid()):
            found.append(pid)
    return found


def is_descendant(pid: int, ancestor: int) -> bool:
    """Returns true for a child of a process, a child of it, and so on."""
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            # The name of the program, in parentheses, may contain spaces.
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return False
        pid = int(stat.rpartition(")")[2].split()[1])
    return False
