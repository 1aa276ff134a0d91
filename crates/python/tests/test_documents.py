"""The functions of one document, and the reasons why one is not read."""

import pickle

import pytest

import relink

PAGE = b"<base href=b/><a href=c>C</a> <img src='/d.png'>"
URL = "http://example.org/a/"


def test_references_have_spans_of_the_document():
    found = relink.references(PAGE, URL)
    assert [(r.slot, r.text, r.target, PAGE[r.start : r.end]) for r in found] == [
        ("base[href]", "b/", "http://example.org/a/b/", b"b/"),
        ("a[href]", "c", "http://example.org/a/b/c", b"c"),
        ("img[src]", "/d.png", "http://example.org/d.png", b"/d.png"),
    ]
    assert [r.base_source for r in found] == ["retrieval", "embedded", "embedded"]
    assert found[1].base == "http://example.org/a/b/" and found[1].span == (22, 23)
    assert pickle.loads(pickle.dumps(found)) == found


def test_a_document_without_a_base_has_references_without_targets():
    (reference,) = relink.references(b"<a href=c>")
    assert (reference.target, reference.base, reference.base_source) == (None, None, "none")


def test_the_charset_is_that_of_the_argument():
    page = "<meta charset=utf-8><a href=é>".encode("latin-1")
    texts = lambda **options: [r.text for r in relink.references(page, URL, **options)]
    assert texts(charset="iso-8859-1") == ["é"]
    assert texts(media="text/html; charset=iso-8859-1") == ["é"]
    assert texts(media="text/html") == ["%E9"]
    # The query of a URL is encoded in the charset of its document.
    query = "<a href='?é'>".encode("latin-1")
    rewritten = relink.absolutize(query, URL, charset="iso-8859-1")
    assert rewritten.verified and rewritten.output == b"<a href='http://example.org/a/?\xe9'>"


def test_options_select_slots():
    slots = lambda **options: [r.slot for r in relink.references(PAGE, URL, **options)]
    assert slots(only=["img"]) == ["img[src]"]
    assert slots(skip=["a[href]"]) == ["base[href]", "img[src]"]
    page = b"<img data-src=a>"
    assert relink.references(page, URL) == []
    assert relink.references(page, URL, also=["data-src"])[0].slot == "*[data-src]"


def test_rewriting_changes_references_only_and_is_verified():
    rewritten = relink.absolutize(PAGE, URL)
    assert rewritten.output == (
        b"<base href=http://example.org/a/b/><a href=http://example.org/a/b/c>C</a>"
        b" <img src='http://example.org/d.png'>"
    )
    assert rewritten.changed and rewritten.verified and rewritten.verify_error is None
    assert rewritten.counts == {"rewritten": 3}
    output = PAGE
    for start, end, text in reversed(rewritten.edits):
        output = output[:start] + text + output[end:]
    assert output == rewritten.output
    again = relink.absolutize(rewritten.output, URL)
    assert not again.changed and again.output is rewritten.output
    assert not relink.absolutize(PAGE, URL, verify="none").verified


def test_relativize_is_the_inverse_of_absolutize():
    page = b"<a href=c>C</a> <a href=../d>D</a>"
    absolute = relink.absolutize(page, URL).output
    assert relink.relativize(absolute, URL).output == page
    inside = relink.relativize(absolute, URL, root="http://example.org/a/").output
    assert inside == b"<a href=c>C</a> <a href=http://example.org/d>D</a>"


def test_move_writes_references_for_the_new_place():
    page = b"<a href=/b> <a href=c> <a href=http://old.example/a/d>"
    moves = {"http://old.example/a/": "http://new.example/x/y/"}
    moved = relink.move(page, "http://old.example/a/p", moves=moves)
    expected = b"<a href=http://old.example/b> <a href=c> <a href=http://new.example/x/y/d>"
    assert moved.output == expected
    absolute = relink.move(page, "http://old.example/a/p", moves=moves, style="absolute")
    assert b"<a href=http://new.example/x/y/c>" in absolute.output


