"""Lists the links of a site by Python's own parsers: for each page and each link into the site, the
file that a server sends for it, or what has none.

    links.py TREE HOST    one line for each link: page, TAB, text as written, TAB, file or "-"

TREE is the root of HOST. A server sends index.html for a directory, and x.html for /x if there is
no directory of that name.
"""

import html.parser
import os
import sys
import urllib.parse

ATTRIBUTES = {"href", "src"}


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.base = None
        self.found = []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if tag == "base" and name == "href":
                self.base = self.base or value
            elif name in ATTRIBUTES and value is not None:
                self.found.append(value)


def file_of(tree, path):
    path = urllib.parse.unquote(path).lstrip("/")
    for name in (path, os.path.join(path, "index.html"), path.rstrip("/") + ".html"):
        if os.path.isfile(os.path.join(tree, name)):
            return os.path.normpath(name)
    return "-"


def main(tree, host):
    site = f"https://{host}/"
    lines = []
    for directory, _, names in os.walk(tree):
        for name in names:
            if not name.endswith(".html"):
                continue
            file = os.path.relpath(os.path.join(directory, name), tree)
            links = Links()
            with open(os.path.join(directory, name), encoding="utf-8") as page:
                links.feed(page.read())
            url = site + file.removesuffix("index.html")
            base = urllib.parse.urljoin(url, links.base or "")
            for text in links.found:
                target = urllib.parse.urlsplit(urllib.parse.urljoin(base, text))
                if target.scheme == "https" and target.netloc == host:
                    lines.append(f"{file}\t{text}\t{file_of(tree, target.path)}")
    print("\n".join(lines))


main(*sys.argv[1:])
