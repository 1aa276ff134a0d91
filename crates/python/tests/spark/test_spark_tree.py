"""Trees of files in a new place are those that the program writes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from relink._program import Run
from relink.spark import absolutize_files, absolutize_tree
from relink.spark.conversion import Conversion

BASE = "https://site.example/docs/"
FILES = {
    "index.html": '<!DOCTYPE html><a href="a/b.html">b</a><img src="?é">',
    "a/b.html": '<!DOCTYPE html><base href="/x/"><a href="../c.html">c</a>',
    "a/style.css": "@import 'more.css'; a { background: url(../image.png) }",
    "_static/page.html": '<a href="page.html">names that Spark skips</a>',
    ".hidden/.page.html": '<a href="page.html">hidden</a>',
    "a b/100%20/ü#?.html": '<a href="next.html">names that need escapes</a>',
    "feed.xml": '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="x"/></feed>',
    "image.png": "\x89PNG no document",
    "notes.txt": "see ../other.html",
    "empty.html": "",
}


@pytest.fixture
def site(tmp_path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "site"


def tree(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def expected(site, tmp_path) -> dict[str, bytes]:
    """The tree as the program writes it."""
    out = tmp_path / "expected"
    run = Run(["absolutize", str(site), "--base", BASE, "--no-config", "-q", "-o", str(out)])
    assert run.status == 0, run.messages
    return tree(out)


def test_a_tree_is_that_of_the_program(spark, site, expected, tmp_path):
    target = tmp_path / "the target"
    report = absolutize_tree(spark, str(site), str(target), base=BASE, partitions=4)
    assert tree(target) == expected
    rows = {row.path: row for row in report.collect()}
    assert rows.keys() == FILES.keys()
    assert rows["index.html"].status == "rewritten" and rows["index.html"].n_edits == 2
    assert rows["empty.html"].status == "unchanged"
    assert rows["image.png"].status == rows["notes.txt"].status == "copied"
    assert all(row.size == len(FILES[name].encode()) for name, row in rows.items())
    # Nothing is left of the files that were not finished.
    assert [path.name for path in tmp_path.joinpath("the target.relink").iterdir()] == ["report"]


def test_a_second_run_gives_the_same(spark, site, expected, tmp_path):
    target = tmp_path / "target"
    for _ in range(2):
        absolutize_tree(
            spark, f"file://{site}", f"file://{target}", base=BASE.rstrip("/"), partitions=2
        )
        assert tree(target) == expected


def test_a_file_that_cannot_be_written_is_reported_and_the_others_are_there(
    spark, site, expected, tmp_path
):
    target = tmp_path / "target"
    # A directory in its place.
    (target / "index.html/x").mkdir(parents=True)
    os.symlink(site, site / "a/itself")
    report = absolutize_tree(spark, str(site), str(target), base=BASE, partitions=2)
    rows = {row.path: row for row in report.collect()}
    assert rows["index.html"].status == "failed" and rows["index.html"].reason
    assert rows["a/itself"].status == "skipped" and "symbolic link" in rows["a/itself"].reason
    written = tree(target)
    assert {name: body for name, body in expected.items() if name != "index.html"} == written


def test_header_sections_next_to_documents_count(spark, site, tmp_path):
    (site / "index.html.headers").write_text(
        "HTTP/1.1 200 OK\nContent-Base: https://site.example/elsewhere/\n\n"
    )
    target = tmp_path / "target"
    # So many partitions that each has one document.
    absolutize_tree(spark, str(site), str(target), base=BASE, partitions=40)
    assert b"https://site.example/elsewhere/a/b.html" in (target / "index.html").read_bytes()


def test_options_are_those_of_the_program(spark, site, tmp_path):
    (site / "page.md").write_text("[a](b.html)")
    target = tmp_path / "target"
    absolutize_tree(
        spark, str(site), str(target), base=BASE, partitions=2, options=["--also", "markdown"]
    )
    assert (target / "page.md").read_text() == f"[a]({BASE}b.html)"


def test_a_document_that_fails_is_reported(spark, site, tmp_path):
    (site / "broken.xml").write_text(
        '<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link'
    )
    target = tmp_path / "target"
    report = absolutize_tree(spark, str(site), str(target), base=BASE, partitions=2)
    (row,) = report.where("path = 'broken.xml'").collect()
    assert row.reason
    assert (target / "index.html").exists() and (row.status == "failed") != (
        target / "broken.xml"
    ).exists()


def test_names_of_objects_that_are_no_paths_are_refused():
    for name in ("", "a//b", "../a", "a/../../b", "/a", "a/.", "a\0b"):
        with Conversion(BASE) as conversion, pytest.raises(ValueError, match="no path"):
            conversion.add(name)


def test_the_target_is_outside_of_the_source(spark, site):
    for target in (site, site / "out", site.parent):
        for source in (str(site), f"file://{site}/"):
            with pytest.raises(ValueError, match="inside"):
                absolutize_tree(spark, source, str(target), base=BASE)


def test_files_of_the_source_binary_file(spark, site, expected):
    files = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(str(site))
    rows = absolutize_files(files, root=str(site), base=BASE).collect()
    found = {row.path.split("/site/", 1)[1]: bytes(row.content) for row in rows}
    # Spark reads no empty files either.
    visible = {name: body for name, body in expected.items() if body and name[0] not in "_."}
    assert found == visible

    (row,) = absolutize_files(files.limit(1), root="/elsewhere", base=BASE).collect()
    assert row.status == "failed" and "/elsewhere" in row.reason
