"""WAT files, which describe the pages of an archive in JSON, as `ia-web-commons` writes them."""

import html.parser
import io
import json
from collections import Counter
from pathlib import Path
from urllib.parse import urljoin

import pytest

import relink

pytest.importorskip("pyarrow")

URL = "http://h.example/d/page.html"
DOCUMENTATION = Path("/usr/share/doc/python3.11/html")
COLUMNS = ["page", "slot", "text", "target", "rel", "anchor", "date", "status", "base_source"]


def record(kind, block, media, url=URL):
    fields = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nContent-Type: {media}\r\n"
        f"WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2024-05-31T01:17:49Z\r\n"
    )
    return f"{fields}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def described(response, kind="response"):
    """Returns the record of a WAT file for a record, with what is known of its response."""
    fields = {"WARC-Type": kind, "WARC-Date": "2024-05-18T01:58:10Z", "WARC-Target-URI": URL}
    payload = {f"HTTP-{kind.capitalize()}-Metadata": response}
    envelope = {"Payload-Metadata": payload, "WARC-Header-Metadata": fields, "Format": "WARC/1.0"}
    text = {"Container": {"Offset": "80610308"}, "Envelope": envelope}
    return record("metadata", json.dumps(text).encode(), "application/json")


def scanned(archive, **options):
    found, problems = [], []
    for links, bad in relink.scan_warc(io.BytesIO(archive), **options):
        found += [tuple(row.values()) for row in links.to_pylist()]
        problems += bad.column("reason").to_pylist()
    return found, problems


def test_the_links_of_a_page_are_rows():
    head = {
        "Base": "../b/",
        "Title": "T",
        "Metas": [
            {"name": "description", "content": "c"},
            {"http-equiv": "refresh", "content": "0; url=r"},
        ],
        "Link": [{"path": "LINK@/href", "url": "s.css?a&amp", "rel": "stylesheet"}],
        "Scripts": [{"path": "SCRIPT@/src", "url": "s.js", "type": "text/javascript"}],
    }
    links = [
        {"path": "A@/href", "url": '"<&lt;', "rel": "nofollow x", "text": "a </a> <b> & c"},
        {"path": "IMG@/src", "url": "i", "alt": "<a href=x>"},
        {"path": "FRAME@/src", "url": "f"},
        {"path": "TD@/background", "url": "t"},
        {"path": "TEXTAREA@/background", "url": "no slot"},
        {"path": "PLAINTEXT@/background", "url": "no slot"},
        {"path": "DIV@/onclick", "url": "no slot"},
        {"path": "A><a href=x @/href", "url": "no name"},
        {"path": "STYLE/#text", "href": 'u"</style>\\x'},
        {"path": "A@/href", "url": "//o.example"},
        {"path": "A@/href", "url": "javascript:f()"},
    ]
    message = {"Version": "HTTP/1.1", "Status": "404", "Reason": "Not Found"}
    fields = {
        "Link": ["<l>; rel=next", "<m>; rel=prev"],
        "Content-Type": "text/html; charset=iso-8859-1",
        "Content-Encoding": "gzip",
        "Content-Location": "http://other.example/",
    }
    html = {"Links": links, "Head": head}
    response = {"Response-Message": message, "Headers": fields, "HTML-Metadata": html}
    found, problems = scanned(described(response), columns=COLUMNS)
    assert not problems
    b = "http://h.example/b/"
    date, status = "2024-05-18T01:58:10Z", 404
    expected = [
        ("base[href]", "../b/", b, None, None),
        ("meta[refresh]", "r", f"{b}r", None, None),
        ("link[href]", "s.css?a&amp", f"{b}s.css?a&amp", "stylesheet", None),
        ("script[src]", "s.js", f"{b}s.js", None, None),
        ("a[href]", '"<&lt;', f'{b}"<&lt;', "nofollow x", "a </a> <b> & c"),
        ("img[src]", "i", f"{b}i", None, None),
        ("frame[src]", "f", f"{b}f", None, None),
        ("td[background]", "t", f"{b}t", None, None),
        ("css url()", 'u"</style>\\x', f'{b}u"</style>/x', None, None),
        ("a[href]", "//o.example", "http://o.example", None, ""),
        ("a[href]", "javascript:f()", "javascript:f()", None, ""),
    ]
    of_page = [row for row in found if not row[1].startswith("header")]
    assert [(row[1], *row[2:6]) for row in of_page] == expected
    assert {(row[0], row[6], row[7]) for row in found} == {(URL, date, status)}
    targets = [row[3] for row in found if row not in of_page]
    assert [urljoin(URL, name) for name in "lm"] == [t for t in targets if "other" not in t]


