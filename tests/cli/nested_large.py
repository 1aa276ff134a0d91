#!/usr/bin/env python3
"""Mailboxes in zip files and gzip, which relink edits: makes them, and judges what has become of
them with zipfile, gzip, mailbox, html.parser and urllib. It shares no code with relink.

    nested_large.py make DIRECTORY KIBIBYTES  # a mailbox of so many, others of a quarter
    nested_large.py judge OLD NEW URL         # directories; prints the number of links
    nested_large.py copy OLD NEW              # a directory
    nested_large.py same ONE OTHER            # directories with the same bytes
"""

import filecmp
import gzip
import itertools
import mailbox
import pathlib
import random
import shutil
import sys
import tempfile
import urllib.parse
import zipfile

from nested import Anchors

HEAD = "From a@b.example Thu Aug 23 09:10:23 2018\nSubject: {}\nContent-Type: text/html\n\n"
FACTS = ("filename", "date_time", "compress_type", "comment", "external_attr")


def messages(size):
    """Messages with one link each."""
    rng = random.Random(size)
    while size > 0:
        text = "".join(f"<p>{rng.randbytes(20).hex()}\n" for _ in range(rng.randint(1, 300)))
        message = f"{HEAD.format(size)}<a href=d/{size}>x</a>\n{text}\n".encode()
        size -= len(message)
        yield message


def write(archive, name, method, parts):
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    with archive.open(info, "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)


def pack(file, size):
    """gzip, of which each member has 40 messages."""
    parts = iter(messages(size))
    while part := list(itertools.islice(parts, 40)):
        with gzip.GzipFile(fileobj=file, mode="w", compresslevel=1, mtime=7) as member:
            member.writelines(part)


def copied(file):
    file.seek(0)
    return iter(lambda: file.read(1 << 20), b"")


def make(directory, largest):
    directory.mkdir()
    size = max(2_000_000, largest // 4)
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    with open(directory / "g.mbox.gz", "wb") as file:
        pack(file, size)
    with zipfile.ZipFile(directory / "z.zip", "w", compresslevel=1) as archive:
        write(archive, "m.mbox", deflated, messages(largest))
        write(archive, "a.bin", stored, [b"\0" * 99])
        write(archive, "d/s.mbox", stored, messages(size))
        with tempfile.TemporaryFile() as packed:
            pack(packed, size)
            write(archive, "g.mbox.gz", deflated, copied(packed))
        with tempfile.TemporaryFile() as inner:
            with zipfile.ZipFile(inner, "w", compresslevel=1) as inside:
                write(inside, "m.mbox", deflated, messages(size))
                write(inside, "s.mbox", stored, messages(size))
            write(archive, "in.zip", deflated, copied(inner))


def mailboxes(name, file):
    """The mailboxes in a file, with their URLs below that of the directory, as temporary files."""
    if name.endswith(".zip"):
        with tempfile.TemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            with zipfile.ZipFile(copy) as archive:
                assert archive.testzip() is None
                for info in archive.infolist():
                    with archive.open(info) as member:
                        yield from mailboxes(f"{name}/{info.filename}", member)
    elif name.endswith(".gz"):
        yield from mailboxes(name[:-3], gzip.open(file))
    elif name.endswith(".mbox"):
        with tempfile.NamedTemporaryFile() as copy:
            shutil.copyfileobj(file, copy)
            copy.flush()
            yield name, copy.name


def judge(old, new, url):
    n_links = 0
    for path in sorted(old.iterdir()):
        other = new / path.name
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as before, zipfile.ZipFile(other) as after:
                facts = [[[getattr(i, fact) for fact in FACTS] for i in one.infolist()] for one in (before, after)]
                assert facts[0] == facts[1]
                assert before.read("a.bin") == after.read("a.bin")
        with open(path, "rb") as before, open(other, "rb") as after:
            pairs = zip(mailboxes(path.name, before), mailboxes(path.name, after), strict=True)
            for (name, box), (new_name, new_box) in pairs:
                assert name == new_name
                n_links += same(box, new_box, urllib.parse.urljoin(url, name))
    print(n_links)


def same(box, new_box, url):
    """Returns the number of links in a mailbox, of which all are absolute; all else is the same."""
    n_links = 0
    for message, other in zip(mailbox.mbox(box), mailbox.mbox(new_box), strict=True):
        assert message.get_from() == other.get_from() and message.items() == other.items()
        text, new_text = (one.get_payload(decode=True) for one in (message, other))
        [link], [new_link] = Anchors(text).found, Anchors(new_text).found
        assert new_link == urllib.parse.urljoin(url, link), (url, link, new_link)
        assert new_text == text.replace(b"=" + link.encode(), b"=" + new_link.encode(), 1)
        n_links += 1
    return n_links


if __name__ == "__main__":
    command, *args = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(args[0]), int(args[1]) << 10)
    elif command == "copy":
        shutil.copytree(*args)
    elif command == "same":
        names = [path.name for path in pathlib.Path(args[0]).iterdir() if path.is_file()]
        assert filecmp.cmpfiles(*args, names, shallow=False) == (names, [], []), names
    else:
        judge(pathlib.Path(args[0]), pathlib.Path(args[1]), args[2])
