"""Pages that Chromium saves as MHTML, made absolute and relative, must open in it as they did
before: python3 tests/browser/mhtml.py

RELINK_BIN names the program. A small site is served on this machine, saved with
Page.captureSnapshot, converted, and opened from the disk when the server is gone; what is shown of
each file is compared with the save itself. One line of JSON for each check, on standard output; the
exit status is 1 if one fails. Without a browser nothing is checked.

Chromium resolves the references of the first part against its Content-Location, but those of a
frame that it saved against `cid:frame-…`, where nothing relative leads anywhere. So `style`
attributes of frames, which it saves as they are, show nothing in a save; made absolute, they do.
"""

import http.server
import os
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
import pictures  # noqa: E402
from checks import run, write_site  # noqa: E402
from pictures import picture  # noqa: E402

WAYS = ("absolutize", "relativize")


INDEX = """<!doctype html><meta charset=utf-8><title>A café by the harbour</title>
<link rel=stylesheet href="style/main.css?v=3&amp;w=4">
<style>h2 { background: url(img/heading.png) } @media all { h2 { color: rgb(7, 8, 9) } }</style>
<h1>Première page</h1><h2 id=here>With a background</h2>
<p class=bordered style="background: url('img/style.png?a=1&amp;b=2') repeat-x">A paragraph with a style of its own.
<p><img src=img/one.png alt=one> <img src="/img/two.png?long=a-name-that-is-cut-by-the-encoder&amp;again=and-again-until-it-is-long-enough&amp;c=%20d" alt=two>
<img src=img/drawing.svg alt=drawing> <img srcset="img/small.png 1x, img/large.png 2x" src=img/small.png alt=set>
<picture><source srcset=img/source.png><img src=img/one.png alt=source></picture> <input type=image src=img/button.png alt=button>
<p><a href=other.html?a=1&amp;b=2#x>other</a> <a href=#here>here</a> <a href=/>home</a> <a href=../up.html>up</a> <a href=//other.example/x>away</a>
<a href="https://away.example/a?b=c&amp;d=e">far away</a> <a href=mailto:reader@away.example>mail</a> <a href="frames/">folder</a>
<form action=send.cgi><input name=q></form>
<iframe src=frames/one.html width=300 height=120></iframe>
"""

STYLED = """<!doctype html><meta charset=utf-8><title>Styled frames</title><p>Above the frame.
<iframe src=frames/styled.html width=300 height=120></iframe>
"""

SITE = {
    "index.html": INDEX,
    "styled.html": STYLED,
    "style/main.css": "@import url(more.css); body { background: #eee url('../img/body.png') repeat-y right } h1 { color: rgb(1, 2, 3) }\n",
    "style/more.css": ".bordered { border: 6px solid; border-image: url(../img/border.png) 2 } h1 { background: url(/img/h1.png) }\n",
    "frames/one.html": "<!doctype html><title>Frame</title><p>In the frame.<p><img src=../img/frame.png> <a href=two.html>two</a> <a href=../index.html#here>back</a>\n"
    "<iframe src=two.html width=200 height=40></iframe>",
    "frames/two.html": "<!doctype html><title>Inner</title><link rel=stylesheet href=../style/inner.css><p>In the frame within.<img src=/img/inner.png>\n",
    "style/inner.css": "p { background: url(../img/innermost.png); color: rgb(4, 5, 6) }\n",
    "frames/styled.html": "<!doctype html><title>Styled</title><p style='background: url(../img/style.png); height: 60px'>In the styled frame.\n",
    "img/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><circle cx="10" cy="10" r="9" fill="teal"/></svg>\n',
}
PICTURES = "heading style one two small large source button frame body border h1 inner innermost".split()
for idx, name in enumerate(PICTURES):
    SITE[f"img/{name}.png"] = picture(20 + idx, 12 + idx, (17 * idx, 255 - 17 * idx, 60 + 10 * idx))

# What a document shows, in one frame. A computed style has absolute URLs, as `href` and `action`
# have.
LOOK = """(() => {
  const styles = [...document.querySelectorAll('*')].map(element => getComputedStyle(element));
  const seen = name => styles.map(style => style[name]).filter(value => value.includes('url('));
  return {
    title: document.title,
    text: document.body.innerText,
    images: [...document.images].map(image => [image.alt, image.complete && image.naturalWidth, image.naturalHeight]),
    backgrounds: seen('backgroundImage'),
    borders: seen('borderImageSource'),
    colours: styles.map(style => style.color).join(' '),
    links: [...document.links].map(link => link.href),
    forms: [...document.forms].map(form => form.action),
  };
})()"""


def serve(directory):
    """A server for a directory, and the URL of the directory."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=directory)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


def look(browser, url):
    """What a page and its frames show, and how it looks."""
    browser.open(url)
    frames = [browser.evaluate(LOOK, frame) for frame in browser.frames()]
    return frames, browser.photograph()


def save(browser, url, path):
    """What Chromium saves of a page."""
    browser.open(url)
    text = browser.ask("Page.captureSnapshot", format="mhtml")["data"]
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(text)


def convert(checks, way, directory, name):
    """Runs the program; the name of what it made, if it made something else."""
    made = f"{name}.{way}.mhtml"
    paths = [os.path.join(directory, file) for file in (f"{name}.mhtml", made)]
    run = subprocess.run([os.environ["RELINK_BIN"], way, paths[0], "-o", paths[1]], capture_output=True, text=True)
    checks.check(made, "exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)
    is_there = os.path.exists(paths[1])
    is_other = is_there and open(paths[0], "rb").read() != open(paths[1], "rb").read()
    checks.check(made, "something changed", is_other, report=run.stderr)
    return made if is_there else None


def check(checks, browser, directory):
    """Saves, converts, and looks."""
    site = os.path.join(directory, "site")
    write_site(SITE, site)
    server, root = serve(site)
    live = look(browser, root + "index.html")
    for name in ("index", "styled"):
        save(browser, f"{root}{name}.html", os.path.join(directory, f"{name}.mhtml"))
    server.shutdown()
    server.server_close()

    def shown(file):
        return look(browser, "file://" + os.path.join(directory, file))

    # The save shows what was served: otherwise nothing that is compared with it says anything.
    before = shown("index.mhtml")
    for idx, (served, saved) in enumerate(zip(live[0], before[0], strict=True)):
        for what in ("title", "text", "images"):
            checks.check("index.mhtml", f"frame {idx}: {what}, as served", served[what] == saved[what], was=served[what], now=saved[what])
    is_whole = all(image[1] for frame in before[0] for image in frame["images"])
    checks.check("index.mhtml", "every image is there", is_whole)
    for way in WAYS:
        if made := convert(checks, way, directory, "index"):
            checks.same(made, before, shown(made))

    # In a frame, a style of its own: the save does not show it, what is made absolute does,
    # and nothing else is different.
    before = shown("styled.mhtml")
    background = f'url("{root}img/style.png")'
    checks.check("styled.mhtml", "the frame has no background", background not in before[0][1]["backgrounds"])
    if made := convert(checks, "absolutize", directory, "styled"):
        after = shown(made)
        checks.check(made, "the frame has its background", after[0][1]["backgrounds"] == [background], now=after[0][1]["backgrounds"])
        checks.check(made, "and looks otherwise", pictures.difference(before[1], after[1]) is not None)
        for frames in (before[0], after[0]):
            frames[1]["backgrounds"] = []
        checks.same(made, before, (after[0], before[1]))


if __name__ == "__main__":
    sys.exit(run(check))
