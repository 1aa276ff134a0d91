"""Batches of Arrow: the same references as those of single documents, and no copy of bodies."""

import pathlib
import re

import pytest

import relink

pyarrow = pytest.importorskip("pyarrow")

URLS = ["http://a.example/b/", "http://a.example/x.css", None, "http://a.example/logo.png", "no url"]
BODIES = [b"<a href=../c><img src=d>", b"a{background:url(e)}", b"<a href=f>", b"\x89PNG", b"<a href=g>"]
TYPES = ["text/html; charset=utf-8", "text/css", "text/html", "image/png", "text/html"]


def arrays(bodies=BODIES, kind=None):
    return pyarrow.array(URLS), pyarrow.array(bodies, kind or pyarrow.binary()), pyarrow.array(TYPES)


def test_references_are_those_of_single_documents():
    found = relink.references_batch(*arrays())
    rows = found.references.to_pylist()
    expected = []
    for number in range(3):
        for r in relink.references(BODIES[number], URLS[number], media=TYPES[number]):
            expected.append((number, URLS[number], r.slot, r.text, r.target, r.start, r.end, r.base, r.base_source))
    assert [tuple(row.values()) for row in rows] == expected
    assert list(rows[0]) == "document page slot text target start end base base_source".split()
    assert found.references.schema.field("document").type == pyarrow.int64()


def test_documents_that_are_not_read_have_a_row_with_the_reason():
    errors = relink.references_batch(*arrays()).errors.to_pylist()
    assert [(row["document"], row["page"]) for row in errors] == [(3, URLS[3]), (4, URLS[4])]
    assert "'image/png' are not read" in errors[0]["reason"]
    assert "invalid base URL 'no url'" in errors[1]["reason"]
    broken = [b"<rss><a></rss>"] + BODIES[1:]
    types = pyarrow.array(["application/rss+xml"] + TYPES[1:])
    errors = relink.references_batch(*arrays(broken)[:2], types).errors.to_pylist()
    assert errors[0]["document"] == 0 and errors[0]["offset"] > 0
    null = [None] + BODIES[1:]
    assert relink.references_batch(*arrays(null)).errors[3][0].as_py() == "no body"


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view"])
def test_every_array_of_bytes_is_read(kind):
    found = relink.references_batch(*arrays(kind=getattr(pyarrow, kind)()))
    assert found.references == relink.references_batch(*arrays()).references


def test_slices_are_read_from_their_offset():
    urls, bodies, types = (array[1:3] for array in arrays())
    rows = relink.references_batch(urls, bodies, types).references.to_pylist()
    assert [(row["document"], row["text"]) for row in rows] == [(0, "e"), (1, "f")]


def test_without_types_the_bytes_decide():
    found = relink.references_batch(pyarrow.array(["http://h/"] * 2), pyarrow.array([b"<p><a href=a>", b"?"]))
    assert found.references.num_rows == 1 and "cannot be recognized" in found.errors[3][0].as_py()


def test_rewritten_documents_are_those_of_single_documents():
    batch = relink.absolutize_batch(*arrays())
    assert batch.schema.names == ["document", "page", "body", "changed", "reason"]
    rows = batch.to_pylist()
    for number in range(3):
        single = relink.absolutize(BODIES[number], URLS[number], media=TYPES[number])
        assert (rows[number]["body"], rows[number]["changed"]) == (single.output, single.changed)
    for number in (3, 4):
        assert rows[number]["body"] == BODIES[number] and not rows[number]["changed"]
        assert rows[number]["reason"]
    large = relink.absolutize_batch(*arrays(kind=pyarrow.large_binary()))
    assert large.schema.field("body").type == pyarrow.large_binary()


def test_wrong_arrays_are_refused():
    urls, bodies, types = arrays()
    with pytest.raises(ValueError, match="different lengths"):
        relink.references_batch(urls[1:], bodies, types)
    with pytest.raises(TypeError, match="bodies: expected an array of binary"):
        relink.references_batch(urls, types)
    with pytest.raises(TypeError):
        relink.references_batch(URLS, bodies)


def test_bodies_are_not_copied():
    body = b"<p>" + b"x" * (64 << 20)
    bodies = pyarrow.array([body], pyarrow.binary())
    before = pyarrow.total_allocated_bytes()
    relink.references_batch(pyarrow.array(["http://h/"]), bodies)
    assert pyarrow.total_allocated_bytes() - before < 1 << 20
    # The process as a whole takes less than a copy, and a copy would be seen.
    if n_octets_at_most(lambda: None) is None:
        pytest.skip("the peak of the memory cannot be reset")
    media = pyarrow.array(["text/html; charset=utf-8"])
    read = lambda: relink.references_batch(pyarrow.array(["http://h/"]), bodies, media)
    assert n_octets_at_most(read) < 32 << 20
    assert n_octets_at_most(lambda: bytearray(body)) > 48 << 20


def n_octets_at_most(act):
    """Returns by how much the memory of this process grows at most during a call; None if the
    system does not say."""
    try:
        # Linux: the peak is what is in use now.
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        peak = lambda: int(re.search(r"VmHWM:\s*(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
        before = peak()
        act()
        return (peak() - before) << 10
    except OSError:
        return None
