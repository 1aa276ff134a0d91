#!/usr/bin/env python3
"""Zip files of pages: makes some of all kinds, and judges what relink has made of one, with zipfile
and urllib. It shares no code with relink.

    zip.py make DIRECTORY
    zip.py judge OLD NEW URL     # URL is that of the file; each reference is to be absolute
    zip.py added DIRECTORY TEXT  # pairs n.old and n.new: documents end with TEXT, others are the same
"""

import html.parser
import io
import pathlib
import struct
import sys
import urllib.parse
import zipfile

PAGES = {
    "a.html": '<a href="d/b.html">b</a>\n<img src=../c.png>',
    "d/b.html": '<a href="../a.html#x">' + "text " * 2000 + "<a href=?q>",
    "d/same.html": "<a href=http://g/>",
    "d/é ü%#.html": "<p>\n<a href=//h2/x>\n<a href=x>",
}
OTHERS = {"mimetype": b"a/b", "i.png": bytes(range(256)) * 9000, "d/": b"", "e.txt": b"http://h/"}


def members(archive, method):
    archive.comment = b"a comment"
    for number, (name, data) in enumerate([*OTHERS.items(), *PAGES.items()]):
        info = zipfile.ZipInfo(name, (1990 + number, 1, 2, 3, 4, 6))
        info.comment, info.external_attr = b"c%d" % number, 0o640 << 16
        info.extra = struct.pack("<HHIB", 0xCAFE, 5, number, 7)
        info.compress_type = zipfile.ZIP_STORED if name in ("mimetype", "a.html") else method
        archive.writestr(info, data)


class Pipe(io.RawIOBase):
    """A file without positions: zipfile writes data descriptors to it."""

    def __init__(self, file):
        self.file = file

    def writable(self):
        return True

    def write(self, data):
        return self.file.write(data)


def make(directory):
    directory.mkdir()
    for name, method in [("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)]:
        with zipfile.ZipFile(directory / f"{name}.zip", "w") as archive:
            members(archive, method)
    with open(directory / "descriptors.zip", "wb") as file:
        with zipfile.ZipFile(Pipe(file), "w") as archive:
            members(archive, zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(directory / "zip64.zip", "w") as archive:
        for name, data in PAGES.items():
            with archive.open(name, "w", force_zip64=True) as member:
                member.write(data.encode())
    with open(directory / "descriptors64.zip", "wb") as file:
        with zipfile.ZipFile(Pipe(file), "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in PAGES.items():
                with archive.open(name, "w", force_zip64=True) as member:
                    member.write(data.encode())
    # The end records of zip64, without need.
    limit, zipfile.ZIP_FILECOUNT_LIMIT = zipfile.ZIP_FILECOUNT_LIMIT, 1
    with zipfile.ZipFile(directory / "end64.zip", "w") as archive:
        members(archive, zipfile.ZIP_DEFLATED)
    zipfile.ZIP_FILECOUNT_LIMIT = limit
    plain = (directory / "deflated.zip").read_bytes()
    # A prefix that the offsets do not count, and one that they do.
    (directory / "prefix.zip").write_bytes(b"#!/bin/sh\nexit\n" + plain)
    with open(directory / "counted.zip", "wb") as file:
        file.write(b"MZ prefix")
        with zipfile.ZipFile(file, "a") as archive:
            members(archive, zipfile.ZIP_DEFLATED)


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("href", "src")]


def raw(path):
    """Returns, for each member, its header and data as they are written, and its descriptor."""
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        ends = [info.header_offset for info in infos[1:]] + [archive.start_dir]
    return {info.filename: data[info.header_offset:end] for info, end in zip(infos, ends)}


def judge(old, new, url):
    members, written = raw(old), raw(new)
    assert list(members) == list(written), "names or order"
    before, after = zipfile.ZipFile(old), zipfile.ZipFile(new)
    assert after.testzip() is None
    assert before.comment == after.comment
    first = min(info.header_offset for info in before.infolist())
    assert old.read_bytes()[:first] == new.read_bytes()[:first], "prefix"
    n_edited = 0
    for name in members:
        one, other = before.getinfo(name), after.getinfo(name)
        for field in ("date_time", "compress_type", "comment", "external_attr", "flag_bits", "create_version"):
            assert getattr(one, field) == getattr(other, field), (name, field)
        if one.extra[:1] == b"\xfe":
            assert one.extra == other.extra, name
        text = before.read(name)
        if not name.endswith(".html"):
            assert members[name] == written[name], name
            continue
        own = url + "/" + urllib.parse.quote(name)
        targets = [urllib.parse.urljoin(own, link) for link in Links(text.decode()).found]
        assert targets == Links(after.read(name).decode()).found, (name, targets)
        if text == after.read(name):
            assert members[name] == written[name], name
        else:
            n_edited += 1
    assert n_edited == 3, n_edited


def added(directory, text):
    n_read = 0
    for old in sorted(directory.glob("*.old")):
        new = old.with_suffix(".new")
        try:
            members, before = raw(old), zipfile.ZipFile(old)
            texts = {name: before.read(name) for name in members}
        except Exception:
            # Python does not read it, or only some of it.
            continue
        n_read += 1
        written, after = raw(new), zipfile.ZipFile(new)
        assert after.testzip() is None, new
        assert list(members) == list(written), new
        for name in members:
            if after.read(name) == texts[name]:
                assert members[name] == written[name], (new, name)
            else:
                assert after.read(name) == texts[name] + text.encode(), (new, name)
    print(n_read)


if __name__ == "__main__":
    command, *paths = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(paths[0]))
    elif command == "added":
        added(pathlib.Path(paths[0]), paths[1])
    else:
        judge(pathlib.Path(paths[0]), pathlib.Path(paths[1]), paths[2])
