"""Makes the links of a tree of HTML absolute with libraries for Python, in memory, and says how
fast: python3 benches/peers.py TREE"""

import sys
import time
from pathlib import Path

BASE = "https://docs.example/a/b/page.html"


def with_lxml(data):
    import lxml.html

    document = lxml.html.document_fromstring(data)
    document.make_links_absolute(BASE)
    return lxml.html.tostring(document, encoding="utf-8")


def with_turbohtml(data):
    import turbohtml

    document = turbohtml.parse(data.decode())
    document.resolve_links(BASE)
    return document.serialize()


def main():
    documents = [path.read_bytes() for path in sorted(Path(sys.argv[1]).rglob("*.html"))]
    n_bytes = sum(map(len, documents))
    for name, convert in (("lxml", with_lxml), ("turbohtml", with_turbohtml)):
        try:
            convert(b"<p><a href=x>y</a>")
        except ImportError:
            print(f"skipped: {name} is not installed")
            continue
        started = time.perf_counter()
        for data in documents:
            convert(data)
        seconds = time.perf_counter() - started
        print(f"{name}: {n_bytes / 1e6:.1f} MB in {seconds:.2f} s, {n_bytes / 1e6 / seconds:.0f} MB/s")


main()
