"""What relink counts as never loaded from a disk is what Chromium refuses: python3 tests/browser/disk.py

RELINK_BIN names the program. Each of PIECES is a page with one reference, which is made relative for a
disk and opened from there: it is counted if, and only if, the browser asks for the file in vain. One
line of JSON for each check, on standard output; the exit status is 1 if one fails. Without a browser
nothing is checked.
"""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import run, write_site  # noqa: E402
from pictures import picture  # noqa: E402

FILES = {
    "i.png": picture(2, 2, (1, 2, 3)),
    "a.svg": '<svg xmlns="http://www.w3.org/2000/svg"><filter id="f"/><clipPath id="c"/><mask id="m"/><linearGradient id="l"/><marker id="k"/><path id="p" d="M0 0h9"/></svg>',
    "t.vtt": "WEBVTT\n\n00:00.000 --> 00:01.000\nx\n",
    "m.js": "",
    "a.css": "",
}

PIECES = [
    "<script type=module src=/m.js></script>",
    "<script src=/m.js></script>",
    "<link rel=modulepreload href=/m.js>",
    "<link rel=stylesheet href=/a.css>",
    "<link rel=stylesheet href=/a.css crossorigin>",
    "<img src=/i.png>",
    "<img src=/i.png crossorigin>",
    "<video><track default kind=subtitles src=/t.vtt></video>",
    "<svg><use href=/a.svg#p /></svg>",
    "<svg><image href=/i.png /></svg>",
    "<svg><filter id=f><feImage href=/i.png /></filter><g filter=url(#f)><path d=M0,0h9 /></g></svg>",
    *(f"<svg><path d=M0,0h9v9 {name}=url(/a.svg#{target}) /></svg>" for name, target in (("filter", "f"), ("fill", "l"), ("stroke", "l"), ("clip-path", "c"), ("mask", "m"), ("marker-end", "k"))),
    *(f"<style>p{{{name}:url(/a.svg#{target})}}</style><p>x</p>" for name, target in (("filter", "f"), ("backdrop-filter", "f"), ("clip-path", "c"), ("mask", "m"))),
    *(f"<style>p{{{name}:url(/i.png);float:left;list-style-position:inside;display:list-item}}</style><p>x</p>" for name in ("mask-image", "-webkit-mask-image", "-webkit-mask-box-image", "shape-outside", "background", "border-image-source", "list-style-image")),
    "<style>p::before{content:url(/i.png)}</style><p>x</p>",
]

# The subtitles are wanted, and there or not.
SUBTITLES = "Promise.all([...document.querySelectorAll('track')].map(track => new Promise(done => { track.onload = track.onerror = done; track.track.mode = 'showing'; if (track.readyState > 1) done(); }))).then(() => 1)"


def counted(piece, directory):
    """The number of references that relink counts, and the URL of the page that it writes."""
    site, out = os.path.join(directory, "site"), os.path.join(directory, "out")
    write_site({**FILES, "index.html": "<!doctype html>" + piece}, site)
    words = ["relativize", site, "--base", "http://h.example/", "--for", "file", "--color", "never", "-o", out]
    said = subprocess.run([os.environ["RELINK_BIN"], *words], capture_output=True, text=True, check=True).stderr
    line = next((line for line in said.splitlines() if "no browser loads from a disk" in line), "0")
    return int(line.split()[0]), f"file://{os.path.realpath(out)}/index.html"


def check(checks, browser, directory):
    for number, piece in enumerate(PIECES):
        n_counted, page = counted(piece, os.path.join(directory, str(number)))
        browser.open(page)
        browser.do(SUBTITLES)
        n_asked = len(set(browser.requested()) - {page})
        n_refused = len({url for url, _ in browser.failed()})
        checks.check(piece, "what is refused is counted", n_counted == n_refused, counted=n_counted, refused=n_refused)
        checks.check(piece, "it is asked for", n_asked == 1, asked=n_asked)


if __name__ == "__main__":
    sys.exit(run(check, chromium.Browser))
