"""Which capture of each URL counts, as decided from what warcio reads.

    python3 ranking.py make FILE URLS SEED
    python3 ranking.py judge FILE [TIME]

`make` writes an archive with that many URLs, which have captures of all classes, and a page that
links to each of them. `judge` prints a line for each URL: the URL, and the number in the body to
which a link to it leads; `-` if it leads to none.
"""

import hashlib
import io
import random
import re
import sys

import brotli
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

HOST = "http://h.example/"


def date(minute):
    return f"2020-01-{minute // 1440 + 1:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z"


class Maker:
    """Writes captures, each with a number in its body."""

    def __init__(self, file, urls, seed):
        self.writer = WARCWriter(file, gzip=True)
        self.random = random.Random(seed)
        self.urls = urls
        self.number = 0
        self.digests = []

    def body(self):
        self.number += 1
        return b"<!DOCTYPE html><p>capture %d of a page</p>\n" % self.number

    def write(self, url, minute, status, fields, body, method="GET", record_fields=None, pair=True):
        headers = StatusAndHeaders(status, [("Content-Type", "text/html"), *fields], protocol="HTTP/1.1")
        extra = {"WARC-Date": date(minute), **(record_fields or {})}
        response = self.writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=headers,
                                                  warc_headers_dict=extra)
        line = StatusAndHeaders(f"{method} / HTTP/1.1", [("Host", "h.example")], is_http_request=True)
        request = self.writer.create_warc_record(url, "request", http_headers=line,
                                                 warc_headers_dict={"WARC-Date": date(minute)})
        if pair:
            self.writer.write_request_response_pair(request, response)
        else:
            # As programs do that name neither record in the other.
            for record in self.random.sample([request, response], 2):
                self.writer.write_record(record)
        return response.rec_headers.get_header("WARC-Payload-Digest")

    def capture(self, url, minute, kind):
        if kind in ("get", "post", "put", "head"):
            body = b"" if kind == "head" else self.body()
            fields = [("Content-Length", "77")] if kind == "head" else []
            digest = self.write(url, minute, "200 OK", fields, body, kind.upper(), pair=self.random.random() < 0.7)
            if kind == "get":
                self.digests.append((digest, url, date(minute)))
        elif kind == "br":
            self.write(url, minute, "200 OK", [("Content-Encoding", "br")], brotli.compress(self.body()))
        elif kind == "broken":
            body = brotli.compress(self.body())
            self.write(url, minute, "200 OK", [("Content-Encoding", "br")], body[:len(body) // 2])
        elif kind == "chunks":
            body = self.body()
            self.write(url, minute, "200 OK", [("Transfer-Encoding", "chunked")], b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        elif kind == "cut":
            body = self.body()
            self.write(url, minute, "200 OK", [("Content-Length", str(len(body) + 9))], body)
        elif kind == "truncated":
            self.write(url, minute, "200 OK", [], self.body(), record_fields={"WARC-Truncated": "length"})
        elif kind in ("part", "whole"):
            body = self.body()
            size = len(body) + (9 if kind == "part" else 0)
            self.write(url, minute, "206 Partial Content", [("Content-Range", f"bytes 0-{len(body) - 1}/{size}")], body)
        elif kind in ("404", "204", "304"):
            self.write(url, minute, f"{kind} X", [], self.body() if kind == "404" else b"")
        elif kind in ("to", "away", "nowhere"):
            to = {"to": self.urls[self.random.randrange(len(self.urls))], "away": "https://login.example/",
                  "nowhere": HOST + "none"}[kind]
            self.write(url, minute, "302 Found", [("Location", to)], b"moved")
        elif kind == "cookie":
            # The server tries whether it gets a cookie.
            self.write(url, minute, "302 Found", [("Location", url + "-check")], b"")
            self.write(url + "-check", minute, "302 Found", [("Location", url)], b"")
        elif kind in ("revisit", "dangling"):
            if kind == "revisit" and self.digests:
                digest, original, when = self.random.choice(self.digests)
            else:
                digest, original, when = "sha1:" + hashlib.sha1(url.encode()).hexdigest(), HOST + "gone", date(1)
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            record = self.writer.create_revisit_record(url, digest, original, when, http_headers=headers,
                                                       warc_headers_dict={"WARC-Date": date(minute)})
            self.writer.write_record(record)


KINDS = ["get", "br", "broken", "chunks", "post", "put", "head", "part", "whole", "cut", "truncated", "404", "204",
         "304", "to", "away", "nowhere", "cookie", "revisit", "dangling"]


def make(path, n_urls, seed):
    urls = [f"{HOST}p{number}" for number in range(n_urls)]
    with open(path, "wb") as file:
        maker = Maker(file, urls, seed)
        captures = []
        for url in urls:
            n = maker.random.randrange(1, 6)
            minutes = maker.random.sample(range(2, 20000), n)
            captures += [(url, minute, maker.random.choice(KINDS)) for minute in minutes]
        maker.random.shuffle(captures)
        for url, minute, kind in captures:
            maker.capture(url, minute, kind)
        links = "".join(f"<a href=\"{url}\">x</a>\n" for url in urls)
        maker.write(HOST, 1, "200 OK", [], links.encode())


def plain(record):
    """The body of a response, and whether it is complete; None if it has none."""
    http = record.http_headers
    body = record.raw_stream.read()
    is_complete = record.rec_headers.get_header("WARC-Truncated") is None
    if http.get_header("Transfer-Encoding") == "chunked":
        chunk = re.fullmatch(rb"([0-9a-f]+)\r\n(.*)\r\n0\r\n\r\n", body, re.S)
        assert chunk and int(chunk[1], 16) == len(chunk[2])
        body = chunk[2]
    if http.get_header("Content-Encoding") == "br":
        decoder = brotli.Decompressor()
        body = decoder.process(body)
        is_complete = is_complete and decoder.is_finished()
    elif int(http.get_header("Content-Length") or 0) > len(body):
        is_complete = False
    if http.get_statuscode() == "206":
        start, end, size = map(int, re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", http.get_header("Content-Range")).groups())
        is_complete = is_complete and (start, end + 1) == (0, size)
    return body, is_complete


def read(path):
    """The captures of each URL: class, time, body or None, target or None."""
    methods, found, revisits, by_time = {}, [], [], {}
    with open(path, "rb") as file:
        for record in ArchiveIterator(file):
            fields = record.rec_headers
            url, when = fields.get_header("WARC-Target-URI"), fields.get_header("WARC-Date")
            if record.rec_type == "request":
                method = record.http_headers.protocol
                other = fields.get_header("WARC-Concurrent-To")
                methods[other or (url, when)] = method
            elif record.rec_type == "response":
                status = record.http_headers.get_statuscode()
                own = fields.get_header("WARC-Record-ID")
                if status[0] == "3" and status != "304":
                    found.append((url, when, own, 1, None, record.http_headers.get_header("Location")))
                elif status[0] == "2" and status not in ("204", "205"):
                    body, is_complete = plain(record)
                    found.append((url, when, own, 1 if is_complete else 3, body, None))
            elif record.rec_type == "revisit":
                original = fields.get_header("WARC-Refers-To-Target-URI"), fields.get_header("WARC-Refers-To-Date")
                revisits.append((url, when, original))
    captures = {}
    for url, when, own, rank, body, to in found:
        method = methods.get(own) or methods.get((url, when), "GET")
        rank = {"GET": rank, "POST": max(2, rank)}.get(method)
        if rank:
            captures.setdefault(url, []).append((rank, when, body, to))
            if body is not None:
                by_time[url, when] = rank, body
    for url, when, original in revisits:
        if original in by_time:
            rank, body = by_time[original]
            captures.setdefault(url, []).append((rank, when, body, None))
    return captures


def choose(captures, at):
    """The capture that counts for each URL."""
    def preference(capture):
        rank, when, body, to = capture
        seconds = int(re.sub(r"\D", "", when))
        if not at:
            return seconds, to is None
        return (1, seconds, to is None) if when[:len(at)] <= at else (0, -seconds, to is None)

    chosen = {}
    for rank in (1, 2, 3):
        here = {url: sorted((one for one in all_ if one[0] <= rank), key=preference, reverse=True)
                for url, all_ in captures.items() if url not in chosen}
        # URLs that have content, or lead to it.
        good = set(chosen)
        while True:
            more = {url for url, all_ in here.items() if any(to is None or to in good for _, _, _, to in all_)} - good
            if not more:
                break
            good |= more
        picks = {url: next(one for one in all_ if one[3] is None or one[3] in good)
                 for url, all_ in here.items() if url in good}

        def passes(start, url):
            """Whether redirects from one URL lead over another."""
            seen = set()
            while start is not None and start not in seen:
                if start == url:
                    return True
                seen.add(start)
                start = (picks.get(start) or chosen[start])[3]
            return False

        # Instead of a redirect that comes back, the next capture that does not.
        while True:
            changes = {}
            for url, pick in picks.items():
                if pick[3] is None or not passes(pick[3], url):
                    continue
                later = here[url][here[url].index(pick) + 1:]
                good_ones = (one for one in later if one[3] is None or (one[3] in good and not passes(one[3], url)))
                if one := next(good_ones, None):
                    changes[url] = one
            if not changes:
                break
            picks.update(changes)
        chosen.update(picks)
    return chosen


def judge(path, at):
    captures = read(path)
    chosen = choose(captures, at)
    with open(path, "rb") as file:
        urls = sorted({record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(file)} - {HOST})
    for url in urls:
        if "-check" in url:
            continue
        capture = chosen.get(url)
        while capture and capture[3]:
            capture = chosen.get(capture[3])
        number = capture and re.search(rb"capture (\d+) of", capture[2])
        print(url, number[1].decode() if number else "?" if capture else "-")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        judge(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
