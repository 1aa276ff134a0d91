"""A packed page must show in Chromium what the page on the disk shows: python3 tests/browser/pack.py

RELINK_BIN names the program. Pages are opened from the disk without scripts, packed, and opened
again from a directory in which nothing else is. Compared are, frame by frame: the text, the size of
each image, the fonts, the size of each element and all of its computed styles; and no load may fail
that did not fail before. As one file of HTML, a page requests nothing. The pages are a small site, and
a sample of the documentation of Rust, Boost and Python, if it is on this machine; with RELINK_FULL=1
120 pages.

One line of JSON for each check, on standard output; the exit status is 1 if one fails. Without a
browser nothing is checked.
"""

import glob
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import run, write_site  # noqa: E402
from pictures import picture  # noqa: E402

PAGE = """<!doctype html><meta charset=utf-8><title>A café by the harbour</title>
<link rel=stylesheet href="../style/main.css?v=3&amp;w=4"><link rel="shortcut icon" href=../img/icon.png>
<style>h2 { background: url(../img/heading.png) } @import url(never.css);</style>
<noscript><link rel=stylesheet href=../style/noscript.css></noscript>
<h1>Première page</h1><h2 id=here>With a background</h2>
<p class=bordered style="background: url('../img/style.png?a=1&amp;b=2') repeat-x">A paragraph with a style of its own.
<p class=font>Set in a font<p class=old>Set by an old sheet <img src="..\\img\\back.png" alt=back>
<p><img src=../img/one.png alt=one> <img src="../img/a b%20%C3%A9.png" alt=two> <img src=../img/missing.png alt=missing>
<img src=../img/drawing.svg alt=drawing> <img srcset="../img/small.png 1x, ../img/large.png 2x" src=../img/small.png alt=set>
<picture><source srcset=../img/source.png><img src=../img/one.png alt=source></picture> <input type=image src=../img/button.png alt=button>
<svg width=60 height=40><image href=../img/in-svg.png width=20 height=20 /><use href="#c"/><circle id=c r=9 cx=30 cy=9 /></svg>
<table background=../img/table.png><tr><td>cell</table>
<p><a href=other.html?a=1&amp;b=2#x>other</a> <a href=#here>here</a> <a href="https://away.example/a?b=c&amp;d=e">far away</a>
<video poster=../img/poster.png width=40 height=30></video>
<object data=../frames/object.html width=200 height=50>no object</object>
<iframe srcdoc="<p>Within <img src=../img/srcdoc.png alt=srcdoc>" width=200 height=60></iframe>
<iframe src=../frames/one.html width=300 height=160></iframe>
<script>document.body.append('never')</script>
"""

SITE = {
    "pages/page.html": PAGE,
    "pages/latin.html": "<!doctype html><title>Latin</title><meta charset=iso-8859-1><p>caf\xe9 <img src=../img/one.png>".encode("latin-1"),
    "pages/frameset.html": "<!doctype html><title>Set</title><frameset cols='50%,*'><frame src=../frames/one.html><frame src=../frames/object.html></frameset>",
    "pages/page.xhtml": '<?xml version="1.0"?><?xml-stylesheet href="../style/more.css"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>X</title></head>'
    '<body><h1>XHTML</h1><p class="bordered">text <img src="../img/one.png" alt="one"/></p></body></html>',
    "pages/base.html": "<!doctype html><title>Base</title><base href=../><link rel=stylesheet href=style/more.css><p class=bordered>text <img src=img/one.png alt=one>"
    "<iframe src=frames/based.html width=300 height=160></iframe>",
    "frames/based.html": "<!doctype html><title>Frame</title><base href=../img/><p>In the frame.<p><img src=frame.png><iframe srcdoc='<base href=../style/><link rel=stylesheet href=inner.css><p>In it'></iframe>",
    "style/main.css": "@import url(more.css) screen; @import 'more.css?again';\n@font-face { font-family: own; src: url(../font/own.woff2) }\n"
    "body { background: #eee url('../img/body.png') repeat-y right } h1 { color: rgb(1, 2, 3) } .font { font-family: own, serif }\n"
    ".old { list-style: url(../img/list.png); display: list-item; cursor: url(../img/cursor.png), auto }\n",
    "style/more.css": "@charset 'utf-8';\n.bordered { border: 6px solid; border-image: url(../img/border.png) 2 } h1 { background: image-set('../img/h1.png' 1x) }\n@import 'late.css';",
    "style/noscript.css": "h1::after { content: ' without scripts' } h1 { letter-spacing: 3px }\n",
    "frames/one.html": "<!doctype html><title>Frame</title><p>In the frame.<p><img src=../img/frame.png> <a href=two.html>two</a>\n"
    "<iframe src=two.html width=200 height=60></iframe>",
    "frames/two.html": "<!doctype html><title>Inner</title><link rel=stylesheet href=../style/inner.css><p style='background: url(../img/style.png)'>In the frame within.<img src=../img/inner.png>\n",
    "frames/object.html": "<!doctype html><title>Object</title><p>In an object <img src=../img/object.png>",
    "style/inner.css": "p { background: url(../img/innermost.png); color: rgb(4, 5, 6) }\n",
    "img/drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><style>circle { fill: teal }</style><circle cx="10" cy="10" r="9"/></svg>\n',
}
PICTURES = "icon heading style back one small large source button in-svg table poster srcdoc body list cursor border h1 frame inner object innermost".split()
for idx, name in enumerate([*PICTURES, "a b é"]):
    SITE[f"img/{name}.png"] = picture(20 + idx, 12 + idx, (11 * idx, 255 - 11 * idx, 60 + 5 * idx))
