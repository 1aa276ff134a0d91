"""Sites that are easily converted wrongly load what they load: python3 tests/browser/variants.py

RELINK_BIN names the program. Each row of KINDS (`variant_sites.py`) is a small site and a command.
Chromium loads the site, and the result at two places: in another directory and on another host. What
is used there is what is used of the site (`look.py`): no expected text is written. Then the same result
gets wrong references, and must be refused. Each second row of a kind is loaded; all of them with
RELINK_FULL=1. One line of JSON for each check, on standard output; the exit status is 1 if one fails.
Without a browser nothing is checked.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
from checks import run, write_site  # noqa: E402
from conversions import IS_FULL  # noqa: E402
from loads import first_differences, shortened  # noqa: E402
from look import Browser, looked  # noqa: E402
from pictures import picture  # noqa: E402
from site_server import serve  # noqa: E402
from variant_sites import KINDS, OLD  # noqa: E402

# What may leave a reference where it was: then relink says so, and it may have the old place too.
EXCUSES = {"place-dependent", "base-differs", "error-page", "path-dependent"}

# The directory of results with wrong references.
WRONG = "wrong"

# The name of a file in a reference, or a reference to the site. Each becomes wrong by `q/` before
# it.
NAMED = re.compile(r"(?<![-\w.])[abijmfpt]\.(?:png|js|html|css|woff)\b|(?<==\")\.{1,2}/(?![\w.])|(?<=/)s\d+n?(?=\")")


class NamedHosts(Browser):
    """A browser in which all hosts in `.example` are one server of directories, and those in `.test`
    another one."""

    def __init__(self, program, directory):
        self.path = {name: os.path.join(directory, name) for name in ("old", "new")}
        self.servers = [serve(path)[0] for path in self.path.values()]
        old, new = (f"127.0.0.1:{server.server_port}" for server in self.servers)
        super().__init__(program, directory, f"--host-resolver-rules=MAP *.example {old}, MAP *.test {new}")

    def close(self):
        super().close()
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def look(self, pages):
        """What is used of each page."""
        return looked([self], os.path.join(self.path["old"], "all.html"), f"http://{OLD}/all.html", pages, ("narrow",))


class Site:
    """A row with its places."""

    def __init__(self, number, kind, row, path):
        self.kind, self.row, self.path, self.name = kind, row, path, f"s{number}"
        self.host, self.to = (host.encode("idna").decode() for host in (row.host, row.to))
        self.root = f"http://{self.host}/{self.name}/"
        # The URL of each output, by its directory; one has another path, and one another host.
        self.places = {f"old/k/{self.name}n/": f"http://{self.host}/k/{self.name}n/", f"new/{self.name}/": f"http://{self.to}/{self.name}/"}

    def files(self, root, host):
        """The files of the site at a URL."""
        row, path = self.row, "/" + root.split("/", 3)[3]
        name = path.strip("/").rsplit("/", 1)[-1]
        files = {"index.html": "<!doctype html>" + row.page}
        for number, directory in enumerate(("", "d/", "css/", "css/d/")):
            sheet = f"ROOT{directory}i.png" if directory == "css/" else "i.png"
            files[directory + "a.css"] = f":root{{--last:{directory}a}}#s{{list-style-image:url({sheet})}}"
            files[directory + "j.js"] = f'(window.seen = window.seen || []).push("{directory}");'
            files[directory + "m.js"] = f'(window.modules = window.modules || []).push("{directory}");'
            files[directory + "f.html"] = f"<!doctype html>{directory}"
            files[directory + "i.png"] = files[directory + "p.png"] = picture(number + 1, 2, (9, 9, 9))
            files[directory + "t.woff"] = directory
        digest = ""

        def filled(text):
            if isinstance(text, bytes):
                return text
            for mark, value in (("ROOT-", root[:-1]), ("ROOT", root), ("PATH", path), ("NAME", name), ("HOST", host), ("DIGEST", digest)):
                text = text.replace(mark, value)
            return text.encode(row.charset)

        digest = "sha256-" + base64.b64encode(hashlib.sha256(filled(files["css/a.css"])).digest()).decode()
        return {name: filled(content) for name, content in {**files, **row.files}.items()}

    def convert(self, checks):
        """Writes the site and its outputs."""
        site = os.path.join(self.path, "old", self.name)
        write_site(self.files(self.root, self.row.host), site)
        for directory, url in self.places.items():
            out, command = os.path.join(self.path, directory), self.row.command
            if command == "mv":
                write_site(self.files(url, urllib.parse.urlsplit(url).netloc), out)
                for old, new in self.row.renamed.items():
                    os.makedirs(os.path.dirname(os.path.join(out, new.rstrip("/"))), exist_ok=True)
                    self.relink(checks, "--no-manifest", "--tree", out, "--base", url, *(os.path.join(out, of.rstrip("/")) for of in (old, new)))
            elif command == "move":
                to = url.replace(f"//{self.to}/", f"//{self.row.to}/")
                self.relink(checks, site, "--from", self.root, "--to", to, "-o", out)
            else:
                self.relink(checks, site, "--base", self.root, "-o", out)
        wrong = os.path.join(self.path, "new", WRONG, self.name)
        shutil.copytree(out, wrong)
        for name in map(self.moved, ("index.html", *self.row.files)):
            with open(os.path.join(wrong, name), "rb") as file:
                content = file.read().decode(self.row.charset)
            write_site({name: NAMED.sub(r"q/\g<0>", content).encode(self.row.charset)}, wrong)

    def relink(self, checks, *words):
        """Runs the command, which says what it leaves, and nothing else."""
        arguments = [os.environ["RELINK_BIN"], *self.row.command.split(), *words, "--format", "json"]
        result = subprocess.run(arguments, capture_output=True, text=True)
        said = {record["outcome"] for record in map(json.loads, result.stdout.splitlines()) if record["type"] == "reference"}
        expected = {self.row.says} - {""}
        checks.check(self.kind, "what is left", said & (EXCUSES | expected) == expected, row=self.row.words, said=sorted(said), error=result.stderr)

    def moved(self, name):
        """The new name of a file."""
        old = next((old for old in self.row.renamed if name.startswith(old)), None)
        return self.row.renamed[old] + name[len(old) :] if old else name

    def differences(self, was, now, there):
        """The first lines that differ between the site and an output."""
        stays = lambda *_: bool(self.row.says)  # noqa: E731
        target, other = (self.root, there) if self.row.command == "absolutize" else (there, self.root)
        was = shortened(was, self.root, there, stays, self.row.renamed)
        return first_differences(was, shortened(now, target, other, stays))


def check(checks, browser, directory):
    sampled = lambda idx, rows: rows if IS_FULL else rows[idx % 2 :: 2]  # noqa: E731
    rows = [(kind, row) for idx, (kind, rows) in enumerate(KINDS.items()) for row in sampled(idx, rows)]
    sites = [Site(number, kind, row, directory) for number, (kind, row) in enumerate(rows)]
    for site in sites:
        site.convert(checks)
    write_site({"j.js": 'window.seen = ["of the host"];'}, browser.path["old"])
    was = browser.look([site.root + site.row.at for site in sites])
    for number, what in enumerate(("in another directory", "on another host")):
        places = [list(site.places.values())[number] for site in sites]
        now = browser.look([place + site.row.at for site, place in zip(sites, places)])
        for site, place, before, after in zip(sites, places, was, now):
            differ = site.differences(before, after, place)
            checks.check(site.kind, what, not differ, row=site.row.words, differ=differ)
    now = browser.look([place.replace(site.name, f"{WRONG}/{site.name}") + site.row.at for site, place in zip(sites, places)])
    for site, place, before, after in zip(sites, places, was, now):
        # Only the references are wrong, not the place.
        differ = site.differences(before, [line.replace(f"/{WRONG}/", "/") for line in after], place)
        checks.check(site.kind, "what is wrong is refused", bool(differ), row=site.row.words)


if __name__ == "__main__":
    sys.exit(run(check, NamedHosts))
