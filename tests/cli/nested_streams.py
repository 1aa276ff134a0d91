#!/usr/bin/env python3
"""Archives in a zip file: makes them, and lists what is in them with zipfile, gzip and mailbox.
It shares no code with relink.

    nested_streams.py make FILE MEBIBYTES  # a zip file with so many bytes of records in each web archive
    nested_streams.py targets FILE         # prints the targets in it
    nested_streams.py run PROGRAM ARGS     # runs it, and prints its peak memory in KiB on stderr
"""

import gzip
import io
import mailbox
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import zipfile

PAGE = 64 << 10
HEAD = (
    "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    "Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n"
)


def records(name, size):
    """Pages with one link each, and pictures."""
    filler = random.Random(size).randbytes(PAGE // 2).hex()
    for number in range((size << 20) // PAGE + 1):
        kind = "text/html" if number % 4 == 0 else "image/png"
        body = f"<!DOCTYPE html><a href={name}-{number}>x</a><p>{filler[number % 1000:]}"
        http = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n{body}"
        yield (HEAD.format(f"http://h/{number}", len(http)) + http + "\r\n\r\n").encode()


def write(archive, name, method, parts):
    info = zipfile.ZipInfo(name)
    info.compress_type = method
    with archive.open(info, "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)


def copied(file):
    file.seek(0)
    return iter(lambda: file.read(1 << 20), b"")


def messages(size):
    filler = "text " * 12 + "\n"
    for number in range(max(4, (size << 20) // 50_000)):
        head = "From a@b.example Thu Aug 23 09:10:23 2018\nSubject: 1\nContent-Type: text/html\n\n"
        yield f"{head}<a href=http://m/{number}>\n{filler * 800}\n".encode()


def make(path, size):
    stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(path, "w", compresslevel=1) as archive:
        with tempfile.TemporaryFile() as wacz:
            with zipfile.ZipFile(wacz, "w") as inner:
                members = (gzip.compress(one, 1) for one in records("wacz", size))
                write(inner, "archive/data.warc.gz", stored, members)
            write(archive, "stored.wacz", stored, copied(wacz))
            write(archive, "deflated.wacz", deflated, copied(wacz))
        write(archive, "plain.warc", deflated, records("plain", size))
        write(archive, "d/stored.warc", stored, records("stored", 1))
        write(archive, "m.mbox", deflated, messages(size))
        with tempfile.TemporaryFile() as packed:
            with gzip.open(packed, "w", 1) as file:
                file.writelines(messages(size))
            write(archive, "d/m.mbox.gz", stored, copied(packed))


def read_records(stream):
    """The blocks of a web archive."""
    while line := stream.readline():
        assert line == b"WARC/1.1\r\n", line
        fields = {}
        while (line := stream.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            fields[name] = value.strip()
        block = stream.read(int(fields[b"Content-Length"]))
        assert stream.read(4) == b"\r\n\r\n"
        yield fields[b"WARC-Target-URI"].decode(), block


def targets_of(name, stream):
    if name.endswith(".wacz"):
        with tempfile.TemporaryFile() as file:
            shutil.copyfileobj(stream, file)
            with zipfile.ZipFile(file) as inner:
                assert inner.namelist() == ["archive/data.warc.gz"]
                with inner.open("archive/data.warc.gz") as member, gzip.open(member) as text:
                    yield from targets_of(".warc", io.BufferedReader(text))
    elif name.endswith(".warc"):
        for _, block in read_records(stream):
            head, _, body = block.partition(b"\r\n\r\n")
            if b"text/html" in head:
                yield "http://h/" + re.search(rb"<a href=([^>]*)>", body)[1].decode()
    else:
        with tempfile.NamedTemporaryFile() as file:
            shutil.copyfileobj(gzip.open(stream) if name.endswith(".gz") else stream, file)
            file.flush()
            for message in mailbox.mbox(file.name):
                yield re.search("<a href=([^>]*)>", message.get_payload())[1]


def targets(path):
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as stream:
                for target in targets_of(name, stream):
                    print(name, target)


if __name__ == "__main__":
    command, *args = sys.argv[1:]
    if command == "make":
        make(args[0], int(args[1]))
    elif command == "targets":
        targets(args[0])
    else:
        status = subprocess.run(args).returncode
        print("peak:", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
        sys.exit(status)
