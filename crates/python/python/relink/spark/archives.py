"""The references and the pages of web archives, as DataFrames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional, Sequence, Union

import pyarrow

import relink

from .attempts import is_last, max_attempts
from .counts import Counts
from .ranges import Path, Range, Source, groups, pack, ranges, unpack
from .storage import Location

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Reader = Callable[..., Iterator[tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]]]

LINK_COLUMNS = (
    ("page", "string"),
    ("slot", "string"),
    ("text", "string"),
    ("target", "string"),
    ("record_id", "string"),
    ("offset", "bigint"),
    ("base_source", "string"),
    ("archive", "string"),
)
PAGE_COLUMNS = (
    ("page", "string"),
    ("record_id", "string"),
    ("offset", "bigint"),
    ("media", "string"),
    ("charset", "string"),
    ("body", "binary"),
    ("changed", "boolean"),
    ("reason", "string"),
    ("archive", "string"),
)
# Those of all columns of references that are numbers.
NUMBERS = ("offset", "status")
PROBLEM_COLUMNS = (
    ("archive", "string"),
    ("offset", "bigint"),
    ("record_id", "string"),
    ("reason", "string"),
)

_TYPES = {
    "string": pyarrow.string(),
    "bigint": pyarrow.int64(),
    "binary": pyarrow.binary(),
    "boolean": pyarrow.bool_(),
}


@dataclass(frozen=True)
class Scan:
    """The outputs of one pass over archives.

    `rows` has the references or pages, and `problems` the records that could not be read, with the
    columns `archive`, `offset`, `record_id` and `reason`. Each of the two reads the archives when an
    action needs it, so that two actions read them twice, unless `write` writes both or `persist`
    keeps both.
    """

    rows: DataFrame
    problems: DataFrame
    counts: Counts
    _all: DataFrame

    def write(
        self, path: str, *, format: str = "parquet", mode: str = "errorifexists", **options: Any
    ) -> None:
        """Writes both outputs in one pass, to `PATH/output=rows` and `PATH/output=problems`.

        Spark's own writer commits them: a task that runs again writes nothing twice. `options` are
        those of the writer. Raises `relink.Error` as `check` does.
        """
        writer = self._all.write.partitionBy("output").format(format).mode(mode).options(**options)
        writer.save(path)

        self.check()

    def check(self) -> None:
        """Raises `relink.Error` if the actions until now found problems in each archive, and no row.

        With Spark Connect, which has no counts, it does nothing.
        """
        failed = self.counts.value("failed")
        if failed and failed == self.counts.value("archives"):
            raise relink.Error("no archive could be read; the reasons are in the problems")

    def persist(self) -> Scan:
        """Keeps the result of the first action, so that both outputs need one pass."""
        self._all.persist()
        return self

    def unpersist(self) -> None:
        """Removes what `persist` keeps."""
        self._all.unpersist()


def link_graph(
    spark: SparkSession,
    paths: Union[Path, Iterable[Source]],
    *,
    split: Optional[int] = None,
    columns: Optional[Sequence[str]] = None,
    **options: Any,
) -> Scan:
    """Returns every reference of the documents in web archives.

    `rows` has the columns `page` (the URL of the record), `slot`, `text` (the decoded reference),
    `target` (its absolute URL; null without one), `record_id`, `offset` (of the record in its
    archive), `base_source` and `archive`; or those of `columns`, as of `relink.scan_warc`, and
    `archive`.

    Paths are local paths, or URLs that pyarrow or fsspec reads. A task reads one archive, or
    several if there are more than 10,000. With `split`, it reads the records that begin in ranges
    of so many bytes, if the archive has a member of gzip for each record. `options` are those of `relink.scan_warc`, such as `only`,
    `also` and `limit`.
    """
    kinds = dict(LINK_COLUMNS)
    if columns is not None:
        # A task knows its archive.
        names = [name for name in columns if name != "archive"]
        options["columns"] = names
        kinds = {name: "bigint" if name in NUMBERS else "string" for name in [*names, "archive"]}
    # An option that is wrong is an error of the driver, not of each archive.
    relink.scan_warc([], **options)
    return _scan(spark, relink.scan_warc, tuple(kinds.items()), paths, split, options)


def absolutize_pages(
    spark: SparkSession,
    paths: Union[Path, Iterable[Source]],
    *,
    split: Optional[int] = None,
    **options: Any,
) -> Scan:
    """Returns the documents in web archives, with absolute references.

    `rows` has the columns `page`, `record_id`, `offset`, `media`, `charset`, `body` (the document,
    decoded from its HTTP codings, with absolute references), `changed`, and `reason` (why a
    document could not be edited, and is unchanged) and `archive`. Paths, `split`
    and `options` are as for `link_graph`.
    """
    relink.warc_absolutize([], **options)
    return _scan(spark, relink.warc_absolutize, PAGE_COLUMNS, paths, split, options)


def _scan(
    spark: SparkSession,
    read: Reader,
    columns: tuple[tuple[str, str], ...],
    paths: Union[Path, Iterable[Source]],
    split: Optional[int],
    options: dict[str, Any],
) -> Scan:
    tasks = _tasks(spark, groups(ranges(paths, split)))
    counts = Counts(spark)
    reader = _TaskReader(read, columns, options, counts, max_attempts(spark))
    both = tasks.mapInArrow(reader, ", ".join(f"{name} {kind}" for name, kind in reader.columns))
    rows = both.where("output = 'rows'").select(*(name for name, _ in columns))
    problems = both.where("output = 'problems'").select(*(name for name, _ in PROBLEM_COLUMNS))
    return Scan(rows, problems, counts, both)


def _tasks(spark: SparkSession, found: list[list[Range]]) -> DataFrame:
    """Returns a DataFrame with a partition for each group of ranges, which has one row.

    Executors get all groups once, by a broadcast, and each task the row of its number. A range of
    numbers is what Spark gives partitions of one row without a shuffle, Spark Connect too.
    """
    from pyspark.sql import functions

    rows = [(number, pack(group)) for number, group in enumerate(found)]
    packed = spark.createDataFrame(rows, "id bigint, ranges binary")
    numbers = spark.range(0, len(rows), 1, max(len(rows), 1))
    return numbers.join(functions.broadcast(packed), "id").select("ranges")


class _TaskReader:
    """The function that tasks run: from groups of ranges to rows of both outputs.

    The result depends on the ranges alone, so that Spark can run a task again, or twice at once.
    """

    def __init__(
        self,
        read: Reader,
        columns: tuple[tuple[str, str], ...],
        options: dict[str, Any],
        counts: Counts,
        attempts: int,
    ) -> None:
        self._read, self._options = read, options
        self._counts, self._attempts = counts, attempts
        # The columns of both outputs, without doubles, and which output a row belongs to.
        self.columns = list(dict([*columns, *PROBLEM_COLUMNS, ("output", "string")]).items())

    def __call__(self, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            for packed in batch.column(0).to_pylist():
                for task in unpack(packed):
                    yield from self._range(task)

    def _range(self, task: Range) -> Iterator[pyarrow.RecordBatch]:
        n_rows = n_problems = 0
        try:
            for rows, problems in self._batches(task):
                n_rows, n_problems = n_rows + rows.num_rows, n_problems + problems.num_rows
                yield from self._output("rows", rows, task)
                yield from self._output("problems", problems, task)
        except (OSError, ValueError, relink.Error) as error:
            # What a network breaks may work when Spark runs the task again.
            may_pass = isinstance(error, OSError) and not isinstance(error, FileNotFoundError)
            if may_pass and not is_last(self._attempts):
                raise
            n_problems += 1
            yield from self._output("problems", _unreadable(task, error), task)
        self._counts.add("failed", int(n_problems > 0 and n_rows == 0))
        self._counts.add("archives", 1)

    def _batches(self, task: Range) -> Iterator[tuple[pyarrow.RecordBatch, pyarrow.RecordBatch]]:
        limits = {"start": task.start, "end": task.end, "name": task.path, **self._options}
        location = Location(task.path)
        if location.is_local:
            yield from self._read(location.path, **limits)
            return
        with location.open(start=task.start, end=task.end) as file:
            yield from self._read(file, **limits)

    def _output(
        self, output: str, batch: pyarrow.RecordBatch, task: Range
    ) -> Iterator[pyarrow.RecordBatch]:
        """Returns a batch with the columns of both outputs, unless it is empty."""
        n = batch.num_rows
        if n == 0:
            return
        self._counts.add(output, n)
        given = dict(zip(batch.schema.names, batch.columns))
        given["archive"] = pyarrow.repeat(task.path, n)
        given["output"] = pyarrow.repeat(output, n)
        arrays = [_column(given.get(name), _TYPES[kind], n) for name, kind in self.columns]
        yield pyarrow.RecordBatch.from_arrays(arrays, names=[name for name, _ in self.columns])


def _column(array: Optional[pyarrow.Array], kind: pyarrow.DataType, n: int) -> pyarrow.Array:
    if array is None:
        return pyarrow.nulls(n, kind)
    return array if array.type == kind else array.cast(kind)


def _unreadable(task: Range, error: Exception) -> pyarrow.RecordBatch:
    """Returns the problem of an archive that cannot be read at all, or not to its end."""
    arrays = [
        pyarrow.array([task.path]),
        pyarrow.array([task.start], pyarrow.int64()),
        pyarrow.nulls(1, pyarrow.string()),
        pyarrow.array([f"cannot be read: {error}"]),
    ]
    return pyarrow.RecordBatch.from_arrays(arrays, names=[name for name, _ in PROBLEM_COLUMNS])
