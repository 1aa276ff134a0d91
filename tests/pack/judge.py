"""Whether packed messages have the files that their pages load, as Python reads them:
python3 tests/pack/judge.py ROOT PAGE MESSAGE [PAGE MESSAGE ...]

ROOT has the URL https://h.test/d/. References are found with `html.parser` and regular expressions
and resolved with `urllib`; a file is loaded if it exists below ROOT. Each message must have exactly
one part for each URL of a loaded file, the page first, with the bytes of that file. The first
difference is reported, with exit status 1.
"""

import email
import email.policy
import html.parser
import os
import re
import sys
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

BASE = "https://h.test/d/"
CSS = re.compile(r"""@import\s+(?:url\()?\s*["']?([^"')]+)["']?\)?|url\(\s*["']?([^"')]*)["']?\s*\)""")
COMMENT = re.compile(r"/\*.*?\*/", re.S)


class Loads(html.parser.HTMLParser):
    """The references of a page that a browser fetches without scripts."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.base = None
        self.is_style = False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        have = dict(attributes)
        self.is_style = tag == "style"
        if tag == "base" and self.base is None:
            self.base = have.get("href")
        if tag in ("img", "iframe", "frame", "embed", "audio", "video", "source", "track", "input") and have.get("src"):
            self.found.append(have["src"])
        if tag == "object" and have.get("data"):
            self.found.append(have["data"])
        if tag == "link" and have.get("href") and {"stylesheet", "icon"} & set((have.get("rel") or "").lower().split()):
            self.found.append(have["href"])
        for candidate in re.split(r",\s+|\s*,$", have.get("srcset") or ""):
            self.found += candidate.split()[:1]
        self.found += in_css(have.get("style") or "")

    def handle_data(self, data):
        if self.is_style:
            self.found += in_css(data)
            self.is_style = False


def in_css(text):
    return [one or other for one, other in CSS.findall(COMMENT.sub("", text))]


def loads(url, octets):
    """The URLs that a document loads."""
    if url.path.endswith(".html"):
        page = Loads(octets.decode("utf-8", "replace"))
        base = urljoin(url.geturl(), page.base or "")
        found = page.found
    elif url.path.endswith(".css"):
        base, found = url.geturl(), in_css(octets.decode("utf-8", "replace"))
    else:
        return []
    return [urldefrag(urljoin(base, reference.strip())).url for reference in found]


def file_of(root, url):
    """The file of a URL, or None."""
    if not url.startswith(BASE):
        return None
    path = os.path.join(root, unquote(urlsplit(url[len(BASE) :]).path))
    return path if os.path.isfile(path) else None


def expected(root, page):
    """The URLs of all parts, and their files."""
    start = BASE + quote(os.path.relpath(page, root))
    files = {start: page}
    waiting = [start]
    while waiting:
        url = waiting.pop(0)
        with open(files[url], "rb") as file:
            octets = file.read()
        for target in loads(urlsplit(url), octets):
            path = file_of(root, target)
            if path and target not in files and not path.endswith(".js"):
                files[target] = path
                waiting.append(target)
    return start, files


def check(root, page, message):
    with open(message, "rb") as file:
        octets = file.read()
    # A file would be read as text, with other line ends.
    parsed = email.message_from_bytes(octets, policy=email.policy.compat32)
    assert parsed.get_content_type() == "multipart/related", parsed.get_content_type()
    assert not parsed.defects, parsed.defects
    start, files = expected(root, page)
    parts = parsed.get_payload()
    assert parts[0]["Content-Location"] == start, (parts[0]["Content-Location"], start)
    found = [part["Content-Location"] for part in parts]
    assert sorted(found) == sorted(files), f"{page}: missing {set(files) - set(found)}, more {set(found) - set(files)}"
    for part in parts:
        assert not part.defects, part.defects
        with open(files[part["Content-Location"]], "rb") as file:
            assert part.get_payload(decode=True) == file.read(), part["Content-Location"]
    for line in octets.split(b"\r\n"):
        is_short = len(line) <= 78 or b"Content-Location: " in line or line.startswith(b"Subject: ")
        assert is_short and b"\n" not in line and b"\r" not in line, line


def main():
    root, paths = sys.argv[1], sys.argv[2:]
    for page, message in zip(paths[::2], paths[1::2]):
        try:
            check(root, page, message)
        except AssertionError as difference:
            print(f"{page}: {difference}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
