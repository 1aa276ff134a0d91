"""The base that Firefox takes for a reference is the one of relink: python3 tests/browser/firefox.py

RELINK_BIN names the program. Not part of the tests: run it when the table of moments
(`crates/rewrite/src/slots`) or Firefox has changed. Each page has one reference, and a `<base>` after
it, at once (`next`) or after a script for which the parser waits (`later`). A server notes what is
requested; where no page follows a link by itself, the property of its element counts. Firefox must use
a target that `relink refs` gives, and so must Chromium, which is asked too if it is installed.

One line of JSON for each check, and one for each browser with the sums; the exit status is 1 if one
fails. Without Firefox nothing is checked.
"""

import collections
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
import chromium  # noqa: E402
import marionette  # noqa: E402
from checks import Checks, listen  # noqa: E402
from pictures import picture  # noqa: E402

# What comes after the reference, by the place of the base.
BASES = {"next": "<base href=d/>", "later": "<script src=later.js></script><base href=d/>"}
CLICK, COPY = "page.querySelector('#x').click()", "page.body.append(page.querySelector('#x').content.cloneNode(true))"
ADD_MODULE = "const added = page.createElement('script'); added.type = 'module'; added.text = 'import \"m\"'; page.body.append(added)"
CLICK_IN_SVG = "page.querySelector('#x').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}))"


def property_of(name):
    return f"return page.querySelector('#x').{name}"


# The start of each page, in which `x.…` is the reference, and a script for the loaded page, which
# perhaps returns the URL that is used.
ROWS = [
    ("<link rel=stylesheet href=x.css>", ""),
    ("<link rel='alternate stylesheet' title=t href=x.css>", ""),
    ("<link rel=stylesheet media=print href=x.css>", ""),
    ("<link rel=preload as=image href=x.png>", ""),
    ("<link rel=preload as=image imagesrcset='x.png 1x'>", ""),
    ("<link rel=modulepreload href=x.js>", ""),
    ("<link rel=prefetch href=x.html>", ""),
    ("<link rel=next href=x.html>", ""),
    ("<link rel=icon href=x.png>", ""),
    ("<link rel=apple-touch-icon href=x.png>", ""),
    ("<link id=x rel=manifest href=x.json>", property_of("href")),
    ("<link id=x rel=canonical href=x.html>", property_of("href")),
    ("<link id=x rel=alternate href=x.html>", property_of("href")),
    ("<script src=x.js></script>", ""),
    ("<script defer src=x.js></script>", ""),
    ("<script async src=x.js></script>", ""),
    ("<script type=module src=x.js></script>", ""),
    ("<svg><script href=x.js></script></svg>", ""),
    ("<svg><script xlink:href=x.js></script></svg>", ""),
    ("<script type=module>import './x.js'</script>", ""),
    ('<script type=importmap>{"imports": {"m": "./x.js"}}</script>', ADD_MODULE),
    ('<script type=speculationrules>{"prefetch": [{"urls": ["x.html"]}]}</script>', ""),
    ("<style>@import 'x.css';</style>", ""),
    ("<style>p{background:url(x.png)}</style><p>x", ""),
    ("<style>p{background:image-set('x.png' 1x)}</style><p>x", ""),
    ("<style>p::before{content:url(x.png)}</style><p>x", ""),
    ("<style>@font-face{font-family:o;src:url(x.woff)}p{font-family:o}</style><p>x", ""),
    ("<style>@media print{p{background:url(x.png)}}</style><p>x", "page.styleSheets[0].cssRules[0].media.mediaText = 'all'"),
    ("<svg><style>p{background:url(x.png)}</style></svg><p>x", ""),
    ("<p style='background:url(x.png)'>x", ""),
    ("<div><template shadowrootmode=open><style>p{background:url(x.png)}</style><p>x</p></template></div>", ""),
    ("<img src=x.png>", ""),
    ("<img srcset='x.png 1x'>", ""),
    ("<picture><source srcset=x.png><img></picture>", ""),
    ("<img srcset='x.png 300w, y.png 900w' sizes=1px>", "page.querySelector('img').sizes = '900px'"),
    ("<img loading=lazy src=x.png>", ""),
    ("<p style='height:9000px'></p><img loading=lazy src=x.png>", "window.scrollTo(0, 1e6)"),
    ("<iframe src=x.html></iframe>", ""),
    ("<p style='height:9000px'></p><iframe loading=lazy src=x.html></iframe>", "window.scrollTo(0, 1e6)"),
    ("<iframe srcdoc='<img src=x.png>'></iframe>", ""),
    ("<object data=x.html></object>", ""),
    ("<object type=image/png data=x.png></object>", ""),
    ("<embed src=x.html>", ""),
    ("<embed type=image/png src=x.png>", ""),
    ("<svg><image href=x.png width=9 height=9 /></svg>", ""),
    ("<svg><image xlink:href=x.png width=9 height=9 /></svg>", ""),
    ("<svg><filter id=f><feImage href=x.png /></filter><rect width=9 height=9 filter='url(#f)'/></svg>", ""),
    ("<svg><use href='x.svg#u'/></svg>", ""),
    ("<svg><linearGradient id=g href='x.svg#g'/><rect width=9 height=9 fill='url(#g)'/></svg>", ""),
    ("<svg><rect width=9 height=9 fill='url(x.svg#g)'/></svg>", ""),
    ("<svg><rect width=9 height=9 filter='url(x.svg#f)'/></svg>", ""),
    ("<svg><rect width=9 height=9 mask='url(x.svg#m)'/></svg>", ""),
    ("<svg><path d='M0 0h9' marker-start='url(x.svg#k)'/></svg>", ""),
    ("<video preload=auto src=x.png></video>", ""),
    ("<video preload=auto><source src=x.png></video>", ""),
    ("<audio preload=auto src=x.png></audio>", ""),
    ("<video src='y.png'><track default src=x.vtt></video>", ""),
    ("<video poster=x.png></video>", ""),
    ("<input type=image src=x.png>", ""),
    ("<body background=x.png>", ""),
    ("<table background=x.png><tr><td>x</table>", ""),
    ("<table><tr><td background=x.png>x</table>", ""),
    ("<meta http-equiv=refresh content='0;url=x.html'>", ""),
    ("<a id=x href=x.html>x</a>", CLICK),
    ("<a id=x ping=x.html href='javascript:void 0'>x</a>", CLICK),
    ("<map><area id=x href=x.html></map>", CLICK),
    ("<svg><a href=x.html><text id=x y=9>x</text></a></svg>", CLICK_IN_SVG),
    ("<form action=x.html><button id=x></button></form>", CLICK),
    ("<form><button id=x formaction=x.html></button></form>", CLICK),
    ("<q id=x cite=x.html></q>", property_of("cite")),
    ("<template id=x><iframe src=x.html></iframe></template>", COPY),
]
CONTENTS = {
    "png": ("image/png", picture(3, 3, (1, 2, 3))),
    "svg": ("image/svg+xml", b"<svg xmlns='http://www.w3.org/2000/svg'><rect id='u' width='9' height='9'/></svg>"),
    "js": ("text/javascript", b""),
    "css": ("text/css", b""),
    "json": ("application/json", b"{}"),
    "woff": ("font/woff", b""),
    "vtt": ("text/vtt", b"WEBVTT\n"),
    "html": ("text/html; charset=utf-8", b""),
}


