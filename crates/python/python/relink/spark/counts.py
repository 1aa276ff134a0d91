"""Counts of what tasks have done, as accumulators of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from pyspark import Accumulator
    from pyspark.sql import SparkSession

NAMES = ("archives", "rows", "problems", "failed")


class Counts:
    """What the tasks have done until now: ranges of archives, rows, problems, and ranges that have
    problems and no row.

    A task that runs again counts again, and so does a second action on a DataFrame that is not
    persisted. The exact number of problems is `problems.count()`. With Spark Connect, which has no
    accumulators, all counts are None.
    """

    def __init__(self, spark: SparkSession) -> None:
        try:
            context = spark.sparkContext
        except Exception:  # Spark Connect has an exception of its own in each version.
            self._accumulators: Optional[dict[str, Accumulator[int]]] = None
            return
        self._accumulators = {name: context.accumulator(0) for name in NAMES}

    def add(self, name: str, n: int) -> None:
        """Adds to a count. Called in tasks."""
        if self._accumulators is not None:
            self._accumulators[name].add(n)

    def value(self, name: str) -> Optional[int]:
        """Returns a count. Called in the driver."""
        return None if self._accumulators is None else self._accumulators[name].value

    def as_dict(self) -> dict[str, Optional[int]]:
        """Returns all counts by name."""
        return {name: self.value(name) for name in NAMES}

    def __repr__(self) -> str:
        return f"Counts({self.as_dict()})"
