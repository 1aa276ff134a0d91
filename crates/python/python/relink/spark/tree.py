"""Trees of files that are larger than a machine, with absolute references in a new place."""

from __future__ import annotations

import itertools
import re
import shutil
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Iterable, Iterator, NamedTuple, Optional

import pyarrow

import relink

from .._program import ProgramError
from .attempts import is_last, max_attempts
from .conversion import Conversion, Result
from .storage import Location, absolute

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# A directory is walked by one task, so the driver lists directories until it has so many.
_N_WALKS = 256
# A run of the program converts so many files or bytes, or one larger file.
_BATCH_FILES, _BATCH_BYTES = 1000, 256 << 20
_PIECE = 8 << 20

# A scheme, and a host.
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:(?://[^/]*)?")

_ENTRY = "path string, size bigint, reason string"
_RESULT = "path string, size bigint, status string, n_edits bigint, reason string"
_FILE = "path string, content binary, status string, n_edits bigint, reason string"
_RESULT_NAMES = ["path", "size", "status", "n_edits", "reason"]
_RESULT_TYPES = [
    pyarrow.string(),
    pyarrow.int64(),
    pyarrow.string(),
    pyarrow.int64(),
    pyarrow.string(),
]
_FILE_NAMES = ["path", "content", "status", "n_edits", "reason"]
_FILE_TYPES = [
    pyarrow.string(),
    pyarrow.binary(),
    pyarrow.string(),
    pyarrow.int64(),
    pyarrow.string(),
]
_ENTRY_ARROW = pyarrow.schema(
    [("path", pyarrow.string()), ("size", pyarrow.int64()), ("reason", pyarrow.string())]
)


def absolutize_tree(
    spark: SparkSession,
    source: str,
    target: str,
    *,
    base: str,
    report: Optional[str] = None,
    partitions: Optional[int] = None,
    options: Iterable[str] = (),
) -> DataFrame:
    """Writes a tree with absolute references to a new location, and returns its report.

    `base` is the URL of the directory `source`; the URL of each file follows from its path. Every
    file has the same relative path below `target`, also those that have no references. `options`
    are those of `relink absolutize` that concern documents, such as `--also`. Both locations are
    local paths that all executors share, or URLs that pyarrow or fsspec reads and writes.

    The report has a row for each file: `path`, `status` (`rewritten`; `unchanged`; `copied`, for
    what is no document; `skipped` and `failed`, for what is not in the target), `size`, `n_edits`
    and `reason`. It is written as Parquet to `report`, by default `TARGET.relink/report`. A file
    that fails does not end the run.

    Tasks run the program on some files at a time, in a temporary directory. Each writes a file in
    one step, and again with the same bytes if it runs again. After an interruption, call the
    function again.
    """
    source, target = absolute(source), absolute(target)
    origin, destination = Location(source), Location(target)
    if _overlap(_directory(origin.path), _directory(destination.path)):
        raise relink.OptionError(f"one of {source} and {target} is inside the other")
    beside = target.rstrip("/") + ".relink"
    work = _Work(
        source=source,
        target=target,
        temporary=f"{Location(beside).path}/{uuid.uuid4().hex}",
        base=_directory(base),
        attempts=max_attempts(spark),
        options=tuple(options),
    )
    n = partitions or int(spark.conf.get("spark.sql.shuffle.partitions", "200"))
    report = _for_hadoop(report or f"{beside}/report")
    try:
        files = _files(spark, source, work.attempts).withColumn("document", _document("path"))
        # A header section in a file next to a document is converted with it.
        parts = files.repartition(n, "document").sortWithinPartitions("document", "path")
        results = parts.mapInArrow(work, _RESULT)
        results.write.mode("overwrite").parquet(report)
    finally:
        destination.remove_directory(work.temporary)
    return spark.read.parquet(report)


def absolutize_files(
    files: DataFrame, *, root: str, base: str, options: Iterable[str] = ()
) -> DataFrame:
    """Returns files with absolute references: `path`, `content`, `status`, `n_edits`, `reason`.

    `files` has the columns `path` and `content`, such as a DataFrame of Spark's source
    `binaryFile`, which reads whatever the Hadoop of the cluster reads. `root` is the directory
    that has the URL `base`, as its name begins the paths. The source `binaryFile` reads no empty
    files, and none in or with a name that begins with `_` or `.`; `absolutize_tree` reads all.
    """
    convert = _Files(_directory(root), _directory(base), tuple(options))
    return files.select("path", "content").mapInArrow(convert, _FILE)


def _directory(location: str) -> str:
    return location if location.endswith("/") else location + "/"


def _overlap(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)


def _for_hadoop(location: str) -> str:
    """Returns a location for Spark's writers, to which a path without a scheme may be in HDFS."""
    found = Location(absolute(location))
    return f"file://{found.path}" if found.is_local else location


def _name(path: str, root: str) -> Optional[str]:
    """Returns the part of a path below a directory, whose name may have no scheme."""
    if _SCHEME.match(root) is None:
        path = _SCHEME.sub("", path)
    elif root.startswith("file:///"):
        root = "file:" + root[len("file://") :]
    return path[len(root) :] if path.startswith(root) else None


def _document(column: str) -> Column:
    """Returns the path of the document that a file is, or whose header section it has."""
    from pyspark.sql import functions

    return functions.regexp_replace(column, r"\.(headers|hdr)$", "")


class _Walk(NamedTuple):
    """A directory that a task lists."""

    name: str
    is_recursive: bool


def _files(spark: SparkSession, source: str, attempts: int) -> DataFrame:
    """Returns the files of a tree. Tasks list the directories; the driver lists the first ones."""
    walks = _walks(Location(source))

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        location = Location(source)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                rows = _walk(location, walks[number], attempts)
                while chunk := list(itertools.islice(rows, 10_000)):
                    yield pyarrow.RecordBatch.from_pylist(chunk, schema=_ENTRY_ARROW)

    return spark.range(0, len(walks), 1, len(walks)).mapInArrow(read, _ENTRY)


def _walks(location: Location) -> list[_Walk]:
    """Returns walks that together list each directory of a tree once."""
    known, frontier = [], [""]
    while frontier and len(known) + len(frontier) < _N_WALKS:
        below = []
        for name in frontier:
            known.append(_Walk(name, is_recursive=False))
            below += [entry.name for entry in location.entries(name) if entry.is_directory]
        frontier = below
    return known + [_Walk(name, is_recursive=True) for name in frontier]


def _walk(location: Location, walk: _Walk, attempts: int) -> Iterator[dict[str, object]]:
    """Returns a row of the listing for each file of a walk."""
    directories = [walk.name]
    while directories:
        name = directories.pop()
        try:
            entries = list(location.entries(name))
        except OSError as error:
            if not is_last(attempts):
                raise
            yield {"path": name, "size": None, "reason": f"cannot be listed: {error}"}
            continue
        for entry in entries:
            if not entry.is_directory:
                reason = "symbolic link to a directory" if entry.is_link else None
                yield {"path": entry.name, "size": entry.size, "reason": reason}
            elif walk.is_recursive:
                directories.append(entry.name)


@dataclass(frozen=True)
class _Work:
    """The function that tasks run: from rows of the listing to rows of the report."""

    source: str
    target: str
    temporary: str
    base: str
    attempts: int
    options: tuple[str, ...]

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        source, target = Location(self.source), Location(self.target)
        # No two attempts share a name.
        temporary = f"{self.temporary}/{uuid.uuid4().hex}/file"
        rows = (row for batch in batches for row in batch.to_pylist())
        for batch in _batches(rows):
            results = self._convert(source, target, batch, temporary)
            names = [row["path"] for row in batch]
            columns = [
                names,
                [row["size"] for row in batch],
                *zip(*(results[name] for name in names)),
            ]
            arrays = [pyarrow.array(column, kind) for column, kind in zip(columns, _RESULT_TYPES)]
            yield pyarrow.RecordBatch.from_arrays(arrays, names=_RESULT_NAMES)

    def _convert(
        self, source: Location, target: Location, batch: list[dict], temporary: str
    ) -> dict[str, Result]:
        """Converts some files, and returns the result of each."""
        results = {
            row["path"]: Result("skipped", 0, row["reason"]) for row in batch if row["reason"]
        }
        with Conversion(self.base, self.options) as conversion:
            names = []
            for name in (row["path"] for row in batch if not row["reason"]):
                failure = self._attempt(_fetch, source, conversion, name)
                if failure is None:
                    names.append(name)
                else:
                    results[name] = failure
            failure = self._attempt(lambda: results.update(conversion.run(names)))
            if failure is not None:
                return {**results, **dict.fromkeys(names, failure)}
            for name in names:
                if results[name].status != "failed":
                    failure = self._attempt(_store, conversion, target, name, temporary)
                    results[name] = failure or results[name]
        return results

    def _attempt(self, act: Callable[..., None], *arguments: object) -> Optional[Result]:
        """Returns the failure of an action, or raises it if Spark runs the task again."""
        try:
            act(*arguments)
        except (OSError, ValueError, ProgramError) as error:
            may_pass = not isinstance(error, (FileNotFoundError, ValueError))
            if may_pass and not is_last(self.attempts):
                raise
            return Result("failed", 0, str(error))
        return None


def _fetch(source: Location, conversion: Conversion, name: str) -> None:
    with source.open(source.child(name)) as file, conversion.add(name).open("wb") as copy:
        shutil.copyfileobj(file, copy, _PIECE)


def _store(conversion: Conversion, target: Location, name: str, temporary: str) -> None:
    with conversion.output(name).open("rb") as file:
        target.write(name, iter(lambda: file.read(_PIECE), b""), temporary)


def _batches(rows: Iterator[dict]) -> Iterator[list[dict]]:
    """Returns files in batches for one run of the program; those of one document are together."""
    batch: list[dict] = []
    n_bytes = 0
    for _, group in itertools.groupby(rows, lambda row: row["document"]):
        files = list(group)
        size = sum(row["size"] or 0 for row in files)
        if batch and (len(batch) + len(files) > _BATCH_FILES or n_bytes + size > _BATCH_BYTES):
            yield batch
            batch, n_bytes = [], 0
        batch += files
        n_bytes += size
    if batch:
        yield batch


@dataclass(frozen=True)
class _Files:
    """The function that tasks run: from paths and contents to those with absolute references."""

    root: str
    base: str
    options: tuple[str, ...]

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            rows = self._convert(
                dict(zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()))
            )
            if rows:
                arrays = [
                    pyarrow.array(column, kind) for column, kind in zip(zip(*rows), _FILE_TYPES)
                ]
                yield pyarrow.RecordBatch.from_arrays(arrays, names=_FILE_NAMES)

    def _convert(self, files: dict[str, bytes]) -> list[tuple]:
        rows, names = [], {}
        with Conversion(self.base, self.options) as conversion:
            for path, body in files.items():
                name = _name(path, self.root)
                try:
                    if name is None:
                        raise ValueError(f"is not below {self.root}")
                    conversion.add(name).write_bytes(body)
                    names[path] = name
                except ValueError as error:
                    rows.append((path, body, "failed", 0, str(error)))
            results = conversion.run(list(names.values()))
            for path, name in names.items():
                result = results[name]
                is_there = result.status != "failed"
                body = conversion.output(name).read_bytes() if is_there else files[path]
                rows.append((path, body, *result))
        return rows
