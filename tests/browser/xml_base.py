"""Documents with `xml:base` point where Chromium takes them: python3 tests/browser/xml_base.py

RELINK_BIN names the program; RELINK_CASES is the number of XHTML and SVG documents (150; 5,000 with
RELINK_FULL=1), RELINK_SEED chooses others. The documents are served on this machine and loaded in
frames of one page, many at a time. Every reference carries a mark of its own in its query. What
Chromium resolves is read from properties of elements, computed styles, resources that a frame has
fetched, navigations that clicks begin (all are stopped), and requests that the server sees; what
relink resolves, from `relink refs`. One line of JSON for each check, on standard output; the exit
status is 1 if one fails. Without a browser nothing is checked.
"""

import collections
import http.server
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import listen, run  # noqa: E402

HTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

BATCH = 25
MARK = re.compile(r"d\d+r\d+z")
TYPES = {".xhtml": "application/xhtml+xml", ".svg": "image/svg+xml", ".html": "text/html"}

# Values of xml:base, some of which are no bases.
BASES = ["b/", "../c/", "/d/", "http://other.example/e/", "//n.example/f", "", "?q", "#f", "mailto:x", "http://[", "data:,x", "i/j.html"]
REFERENCES = ["x", "../y", "/abs/z", "", "./s/../t", "k/", "//o.example/w", "../../../v"]
# References to the server of this test.
LOCAL = ["x", "../y", "/abs/z", "", "./s/../t", "k/"]

# Elements: @ is a reference, ~ one to the server of this test, $ a name.
IN_HTML = [
    '<a href="@"{base}>a</a>',
    '<a href="@" ping="~"{base}>ping</a>',
    '<area href="@"{base}/>',
    '<img src="@"{base}/>',
    '<img srcset="~ 1x"{base}/>',
    '<form action="@"{base}></form>',
    '<button formaction="@"{base}></button>',
    '<input type="image" src="@" formaction="@"{base}/>',
    '<q cite="@"{base}></q>',
    '<blockquote cite="@"{base}></blockquote>',
    '<ins cite="@"{base}></ins>',
    '<object data="@"{base}></object>',
    '<iframe src="@"{base}></iframe>',
    '<script src="@"{base}></script>',
    '<video poster="@" src="@"{base}></video>',
    '<audio{base}><source src="@"/></audio>',
    '<embed src="@"{base}/>',
    '<link rel="stylesheet" href="@"{base}/>',
    '<img longdesc="@"{base}/>',
    '<div style="background-image: url(\'@\')"{base}></div>',
    '<div style="list-style-image: url(@)"{base}></div>',
    '<table{base}><tbody><tr><td background="@"></td></tr></tbody></table>',
    '<style{base}>.$ {{ background-image: url("@") }}</style><div class="$"></div>',
]
IN_SVG = [
    '<image href="~" width="1" height="1"{base}/>',
    '<image xlink:href="~" width="1" height="1"{base}/>',
    '<a href="@"{base}><text>a</text></a>',
    '<a xlink:href="@"{base}><text>a</text></a>',
    '<use href="~#f"{base}/>',
    '<rect style="fill: url(\'@#f\')"{base}/>',
    '<rect fill="url(@#f)"{base}/>',
    '<rect stroke="url(@#f)" filter="url(@#f)"{base}/>',
    '<path marker-start="url(@#f)" clip-path="url(@#f)"{base}/>',
    '<script href="~"{base}/>',
    '<style{base}>.$ {{ fill: url("@#f") }}</style><rect class="$"/>',
    '<filter id="$"{base}><feImage href="~"/></filter><rect width="1" height="1" filter="url(#$)"/>',
]


