"""Web archives as warcio writes and reads them, and as wget writes them.

    python3 judge.py make DIRECTORY
    python3 judge.py read FILE ...
    python3 judge.py captures FILE ...

`make` writes archives: by warcio, plain and in gzip, with every coding of bodies; by wget, of a
small server, if wget runs; and ARC. `read` prints a line for each record: offset, length, type,
date, URL, and length and CRC-32 of the decoded body. `captures` prints a line for each URL of the
files together that has content: media type, length and CRC-32 of the newest capture, and the URL.
"""

import gzip
import http.server
import io
import shutil
import subprocess
import sys
import threading
import zlib

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import BufferedReader
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

try:
    import brotli
except ImportError:
    brotli = None

class Brotli:
    """A decoder with the attribute that warcio sets, which that of new versions of brotli refuses."""

    unused_data = None

    def __init__(self):
        self.decoder = brotli.Decompressor()

    def decompress(self, data):
        return self.decoder.process(data)


BufferedReader.DECOMPRESSORS["br"] = Brotli

PAGE = b"<!DOCTYPE html><title>Tides</title>" + b"<p><a href=next.html>next</a>\n" * 300


def raw_deflate(text):
    """Data without a header of zlib, as some servers send them."""
    encoder = zlib.compressobj(wbits=-15)
    return encoder.compress(text) + encoder.flush()


def chunked(body, size=700):
    """The body in chunks."""
    parts = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def bodies():
    """The name, fields and bytes of each body."""
    codings = [("none", None, PAGE), ("empty", None, b""), ("gzip", "gzip", gzip.compress(PAGE, mtime=0)),
               ("deflate", "deflate", zlib.compress(PAGE)), ("raw", "deflate", raw_deflate(PAGE))]
    if brotli:
        codings.append(("br", "br", brotli.compress(PAGE)))
    for name, coding, body in codings:
        fields = [("Content-Type", "text/html; charset=utf-8")]
        if coding:
            fields.append(("Content-Encoding", coding))
        yield name, fields + [("Content-Length", str(len(body)))], body
        yield name + "-chunked", fields + [("Transfer-Encoding", "chunked")], chunked(body)
    # The chunks were removed, and the field was kept.
    yield "dechunked", [("Content-Type", "text/html"), ("Transfer-Encoding", "chunked")], PAGE