def test_other_records_are_passed_over():
    redirect = {"Response-Message": {"Status": "301"}, "Headers": {"Location": "../new"}}
    archive = b"".join(
        [
            described({"Headers": {"Location": "x"}}, "request"),
            described({"Headers": {"Content-Type": "image/png"}}),
            described({"Headers": {"Location": "x"}}, "revisit"),
            record("metadata", b"via: x", "application/warc-fields"),
            record("metadata", b'{"other": 1}', "application/json"),
            record("metadata", b'{"Envelope": ', "application/json"),
            described(redirect),
        ]
    )
    found, problems = scanned(archive, columns=["target", "status"])
    assert found == [("http://h.example/new", 301)]
    assert len(problems) == 1 and "JSON" in problems[0]
    # What a description does not have cannot be rewritten.
    pages = relink.warc_absolutize(io.BytesIO(archive))
    assert sum(page.num_rows for page, _ in pages) == 0


class Extractor(html.parser.HTMLParser):
    """Describes a page as the extractor of WAT files does, by Python's parser."""

    LISTS = {"link": ("href", "Link"), "script": ("src", "Scripts")}
    LINKS = {"a": "href", "area": "href", "img": "src", "iframe": "src", "form": "action"}

    def __init__(self, page):
        super().__init__()
        self.head, self.links = {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "base" and "href" in values:
            self.head.setdefault("Base", values["href"])
        name, to = self.LISTS.get(tag) or (self.LINKS.get(tag), None)
        if values.get(name) is not None:
            link = {"path": f"{tag.upper()}@/{name}", "url": values[name]}
            link |= {key: values[key] for key in ("rel", "type") if values.get(key)}
            (self.head.setdefault(to, []) if to else self.links).append(link)


def pages():
    yield URL, (
        '<base href="/x/"><link rel="a b" href=s><script src="//s.example/s"></script><a href=a>A</a>'
        '<a href="b?q=&quot;#f" rel=next>B</a><img src="i&amp;j"><form action=""><iframe src=../f>'
    )
    for path in sorted(DOCUMENTATION.glob("library/*.html"))[::20]:
        url = f"http://docs.example/{path.relative_to(DOCUMENTATION)}"
        yield url, path.read_text("utf-8")


def test_rows_are_those_of_json_and_urllib_and_of_the_page():
    slots = [f"{tag}[{name}]" for tag, (name, _) in Extractor.LISTS.items()]
    slots += [f"{tag}[{name}]" for tag, name in Extractor.LINKS.items()]
    slots.append("link[canonical]")
    columns = ["slot", "text", "target", "rel"]
    for url, page in pages():
        seen = Extractor(page)
        html = {"Head": seen.head, "Links": seen.links}
        wat = described({"Headers": {}, "HTML-Metadata": html}).replace(URL.encode(), url.encode())
        wat = record("metadata", wat.split(b"\r\n\r\n", 1)[1].strip(), "application/json", url)
        found, problems = scanned(wat, columns=columns, only=slots)
        assert not problems
        base = urljoin(url, seen.head.get("Base", ""))
        links = seen.head.get("Link", []) + seen.head.get("Scripts", []) + seen.links
        expected: Counter = Counter()
        for link in links:
            tag, name = link["path"].lower().split("@/")
            text, rel = link["url"], link.get("rel")
            name = rel if rel == "canonical" else name
            # urllib drops an empty fragment.
            target = urljoin(base, text) + ("#" if text.endswith("#") else "")
            if text or tag == "a":
                expected[f"{tag}[{name}]", text, target, rel] += 1
        assert Counter(found) == expected

        http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
        whole = record("response", http, "application/http; msgtype=response", url)
        native, problems = scanned(whole, columns=columns, only=slots)
        assert not problems and len(native) >= 6
        assert Counter(found) == Counter(native)
