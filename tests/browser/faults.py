"""The judge of `loads.py` refuses a site that is converted wrongly: python3 tests/browser/faults.py

RELINK_BIN names the program. Each row of FAULTS is a small site with one reference, what `relativize`
writes for it, and what it would write with one kind of fault: with a base, a place or a digest that
browsers do not use. What is right must be accepted, and what is wrong refused. One line of JSON for
each check, on standard output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import base64
import dataclasses
import hashlib
import os
import shutil
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import run, write_site  # noqa: E402
from conversions import Result, relink  # noqa: E402
from loads import differences  # noqa: E402
from look import Browser, looked  # noqa: E402
from site_server import serve  # noqa: E402
from sites import Maker  # noqa: E402


@dataclasses.dataclass
class Fault:
    """A file of a site, in which ROOT, PATH and NAME are its URL, its path and its name, and two
    outputs: what the right one contains, and what the wrong one has instead."""

    what: str
    content: str
    right: str
    wrong: str
    file: str = "index.html"
    # True if a base comes after the reference.
    is_late: bool = False

    @property
    def is_error_page(self):
        return self.file == "404.html"


FAULTS = [
    Fault("a base that comes later", '<img src="ROOTi.png"><base href="d/">', '"i.png"', '"../i.png"', is_late=True),
    Fault("either of two bases", '<img id=e srcset="ROOTi.png 1x"><base href="d/">', '"ROOTi.png 1x"', '"../i.png 1x"', is_late=True),
    Fault("a base that is moved out of a table", '<table><tr><td><base href="d/"></td></tr><base href="sub/"></table><a href="ROOTd/f.html">x</a>', '"../d/f.html"', '"f.html"', is_late=True),
    Fault("a custom property", ":root{--p:url(ROOTi.png)}", "ROOTi.png", "../i.png", file="css/vars.css"),
    Fault("an error page", '<img src="PATHd/i.png">', '"PATHd/i.png"', '"d/i.png"', file="404.html"),
    Fault("a base of an error page", '<base href="PATH"><img src="d/i.png">', '"PATH"', '""', file="404.html"),
    Fault("the name of the tree", '<img src="../NAME/i.png">', '"i.png"', '"../NAME/i.png"'),
    Fault("the tree without its slash", '<a href="/NAME">x</a>', '"./"', '"../NAME"'),
    Fault("a digest", '<link rel=stylesheet href="a.css" integrity="DIGEST">', "RENEWED", "DIGEST"),
    Fault("speculation rules", '<script type=speculationrules>{"prefetch":[{"urls":["ROOTf.html"]}]}</script><base href="d/">', '"../f.html"', '"f.html"', is_late=True),
]


class Faulty(Maker):
    """Writes the site of a fault."""

    EDITED = ("",)

    def __init__(self, number, fault, server):
        super().__init__(number, "faults", f"{server}s{number}/")
        self.page, self.up, self.fault, self.is_late = "index.html", "", fault, fault.is_late

    def index(self):
        sheets = '<link rel=stylesheet href="css/vars.css"><link rel=stylesheet href="css/d/use.css">'
        return f"<!doctype html>{sheets}<p id=v>x</p>"

    def site(self):
        files = super().site()
        head = "<!doctype html>" if self.fault.file.endswith("html") else ""
        files[self.fault.file] = head + self.filled(self.fault.content, files["a.css"].encode())
        return files

    def filled(self, text, sheet):
        """A text of the fault; `sheet` is the style sheet of the site, or of the output."""
        for name, value in (("ROOT", self.root), ("PATH", self.path), ("NAME", self.name)):
            text = text.replace(name, value)
        digest = f"sha256-{base64.b64encode(hashlib.sha256(sheet).digest()).decode()}"
        return text.replace("DIGEST", digest).replace("RENEWED", digest)


def check(checks, browser, directory):
    path = {name: os.path.join(directory, name) for name in ("before", "right", "wrong")}
    for each in path.values():
        os.mkdir(each)
    servers = {name: serve(each) for name, each in path.items()}
    url = {name: of for name, (_, of) in servers.items()}
    makers = [Faulty(number, fault, url["before"]) for number, fault in enumerate(FAULTS)]
    sites = [convert(checks, path, maker) for maker in makers]
    for is_error_page in (False, True):
        pairs = [(maker, files) for maker, files in zip(makers, sites) if maker.fault.is_error_page == is_error_page]
        looks = {name: look(browser, path[name], url[name], name != "before", [maker for maker, _ in pairs]) for name in path}
        for number, (maker, files) in enumerate(pairs):
            for name, is_right in (("right", True), ("wrong", False)):
                result = Result("relativize", "", path[name], url[name], keeps=is_error_page)
                there = url[name] + place(maker)
                differ = differences(result, maker, there, files, looks["before"][number], looks[name][number], {})
                checks.check(maker.fault.what, f"{name} is seen", is_right == (not differ), differ=differ)
    for server, _ in servers.values():
        server.shutdown()
        server.server_close()


def place(maker):
    """The path of an output: under another name, unless it is an error page, which keeps its own."""
    return f"{maker.name}/" if maker.fault.is_error_page else f"k/{maker.name}n/"


def convert(checks, path, maker):
    """Writes a site, and its right and its wrong output. Returns its files."""
    files, fault = maker.site(), maker.fault
    site, right, wrong = (os.path.join(path[name], of) for name, of in (("before", maker.name), ("right", place(maker)), ("wrong", place(maker))))
    write_site(files, site)
    relink("relativize", site, "--base", maker.root, "-o", right)
    shutil.copytree(right, wrong)
    with open(os.path.join(right, "a.css"), "rb") as file:
        written = maker.filled(fault.right, file.read())
    with open(os.path.join(right, fault.file), encoding="utf-8") as file:
        output = file.read()
    checks.check(fault.what, "the output", written in output, output=output)
    write_site({fault.file: output.replace(written, maker.filled(fault.wrong, files["a.css"].encode()))}, wrong)
    return files


def look(browser, directory, url, is_output, makers):
    """What is used of the pages of a directory."""
    pages = (f"{url}{place(maker) if is_output else maker.name + '/'}{'x/missing' if maker.fault.is_error_page else maker.page}" for maker in makers)
    return looked([browser], os.path.join(directory, "all.html"), url + "all.html", list(pages))


if __name__ == "__main__":
    sys.exit(run(check, Browser))