class Pages:
    """A server for the pages, `/BROWSER/PLACE/ROW/page.html`, which notes the directories in which files
    are requested."""

    def __init__(self):
        self.requested, self.is_requested = collections.defaultdict(set), threading.Condition()
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                *path, name = self.path.split("?")[0].strip("/").split("/")
                if name.startswith("x."):
                    with pages.is_requested:
                        pages.requested["/".join(path[:3])].add("/".join(path[3:]))
                        pages.is_requested.notify_all()
                media_type, content = CONTENTS.get(name.rsplit(".")[-1], ("text/plain", b""))
                # Without content the browser stays on the page.
                self.send_response(204 if name == "x.html" else 200)
                self.send_header("Content-Type", media_type)
                self.end_headers()
                self.wfile.write(document(path[1], int(path[2])).encode() if name == "page.html" else content)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server, self.url = listen(Handler)

    def open(self, name, browser, place, row):
        """Opens a page, and waits until it has requested something: perhaps it never does."""
        path, (_, script) = f"{name}/{place}/{row}", ROWS[row]
        browser.open(f"{self.url}{path}/page.html")
        url = browser.do(f"(() => {{ const page = document; {script} }})()") if script else None
        with self.is_requested:
            if url:
                self.requested[path].add(os.path.dirname(url.removeprefix(f"{self.url}{path}/")))
            self.is_requested.wait_for(lambda: self.requested[path], 2)


def document(place, row):
    return "<!doctype html><title>t</title>" + ROWS[row][0] + BASES[place]


def listed(directory, place, row):
    """The directories of the targets that relink gives. A `srcdoc` with two bases is not read."""
    page, root = os.path.join(directory, "page.html"), "http://h/"
    with open(page, "w", encoding="utf-8") as file:
        file.write(document(place, row))
    words = ["refs", page, "--base", root, "--also", "js-modules", "--format", "json", "-q"]
    output = subprocess.run([os.environ["RELINK_BIN"], *words], capture_output=True, text=True, check=True).stdout
    found = [line for line in map(json.loads, output.splitlines()) if "x." in line["text"]]
    targets = [line[key] for line in found for key in ("target", "other_target") if line.get(key)]
    return {os.path.dirname(target.removeprefix(root)) for target in targets} or {"", "d"}


def check(checks, name, browser, directory):
    pages, sums = Pages(), collections.Counter()
    cases = [(place, row) for row in range(len(ROWS)) for place in BASES]
    for case in cases:
        pages.open(name, browser, *case)
    for place, row in cases:
        used, targets = pages.requested[f"{name}/{place}/{row}"], listed(directory, place, row)
        # What a browser does not load has no base there.
        sums["another base" if used - targets else "the same base" if used else "not used"] += 1
        checks.check(ROWS[row][0], f"{name}, {place}", used <= targets, used=sorted(used), targets=sorted(targets))
    print(json.dumps({"browser": name, "rows": len(ROWS), "pages": sums}))


def main():
    if marionette.find() is None:
        print("skipped: no Firefox on this machine")
        return 0
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="relink-firefox-", ignore_cleanup_errors=True) as directory:
        for name, program, start in (("Firefox", marionette.find(), marionette.Firefox), ("Chromium", chromium.find(), chromium.Browser)):
            if program:
                browser = start(program, tempfile.mkdtemp(dir=directory))
                check(checks, name, browser, directory)
                browser.close()
    return 1 if checks.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
