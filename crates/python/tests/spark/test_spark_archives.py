"""The rows and problems of archives, and the paths of archives."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
import shards as generator
from rows import COLUMNS, references, rows

import relink
from relink.spark import absolutize_pages, archives, link_graph, ranges

PAGES = [
    (f"http://pages.example/{number}/", f'<!DOCTYPE html><a href="../{number}?é">é</a>'.encode())
    for number in range(6)
]


def problems(scan) -> list[dict]:
    return [row.asDict() for row in scan.problems.orderBy("archive", "offset").collect()]


@pytest.fixture
def archive(tmp_path) -> Path:
    """An archive with six records, each a member of gzip."""
    return generator.write(tmp_path / "archives", 1, PAGES)[0]


def test_columns_and_values(spark, archive):
    graph = link_graph(spark, archive)
    assert graph.rows.columns == [*COLUMNS, "archive"]
    first = graph.rows.orderBy("page").first()
    assert (first.page, first.slot, first.text) == ("http://pages.example/0/", "a[href]", "../0?é")
    assert first.target == "http://pages.example/0?é"
    assert first.record_id.startswith("<urn:uuid:") and first.offset == 0
    assert first.archive == str(archive)
    assert graph.problems.columns == ["archive", "offset", "record_id", "reason"]


def test_records_of_an_index_are_read(spark, archive):
    starts = members(archive.read_bytes())
    index = spark.createDataFrame(
        [(str(archive), starts[n], starts[n + 1] - starts[n]) for n in (1, 3)],
        "filename string, offset bigint, length bigint",
    )
    graph = link_graph(spark, index.collect())
    assert {row.offset for row in graph.rows.collect()} == {starts[1], starts[3]}
    assert graph.problems.count() == 0


def test_columns_may_be_chosen(spark, archive):
    graph = link_graph(spark, archive, columns=["status", "normalized", "archive"])
    row = graph.rows.orderBy("normalized").first()
    assert row.asDict() == {
        "status": 200,
        "normalized": "http://pages.example/0?%C3%A9",
        "archive": str(archive),
    }
    with pytest.raises(relink.OptionError, match="unknown column"):
        link_graph(spark, archive, columns=["x"])


def test_a_broken_record_is_reported_and_the_others_are_there(spark, shards, tmp_path):
    whole = Path(shards[0]).read_bytes()
    starts = members(whole)
    assert len(starts) > 4
    # The checksum of the third record.
    broken = bytearray(whole)
    broken[starts[3] - 8] ^= 0xFF
    path = tmp_path / "broken.warc.gz"
    path.write_bytes(broken)

    graph = link_graph(spark, [str(path), shards[1]]).persist()
    (problem,) = problems(graph)
    assert problem["archive"] == str(path) and problem["offset"] == starts[2] and problem["reason"]
    found = rows(graph.rows)
    others = Counter({row: n for row, n in references([shards[0]]).items() if row[5] != starts[2]})
    others = Counter({(*row[:-1], str(path)): n for row, n in others.items()})
    assert found == others + references([shards[1]])
    assert graph.counts.value("problems") == 1
    graph.unpersist()


def test_a_truncated_archive_is_read_up_to_its_end(spark, archive, tmp_path):
    whole = archive.read_bytes()
    path = tmp_path / "truncated.warc.gz"
    path.write_bytes(whole[:-20])
    graph = link_graph(spark, path)
    assert graph.rows.count() == len(PAGES) - 1
    (problem,) = problems(graph)
    assert problem["offset"] == members(whole)[-1]


def test_what_is_no_archive_is_reported(spark, archive, tmp_path):
    text, missing = tmp_path / "a-text.warc", tmp_path / "missing.warc.gz"
    text.write_text("no archive")
    graph = link_graph(spark, [archive, text, missing, tmp_path])
    assert graph.rows.count() == len(PAGES)
    assert {problem["archive"] for problem in problems(graph)} == {
        str(text),
        str(missing),
        str(tmp_path),
    }


def test_a_job_in_which_every_archive_fails_ends_with_an_error(spark, archive, tmp_path):
    text, missing = tmp_path / "a-text.warc", tmp_path / "missing.warc.gz"
    text.write_text("no archive")
    graph = link_graph(spark, [text, missing])
    graph.check()
    with pytest.raises(relink.Error, match="no archive could be read"):
        graph.write(str(tmp_path / "graph"))
    assert graph.counts.value("failed") == 2
    link_graph(spark, [archive, missing]).write(str(tmp_path / "other"))


def test_both_outputs_are_written_in_one_pass(spark, archive, tmp_path):
    graph = link_graph(spark, [archive, tmp_path / "missing.warc.gz"])
    output = str(tmp_path / "graph")
    graph.write(output)
    counts = {"archives": 2, "rows": len(PAGES), "problems": 1, "failed": 1}
    assert graph.counts.as_dict() == counts
    written = spark.read.parquet(output)
    assert Counter(row.output for row in written.collect()) == {"rows": len(PAGES), "problems": 1}
    with pytest.raises(Exception, match="(?i)exists"):
        graph.write(output)
    graph.write(output, mode="overwrite")
    assert rows(spark.read.parquet(output + "/output=rows")) == references([str(archive)])


@pytest.mark.parametrize("scheme", ["file://", "file:", "local://"])
def test_paths_may_be_urls(spark, archive, scheme):
    if scheme == "local://":
        pytest.importorskip("fsspec")
    url = f"{scheme}{archive}"
    graph = link_graph(spark, url, split=400)
    found = rows(graph.rows)
    assert found == Counter({(*row[:-1], url): n for row, n in references([str(archive)]).items()})


def test_no_paths_give_no_rows(spark):
    graph = link_graph(spark, [])
    assert graph.rows.count() == 0 and graph.problems.count() == 0


def test_pages_are_absolute(spark, archive):
    pages = absolutize_pages(spark, archive)
    found = {row.page: row for row in pages.rows.collect()}
    assert found.keys() == {url for url, _ in PAGES}
    for number, (url, body) in enumerate(PAGES):
        row = found[url]
        absolute = body.decode().replace(f"../{number}?é", f"http://pages.example/{number}?é")
        assert bytes(row.body).decode() == absolute
        assert (row.media, row.changed, row.reason, row.archive) == (
            "text/html",
            True,
            None,
            str(archive),
        )


def test_an_error_that_may_pass_is_raised_until_the_last_attempt(spark):
    from pyspark import TaskContext

    def read(source, *, start, end, name):
        if name == "/never" or TaskContext.get().attemptNumber() < 2:
            raise OSError("the network is down")
        yield from ()

    scan = archives._scan(spark, read, archives.LINK_COLUMNS, ["/never", "/later"], None, {})
    (problem,) = problems(scan)
    assert problem["archive"] == "/never" and "the network is down" in problem["reason"]


def test_a_task_reads_a_group_of_ranges_and_a_retry_repeats_it(spark, archive, monkeypatch):
    from pyspark import TaskContext

    def read(source, **arguments):
        # The second archive of the first group.
        if source == "/missing" and TaskContext.get().attemptNumber() < 2:
            raise OSError("the network is down")
        yield from relink.scan_warc(source, **arguments)

    monkeypatch.setattr(archives, "groups", lambda found: ranges.groups(found, 2))
    paths = [str(archive), "/missing", f"file://{archive}"]
    scan = archives._scan(spark, read, archives.LINK_COLUMNS, paths, None, {})
    assert scan.rows.rdd.getNumPartitions() == 2
    tasks = scan.rows.selectExpr("spark_partition_id() AS task", "archive", "page")
    found = Counter((row.task, row.archive) for row in tasks.collect())
    assert found == {(0, paths[0]): len(PAGES), (1, paths[2]): len(PAGES)}
    (problem,) = problems(scan)
    assert problem["archive"] == "/missing"


def members(data: bytes) -> list[int]:
    """Returns the offsets of the members of a gzip file."""
    starts, start = [], 0
    while start < len(data):
        starts.append(start)
        inflate = gzip.zlib.decompressobj(31)
        inflate.decompress(data[start:])
        start = len(data) - len(inflate.unused_data)
    return starts
