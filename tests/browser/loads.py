"""What a browser loads of a site is what it loads of the converted one: python3 tests/browser/loads.py

RELINK_BIN names the program; RELINK_CASES is the number of generated sites (60; 5,000 with
RELINK_FULL=1), RELINK_SEED chooses others. Each site is made absolute, relative for a server,
relative for the disk, and moved, and loaded in Chromium at its own URL and at that of each result:
on another server in a deeper directory, under another name, and on the disk. What counts is what is
used and not what is requested: which style sheets and scripts took effect, the images that are
shown, the frames, the URLs in computed styles, and where links and forms lead. Every name exists in
every directory, so that another base shows another file. Error pages are loaded at depth 0, 1 and 3.

One line of JSON for each check, on standard output; the exit status is 1 if one fails. Without a
browser nothing is checked.
"""

import http.server
import os
import random
import struct
import subprocess
import sys
import zlib

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import listen, run, write_site  # noqa: E402

BATCH = 20
DIRECTORIES = ["", "d/", "sub/", "css/"]
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".png": "image/png"}

# Pieces of a page: @ is a reference to a file with the extension before it.
HEAD = ['<link rel=stylesheet href="css@">', '<script src="js@"></script>', '<style>#s{background-image:url("png@")}</style>', '<link rel=icon href="png@">']
BODY = [
    '<img src="png@">',
    '<p style="background-image:url(\'png@\')">x</p>',
    '<a href="html@">x</a>',
    '<form action="html@"></form>',
    '<iframe src="html@"></iframe>',
    '<svg><image href="png@" width="1" height="1"/></svg>',
    '<svg><a href="html@"></a></svg>',
    '<video poster="png@"></video>',
    '<input type="image" src="png@">',
    '<q cite="html@"></q>',
    '<link rel=stylesheet href="css@">',
    '<script src="js@"></script>',
    '<template><img src="png@"></template>',
    '<div><template shadowrootmode="open"><style>p{background-image:url("png@")}</style><p>x</p></template></div>',
]
BASES = ["d/", "./sub/", "ROOTcss/", "PATHd/", "", "../NAME/sub/"]

# What is used in a page, in the order of its elements.
LOOK = """(() => [...document.querySelectorAll('iframe')].map(frame => {
  const page = frame.contentDocument, window = frame.contentWindow, found = [];
  if (!page || !page.documentElement) return ['no document'];
  const styles = ['backgroundImage', 'listStyleImage', 'content'];
  const shown = element => { try { return element.contentWindow.location.href; } catch { return element.src; } };
  const look = root => {
    for (const element of root.querySelectorAll('*')) {
      const name = element.localName, add = (what, url) => found.push((element.id || name) + ' ' + what + ' ' + url);
      for (const style of styles) {
        const value = window.getComputedStyle(element)[style];
        for (const url of (value && value.match(/url\\("[^"]*"\\)/g)) || []) add(style, url.slice(5, -2));
      }
      if (name === 'img') add('shows', element.currentSrc);
      else if (name === 'iframe') add('shows', shown(element));
      else if (name === 'link' && element.sheet) add('loads', element.sheet.href);
      else if (name === 'link') add('href', element.href);
      else if (name === 'image') add('size', element.getBBox().width);
      else if (name !== 'base' && name !== 'script') {
        for (const property of ['href', 'action', 'poster', 'src', 'cite']) {
          const value = element[property];
          if (typeof value === 'string' && element.getAttribute(property) !== null) add(property, value);
          else if (value && value.animVal !== undefined) add(property, new window.URL(value.animVal, page.baseURI).href);
        }
      }
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(page);
  const root = window.getComputedStyle(page.documentElement);
  for (const sheet of page.styleSheets) found.push('sheet ' + (sheet.href || 'inline'));
  for (const path of window.seen || []) found.push('script ' + path);
  found.push('last sheet ' + root.getPropertyValue('--last'));
  return found;
}))()"""


