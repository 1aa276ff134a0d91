"""Runs over a tree, with events."""

import pytest

import relink


@pytest.fixture
def site(tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for number in range(20):
        (site / f"{number:02}.html").write_text(f"<a href=x{number}>")
    (site / "logo.png").write_bytes(b"\x89PNG")
    return site


BASE = "http://example.org/"


def test_a_tree_is_converted_and_events_say_how(site, tmp_path):
    events = []
    out = tmp_path / "out"
    summary = relink.convert_tree("absolutize", [site], base=BASE, output=out, on_event=events.append)
    assert (summary.documents, summary.changed, summary.failed, summary.status) == (20, 20, 0, 0)
    assert summary.counts == {"rewritten": 20} and summary.others == 1
    assert (out / "03.html").read_text() == "<a href=http://example.org/x3>"
    assert (out / "logo.png").read_bytes() == b"\x89PNG"
    documents = [event for event in events if event["event"] == "document"]
    assert [event["path"] for event in documents] == [str(site / f"{n:02}.html") for n in range(20)]
    assert documents[0]["changed"] and documents[0]["counts"] == {"rewritten": 1}
    progress = [event for event in events if event["event"] == "progress"]
    assert progress[-1]["files"] == 21


def test_details_are_events(site):
    events = []
    relink.convert_tree("absolutize", [site], base=BASE, dry_run=True, list_details=True, on_event=events.append)
    references = [event for event in events if event["event"] == "reference"]
    assert len(references) == 20
    assert references[0]["target"] == "http://example.org/x0"
    assert references[0]["document"]["path"] == "00.html"
    assert (site / "00.html").read_text() == "<a href=x0>"


def test_trees_move_and_become_relative(site, tmp_path):
    out = tmp_path / "out"
    moves = {"http://old.example/": "http://new.example/"}
    (site / "00.html").write_text("<a href=http://old.example/y>")
    relink.convert_tree("move", [site], moves=moves, output=out)
    assert (out / "00.html").read_text() == "<a href=http://new.example/y>"
    relink.convert_tree("relativize", [site], base="http://old.example/", output=out, force=True)
    assert (out / "00.html").read_text() == "<a href=y>"


def test_an_exception_of_the_receiver_ends_the_run_cleanly(site, tmp_path):
    out = tmp_path / "out"
    for number in range(20, 2000):
        (site / f"{number:04}.html").write_text(f"<a href=x{number}>")
    seen = []

    def receive(event):
        if event["event"] == "document":
            seen.append(event)
            raise KeyboardInterrupt("enough")

    with pytest.raises(KeyboardInterrupt, match="enough"):
        relink.convert_tree("absolutize", [site], base=BASE, output=out, jobs=1, on_event=receive)
    assert len(seen) == 1
    written = list(out.glob("**/*"))
    assert len(written) < 1000
    for path in written:
        assert path.read_text() == (site / path.name).read_text().replace("=", f"={BASE}")


def test_wrong_options_are_errors_before_anything_is_written(site, tmp_path):
    out = tmp_path / "out"
    for wrong in ({"in_place": True}, {"base": "x"}, {"also": ["x"]}, {"style": "x"}, {"delete": True}):
        options = {"base": BASE, "output": out} | wrong
        with pytest.raises(relink.OptionError):
            relink.convert_tree("relativize", [site], **options)
    with pytest.raises(relink.OptionError, match="unknown command 'x'"):
        relink.convert_tree("x", [site], output=out)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        relink.convert_tree("absolutize", [site], x=1)
    assert not out.exists()


def test_a_file_that_fails_is_a_message_and_is_counted(site, tmp_path):
    events = []
    (site / "feed.rss").write_text("<rss><a></rss>")
    summary = relink.convert_tree(
        "absolutize", [site], base=BASE, output=tmp_path / "out", on_event=events.append
    )
    assert (summary.failed, summary.status, summary.changed) == (1, 2, 20)
    errors = [event for event in events if event["event"] == "message" and event["severity"] == "error"]
    assert "feed.rss" in errors[0]["text"]
