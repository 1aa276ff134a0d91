"""How a tree that was moved about differs from what it was: python3 compare.py FIRST LAST ROOT END

FIRST was at the URL ROOT, LAST is at the URL END. Outside references every byte must be the same,
and a reference may be written in another way for two reasons only: it leads out of the tree, and is
an absolute URL now; or it was longer than need be, and is the shortest relative reference now. In
both cases it must lead to the same place. Python's urllib says where references lead, and
`shortest` what the shortest is.

One line of JSON is printed: `equal`, the number of files that are the same; `files`, of all;
`outside` and `longer`, of references, by what they were and are; `wrong`, what cannot be explained.

Files that are compressed with gzip are compared as they are when decompressed.
"""

import collections
import gzip
import html
import json
import os
import re
import sys
from urllib.parse import quote, urldefrag, urljoin, urlsplit

# Every place where Sphinx and its themes write a reference: attributes in quotes, and style sheets.
ATTRIBUTE = re.compile(rb"""(\s(?:href|src|action|data|poster|cite|content)\s*=\s*)("[^"]*"|'[^']*')""", re.I)
CSS = re.compile(rb"""(url\(|@import )("[^"]*"|'[^']*'|[^"'()\s]*)""")


def shortest(own, target):
    """The shortest relative reference of the document `own` to `target`, both absolute URLs of
    one site."""
    document, fragment = urldefrag(target)
    fragment = "#" + fragment if "#" in target else ""
    if document == own and fragment:
        return fragment
    path, mark, query = document.partition("?")
    here, there = own.split("/")[:-1], path.split("/")
    n = 0
    while n < len(here) and n < len(there) - 1 and here[n] == there[n]:
        n += 1
    way = "../" * (len(here) - n) + "/".join(there[n:])
    if not way:
        way = "./"
    elif ":" in way.split("/")[0] or way.startswith("/"):
        way = "./" + way
    return way + mark + query + fragment


def content(path):
    """Returns the bytes of a file, decompressed if it is a gzip file (RFC 1952, 2.3.1: its
    first two bytes)."""
    with open(path, "rb") as file:
        octets = file.read()
    return gzip.decompress(octets) if octets[:2] == b"\x1f\x8b" else octets


def pieces(path, octets):
    """What is around the references of a document, and these."""
    expression = CSS if path.endswith(".css") else ATTRIBUTE
    around, found, end = [], [], 0
    for match in expression.finditer(octets):
        around.append(octets[end : match.start(2)])
        found.append(octets[match.start(2) : match.end(2)])
        end = match.end()
    return around + [octets[end:]], found


def text(path, raw):
    """The reference that is written so."""
    raw = raw.decode("utf-8").strip("\"'")
    return raw if path.endswith(".css") else html.unescape(raw)


def judge(path, was, now, root, end):
    """Why a reference is written in another way: `outside`, `longer`, or None if there is no
    reason."""
    own_was, own_now = root + quote(path), end + quote(path)
    target = urljoin(own_was, was)
    is_inside = target.startswith(root)
    moved = end + target[len(root) :] if is_inside else target
    if urljoin(own_now, now) != moved:
        return None
    if not is_inside:
        return "outside" if now == target and not urlsplit(was).scheme else None
    best = shortest(own_now, moved)
    return "longer" if now == best and len(was) > len(best) else None


def main():
    first, last, root, end = sys.argv[1:]
    names = [sorted(os.path.relpath(os.path.join(at, name), tree) for at, _, names in os.walk(tree) for name in names) for tree in (first, last)]
    report = {"files": len(names[0]), "equal": 0, "outside": collections.Counter(), "longer": collections.Counter(), "wrong": []}
    if names[0] != names[1]:
        report["wrong"].append("the trees have not the same files")
    for path in names[0]:
        octets = []
        for tree in (first, last):
            octets.append(content(os.path.join(tree, path)))
        if octets[0] == octets[1]:
            report["equal"] += 1
            continue
        (around, was), (around_now, now) = (pieces(path, text) for text in octets)
        if around != around_now:
            report["wrong"].append(f"{path}: more than references is different")
            continue
        for old, new in zip(was, now):
            if old == new:
                continue
            old, new = text(path, old), text(path, new)
            reason = judge(path, old, new, root, end)
            if reason is None:
                report["wrong"].append(f"{path}: {old} became {new}")
            else:
                report[reason][f"{old} became {new}"] += 1
    print(json.dumps(report))


if __name__ == "__main__":
    main()