def picture(width):
    """A PNG of a width of its own."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress(b"".join(b"\0" + b"\0" * width for _ in range(2)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, 2, 8, 0, 0, 0, 0)) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


class Maker:
    """Writes one site, whose URL is `root`."""

    def __init__(self, number, seed, root):
        self.random = random.Random(f"{seed}/{number}")
        self.root, self.name = root, f"s{number}"
        self.path = "/" + root.split("/", 3)[3]

    def reference(self, extension):
        name = self.random.choice(DIRECTORIES) + {"css": "a.css", "js": "j.js", "png": "i.png", "html": "f.html"}[extension]
        form = self.random.randrange(8)
        if form == 0:
            return self.root + name
        if form == 1:
            return self.path + name
        if form == 2:
            return f"../{self.name}/{name}"
        return name

    def fill(self, piece):
        for extension in ("css", "js", "png", "html"):
            while f"{extension}@" in piece:
                piece = piece.replace(f"{extension}@", self.reference(extension), 1)
        return piece

    def base(self, is_first=False):
        href = self.random.choice(BASES)
        # One by the name of the site stays where something before it has two targets, and then
        # depends on the name.
        href = href if is_first else href.replace("../NAME/", "./")
        href = href.replace("ROOT", self.root).replace("PATH", self.path).replace("NAME", self.name)
        return f'<base href="{href}">'

    def page(self):
        head = [self.fill(self.random.choice(HEAD)) for _ in range(4)]
        body = [self.fill(self.random.choice(BODY)) for _ in range(10)]
        place = self.random.randrange(7)
        if place < 3:
            at = self.random.randrange(len(head) + 1)
            head.insert(at, self.base(at == 0))
        elif place == 3:
            body.insert(self.random.randrange(len(body) + 1), self.base())
        elif place == 4:
            # The second one is put before the table, and becomes the first.
            cells = f"<tr><td>{self.base()}{body.pop()}</td></tr>{self.base()}<tr><td>{body.pop()}</td></tr>"
            body.insert(self.random.randrange(len(body)), f"<table>{cells}</table>")
        style = f"<style>:root{{--own:url({self.root}i.png)}}</style>" if self.random.randrange(3) == 0 else ""
        uses = '<p id=v>x</p><p id=o style="background-image:var(--own)">x</p><p id=s>x</p>'
        sheets = f'<link rel=stylesheet href="{self.root}css/vars.css"><link rel=stylesheet href="{self.root}css/d/use.css">'
        first = sheets if self.random.randrange(2) else ""
        return "<!doctype html><title>t</title>" + first + style + "".join(head) + "<body>" + "".join(body) + uses

    def site(self):
        """The files, by their names."""
        files = {}
        for number, directory in enumerate(DIRECTORIES):
            files[directory + "a.css"] = f":root{{--last:{directory}a}}#s{{list-style-image:url(i.png)}}"
            files[directory + "j.js"] = f'(window.seen = window.seen || []).push("{directory}j");'
            files[directory + "i.png"] = picture(number + 1)
            files[directory + "f.html"] = f"<!doctype html>{directory}f"
        # One that depends on the host or the path of the site is left, and reported.
        form = self.random.choice(["../i.png", self.root + "i.png", "i.png", "../../sub/i.png"])
        files["css/vars.css"] = f":root{{--p:url({form})}}"
        files["css/d/use.css"] = "#v{background-image:var(--p)}"
        files["index.html"] = self.page()
        path = self.path
        files["404.html"] = f'<!doctype html><link rel=stylesheet href="{path}a.css"><img src="{path}d/i.png"><a href="{path}">home</a>'
        if self.random.randrange(2):
            files["404.html"] = f'<!doctype html><base href="{path}"><link rel=stylesheet href="a.css"><img src="d/i.png"><a href="./">home</a>'
        return files


def serve(directory):
    """Starts a server for a directory of sites, which sends the error page of a site for what it
    does not have. Returns it and its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.split("?")[0].lstrip("/")
            file = os.path.join(directory, path, "index.html") if path.endswith("/") or not path else os.path.join(directory, path)
            status = 200
            if not os.path.isfile(file):
                status, parts = 404, path.split("/")
                places = (os.path.join(directory, *parts[:n], "404.html") for n in range(len(parts), 0, -1))
                file = next(filter(os.path.isfile, places), None)
            content = b""
            if file:
                with open(file, "rb") as opened:
                    content = opened.read()
            self.send_response(status)
            self.send_header("Content-Type", TYPES.get(os.path.splitext(file or "")[1], "text/plain"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return listen(Handler)


def looked(browser, parent, parent_url, urls):
    """What is used of each page, loaded in frames of a page that is written to `parent`."""
    found = []
    for start in range(0, len(urls), BATCH):
        batch = urls[start : start + BATCH]
        with open(parent, "w", encoding="utf-8") as file:
            file.write("<!doctype html>" + "".join(f'<iframe src="{url}"></iframe>' for url in batch))
        browser.open(parent_url)
        found += browser.do(LOOK)
    return found


def below(found, root, other, files):
    """What is used, with the URLs below the site as paths. What the site does not have is at its own
    URL, if it is made for the disk."""

    def short(line):
        kind, _, url = line.rpartition(" ")
        # What is in a custom property stays where it was.
        is_left = kind.split()[0] in ("v", "o")
        for start, name in ((root, "T:"), (other, "O:")):
            if url.startswith(start):
                is_left |= root.startswith("file:") and url[len(start) :] not in files
                name = "T:" if is_left else name
                rest = url[len(start) :]
                path, mark, tail = rest.partition("#")
                path = path[: -len("index.html")] if path == "index.html" or path.endswith("/index.html") else path
                return f"{kind} {name}{path}{mark}{tail}"
        return line

    return [short(line) for line in found]


def convert(command, *words):
    result = subprocess.run([os.environ["RELINK_BIN"], *command.split(), *words, "-q"], capture_output=True, text=True)
    if result.returncode not in (0, 1):
        raise chromium.Failed(f"relink {command} {' '.join(words)}: {result.stderr}")


def check(checks, browser, directory):
    default = "5000" if os.environ.get("RELINK_FULL") else "60"
    n_sites, seed = int(os.environ.get("RELINK_CASES", default)), os.environ.get("RELINK_SEED", "1")
    place = {name: os.path.join(directory, name) for name in ("before", "after", "disk")}
    for path in place.values():
        os.mkdir(path)
    before, before_url = serve(place["before"])
    after, after_url = serve(place["after"])
    disk_url = "file://" + os.path.realpath(place["disk"]) + "/"
    names = [f"s{number}" for number in range(n_sites)]
    files = {}
    for number, name in enumerate(names):
        site, root = os.path.join(place["before"], name), f"{before_url}{name}/"
        files[name] = Maker(number, seed, root).site()
        write_site(files[name], site)
        at = lambda *path: os.path.join(place["after"], *path, name)  # noqa: E731
        convert("absolutize", site, "--base", root, "-o", at("a"))
        # Under another name, so that what leaves the site and comes back by its name is seen.
        convert("relativize", site, "--base", root, "-o", at("r", "k") + "n")
        convert("relativize", site, "--base", root, "-o", at())
        convert("relativize --for file", site, "--base", root, "-o", os.path.join(place["disk"], name + "n"))
        convert("move", site, "--from", root, "--to", f"{after_url}m/{name}/", "-o", at("m"))
    places = {
        "absolutize": (f"{after_url}a/", "after", after_url),
        "relativize": (f"{after_url}r/k/", "after", after_url),
        "move": (f"{after_url}m/", "after", after_url),
        "relativize --for file": (disk_url, "disk", disk_url),
    }
    pages = {"index.html": "the page", "missing": "an error page", "x/missing": "an error page, deeper", "x/y/z/missing": "an error page, at depth 3"}
    for page, what in pages.items():
        was = looked(browser, os.path.join(place["before"], "all.html"), before_url + "all.html", [f"{before_url}{name}/{page}" for name in names])
        # On another server nothing is below the site, and it stays at its own URL.
        for command, (root, parent, parent_url) in places.items():
            if page != "index.html" and parent == "disk":
                continue
            # An error page keeps its form, and stays at its path.
            if page != "index.html" and command == "relativize":
                root = after_url
            is_renamed = root.endswith(("r/k/", disk_url))
            roots = [f"{root}{name}n/" if is_renamed else f"{root}{name}/" for name in names]
            now = looked(browser, os.path.join(place[parent], "all.html"), parent_url + "all.html", [there + page for there in roots])
            wrong = []
            for name, there, old, new in zip(names, roots, was, now, strict=True):
                original = f"{before_url}{name}/"
                old = below(old, original, there, files[name])
                # What is absolute leads to the site itself, and what is out of the tree stays there.
                target = original if command == "absolutize" else there
                new = below(new, target, original if command != "absolutize" else there, files[name])
                if command == "absolutize":
                    old, new = ([line for line in lines if line.split()[0] not in ("v", "o")] for lines in (old, new))
                if old != new:
                    differ = [pair for pair in zip(old, new) if pair[0] != pair[1]][:3] or [len(old), len(new)]
                    wrong.append({"site": name, "differ": differ})
            checks.check(command, what, not wrong, n_wrong=len(wrong), wrong=wrong[:4])
            checks.check(command, f"{what}: something is seen", sum(map(len, now)) > 3 * n_sites, n=sum(map(len, now)))
    # Another base would have been seen: a style sheet, an image and a script of another directory.
    name = names[0]
    page = os.path.join(place["after"], "r", "k", name + "n", "index.html")
    text = '<!doctype html><link rel=stylesheet href="a.css"><img src="i.png"><script src="j.js"></script>'
    seen = []
    for content in (text, text.replace("a.css", "d/a.css"), text.replace("i.png", "d/i.png"), text.replace("j.js", "d/j.js")):
        with open(page, "w", encoding="utf-8") as file:
            file.write(content)
        seen.append(looked(browser, os.path.join(place["after"], "all.html"), after_url + "all.html", [f"{after_url}r/k/{name}n/"])[0])
    checks.check("", "what is wrong is seen", all(other != seen[0] for other in seen[1:]), seen=seen)
    for server in (before, after):
        server.shutdown()
        server.server_close()


def browser_of(program, directory):
    """A browser in which a page may look into frames of other places."""
    profile = os.path.join(directory, "browser")
    os.mkdir(profile)
    return chromium.Browser(program, profile, "--allow-file-access-from-files", "--disable-web-security")


if __name__ == "__main__":
    sys.exit(run(check, browser_of))
