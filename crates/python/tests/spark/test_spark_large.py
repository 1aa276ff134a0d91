"""What the plan of many ranges costs the driver: memory, and processor time as /proc has it."""

from __future__ import annotations

import os
from pathlib import Path

from relink.spark import link_graph


def test_a_million_ranges_are_planned(spark):
    # The Java machine of the driver has the memory that it gets by default.
    assert "spark.driver.memory" not in dict(spark.sparkContext.getConf().getAll())
    archives = [f"s3://bucket/segments/{n}/a.warc.gz" for n in range(1000)]
    rows = [(archive, n << 20, 1 << 20) for archive in archives for n in range(1000)]
    processes = [os.getpid(), spark.sparkContext._gateway.proc.pid]
    before = processor_time(processes)
    graph = link_graph(spark, rows)
    # The plan with the broadcast of all groups, as an action needs it.
    n_tasks = graph.rows._jdf.rdd().getNumPartitions()
    took = processor_time(processes) - before
    print(f"a million ranges: {took:.1f} s of the driver for {n_tasks} tasks")
    assert n_tasks == 10_000
    # On a busy machine it took 25 s; what grows as the square of the number takes hours.
    assert took < 200


def processor_time(pids: list[int]) -> float:
    """Returns the seconds of processor time that processes took, without their children."""
    # The fields after the name, which is in parentheses and may contain spaces.
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(ticks) for stat in stats for ticks in stat[11:13]) / os.sysconf("SC_CLK_TCK")
