"""Judge of moves between shares: reads the references of two trees and compares their places by the
rules of `ntpath`, `pathlib.PureWindowsPath` and `urllib.parse`.

    shares.py OLD-TREE NEW-TREE OLD-ROOT NEW-ROOT [LETTER=SHARE ...]

A root is `\\\\host\\share\\...` or a URL of the web.
"""

import email
import html.parser
import ntpath
import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree

OLD, NEW, OLD_ROOT, NEW_ROOT = sys.argv[1:5]
DRIVES = dict(drive.split("=", 1) for drive in sys.argv[5:])
HREF = "{http://www.w3.org/1999/xlink}href"


class Links(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, _, attributes):
        self.found += [value for name, value in attributes if name == "href"]


def references(path):
    if path.suffix == ".eml":
        message = email.message_from_bytes(path.read_bytes())
        parts = [part for part in message.walk() if part.get_content_type() == "text/html"]
        return [ref for part in parts for ref in Links(part.get_payload(decode=True).decode()).found]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".xml":
        return [it.get(HREF) for it in xml.etree.ElementTree.fromstring(text).iter() if it.get(HREF)]
    if path.suffix == ".md":
        return re.findall(r"\]\(<(.*?)>\)", text)
    return Links(text).found


def place(ref, directory):
    """Returns the absolute path on a share, or the parts of a URL of the web."""
    web = urllib.parse.urlsplit(ref)
    if web.scheme in ("http", "https"):
        return (web.netloc, urllib.parse.unquote(web.path))
    # A fragment is no part of a place; these trees have no `#` in names.
    path = urllib.parse.unquote(ref.split("#")[0]).replace("/", "\\")
    if path.lower().startswith("file:"):
        path = path[5:].lstrip("\\")
        path = path if path[1:2] in (":", "|") else "\\\\" + path
    if path[1:2] in (":", "|"):
        path = DRIVES[path[0].upper()] + path[2:]
    if not isinstance(directory, pathlib.PureWindowsPath):
        if path.startswith("\\\\"):
            return pathlib.PureWindowsPath(path)
        joined = urllib.parse.urljoin(directory[1], ref.split("#")[0])
        return (directory[0], urllib.parse.unquote(joined))
    return pathlib.PureWindowsPath(ntpath.normpath(ntpath.join(str(directory), path)))


def root_of(text):
    if text.startswith("\\\\"):
        return pathlib.PureWindowsPath(text)
    web = urllib.parse.urlsplit(text)
    return (web.netloc, web.path.rstrip("/") + "/")


def moved(old, old_root, new_root):
    """Returns where a place is after the move."""
    if isinstance(old, pathlib.PureWindowsPath):
        if not (isinstance(old_root, pathlib.PureWindowsPath) and old.is_relative_to(old_root)):
            return old
        names = old.relative_to(old_root).parts
    else:
        if isinstance(old_root, pathlib.PureWindowsPath) or old[0] != old_root[0]:
            return old
        if not old[1].startswith(old_root[1]):
            return old
        names = old[1][len(old_root[1]):].split("/")
    if isinstance(new_root, pathlib.PureWindowsPath):
        return new_root.joinpath(*names)
    return (new_root[0], new_root[1] + "/".join(names))


def directory_of(root, below):
    if isinstance(root, pathlib.PureWindowsPath):
        return root.joinpath(*below.parts[:-1])
    return (root[0], root[1] + "".join(name + "/" for name in below.parts[:-1]))


old_root, new_root = root_of(OLD_ROOT), root_of(NEW_ROOT)
n_references = 0
for path in sorted(pathlib.Path(OLD).rglob("*.*")):
    below = path.relative_to(OLD)
    olds, news = references(path), references(pathlib.Path(NEW) / below)
    assert len(olds) == len(news), (below, olds, news)
    for old, new in zip(olds, news):
        expected = moved(place(old, directory_of(old_root, below)), old_root, new_root)
        found = place(new, directory_of(new_root, below))
        # A path of Windows has no separator at its end.
        if isinstance(expected, tuple):
            found, expected = ((host, path.rstrip("/")) for host, path in (found, expected))
        assert found == expected, (str(below), old, new, found, expected)
        n_references += 1
assert n_references > 40, n_references
