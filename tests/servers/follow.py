"""What a reader of a tree behind a server for ftp reaches from its first page: python3 follow.py
URL FOLDER

URL is that of the page, FOLDER the tree that is served. Every reference of every document is
followed that leads below the directory of URL; its file is fetched, and must hold the bytes that
it has in FOLDER. One line of JSON is printed: `reached`, the paths below the directory; `missing`,
those that the server has not; `wrong`, those with other bytes; `outside`, how many references lead
elsewhere.

`wget -r` cannot be asked: what comes by ftp it never reads, and lists directories instead of
following references. This follows them by the rules of Python's html.parser and urllib. A query is
no part of the name of a file (RFC 3986, section 3.4), as browsers had it.
"""

import ftplib
import html.parser
import json
import os
import re
import sys
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ATTRIBUTES = {"href", "src", "action", "data", "poster", "cite", "background", "longdesc"}
CSS_URL = re.compile(r"""url\(\s*["']?([^"')]*)["']?\s*\)|@import\s*["']([^"']*)["']""")


class Page(html.parser.HTMLParser):
    """The references of a page, in its order, and its base."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.base = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(reversed(attrs))
        if tag == "base":
            self.base = self.base if self.base is not None else attributes.get("href")
            return
        for name, value in attrs:
            if name in ATTRIBUTES and value:
                self.found.append(value)
            elif name == "srcset" and value:
                self.found += [candidate.split()[0] for candidate in value.split(",") if candidate.strip()]
            elif name == "style" and value:
                self.found += css(value)


def css(text):
    """The references of a style sheet."""
    return [one or other for one, other in CSS_URL.findall(text) if one or other]


def references(path, octets, url):
    """Where the references of a document lead."""
    name = path.lower()
    if name.endswith((".html", ".htm")):
        page = Page(octets.decode("utf-8", "replace"))
        base = url if page.base is None else urljoin(url, page.base.strip())
        found = page.found
    elif name.endswith(".css"):
        base, found = url, css(octets.decode("utf-8", "replace"))
    else:
        return
    for reference in found:
        try:
            yield urljoin(base, reference.strip())
        except ValueError:
            continue


class Server:
    """One connection, in which one file is requested after the other."""

    def __init__(self, host, port):
        self.ftp = ftplib.FTP(timeout=300)
        self.ftp.connect(host, port)
        self.ftp.login()

    def get(self, path):
        """The bytes of a file, or None."""
        pieces = []
        try:
            self.ftp.retrbinary("RETR " + path, pieces.append, blocksize=1 << 18)
        except ftplib.error_perm:
            return None
        return b"".join(pieces)


def main():
    start, directory = sys.argv[1:]
    root = start[: start.rindex("/") + 1]
    place = urlsplit(start)
    server = Server(place.hostname, place.port)
    waiting, seen = [start], {start}
    reached, missing, wrong, outside = [], [], [], 0
    while waiting:
        url = waiting.pop()
        path = unquote(urlsplit(url).path)
        below = path[len(unquote(urlsplit(root).path)) :]
        octets = server.get(path)
        if octets is None:
            missing.append(below)
            continue
        with open(os.path.join(directory, below), "rb") as file:
            if file.read() != octets:
                wrong.append(below)
        reached.append(below)
        for target in references(below, octets, url):
            target = urldefrag(target).url.split("?")[0]
            if not target.startswith(root):
                outside += target.startswith(("ftp:", "http:", "https:", "file:"))
            elif target not in seen and not target.endswith("/"):
                seen.add(target)
                waiting.append(target)
    print(json.dumps({"reached": sorted(reached), "missing": sorted(missing), "wrong": sorted(wrong), "outside": outside}))


if __name__ == "__main__":
    main()
