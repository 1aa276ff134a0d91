#!/usr/bin/env python3
"""Containers in one another: makes some, and judges what relink has made of them, with zipfile,
gzip, mailbox, html.parser, xml.etree and urllib. It shares no code with relink.

    nested.py make DIRECTORY NUMBER  # files with up to four levels
    nested.py targets DIRECTORY URL  # prints each document with the targets in it
    nested.py judge OLD NEW OLDURL NEWURL COMMAND  # directories, and their URLs
"""

import gzip
import html.parser
import io
import mailbox
import pathlib
import random
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree
import zipfile

LINKS = ["b.html", "../e.html", "/c.png", "d/e%20f.css", "http://h/t/x.html", "http://o/y", "../../z.zip/a.html"]
XLINK = "{http://www.w3.org/1999/xlink}href"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
MANIFEST = """<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">
<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>"""
TYPES = """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels"
ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>"""
CONTAINER = """<container><rootfiles><rootfile full-path="o/p.opf"
media-type="application/oebps-package+xml"/></rootfiles></container>"""
BOOK = """<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="a" href="a.html" media-type="text/html"/></manifest></package>"""


# What is made.


def page(rng):
    links = "".join(f'<a href="{rng.choice(LINKS)}">x</a>\n' for _ in range(rng.randint(0, 4)))
    return f"<p>{rng.random()}\n{links}".encode()


def archive(rng, members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members:
            info = zipfile.ZipInfo(name, (1990 + rng.randrange(30), 1, 2, 3, 4, 6))
            info.compress_type = rng.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
            info.comment = rng.choice([b"", b"c"])
            file.writestr(info, data)
    return out.getvalue()


def mailboxes(rng):
    """The messages of a mailbox."""
    head = "From a@b.example Thu Aug 23 09:10:23 2018\nSubject: {}\nContent-Type: text/html\n\n"
    return [head.format(number).encode() + page(rng) + b"\n" for number in range(rng.randint(1, 3))]


def open_document(rng):
    links = "".join(f'<a x:href="{rng.choice(["../", "../../"]) + rng.choice(LINKS[:4:3])}"/>' for _ in range(2))
    content = f'<t xmlns:x="{XLINK[1:-5]}">{links}<a x:href="Pictures/i.png"/></t>'
    return archive(rng, [("META-INF/manifest.xml", MANIFEST), ("content.xml", content)])


def office(rng):
    of = '<Relationship Target="{}" TargetMode="External"/><Relationship Target="in.xml"/>'
    rels = "".join(of.format(rng.choice(LINKS[:6])) for _ in range(2))
    return archive(rng, [("[Content_Types].xml", TYPES), ("a/_rels/b.rels", f'<Relationships xmlns="{RELATIONSHIPS}">{rels}</Relationships>')])


def book(rng):
    page = '<a href="c.html">c</a>'
    return archive(rng, [("META-INF/container.xml", CONTAINER), ("o/p.opf", BOOK), ("o/a.html", page)])


def members(rng, depth):
    yield "a.html", page(rng)
    yield "i.bin", rng.randbytes(rng.randrange(100))
    for number in range(rng.randint(1, 3)):
        kind, data = anything(rng, depth - 1)
        yield f"{rng.choice(['', 'd/', 'é /'])}{number}.{kind}", data


def anything(rng, depth):
    """A file with so many levels at most: its extension, and its bytes."""
    kinds = ["html"]
    if depth > 0:
        kinds += ["mbox", "html.gz", "odt", "docx", "epub"]
    if depth > 1:
        kinds += ["mbox.gz", *["zip"] * 8]
    kind = rng.choice(kinds)
    return kind, {
        "html": lambda: page(rng),
        "mbox": lambda: b"".join(mailboxes(rng)),
        "html.gz": lambda: gzip.compress(page(rng), mtime=7),
        "odt": lambda: open_document(rng),
        "docx": lambda: office(rng),
        "epub": lambda: book(rng),
        "mbox.gz": lambda: b"".join(gzip.compress(one, mtime=7) for one in mailboxes(rng)),
        "zip": lambda: archive(rng, members(rng, depth)),
    }[kind]()


def make(directory, number):
    directory.mkdir()
    for seed in range(number):
        rng = random.Random(seed)
        (directory / f"{seed:03}.zip").write_bytes(archive(rng, members(rng, 4)))
        (directory / f"{seed:03}.mbox.gz").write_bytes(gzip.compress(b"".join(mailboxes(rng)), mtime=7))


# What is judged.


class Anchors(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text.decode())

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name == "href"]