def write_warc(path, compressed, version):
    """An archive by warcio's writer: all types of records."""
    with open(path, "wb") as file:
        writer = WARCWriter(file, gzip=compressed, warc_version=version)
        writer.write_record(writer.create_warcinfo_record("a.warc", {"software": "judge"}))
        for name, fields, body in bodies():
            url = "http://h.example/" + name
            headers = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
            response = writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=headers)
            asked = StatusAndHeaders(f"GET /{name} HTTP/1.1", [("Host", "h.example")], is_http_request=True)
            request = writer.create_warc_record(url, "request", http_headers=asked)
            writer.write_request_response_pair(request, response)
        for name, date in [("twice", "2020-01-02T03:04:05Z"), ("twice", "2021-01-02T03:04:05Z"), ("a.png", None)]:
            media_type = "image/png" if date is None else "text/html"
            headers = StatusAndHeaders("200 OK", [("Content-Type", media_type)], protocol="HTTP/1.1")
            payload = io.BytesIO(b"%s of %s" % (name.encode(), str(date).encode()))
            record = writer.create_warc_record("http://h.example/" + name, "response", payload=payload,
                                               http_headers=headers, warc_headers_dict={"WARC-Date": date} if date else {})
            writer.write_record(record)
        digest = record.rec_headers.get_header("WARC-Payload-Digest")
        date = record.rec_headers.get_header("WARC-Date")
        writer.write_record(writer.create_revisit_record("http://h.example/same.png", digest, "http://h.example/a.png",
                                                         date, http_headers=headers))
        moved = StatusAndHeaders("301 Moved", [("Location", "/twice")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record("http://h.example/old", "response", http_headers=moved))
        headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        revisit = writer.create_revisit_record("http://h.example/same", "sha1:B", "http://h.example/none",
                                               "2020-01-02T03:04:05Z", http_headers=headers)
        writer.write_record(revisit)
        for kind in ["resource", "metadata", "conversion"]:
            record = writer.create_warc_record("http://h.example/" + kind, kind, payload=io.BytesIO(PAGE),
                                               warc_content_type="text/html")
            writer.write_record(record)


def write_arc(path, compressed):
    """An ARC file, version 1."""
    head = b"1 0 judge\nURL IP-address Archive-date Content-type Archive-length\n"
    records = [b"filedesc://a.arc 0.0.0.0 20200102030405 text/plain %d\n%s\n" % (len(head), head)]
    for name, fields, body in bodies():
        lines = "".join(f"{field}: {value}\r\n" for field, value in fields)
        block = b"HTTP/1.1 200 OK\r\n" + lines.encode() + b"\r\n" + body
        line = f"http://h.example/{name} 10.0.0.1 20200102030406 text/html {len(block)}\n"
        records.append(line.encode() + block + b"\n")
    with open(path, "wb") as file:
        for record in records:
            file.write(gzip.compress(record, mtime=0) if compressed else record)


class Server(http.server.BaseHTTPRequestHandler):
    """A site with a page for each body."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        pages = {name: (fields, body) for name, fields, body in bodies() if name != "dechunked"}
        links = "".join(f"<a href=/{name}>" for name in pages).encode()
        front = [("Content-Type", "text/html"), ("Content-Length", str(len(links)))], links
        fields, body = pages.get(self.path[1:], front)
        self.send_response(200)
        for field, value in fields:
            self.send_header(field, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def crawl(directory):
    """Archives of a site by wget."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for name, options in [("wget", []), ("wget-plain", ["--no-warc-compression"])]:
        command = ["wget", "-q", "-r", "-l", "1", "-P", f"{directory}/{name}", f"--warc-file={directory}/{name}",
                   *options, f"http://127.0.0.1:{server.server_port}/"]
        # 8: a server responded with an error, for robots.txt.
        if subprocess.run(command, check=False, timeout=60).returncode not in (0, 8):
            print("skipped: wget fails")
    server.shutdown()


def make(directory):
    """Writes all archives."""
    for version in ["1.0", "1.1"]:
        write_warc(f"{directory}/{version}.warc", False, version)
        write_warc(f"{directory}/{version}.warc.gz", True, version)
    write_arc(f"{directory}/a.arc", False)
    write_arc(f"{directory}/a.arc.gz", True)
    if not brotli:
        print("skipped: brotli is not installed")
    if shutil.which("wget"):
        crawl(directory)
    else:
        print("skipped: wget does not run here")


def read(path):
    """Prints the records of an archive."""
    with open(path, "rb") as file:
        records = ArchiveIterator(file, arc2warc=True)
        for record in records:
            fields = record.rec_headers
            body = record.content_stream().read()
            # The length is known when the record has been read.
            length, offset = records.get_record_length(), records.get_record_offset()
            date, url = fields.get_header("WARC-Date"), fields.get_header("WARC-Target-URI")
            print(offset, length, record.rec_type, date, url or "-", len(body), zlib.crc32(body))


def content(record):
    """The media type, length and CRC-32 of the content of a record; None if it has none."""
    http = record.http_headers
    if record.rec_type == "response" and (not http or not http.get_statuscode().startswith("2")):
        return None
    if record.rec_type not in ("response", "resource"):
        return None
    fields = http if record.rec_type == "response" else record.rec_headers
    media_type = (fields.get_header("Content-Type") or "-").split(";")[0].strip().lower() or "-"
    body = record.content_stream().read()
    return media_type, len(body), zlib.crc32(body)


def captures(paths):
    """Prints what the newest capture of each URL is."""
    newest, by_digest, by_time, revisits = {}, {}, {}, []
    for path in paths:
        with open(path, "rb") as file:
            for record in ArchiveIterator(file, arc2warc=True):
                fields = record.rec_headers
                url, date = fields.get_header("WARC-Target-URI"), fields.get_header("WARC-Date")
                digest = fields.get_header("WARC-Payload-Digest")
                is_whole = not fields.get_header("WARC-Truncated") and not fields.get_header("WARC-Segment-Number")
                if record.rec_type == "revisit":
                    original = fields.get_header("WARC-Refers-To-Target-URI"), fields.get_header("WARC-Refers-To-Date")
                    revisits.append((url, date, digest, original))
                found = content(record) if is_whole else None
                if not found:
                    continue
                by_digest.setdefault(digest, found)
                by_time.setdefault((url, date), found)
                if url not in newest or newest[url][0] < date:
                    newest[url] = date, found
    for url, date, digest, original in revisits:
        found = by_time.get(original) or (digest and by_digest.get(digest))
        if found and (url not in newest or newest[url][0] < date):
            newest[url] = date, found
    for url, (_, (media_type, length, crc)) in newest.items():
        print(media_type, length, crc, url)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "captures":
        captures(sys.argv[2:])
    else:
        for path in sys.argv[2:]:
            read(path)
