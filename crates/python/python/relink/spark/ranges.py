"""Tasks: each reads the records that begin in one byte range of one archive."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Iterable, NamedTuple, Optional, Union

from .storage import Location

Path = Union[str, "os.PathLike[str]"]


class Range(NamedTuple):
    """The records of an archive that begin at `start` or later, and before `end`."""

    path: str
    start: int = 0
    end: Optional[int] = None


def ranges(paths: Union[Path, Iterable[Path]], split: Optional[int] = None) -> list[Range]:
    """Returns the ranges of archives, in order.

    Without `split`, an archive is one range. With it, the driver gets the sizes of the archives, and
    reads none of them. An archive that has no size, since it is not there, is one range, so that a
    task reports it.
    """
    if split is not None and split < 1:
        raise ValueError(f"split must be at least 1, not {split}")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    names = [os.fspath(path) for path in paths]
    if split is None:
        return [Range(name) for name in names]
    return [part for name, size in zip(names, _sizes(names)) for part in _cut(name, size, split)]


def _cut(name: str, size: Optional[int], split: int) -> list[Range]:
    if size is None or size <= split or not _can_be_split(name):
        return [Range(name)]
    starts = range(0, size, split)
    # The last range has no end, so that an archive that grew is read to its end.
    ends = [*starts[1:], None]
    return [Range(name, start, end) for start, end in zip(starts, ends)]


def _can_be_split(name: str) -> bool:
    """Returns true for names of archives that may have a member of gzip for each record.

    If an archive has not, its first range has all records, and the other ranges have none.
    """
    return name.lower().endswith((".warc.gz", ".arc.gz"))


def _sizes(names: list[str]) -> list[Optional[int]]:
    """Returns the sizes of files; None for what is not a file, or cannot be found."""
    with ThreadPoolExecutor(max_workers=32) as pool:
        return list(pool.map(_size, names))


def _size(name: str) -> Optional[int]:
    try:
        return Location(name).size()
    except OSError:
        return None
