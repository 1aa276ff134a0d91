"""References as tuples: those that one process finds, and those of a DataFrame."""

from __future__ import annotations

from collections import Counter
from typing import Iterable

import relink

COLUMNS = ("page", "slot", "text", "target", "record_id", "offset", "base_source")


def references(paths: Iterable[str]) -> Counter:
    """Returns each reference of archives, found without Spark, and how often it is there."""
    found: Counter = Counter()
    for path in paths:
        for batch, _ in relink.scan_warc(path, name=path):
            columns = [batch.column(name).to_pylist() for name in COLUMNS]
            found.update(zip(*columns, [path] * batch.num_rows))
    return found


def rows(frame) -> Counter:
    """Returns the rows of a DataFrame of references as `references` does."""
    return Counter(map(tuple, frame.select(*COLUMNS, "archive").collect()))
