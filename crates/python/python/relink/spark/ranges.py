"""Ranges of archives, and the groups of them that tasks read."""

from __future__ import annotations

import bisect
import functools
import gzip
import itertools
import os
import pickle
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Iterable, NamedTuple, Optional, Union

import relink

from .storage import Location, absolute

Path = Union[str, "os.PathLike[str]"]
# An archive, or a path, an offset and a length: records by an index, such as a row of a DataFrame.
Source = Union[Path, "tuple[str, int, int]"]

# The driver schedules so many tasks in a few minutes.
MOST_TASKS = 10_000


class Range(NamedTuple):
    """The records of an archive that begin at `start` or later, and before `end`."""

    path: str
    start: int = 0
    end: Optional[int] = None
    # The number of bytes; 0 if it is not known.
    size: int = 0


def read_paths(location: Path, prefix: str = "") -> list[str]:
    """Returns the paths in a list of archives, one on a line, such as `warc.paths.gz`.

    `prefix` is what they are relative to: `s3://commoncrawl/`, or a directory with its slash.
    """
    with Location(absolute(os.fspath(location))).open() as file:
        text = file.read()
    if text.startswith(b"\x1f\x8b"):
        text = gzip.decompress(text)
    return [prefix + line for line in text.decode().split()]


def ranges(paths: Union[Path, Iterable[Source]], split: Optional[int] = None) -> list[Range]:
    """Returns the ranges of archives, in order.

    Local paths become absolute. A path with an offset and a length is the records that begin
    there. Without `split`, an archive is one range. With it, the driver gets the sizes of the archives, and
    reads none of them. An archive that has no size, since it is not there, is one range, so that a
    task reports it.
    """
    if split is not None and split < 1:
        raise relink.OptionError(f"split must be at least 1, not {split}")
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    sources = [path if isinstance(path, tuple) else absolute(os.fspath(path)) for path in paths]
    names = [source for source in sources if isinstance(source, str)]
    sizes = iter(_sizes(names) if split else ())
    # The rows of an index name the same archives many times.
    absolute_once = functools.cache(absolute)
    found: list[Range] = []
    for source in sources:
        if isinstance(source, tuple):
            name, start, length = source
            found.append(Range(absolute_once(name), start, start + length, length))
        else:
            found += _cut(source, next(sizes), split) if split else [Range(source)]
    return found


def _cut(name: str, size: Optional[int], split: int) -> list[Range]:
    if size is None or size <= split or not _can_be_split(name):
        return [Range(name, size=size or 0)]
    starts = range(0, size, split)
    # The last range has no end, so that an archive that grew is read to its end.
    ends = [*starts[1:], None]
    return [
        Range(name, start, end, (end or size) - start) for start, end in zip(starts, ends)
    ]


def _can_be_split(name: str) -> bool:
    """Returns true for names of archives that may have a member of gzip for each record.

    If an archive has not, its first range has all records, and the other ranges have none.
    """
    return name.lower().endswith((".warc.gz", ".arc.gz", ".wat.gz"))


def groups(found: list[Range], most: int = MOST_TASKS) -> list[list[Range]]:
    """Returns ranges, in order, in at most `most` groups of about as many bytes."""
    if len(found) <= most:
        return [[part] for part in found]
    # The bytes before each range, and at the end those of all.
    before = list(itertools.accumulate((max(part.size, 1) for part in found), initial=0))
    starts = (bisect.bisect_left(before, before[-1] * n // most) for n in range(most + 1))
    return [found[start:end] for start, end in itertools.pairwise(starts) if start < end]


def pack(group: list[Range]) -> bytes:
    """Returns a group as a value of a row: pickle writes a path that repeats once."""
    return zlib.compress(pickle.dumps([tuple(part) for part in group]), 1)


def unpack(packed: bytes) -> list[Range]:
    """Returns the group that `pack` was given."""
    return [Range(*part) for part in pickle.loads(zlib.decompress(packed))]


def _sizes(names: list[str]) -> list[Optional[int]]:
    """Returns the sizes of files; None for what is not a file, or cannot be found."""
    with ThreadPoolExecutor(max_workers=32) as pool:
        return list(pool.map(_size, names))


def _size(name: str) -> Optional[int]:
    try:
        return Location(name).size()
    except OSError:
        return None
