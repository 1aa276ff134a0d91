"""Sites that relink converts: `Places` has the directories and servers of a run, `convert` writes a
site and converts it, `unpack` unpacks the archives that were made of all.

Some commands get each second or fourth site only; with RELINK_FULL=1 all get all.
"""

import dataclasses
import os
import shutil
import subprocess

import archives
import chromium
from checks import write_site
from site_server import serve
from sites import mark_of

IS_FULL = bool(os.environ.get("RELINK_FULL"))

# The files and directories that `mv` renames.
RENAMED = {"sub/": "deep/er/", "d/i.png": "pictures/one.png", "css/a.css": "css/b.css", "in/": "d/in/"}


@dataclasses.dataclass
class Result:
    """What a command makes of sites. A site is at `root`, in which `{}` is its name; frames are in a
    page in `directory`, which has the URL `url`."""

    command: str
    root: str
    directory: str
    url: str
    # Each site with a number that this divides.
    every: int = 1
    # True if what leads to the site by its URL may stay.
    keeps: bool = False
    is_disk: bool = False
    # True if what a site does not have stays at its own URL.
    leaves_missing: bool = False

    @property
    def is_unpacked(self):
        return self.command.startswith("unpack")

    def has(self, number):
        return IS_FULL or number % self.every == 0


class Places:
    """The directories of a run, with servers for two of them, and the results in them."""

    def __init__(self, directory):
        self.path = {name: os.path.join(directory, name) for name in ("before", "after", "disk", "unpacked", "input", "packed")}
        for path in self.path.values():
            os.mkdir(path)
        self.servers, self.url = [], {}
        for name in ("before", "after"):
            server, self.url[name] = serve(self.path[name])
            self.servers.append(server)
        for name in ("disk", "unpacked", "packed"):
            self.url[name] = "file://" + os.path.realpath(self.path[name]) + "/"
        before, after, disk = (self.url[name] for name in ("before", "after", "disk"))
        # Under another name, so that what leaves the site and comes back by its name is seen.
        self.results = [
            Result("absolutize", after + "a/{}/", self.path["after"], after),
            Result("relativize", after + "r/k/{}n/", self.path["after"], after),
            Result("relativize --for static-host", after + "h/k/{}n/", self.path["after"], after, every=2, leaves_missing=True),
            Result("relativize --for file", disk + "{}n/", self.path["disk"], disk, is_disk=True, leaves_missing=True),
            Result("move", after + "m/{}/", self.path["after"], after),
            Result("mv", before + "v/{}/", self.path["before"], before, every=2),
            Result("unpack mhtml", "unpacked:/mhtml/{}/", self.path["unpacked"], self.url["unpacked"], every=4, is_disk=True, leaves_missing=True),
            Result("unpack warc", "unpacked:/warc/{}/", self.path["unpacked"], self.url["unpacked"], every=2, is_disk=True, leaves_missing=True),
        ]
        # An error page that is made relative keeps its form, and stays at its path.
        stays = Result("relativize", after + "{}/", self.path["after"], after, keeps=True)
        self.error_pages = [stays, *(result for result in self.results if result.command in ("absolutize", "move"))]

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()


def relink(command, *words):
    result = subprocess.run([os.environ["RELINK_BIN"], *command.split(), *words, "-q"], capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise chromium.Failed(f"relink {command} {' '.join(words)}: {result.stderr}")


def convert(places, maker, seed):
    """Writes and converts a site. Returns its files."""
    name, number, files = maker.name, maker.number, maker.site()
    site = os.path.join(places.path["before"], name)
    write_site(files, site)
    at = lambda *path: os.path.join(places.path["after"], *path)  # noqa: E731
    has = {result.command: result.has(number) for result in places.results}
    relink("absolutize", site, "--base", maker.root, "-o", at("a", name))
    relink("relativize", site, "--base", maker.root, "-o", at("r", "k", name + "n"))
    shutil.copytree(at("r", "k", name + "n"), at(name))
    relink("relativize --for file", site, "--base", maker.root, "-o", os.path.join(places.path["disk"], name + "n"))
    relink("move", site, "--from", maker.root, "--to", f"{places.url['after']}m/{name}/", "-o", at("m", name))
    if has["relativize --for static-host"]:
        relink("relativize --for static-host", site, "--base", maker.root, "-o", at("h", "k", name + "n"))
    if has["mv"]:
        # The same site, at a URL of its own.
        root = f"{places.url['before']}v/{name}/"
        tree = os.path.join(places.path["before"], "v", name)
        write_site(type(maker)(number, seed, root).site(), tree)
        for old, new in RENAMED.items():
            if os.path.exists(os.path.join(tree, old)):
                os.makedirs(os.path.dirname(os.path.join(tree, new.rstrip("/"))), exist_ok=True)
                relink("mv --no-manifest", "--tree", tree, "--base", root, os.path.join(tree, old.rstrip("/")), os.path.join(tree, new.rstrip("/")))
    if has["unpack warc"]:
        with open(os.path.join(places.path["input"], "sites.warc"), "ab") as file:
            file.write(archives.warc(files, maker.root))
    if has["unpack mhtml"]:
        write_site({f"{name}.mhtml": archives.mhtml(files, maker.page, maker.root)}, os.path.join(places.path["input"], "mhtml"))
        packed = os.path.join(places.path["packed"], name + ".mhtml")
        relink("pack", os.path.join(site, maker.page), "--root", site, "--base", maker.root, "-o", packed)
    return files


def unpack(places, files):
    """Unpacks all archives. Returns the URL of each site's file by that of the unpacked one."""
    marks = {mark_of(archives.as_bytes(content)): (name, path) for name, site in files.items() for path, content in site.items()}
    found = {}
    for kind, source in (("mhtml", "mhtml"), ("warc", "sites.warc")):
        out = os.path.join(places.path["unpacked"], kind)
        relink("unpack", os.path.join(places.path["input"], source), "-o", out)
        for directory, _, names in os.walk(out):
            for file in (os.path.join(directory, name) for name in names):
                with open(file, "rb") as opened:
                    name, path = marks.get(mark_of(opened.read()), (None, None))
                if name:
                    found["file://" + os.path.realpath(file)] = f"unpacked:/{kind}/{name}/{path}"
    return found
