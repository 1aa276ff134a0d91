"""A cluster of two processes gives what one process gives, whatever happens to it."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from pathlib import Path

from processes import executors, is_descendant, of_port
from rows import references, rows
from store import served
from waiting import wait_until

from relink.spark import link_graph
from relink.spark.ranges import groups


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


def test_a_task_that_runs_again_repeats_its_group_only(
    spark, shards, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr("relink.spark.archives.groups", lambda found: groups(found, 16))
    names = [Path(shard).name for shard in shards]
    with served({Path(shard).name: Path(shard).read_bytes() for shard in shards}) as store:
        urls = [store.url(name) for name in names]
        # The second archive of the sixth of 16 groups of four.
        store.held = names[21]
        graph = link_graph(spark, urls)
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
        wait_until(
            "all other tasks have ended",
            lambda: not job.is_alive() or graph.counts.value("archives") == 60,
        )
        assert job.is_alive(), failures
        (reader,) = of_port(store.held_port)
        (killed,) = (pid for pid in before if is_descendant(reader, pid))
        os.kill(killed, signal.SIGKILL)
        job.join()

        assert not failures
        counted = Counter(name for name, _, _ in store.gets)
        assert counted == {name: 1 for name in names} | {name: 2 for name in names[20:22]}
        assert store.heads == counted
    wait_until("Spark has replaced the executor", lambda: len(executors()) == 2)
    after = set(executors())
    assert killed not in after and before - {killed} < after
    urls_of = dict(zip(shards, urls))
    of_store = Counter({(*row[:-1], urls_of[row[-1]]): n for row, n in expected.items()})
    assert rows(spark.read.parquet(output + "/output=rows")) == of_store
    assert not (tmp_path / "graph/output=problems").exists()