# Of pictures that are in the page, Chromium takes the largest of a set.
SITE["img/large.png"] = picture(50, 34, (66, 189, 90))

# What a document shows, in one frame. The URLs of the disk are compared as those of the message.
LOOK = """(() => {
  // Chromium disables the controls of forms in a message.
  const UNSEEN = ['SCRIPT', 'SOURCE', 'INPUT', 'BUTTON', 'SELECT', 'OPTION', 'TEXTAREA'];
  const [from, to] = PREFIXES;
  const same = text => text.replaceAll(from, to);
  const hash = text => { let h = 0; for (let i = 0; i < text.length; i++) h = (h * 31 + text.charCodeAt(i)) | 0; return h; };
  // While a font is loaded, another one in the list may be loaded too, of which no letter is shown.
  const letters = [...new Set(document.documentElement.textContent)].map(letter => letter.codePointAt(0));
  const range = text => text.replace(/U\\+/i, '').split('-').map(end => parseInt(end, 16));
  const isShown = font => font.unicodeRange.split(',').map(part => range(part.trim()))
    .some(([first, last = first]) => letters.some(letter => first <= letter && letter <= last));
  const all = [...document.querySelectorAll('*')].filter(element => !UNSEEN.includes(element.tagName));
  const style = element => { const s = getComputedStyle(element); const r = element.getBoundingClientRect();
    return [r.width, r.height, ...[...s].sort().map(name => name + ':' + same(s.getPropertyValue(name)))].join(';'); };
  return {
    title: document.title,
    text: document.body ? document.body.innerText : document.documentElement.textContent,
    images: [...document.images].map(image => [image.alt, image.complete && image.naturalWidth, image.naturalHeight, image.naturalWidth && same(image.currentSrc)]),
    sheets: [...document.styleSheets].filter(sheet => !sheet.ownerNode || sheet.ownerNode.tagName != 'STYLE').length,
    fonts: [...document.fonts].filter(font => font.status == 'loaded' && isShown(font)).map(font => font.family + ' ' + font.weight).sort(),
    links: [...document.links].map(link => same(String(link.href))),
    elements: all.map(element => element.tagName),
    styles: all.map(element => hash(style(element))),
  };
})()"""
# In a page with everything inside, files have other URLs.
INLINED = LOOK.replace("text.replaceAll(from, to)", "text.replace(/url\\(\"[^\"]*\"\\)/g, 'url()').replace(/^(file|data):.*/, '')").replace(
    "same(String(link.href))", "String(link.href)").replace("return {", "return {\n    document: document.URL,", 1)
# The host of all files of a message without a URL.
OUTSIDE = "http://relink.invalid/"
STYLE = LOOK.replace("hash(style(element))", "style(element)")