def messages(data):
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return [message.get_payload(decode=True) for message in mailbox.mbox(file.name)]


def elements(text):
    return list(xml.etree.ElementTree.fromstring(text).iter())


def open_zip(data):
    """The members, in their order: names, texts, and the bytes that they are in the file."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        infos = sorted(file.infolist(), key=lambda info: info.header_offset)
        ends = [info.header_offset for info in infos[1:]] + [file.start_dir]
        facts = [(i.filename, i.date_time, i.compress_type, i.comment, i.external_attr) for i in infos]
        raw = [data[info.header_offset:end] for info, end in zip(infos, ends)]
        return facts, [file.read(info) for info in infos], raw


def documents(shown, url, data):
    """The documents of a file with this path and URL: each with its base URL and its links."""
    if shown.endswith(".gz"):
        yield from documents_of(shown, url, shown[:-3], gzip.decompress(data))
    else:
        yield from documents_of(shown, url, shown, data)


def documents_of(shown, url, name, data):
    kind = name.rpartition(".")[2]
    if kind == "html":
        yield shown, url, Anchors(data).found
    elif kind == "mbox":
        for body in messages(data):
            yield shown, url, Anchors(body).found
    elif kind in ("zip", "odt", "docx", "epub"):
        (facts, texts, _) = open_zip(data)
        for (member, *_), text in zip(facts, texts):
            inner = f"{shown}!{member}"
            if kind == "zip":
                yield from documents(inner, f"{url}/{urllib.parse.quote(member)}", text)
            elif member == "content.xml":
                links = [e.get(XLINK) for e in elements(text) if e.get(XLINK)]
                yield inner, f"{url}/content.xml", links
            elif member.endswith(".rels"):
                links = [e.get("Target") for e in elements(text) if e.get("TargetMode")]
                yield inner, url, links
            elif kind == "epub" and member.startswith("o/"):
                links = [e.get("href") for e in elements(text) if e.get("href")]
                yield inner, f"{url}/{member}", links


def all_documents(directory, url):
    for path in sorted(directory.iterdir()):
        yield from documents(str(path), url + path.name, path.read_bytes())


def same(name, old, new):
    """What is not edited keeps its bytes, at each level; returns the number of what is."""
    if old == new:
        return 0
    if name.endswith(".gz"):
        assert old[:10] == new[:10], name
        assert gzip.decompress(old) != gzip.decompress(new), name
        return same(name[:-3], gzip.decompress(old), gzip.decompress(new))
    if name.rpartition(".")[2] not in ("zip", "odt", "docx"):
        return 1
    before, after = open_zip(old), open_zip(new)
    assert before[0] == after[0], name
    n_edited = 0
    for (member, *_), text, raw, new_text, new_raw in zip(*before, *after[1:]):
        assert (text == new_text) == (raw == new_raw), (name, member)
        n_edited += same(member, text, new_text)
    assert n_edited > 0, name
    return n_edited


def judge(old, new, old_url, new_url, command):
    before, after = list(all_documents(old, old_url)), list(all_documents(new, new_url))
    n_targets = 0
    for (shown, base, links), (other, new_base, new_links) in zip(before, after, strict=True):
        assert shown.partition("/")[2] == other.partition("/")[2]
        assert len(links) == len(new_links), (shown, links, new_links)
        for link, new_link in zip(links, new_links):
            target = urllib.parse.urljoin(base, link)
            package = base.rpartition("/content.xml")[0] or (".epub" in base and base.partition(".epub")[0])
            stays = package and target.startswith(package)
            if target.startswith(old_url):
                target = new_url + target[len(old_url):]
            if command == "absolutize" and not stays:
                assert new_link == target, (shown, link, new_link, target)
            else:
                assert urllib.parse.urljoin(new_base, new_link) == target, (shown, link, new_link, target)
            n_targets += 1
    n_edited = sum(same(path.name, path.read_bytes(), (new / path.name).read_bytes()) for path in sorted(old.iterdir()))
    print(n_targets, n_edited)


if __name__ == "__main__":
    command, *args = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(args[0]), int(args[1]))
    elif command == "targets":
        for shown, base, links in all_documents(pathlib.Path(args[0]), args[1]):
            for link in links:
                print(shown, urllib.parse.urljoin(base, link))
    else:
        old, new, *rest = args
        judge(pathlib.Path(old), pathlib.Path(new), *rest)