class Maker:
    """Writes one document."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        self.marks = 0

    def mark(self):
        self.marks += 1
        return f"d{self.number}r{self.marks}z"

    def reference(self, forms):
        return f"{self.random.choice(forms)}?{self.mark()}"

    def base(self, often=3):
        return f' xml:base="{self.random.choice(BASES)}"' if self.random.randrange(often) == 0 else ""

    def leaf(self, templates):
        text = self.random.choice(templates).format(base=self.base())
        self.marks += 1
        name = f"n{self.marks}"
        text = re.sub("@", lambda _: self.reference(REFERENCES), text)
        text = re.sub("~", lambda _: self.reference(LOCAL), text)
        return text.replace("$", name)

    def inside(self, is_html, depth):
        pieces = []
        for _ in range(self.random.randrange(1, 4)):
            choice = self.random.randrange(6)
            if depth < 4 and choice == 0:
                pieces.append(self.island(not is_html, depth + 1))
            elif depth < 4 and choice < 3:
                name = self.random.choice(["div", "section", "p"] if is_html else ["g", "svg"])
                pieces.append(f"<{name}{self.base(2)}>{self.inside(is_html, depth + 1)}</{name}>")
            else:
                pieces.append(self.leaf(IN_HTML if is_html else IN_SVG))
        return "\n".join(pieces)

    def island(self, is_html, depth):
        """An element of the other namespace."""
        inner = self.inside(is_html, depth)
        if is_html:
            return f'<foreignObject width="9" height="9"><div xmlns="{HTML}"{self.base(2)}>{inner}</div></foreignObject>'
        return f'<svg xmlns="{SVG}" xmlns:xlink="{XLINK}"{self.base(2)}>{inner}</svg>'

    def document(self):
        """The name of a document and its text. Each has an xml:base somewhere."""
        is_html = self.random.randrange(2) == 0
        base = f' xml:base="{self.random.choice(BASES)}"'
        at_root = self.random.randrange(2) == 0
        root, inner = (base, "") if at_root else ("", base)
        href = self.random.choice(["/r/", "s/", "http://base.example/t/"])
        element = f'<base href="{href}" xmlns="{HTML}"{self.base()}/>' if self.random.randrange(4) == 0 else ""
        content = self.inside(is_html, 0)
        directory = self.random.choice(["", "p/", "p/q/"])
        if is_html:
            body = f"<body{inner}>\n{content}\n</body>"
            return f"{directory}{self.number}.xhtml", f'<html xmlns="{HTML}"{root}><head>{element}<title>t</title></head>{body}</html>\n'
        body = f"{element}<g{inner}>\n{content}\n</g>"
        return f"{directory}{self.number}.svg", f'<svg xmlns="{SVG}" xmlns:xlink="{XLINK}"{root}>{body}</svg>\n'


def serve(directory):
    """Starts a server for a directory; returns it, its URL, and the set of requests that it
    fills."""
    seen = set()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            seen.add(self.path)
            path = self.path.split("?")[0]
            file = os.path.join(directory, path.lstrip("/"))
            content = b""
            if "?" not in self.path and os.path.isfile(file):
                with open(file, "rb") as opened:
                    content = opened.read()
            self.send_response(200)
            self.send_header("Content-Type", TYPES.get(os.path.splitext(path)[1], "text/plain"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.do_GET()

        def log_message(self, *_):
            pass

    server, url = listen(Handler)
    return server, url, seen


# Collects from each frame the bases of its elements, and every URL that is resolved in it.
LOOK = """(() => {
  const properties = ['href', 'src', 'currentSrc', 'action', 'formAction', 'cite', 'data', 'poster', 'longDesc'];
  const styles = ['backgroundImage', 'listStyleImage', 'fill', 'stroke', 'filter', 'clipPath', 'markerStart'];
  const frames = [...document.querySelectorAll('iframe')];
  return frames.map(frame => {
    const {contentDocument: page, contentWindow: window} = frame;
    if (!page || !page.documentElement) return {bases: [], urls: ['no document'], n_navigations: 0};
    const urls = [], bases = new Set(), links = [];
    for (const element of page.querySelectorAll('*')) {
      bases.add(element.baseURI);
      for (const name of properties) if (typeof element[name] === 'string') urls.push(element[name]);
      const style = window.getComputedStyle(element);
      for (const name of styles) if (style[name] && style[name].includes('url(')) urls.push(...style[name].match(/url\\("[^"]*"\\)/g).map(url => url.slice(5, -2)));
      if (element.localName === 'a') links.push(element);
    }
    if (page.querySelector('parsererror')) urls.push('not well-formed');
    window.navigation.addEventListener('navigate', event => { urls.push(event.destination.url); event.preventDefault(); });
    // The event of a navigation is dispatched while the link is clicked.
    const n_urls = urls.length;
    for (const link of links) link.dispatchEvent(new window.MouseEvent('click', {bubbles: true, cancelable: true, view: window}));
    const n_navigations = urls.length - n_urls;
    urls.push(...window.performance.getEntriesByType('resource').map(entry => entry.name));
    return {bases: [...bases], urls, n_navigations};
  });
})()"""


def seen_by_chromium(browser, root, names, directory, requests):
    """The bases of each document, the URLs in which each mark was seen, and the number of
    navigations that clicks began."""
    bases, urls, n_navigations = {}, collections.defaultdict(set), 0
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        page = f"batch{start}.html"
        with open(os.path.join(directory, page), "w", encoding="utf-8") as file:
            file.write("<!doctype html><title>batch</title>" + "".join(f'<iframe src="{root}{name}"></iframe>' for name in batch))
        browser.open(root + page)
        looked = browser.do(LOOK)
        # The clicks have begun requests too.
        browser.settle()
        for url in browser.requested():
            for mark in MARK.findall(url):
                urls[mark].add(url)
        for name, found in zip(batch, looked, strict=True):
            bases[name] = found["bases"]
            n_navigations += found["n_navigations"]
            for url in found["urls"]:
                marks = MARK.findall(url)
                if not marks and url in ("no document", "not well-formed"):
                    raise chromium.Failed(f"{name}: {url}")
                for mark in marks:
                    urls[mark].add(url)
    for path in list(requests):
        for mark in MARK.findall(path):
            urls[mark].add(root + path.lstrip("/"))
    return bases, urls, n_navigations


def seen_by_relink(directory, root, *options):
    """The references with a mark that relink lists, by mark."""
    command = [os.environ["RELINK_BIN"], "refs", directory, "--base", root, "--format", "json", "--exclude", "*.html", *options]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        raise chromium.Failed(f"relink: {run.stderr}")
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    return {MARK.search(line["text"])[0]: line for line in lines if MARK.search(line["text"])}


def without_fragment(url):
    return url.split("#")[0]


def check(checks, browser, directory, n_documents, seed):
    texts = dict(Maker(number, seed).document() for number in range(n_documents))
    for name, text in texts.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    server, root, requests = serve(directory)
    bases, urls, n_navigations = seen_by_chromium(browser, root, list(texts), directory, requests)
    server.shutdown()
    server.server_close()
    checks.check("", "clicks begin navigations", n_navigations >= n_documents // 10, n=n_navigations)
    listed = seen_by_relink(directory, root)
    marks = {mark for text in texts.values() for mark in MARK.findall(text) if f"?{mark}" in text}
    checks.check("", "every reference is listed", marks == set(listed), n=len(marks), missing=sorted(marks ^ set(listed))[:9])

    wrong, unseen = [], collections.Counter()
    slots = collections.Counter()
    for mark, line in listed.items():
        target = line["target"] and without_fragment(line["target"])
        found = {without_fragment(url) for url in urls[mark]}
        if not found:
            unseen[line["slot"]] += 1
            continue
        slots[line["slot"]] += 1
        if found != {target}:
            wrong.append({"path": line["path"], "slot": line["slot"], "text": line["text"], "relink": target, "Chromium": sorted(found)})
    checks.check("", "targets", not wrong, n=sum(slots.values()), slots=dict(slots), wrong=wrong[:9], n_wrong=len(wrong))
    checks.check("", "each reference is seen", not unseen, unseen=dict(unseen))
    own = collections.defaultdict(set)
    for line in listed.values():
        own[line["path"]].add(line["base"])
    different = [{"path": path, "relink": sorted(own[path]), "Chromium": bases[path]} for path in own if own[path] != set(bases[path])]
    checks.check("", "documents whose elements all have the base of the document", not different, n=len(own), different=different[:9])

    # The other reading is another: otherwise nothing was shown.
    everywhere = seen_by_relink(directory, root, "--xml-base", "everywhere")
    differ = {line["path"] for mark, line in listed.items() if everywhere[mark]["target"] != line["target"]}
    checks.check("", "documents that XML Base reads otherwise", len(differ) > n_documents // 2, n=len(differ))

    # The run that converts counts the same documents.
    made = subprocess.run([os.environ["RELINK_BIN"], "absolutize", directory, "--base", root, "--dry-run"], capture_output=True, text=True)
    counted = re.search(r"(\d+) documents? with xml:base attributes? ignored", made.stderr)
    checks.check("", "documents that are counted", counted is not None and int(counted[1]) == len(differ), messages=made.stderr)


def check_documents(checks, browser, directory):
    site = os.path.join(directory, "site")
    os.mkdir(site)
    default = "5000" if os.environ.get("RELINK_FULL") else "150"
    n_documents = int(os.environ.get("RELINK_CASES", default))
    check(checks, browser, site, n_documents, os.environ.get("RELINK_SEED", "1"))


def browser_of(program, directory):
    """A browser for which the hosts of the documents are nowhere."""
    profile = os.path.join(directory, "browser")
    os.mkdir(profile)
    return chromium.Browser(program, profile, "--host-resolver-rules=MAP *.example ~NOTFOUND")


if __name__ == "__main__":
    sys.exit(run(check_documents, browser_of))
