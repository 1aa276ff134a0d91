"""How archives are divided into tasks, and how often a task runs. Needs no cluster."""

from __future__ import annotations

import gzip

import pytest

from relink.spark.attempts import max_attempts
from relink.spark.ranges import Range, groups, pack, ranges, read_paths, unpack
from relink.spark.storage import Location


def test_without_split_an_archive_is_one_range():
    assert ranges("/a.warc.gz") == [Range("/a.warc.gz", 0, None)]
    assert ranges(["s3://b/b", "/a"]) == [Range("s3://b/b"), Range("/a")]


def test_local_paths_are_absolute_for_executors_in_other_directories(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ranges(["a", "file:///b", "s3://c/d"]) == [
        Range(f"{tmp_path}/a"),
        Range("file:///b"),
        Range("s3://c/d"),
    ]


@pytest.mark.parametrize("split", [1, 3, 9, 10, 11])
def test_ranges_cover_an_archive_once(tmp_path, split):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(bytes(10))
    parts = ranges(path, split)
    assert parts[0].start == 0 and parts[-1].end is None
    assert [part.end for part in parts[:-1]] == [part.start for part in parts[1:]]
    assert all(0 <= part.start < 10 for part in parts)
    assert len(parts) == -(-10 // split) and sum(part.size for part in parts) == 10


def test_what_cannot_be_split_is_one_range(tmp_path):
    for name in ("a.warc.zst", "a.warc", "a"):
        (tmp_path / name).write_bytes(bytes(10))
        assert ranges(tmp_path / name, 3) == [Range(str(tmp_path / name), size=10)]
    # A task reports what is not there.
    assert ranges(tmp_path / "b.warc.gz", 3) == [Range(str(tmp_path / "b.warc.gz"))]


@pytest.mark.parametrize("most", [1, 2, 7, 100, 10_000])
def test_groups_have_all_ranges_in_order_and_about_as_many_bytes(most):
    parts = [Range(f"/{n}", size=1 + n % 10) for n in range(1000)]
    found = groups(parts, most)
    assert [part for group in found for part in group] == parts
    assert len(found) == min(most, len(parts))
    sizes = [sum(part.size for part in group) for group in found]
    assert max(sizes) <= sum(sizes) / len(sizes) + 10
    # Without sizes, groups have about as many ranges.
    assert {len(group) for group in groups([Range("/a")] * 1000, most)} <= {
        -(-1000 // len(found)),
        1000 // len(found),
    }


def test_a_group_is_a_value_of_a_row():
    group = [Range("/\udcff é", 1, 2, 1), Range("s3://b/c")]
    assert unpack(pack(group)) == group
    # The ranges of an archive are small together, whatever the length of its path.
    many = [Range(f"s3://bucket/{'d' * 500}/a.warc.gz", n, n + 1, 1) for n in range(1000)]
    assert len(pack(many)) < 20_000


def test_rows_of_an_index_are_ranges(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(bytes(4))
    row = ("s3://b/c.warc.gz", 30, 12)
    by_index = Range("s3://b/c.warc.gz", 30, 42, 12)
    assert ranges([row, path]) == [by_index, Range(str(path))]
    assert ranges([path, row], 3) == [*ranges(path, 3), by_index]


def test_a_list_of_paths_is_read(tmp_path):
    names = ["crawl-data/a.warc.gz", "crawl-data/b.warc.gz"]
    for file, pack_text in (("warc.paths.gz", gzip.compress), ("warc.paths", bytes)):
        (tmp_path / file).write_bytes(pack_text("\n".join(names).encode() + b"\n"))
        assert read_paths(tmp_path / file) == names
    paths = read_paths(tmp_path / "warc.paths", "s3://commoncrawl/")
    assert paths == [f"s3://commoncrawl/{name}" for name in names]


def test_split_is_positive():
    with pytest.raises(ValueError, match="split"):
        ranges("a", 0)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"spark.master": "local"}, 1),
        ({"spark.master": "local[*]"}, 1),
        ({"spark.master": "local[2,3]"}, 3),
        ({"spark.master": "local-cluster[2,1,1024]"}, 4),
        ({"spark.master": "yarn", "spark.task.maxFailures": "7"}, 7),
        ({}, 4),
    ],
)
def test_attempts_are_those_of_the_master(settings, expected):
    class Session:
        conf = settings

    assert max_attempts(Session()) == expected


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("/a b/%20", "/a b/%20"),
        ("file:/a b/%20", "/a b/%20"),
        ("file:///a%20b", "/a b"),
        ("file://localhost/a", "/a"),
    ],
)
def test_local_locations(location, path):
    found = Location(location)
    assert found.is_local and found.path == path


def test_a_scheme_that_nothing_reads_is_an_error():
    with pytest.raises(ValueError, match="no-such-scheme"):
        Location("no-such-scheme://a/b")


@pytest.mark.parametrize("scheme", ["file", "memory"])
def test_files_are_written_in_one_step(tmp_path, scheme):
    if scheme == "memory":
        pytest.importorskip("fsspec")
    directory = Location(f"{scheme}://{tmp_path}/out")
    for body in (b"first", b"second"):
        directory.write("a/b c.html", [body[:2], body[2:]], f"{directory.path}.unfinished/1/file")
        with directory.open(directory.child("a/b c.html")) as file:
            assert file.read() == body
    assert [entry.name for entry in directory.entries()] == ["a"]
    (entry,) = directory.entries("a")
    assert (entry.name, entry.is_directory, entry.size) == ("a/b c.html", False, 6)
    directory.remove_directory(f"{directory.path}.unfinished")
    directory.remove_directory(f"{directory.path}.unfinished")
    names = [entry.name for entry in Location(f"{scheme}://{tmp_path}").entries()]
    assert names == ["out"]
