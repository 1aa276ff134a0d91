"""What a job of many ranges costs: processor time of the driver, of its tasks, as /proc has it."""

from __future__ import annotations

import os
import time

from processes import descendants, processor_time

from relink.spark import link_graph
from relink.spark.ranges import groups


def n_planned(spark, sources) -> int:
    """Returns the number of tasks, from the plan with the broadcast of all groups."""
    return link_graph(spark, sources).rows._jdf.rdd().getNumPartitions()


def test_a_million_ranges_are_planned(spark):
    # The Java machine of the driver has the memory that it gets by default.
    assert "spark.driver.memory" not in dict(spark.sparkContext.getConf().getAll())
    archives = [f"s3://bucket/segments/{n}/a.warc.gz" for n in range(1000)]
    rows = [(archive, n << 20, 1 << 20) for archive in archives for n in range(1000)]
    driver = [os.getpid(), spark.sparkContext._gateway.proc.pid]

    def cost(work) -> tuple[float, float]:
        before, start = processor_time(driver), time.monotonic()
        work()
        return round(processor_time(driver) - before, 1), round(time.monotonic() - start, 1)

    def join() -> None:
        one = spark.createDataFrame([(1, "a")], "id bigint, text string")
        assert one.join(spark.range(2), "id").count() == 1

    def plan() -> None:
        assert n_planned(spark, rows) == 10_000

    # Java compiles its classes for the first job, of whatever size.
    first = cost(join)
    # Other programs take the caches of the processor meanwhile.
    took = [cost(plan) for _ in range(3)]
    print(f"processor and wall time: Spark's first join of two rows {first}, a million ranges {took}")
    assert min(took) < (10,)


def test_an_empty_task_takes_little(spark, tmp_path, monkeypatch):
    path = tmp_path / "a.warc.gz"
    path.touch()
    monkeypatch.setattr("relink.spark.archives.groups", lambda found: groups(found, 200))

    def cost() -> float:
        # 200 tasks of 100 ranges.
        graph = link_graph(spark, [(str(path), n, 1) for n in range(20_000)])
        before = processor_time(descendants(os.getpid()))
        assert graph.rows.count() == 0
        return (processor_time(descendants(os.getpid())) - before) / 200

    # Executors start Python, and compile the classes of Java, for the first tasks.
    first = cost()
    took = [cost() for _ in range(2)]
    print(f"seconds of driver and executors for an empty task: the first ones {first}, {took}")
    # On a busy machine it took 0.12 s; what each task does for all ranges takes seconds.
    assert min(took) < 0.5