class Browser(chromium.Browser):
    """A browser that runs no scripts of pages."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.ask("Emulation.setScriptExecutionDisabled", value=True)
        self.ask("Emulation.setDeviceMetricsOverride", width=1000, height=800, deviceScaleFactor=1, mobile=False)


def look(browser, url, prefixes, script=LOOK):
    """What a page and its frames show, and what could not be loaded."""
    browser.open(url)
    # Of a mouse that has never moved, Chromium takes the corner of some pages for its place, not
    # always.
    browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=-1, y=-1)
    frames = []
    for frame in browser.frames():
        try:
            frames.append(browser.evaluate(script.replace("PREFIXES", json.dumps(prefixes)), frame))
        except chromium.Failed as reason:
            frames.append({"failed": str(reason)})
    return frames, {url.replace(*prefixes) for url, _ in browser.failed()}


def difference(before, after):
    """The first element with another style, and what is different in it."""
    for tag, old, new in zip(before["elements"], before["styles"], after["styles"]):
        if old != new:
            return tag, [pair for pair in zip(old.split(";"), new.split(";")) if pair[0] != pair[1]][:5]
    return None


def compare(checks, browser, page, directory, name):
    """Packs a page, and compares what is shown."""
    out = os.path.join(directory, "alone")
    os.makedirs(out, exist_ok=True)
    out = os.path.join(out, "page.mhtml")
    run = subprocess.run([os.environ["RELINK_BIN"], "pack", page, "-o", out, "--force"], capture_output=True, text=True)
    checks.check(name, "exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)
    if run.returncode:
        return
    url = "file://" + page
    with open(out, "rb") as file:
        location = file.read().split(b"Content-Location: ", 1)[1].split(b"\r\n", 1)[0].decode()
    # The longest common end is the path below the directory of all files.
    n_same = next((n for n, (a, b) in enumerate(zip(reversed(url), reversed(location))) if a != b), 0)
    prefixes = [url[: len(url) - n_same], location[: len(location) - n_same]]
    before, failed_before = look(browser, url, prefixes)
    after, failed_after = look(browser, "file://" + out, prefixes)
    for old, new in zip(before, after):
        # What is outside the directory of all files has no URL in the message.
        pairs = zip(old.get("links", []), new.get("links", []))
        new["links"] = [was if was.startswith("file:") else now for was, now in pairs]
        # A reference that leads out of that directory, and back by its name, has another URL.
        for was, now in zip(old.get("images", []), new.get("images", [])):
            src = str(now[3])
            if src.startswith(OUTSIDE) and not src.startswith(OUTSIDE + "tree/") and os.path.basename(src) == os.path.basename(str(was[3])):
                now[3] = was[3]
    checks.check(name, "frames", len(before) == len(after), was=len(before), now=len(after))
    for idx, (old, new) in enumerate(zip(before, after)):
        for what in old:
            is_same = old[what] == new.get(what)
            more = {"was": old[what], "now": new.get(what)}
            if what == "styles" and not is_same:
                frames = [look(browser, place, prefixes, STYLE)[0][idx] for place in (url, "file://" + out)]
                more = {"first": difference(*frames)}
            checks.check(name, f"frame {idx}: {what}", is_same, **more)
    new_failures = {url for url in failed_after if url not in failed_before}
    checks.check(name, "no other load fails", not new_failures, failed=sorted(new_failures), before=sorted(failed_before))


def compare_inlined(checks, browser, page, directory, name):
    """Packs a page as one file of HTML, and compares what is shown and what is requested."""
    name, url = f"{name} as HTML", "file://" + page
    out = os.path.join(directory, "alone", "page" + os.path.splitext(page)[1])
    os.makedirs(os.path.dirname(out), exist_ok=True)
    run = subprocess.run([os.environ["RELINK_BIN"], "pack", page, "-o", out, "--force"], capture_output=True, text=True)
    checks.check(name, "exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)
    if run.returncode:
        return
    nothing = ["\0", "\0"]
    before, failed = look(browser, url, nothing, INLINED)
    after, _ = look(browser, "file://" + out, nothing, INLINED)
    requests = {url for url in browser.requested() if not url.startswith(("data:", "about:", "blob:"))}
    # What is missing stays as it is.
    more = requests - {"file://" + out} - failed
    checks.check(name, "nothing is requested", not more, requests=sorted(more))
    checks.check(name, "frames", len(before) == len(after), was=len(before), now=len(after))
    for idx, (old, new) in enumerate(zip(before, after)):
        own = lambda links, document: [link.removeprefix(document) for link in links]
        old["links"] = own(old.get("links", []), old.get("document", "-"))
        new["links"] = own(new.get("links", []), new.get("document", "-"))
        for what in old:
            if what == "document":
                continue
            is_same = old[what] == new.get(what)
            more = {"was": old[what], "now": new.get(what)}
            if what == "styles" and not is_same:
                styles = INLINED.replace("hash(style(element))", "style(element)")
                frames = [look(browser, place, nothing, styles)[0][idx] for place in (url, "file://" + out)]
                more = {"first": difference(*frames)}
            checks.check(name, f"frame {idx}: {what}", is_same, **more)


def is_redirect(page):
    """Whether a page leads to another one, which Chromium does not do in a message."""
    with open(page, "rb") as file:
        return b'http-equiv="refresh"' in file.read(4096).lower()


def sample(pattern, few, many):
    """Pages of a directory, evenly spread."""
    # All styles of a page with tens of thousands of elements take minutes.
    pages = [page for page in sorted(glob.glob(pattern, recursive=True)) if os.path.getsize(page) < 200_000]
    pages = [page for page in pages if not is_redirect(page)]
    most = many if os.environ.get("RELINK_FULL") == "1" else few
    return pages[:: max(1, len(pages) // most)][:most]


def documentation():
    """Pages of documentation that are on this machine."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    pages = sample(sysroot + "/share/doc/rust/html/book/*.html", 2, 20) if sysroot else []
    pages += sample(sysroot + "/share/doc/rust/html/std/*/*.html", 2, 30) if sysroot else []
    pages += sample("/usr/share/doc/libboost*-doc/doc/html/**/*.html", 2, 30)
    return pages + sample("/usr/share/doc/python3*/html/**/*.html", 3, 40)


def check(checks, browser, directory):
    fonts = sorted(glob.glob("/usr/share/**/*.woff2", recursive=True) or glob.glob("/usr/share/fonts/**/*.ttf", recursive=True))
    if fonts:
        with open(fonts[0], "rb") as font:
            SITE["font/own.woff2"] = font.read()
    write_site(SITE, os.path.join(directory, "site"))
    for name in SITE:
        if name.startswith("pages/"):
            compare(checks, browser, os.path.join(directory, "site", name), directory, name)
            compare_inlined(checks, browser, os.path.join(directory, "site", name), directory, name)
    for page in documentation():
        compare(checks, browser, page, directory, page)
        compare_inlined(checks, browser, page, directory, page)


if __name__ == "__main__":
    sys.exit(run(check, Browser))
