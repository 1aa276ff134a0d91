"""Other programs, as commands that are measured: libraries for Python.

    python3 peers.py lxml|turbohtml TREE       makes the links of all pages absolute, in memory
    python3 peers.py email MBOX                reads and decodes all bodies
    python3 peers.py warcio|fastwarc ARCHIVE   lists the links of all pages of a web archive

Each prints what it counted, as JSON. Those that read a tree measure themselves, since the pages are
read into memory before.
"""

import json
import sys
import time
from pathlib import Path

BASE = "https://docs.example/a/b/page.html"


def convert_tree(tree, convert):
    documents = [path.read_bytes() for path in sorted(Path(tree).rglob("*.html"))]
    started, cpu = time.perf_counter(), time.process_time()
    for data in documents:
        convert(data)
    return {"wall": time.perf_counter() - started, "cpu": time.process_time() - cpu, "documents": len(documents)}


def with_lxml(tree):
    import lxml.html

    def convert(data):
        document = lxml.html.document_fromstring(data)
        document.make_links_absolute(BASE)
        return lxml.html.tostring(document, encoding="utf-8")

    return convert_tree(tree, convert)


def with_turbohtml(tree):
    import turbohtml

    def convert(data):
        document = turbohtml.parse(data.decode(errors="replace"))
        document.resolve_links(BASE)
        return document.serialize()

    return convert_tree(tree, convert)


def with_email(mbox):
    import mailbox

    n_messages = n_decoded = 0
    for message in mailbox.mbox(mbox, create=False):
        n_messages += 1
        for part in message.walk():
            if not part.is_multipart():
                n_decoded += len(part.get_payload(decode=True))
    return {"messages": n_messages, "bytes decoded": n_decoded}


def with_warcio(archive):
    import lxml.html
    from warcio.archiveiterator import ArchiveIterator

    n_pages = n_links = 0
    with open(archive, "rb") as file:
        for record in ArchiveIterator(file):
            if record.rec_type != "response" or "html" not in (record.http_headers.get_header("Content-Type") or ""):
                continue
            document = lxml.html.document_fromstring(record.content_stream().read())
            n_pages += 1
            n_links += sum(1 for _ in document.iterlinks())
    return {"pages": n_pages, "links": n_links}


# The attributes that `iterlinks` of lxml lists, most used first.
ATTRIBUTES = ("href", "src", "action", "background", "cite", "data", "longdesc", "usemap", "codebase", "classid", "archive", "profile")


def with_fastwarc(archive):
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.parse.html import HTMLTree

    selector = ", ".join(f"[{name}]" for name in ATTRIBUTES)
    n_pages = n_links = 0
    with open(archive, "rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            if "html" not in (record.http_headers.get("Content-Type") or ""):
                continue
            tree = HTMLTree.parse_from_bytes(record.reader.read(), record.http_charset or "utf-8")
            n_pages += 1
            n_links += len(tree.document.query_selector_all(selector))
    return {"pages": n_pages, "links": n_links}


WORKS = {"lxml": with_lxml, "turbohtml": with_turbohtml, "email": with_email, "warcio": with_warcio, "fastwarc": with_fastwarc}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in WORKS:
        sys.exit(__doc__)
    print(json.dumps(WORKS[sys.argv[1]](sys.argv[2])))


if __name__ == "__main__":
    main()
