"""Attempts of a task: whether Spark runs it again if it fails."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def max_attempts(spark: SparkSession) -> int:
    """Returns the number of times that Spark runs a task until it fails the job."""
    master = spark.conf.get("spark.master", "") or ""
    local = re.fullmatch(r"local(?:\[\s*[\d*]+\s*(?:,\s*(\d+)\s*)?\])?", master)
    if local:
        return int(local[1] or 1)
    return int(spark.conf.get("spark.task.maxFailures", "4") or 4)


def is_last(attempts: int) -> bool:
    """Returns true in a task that Spark does not run again if it fails now."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return task is None or task.attemptNumber() + 1 >= attempts