def test_references_that_stay_are_listed_with_the_reason():
    rewritten = relink.absolutize(b"<a href=c>")
    (unchanged,) = rewritten.unchanged
    assert (unchanged.offset, unchanged.text) == (8, "c")
    assert "its base URL is unknown" in unchanged.reason


def test_the_parts_of_a_message_have_bases_of_their_own():
    message = (
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/html\r\nContent-Location: http://example.org/p/\r\n\r\n"
        b"<img src=i.png><iframe srcdoc='<a href=x>'>\r\n--b--\r\n"
    )
    page, frame = relink.bases(message, media="message/rfc822")
    assert (page.part, page.base, page.base_source) == ("1", "http://example.org/p/", "encapsulating")
    assert frame.embedded == ["iframe[srcdoc]"] and frame.base == page.base
    assert [context.decides for context in page.chain][0]
    (image, link) = [r for r in relink.references(message, media="message/rfc822") if r.part == "1"]
    assert (image.target, link.target) == ("http://example.org/p/i.png", "http://example.org/p/x")


def test_errors_have_attributes_and_are_those_of_python_too():
    with pytest.raises(relink.MediaError, match="'image/png' are not read") as error:
        relink.references(b"", URL, media="image/png")
    assert isinstance(error.value, ValueError) and isinstance(error.value, relink.Error)
    assert (error.value.path, error.value.offset) == (None, None)
    with pytest.raises(relink.MediaError, match="cannot be recognized"):
        relink.references(b"\x89PNG", URL)
    with pytest.raises(relink.UrlError, match="invalid base URL 'a'"):
        relink.references(b"<a href=c>", "a")
    with pytest.raises(relink.UrlError, match="ends with /"):
        relink.relativize(b"<a href=c>", URL, root="http://example.org/a")
    for wrong in ({"dialect": "x"}, {"verify": "x"}, {"limit": {"x": 1}}, {"also": ["x"]}, {"only": ["x"]}):
        with pytest.raises(relink.OptionError):
            relink.references(PAGE, URL, **wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        relink.references(PAGE, URL, x=1)
    with pytest.raises(TypeError):
        relink.references("text", URL)


def test_a_document_that_is_not_read_is_an_error_or_is_listed():
    feed = b"<rss version='2.0'><channel><link>x</link></oops></rss>"
    with pytest.raises(relink.DocumentError) as error:
        relink.references(feed, URL, media="application/rss+xml")
    assert error.value.offset is not None and 0 < error.value.offset < len(feed)
    skipped = []
    relink.references(feed, URL, media="application/rss+xml", skipped=skipped)
    assert skipped[0].extent == "document" and skipped[0].offset == error.value.offset
    rewritten = relink.absolutize(feed, URL, media="application/rss+xml")
    assert rewritten.output is feed and rewritten.skipped == skipped


def test_limits_are_those_of_the_program():
    nested = b"<a href=x>" + b"<div>" * 600
    relink.references(nested, URL, limit={"memory": "1M"})
    with pytest.raises(relink.DocumentError, match="--limit time"):
        relink.references(nested * 200, URL, limit={"time": "0ms"})


def test_a_panic_is_an_exception_and_not_an_abort(capfd):
    with pytest.raises(relink.InternalError, match="a bug.*: boom"):
        relink._native._panic("boom")
    assert relink.resolve(URL, "c") == URL + "c"


def test_any_bytes_are_read_or_refused():
    for media in ("text/html", "text/css", "application/xml", "message/rfc822", "message/http"):
        for body in (b"", b"\0" * 99, bytes(range(256)) * 9, b"<" * 999, b"\xff\xfe<\0a\0"):
            skipped = []
            relink.references(body, URL, media=media, skipped=skipped)
            assert relink.absolutize(body, URL, media=media).output is not None
