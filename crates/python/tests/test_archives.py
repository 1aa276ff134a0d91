"""Web archives: each record belongs to one range, and bad records are rows with a reason."""

import gzip
import html.parser
import io
import json
import random
import re
import subprocess
import sys

import pytest

import relink

pytest.importorskip("pyarrow")


def record(number, body=None, kind="text/html", header=""):
    body = body if body is not None else b"<a href=../%d.html>%s</a>" % (number, b"x" * (number * 7 % 40))
    http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{header}\r\n".encode() + body
    return (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n"
        f"WARC-Target-URI: http://h.example/d/{number}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    ).encode() + http + b"\r\n\r\n"


def member(data):
    return gzip.compress(data, mtime=0)


def rows(source, **options):
    """Returns the rows of references and of problems, as tuples."""
    found, problems = [], []
    for one, other in relink.scan_warc(source, **options):
        found += [tuple(row.values()) for row in one.to_pylist()]
        problems += [tuple(row.values()) for row in other.to_pylist()]
    return found, problems


def sample():
    members = [member(record(number)) for number in range(9)]
    # A damaged member, a text that is no record, a feed that is not well-formed, and the end of the
    # file.
    members[2] = members[2][:-6] + b"\0" + members[2][-5:]
    members[4] = member(b"no record")
    members[5] = member(record(5, b"<rss><a></rss>", "application/rss+xml"))
    members[8] = members[8][:-20]
    return b"".join(members)


def test_each_record_belongs_to_one_range_wherever_the_file_is_cut():
    file = sample()
    whole = rows(io.BytesIO(file), name="a")
    found, problems = whole
    assert [row[3] for row in found] == [f"http://h.example/{n}.html" for n in (0, 1, 3, 6, 7)]
    assert [row[5] for row in found] == sorted({row[5] for row in found})
    assert len(problems) == 4 and {row[0] for row in problems} == {"a"}
    # That of the record whose member is cut off is known too.
    assert [row[2] for row in problems if row[2]] == ["<urn:uuid:5>", "<urn:uuid:8>"]
    for cut in range(1, len(file)):
        first = rows(io.BytesIO(file), end=cut, name="a")
        second = rows(io.BytesIO(file), start=cut, name="a")
        assert (first[0] + second[0], first[1] + second[1]) == whole, cut
    for length in (50, 333):
        parts = ([], [])
        for start in range(0, len(file), length):
            found, problems = rows(io.BytesIO(file), start=start, end=start + length, name="a")
            parts[0].extend(found)
            parts[1].extend(problems)
        assert parts == whole


def test_a_file_that_is_not_gzip_belongs_to_the_range_at_its_start():
    file = b"".join(record(number) for number in range(5))
    assert len(rows(io.BytesIO(file), end=10)[0]) == 5
    assert rows(io.BytesIO(file), start=10) == ([], [])


def test_a_path_and_an_object_are_read_alike(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(sample())
    by_path = rows(path)
    with open(path, "rb") as file:
        by_object = rows(file)
    assert by_path == by_object == rows(str(path))
    assert by_path[1][0][0] == str(path)

    class Short:
        """A stream without seek that returns less than it is asked for."""

        def __init__(self):
            self.file = io.BytesIO(sample())

        def read(self, count):
            return self.file.read(min(count, 7))

    assert rows(Short(), name=str(path)) == by_path
    with pytest.raises(AttributeError):
        rows(Short(), start=1)


def test_batches_are_bounded():
    file = b"".join(member(record(number, b"<a href=x>" * 100)) for number in range(20))
    batches = list(relink.scan_warc(io.BytesIO(file), batch_rows=150))
    assert [batch.num_rows for batch, _ in batches] == [200] * 10
    # One document of many references is several batches.
    body = b"<base href=http://b.example/>" + b"<a href=x>" * 60_000
    file = record(1, body).replace(b"/d/1", b"/" + b"d" * 5000)
    batches = [batch for batch, _ in relink.scan_warc(io.BytesIO(file))]
    assert len(batches) > 1 and sum(batch.num_rows for batch in batches) == 60_001


def test_header_fields_give_charset_type_and_coding():
    body = gzip.compress("<a href=é>".encode("latin-1"))
    header = f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n"
    file = record(1, body, "text/html; charset=iso-8859-1", header)
    found, problems = rows(io.BytesIO(file))
    assert problems == [] and found[0][2] == "é"
    ((pages, _),) = relink.warc_absolutize(io.BytesIO(file))
    (page,) = pages.to_pylist()
    assert (page["media"], page["charset"], page["changed"]) == ("text/html", "iso-8859-1", True)
    assert page["body"] == "<a href=http://h.example/d/é>".encode("latin-1")


def test_rewritten_pages_have_no_header_section():
    file = sample()
    pages, problems = [], []
    for one, other in relink.warc_absolutize(io.BytesIO(file), name="a", batch_rows=2):
        assert one.num_rows <= 2
        pages += one.to_pylist()
        problems += other.to_pylist()
    assert [page["page"][-1] for page in pages] == ["0", "1", "3", "5", "6", "7", "8"]
    # Of the last record there is what the file has.
    rest = pages.pop()
    assert not rest["changed"] and b"<a href=../8.html>".startswith(rest["body"]), rest
    feed = pages.pop(3)
    assert not feed["changed"] and feed["body"] == b"<rss><a></rss>" and feed["reason"]
    assert pages[1]["body"] == b"<a href=http://h.example/1.html>xxxxxxx</a>"
    assert all(page["changed"] and page["reason"] is None for page in pages)
    assert len(problems) == 3
    names = "page record_id offset media charset body changed reason".split()
    assert list(pages[0]) == names


def test_an_incomplete_record_is_read_and_is_a_problem():
    whole = record(1, b"<a href=../1.html><p>" + b"x" * 200)
    truncated = record(2).replace(b"WARC-Type", b"WARC-Truncated: length\r\nWARC-Type")
    # The end of the body, of the record, and of the file.
    chunked = record(3, b"12\r\n<a href=../3.html>\r\n", header="Transfer-Encoding: chunked\r\n")
    for file, number in (whole[:-150], 1), (truncated, 2), (chunked, 3), (record(4) + whole[:-150], 1):
        found, problems = rows(io.BytesIO(file), name="a")
        assert found[-1][3] == f"http://h.example/{number}.html"
        ((archive, offset, record_id, reason),) = problems
        assert (archive, record_id) == ("a", f"<urn:uuid:{number}>") and reason
        assert offset == found[-1][5]
        ((pages, problems),) = relink.warc_absolutize(io.BytesIO(file), name="a")
        assert pages.to_pylist()[-1]["changed"] and problems.num_rows == 1
    assert rows(io.BytesIO(whole))[1] == []


def test_errors_of_the_stream_are_raised(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        rows(tmp_path / "absent.warc")
    assert error.value.filename == str(tmp_path / "absent.warc")

    class Broken:
        def __init__(self):
            octets = random.Random(1)
            self.file = io.BytesIO(b"".join(member(record(n, octets.randbytes(90_000))) for n in range(4)))

        def read(self, count):
            part = self.file.read(min(count, 50_000))
            if not part:
                raise ConnectionError("gone")
            return part

    found = []
    with pytest.raises(ConnectionError, match="gone"):
        for batch, _ in relink.warc_absolutize(Broken()):
            found += batch.to_pylist()
    assert len(found) >= 1, "what was read before is not lost"
    with pytest.raises(ValueError, match="ends before it starts"):
        rows(io.BytesIO(b""), start=2, end=1)
    assert rows(io.BytesIO(b"")) == ([], [])


def test_an_iterator_that_is_in_use_is_an_error():
    class Again:
        def read(self, count):
            return next(self.batches)

    stream = Again()
    stream.batches = relink.scan_warc(stream)
    with pytest.raises(relink.Error, match="already in use"):
        next(stream.batches)


def test_references_are_those_of_the_program(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(sample())
    command = [sys.executable, "-m", "relink", "refs", "--format", "json", str(path)]
    lines = subprocess.run(command, capture_output=True, check=False).stdout.splitlines()
    lines = [json.loads(line) for line in lines]
    expected = [
        (
            line["record"]["url"],
            line["slot"],
            line["text"],
            line["target"],
            line["record"]["id"],
            line["record"]["offset"],
            line["base_source"],
        )
        for line in lines
    ]
    assert rows(path)[0] == expected and len(expected) == 5


def test_records_are_those_of_warcio(tmp_path):
    archiveiterator = pytest.importorskip("warcio.archiveiterator")
    file = b"".join(member(record(number)) for number in range(30))
    urls = [
        one.rec_headers.get_header("WARC-Target-URI")
        for one in archiveiterator.ArchiveIterator(io.BytesIO(file))
    ]
    assert [row[0] for row in rows(io.BytesIO(file))[0]] == urls


def pages():
    return [member(record(number, b"<a href=../%d.html>" % number)) for number in range(6)]


def test_columns_may_be_chosen():
    file = record(1, b"<a href=/\xc3\xa9>", "text/html; charset=utf-8")
    file = file.replace(b"WARC-Type", b"WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Type")
    columns = ["normalized", "status", "media", "charset", "date", "archive", "page"]
    ((links, _),) = relink.scan_warc(io.BytesIO(file), name="a", columns=columns)
    (row,) = links.to_pylist()
    assert list(row) == columns
    assert (row["normalized"], row["status"]) == ("http://h.example/%C3%A9", 200)
    assert (row["media"], row["charset"], row["archive"]) == ("text/html", "utf-8", "a")
    assert (row["date"], row["page"]) == ("2020-01-02T03:04:05Z", "http://h.example/d/1")
    with pytest.raises(relink.OptionError, match="unknown column 'x'; expected one of page, "):
        relink.scan_warc(io.BytesIO(file), columns=["x"])


def test_several_archives_are_read_one_after_another(tmp_path):
    paths = [tmp_path / name for name in ("a.warc.gz", "b.warc.gz")]
    for path in paths:
        path.write_bytes(b"".join(pages()))
    batches = relink.scan_warc([*paths, io.BytesIO(sample())], columns=["archive", "page"])
    links = [row for links, _ in batches for row in links.to_pylist()]
    assert [row["archive"] for row in links] == [str(paths[0])] * 6 + [str(paths[1])] * 6 + [""] * 5
    with pytest.raises(FileNotFoundError):
        list(relink.scan_warc([paths[0], tmp_path / "absent.warc"]))
    assert list(relink.scan_warc([])) == []


def test_a_stream_of_arrow_has_the_rows_and_keeps_the_problems():
    pyarrow = pytest.importorskip("pyarrow")
    expected, problems = rows(io.BytesIO(sample()), name="a")
    batches = relink.scan_warc(io.BytesIO(sample()), name="a")
    found = pyarrow.table(batches)
    assert [tuple(row.values()) for row in found.to_pylist()] == expected
    kept = [tuple(row.values()) for batch in batches.problems for row in batch.to_pylist()]
    assert kept == problems
    # What is read is not taken for an empty archive.
    with pytest.raises(Exception, match="scan it again"):
        pyarrow.table(batches)
    # An archive without a row has its columns.
    assert pyarrow.table(relink.scan_warc(io.BytesIO(b""))).column_names[0] == "page"


def test_an_error_of_the_file_is_one_of_the_stream():
    pyarrow = pytest.importorskip("pyarrow")

    class Broken:
        def read(self, count):
            raise ConnectionError("gone")

    with pytest.raises(Exception, match="gone"):
        pyarrow.table(relink.scan_warc([io.BytesIO(b""), Broken()]))


def words(text):
    return " ".join(re.findall(r"[^ \t\n\f\r]+", text))


class Anchors(html.parser.HTMLParser):
    """For each `href`: `rel`, and the text up to the next tag of an `a`."""

    INLINE = set(
        "abbr b bdi bdo big cite code del em font i ins kbd mark q s samp small span strike strong sub sup tspan tt u var"
        " wbr".split()
    )
    NOT_MARKUP = {"script", "style", "title", "textarea", "noscript", "iframe", "noframes", "noembed", "xmp"}

    def __init__(self):
        super().__init__()
        self.links, self.skipped = [], None
        # The text of the link that is not complete, and the link.
        self.text = self.link = None

    def end(self):
        if self.text is not None:
            self.link[2] = words("".join(self.text))[:1000]
            self.text = None

    def handle_starttag(self, tag, attributes):
        if self.skipped:
            return
        if tag == "a":
            self.end()
        self.between(tag)
        attributes = dict(reversed(attributes))
        if "href" in attributes:
            rel = attributes.get("rel", "absent")
            self.links.append([attributes["href"], None if rel == "absent" else words(rel or ""), None])
            if tag == "a":
                self.text, self.link = [], self.links[-1]
        if tag in self.NOT_MARKUP:
            self.skipped = tag

    def handle_endtag(self, tag):
        if self.skipped:
            self.skipped = None if tag == self.skipped else self.skipped
        elif tag == "a":
            self.end()
        self.between(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def between(self, tag):
        if self.text is not None and tag not in self.INLINE:
            self.text.append(" ")

    def handle_data(self, data):
        if self.text is not None and not self.skipped:
            self.text.append(data)


def anchors_of(page, kind="text/html; charset=utf-8"):
    columns = ["text", "rel", "anchor"]
    batches = relink.scan_warc(io.BytesIO(record(1, page, kind)), columns=columns, only=["a[href]", "link[href]", "area[href]"])
    return [list(row.values()) for links, _ in batches for row in links.to_pylist()]


def judged(text):
    judge = Anchors()
    judge.feed(text)
    judge.close()
    judge.end()
    return judge.links


def test_rel_and_text_of_anchors_are_those_of_html_parser():
    choose = random.Random(4)
    pieces = [
        "<a href=%d>", "<A HREF='%d' rel='nofollow  UGC' rel=x>", "<a title='<a href=n>' href=\"%d\" rel>", "</a>", "</A >",
        "<link rel=stylesheet href=%d>", "<area href=%d rel='a&amp;b'>", "<a name=x>", "<b>", "</b>", "<br>", "<p>", "</div>",
        "one", " two ", "\n\t", "&amp;", "&eacute;", "&#x41;", "\xe9", "1 < 2", "a&b", "<!-- <a href=n> -->", "<!---->", "<?x>",
        "<script>'<a href=n>'</script>", "<style>a { b: c }</style>", "<img src=x alt=y>", "<span class='>'>", "</span>",
        "\xa0", "x" * 700, "<h3>", "</h3>", "<input value='</a>'>",
    ]  # fmt: skip
    n_links = 0
    for _ in range(500):
        page = "".join(choose.choice(pieces) for _ in range(choose.randrange(60)))
        for number in range(page.count("%d")):
            page = page.replace("%d", str(number), 1)
        assert anchors_of(page.encode()) == judged(page), page
        n_links += len(judged(page))
    assert n_links > 2000


def test_anchors_in_other_charsets_and_documents():
    page = "<p>\u65e5<a href=\u65e5 rel=\u672c>\u672c\u8a9e <i>x</i></a>"
    for charset in ("utf-8", "utf-16", "utf-16-le", "iso-2022-jp", "shift_jis", "euc-jp"):
        found = anchors_of(page.encode(charset), f"text/html; charset={charset.replace('utf-16-le', 'utf-16le')}")
        assert found == [["\u65e5", "\u672c", "\u672c\u8a9e x"]], charset
    # A declaration in the page, and a body with a coding.
    declared = "<meta charset=latin1><a href=x>\xe9</a>".encode("latin-1")
    assert anchors_of(declared, "text/html") == [["x", None, "\xe9"]]
    # What is in a document of the page, or not HTML, has neither.
    inner = b"<iframe srcdoc='<a href=a rel=b>c</a>'></iframe><noscript><a href=d rel=e>f</a></noscript>"
    assert anchors_of(inner) == [["a", None, None], ["d", None, None]]
    xml = b"<a xmlns='http://www.w3.org/1999/xhtml' href='x' rel='y'>z</a>"
    assert all(row[1:] == [None, None] for row in anchors_of(xml, "application/xhtml+xml"))


def test_anchors_take_linear_time():
    # Links that are not closed, one tag with many references, and a text without an end.
    for page in b"<a href=x>" * 100_000, b"<a href=x>" + b"<b>" * 300_000, b"<a href=x " + b"y " * 300_000 + b">":
        assert len(anchors_of(page)) == page.count(b"href")


def test_surt_keys_are_a_column():
    file = record(1, b"<a href='//WWW.i.example/a?c&b'><a href='mailto:x@y'>")
    ((links, _),) = relink.scan_warc(io.BytesIO(file), columns=["surt"])
    assert links.to_pylist() == [{"surt": "example,i)/a?b&c"}, {"surt": None}]
