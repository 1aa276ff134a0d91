"""The charset in which Chromium sends a query is the one in which relink lists it: python3 tests/browser/queries.py

RELINK_BIN names the program. Pages in old charsets are served on this machine and opened. Each place has a
reference `/x/NAME?QUERY`. What Chromium requests of it, or where an element that loads nothing leads, is what
`relink refs` says. A style sheet is requested too early by the scanner that looks ahead, in another charset:
what is used comes last, as the browser counts. At the server two requests that are on their way at the same
time arrive in any order. One line of JSON for each check, on standard output; the exit status is 1 if one
fails. Without a browser nothing is checked.
"""

import html
import http.server
import json
import os
import re
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
from checks import listen, run, write_site  # noqa: E402

CHARSET = "windows-1251"
LETTER = "\u043f"

# What a page loads: `@NAME@` is a reference. An icon is loaded by a browser with windows only.
PAGE = """<!doctype html><html><head><meta charset=windows-1251>
<link rel=stylesheet href="@link-stylesheet@"><link rel=modulepreload href="@link-modulepreload@.js">
<link rel=preload as=image href="@link-preload@"><link rel=preload as=image imagesrcset="@link-imagesrcset@ 1x">
<link rel=prefetch href="@link-prefetch@">
<link rel=stylesheet href=declared.css><link rel=stylesheet href=inherits.css><link rel=stylesheet href=utf-8.css>
<style>@import url("@css-import@");@import "@css-import-string@";</style>
<style>iframe, svg { position: absolute; top: 0; left: 0 } @font-face { font-family: F; src: url(@css-font@) }
:root { --v: url(@css-custom@) } .a { background: url(@css-url@); font-family: F } .b { background: image-set("@css-image-set@" 1x) }
.c { background: var(--v) }</style>
<script type=importmap>{"imports": {"bare": "@import-map@.js"}}</script>
<script type=speculationrules>{"prefetch": [{"source": "list", "urls": ["@speculation@"], "eagerness": "immediate"}]}</script>
</head><body background="@body@">
<p class=a>a<p class=b>b<p class=c>c<p class=d1>d<p class=d2>d<p class=d3>d<p style="background: url(@style-attribute@)">e
<p style="--w: url(@style-custom@); background: var(--w)">f
<img src="@img@"><img srcset="@img-srcset@ 1x"><picture><source srcset="@source-srcset@"><img></picture>
<video poster="@poster@" src="@video@"></video><audio src="@audio@"></audio><video><source src="@source@"></video>
<video src="v"><track default kind=captions src="@track@"></video>
<object data="@object@"></object><embed src="@embed@"><input type=image src="@input@"><iframe src="@iframe@"></iframe>
<table background="@table@"><tr><td background="@td@">g</table>
<svg width=50 height=50><image href="@svg-image@" width=9 height=9 /><image xlink:href="@svg-image-xlink@" width=9 height=9 />
<use href="@svg-use@#a"/><rect fill="url(@svg-fill@#a)" width=9 height=9 /><rect mask="url(@svg-mask@#a)" width=9 height=9 />
<rect clip-path="url(@svg-clip-path@#a)" width=9 height=9 /><rect filter="url(@svg-filter@#a)" width=9 height=9 />
<path d="M0 0L9 9L0 9z" marker-start="url(@svg-marker@#a)"/><filter id=f><feImage href="@svg-feimage@"/></filter>
<rect filter="url(#f)" width=9 height=9 /><style>.s { background: url(@svg-style@) }</style>
<script href="@svg-script@.js"></script><script xlink:href="@svg-script-xlink@.js"></script></svg><p class=s>h
<iframe srcdoc="<img src='@srcdoc-img@'><style>p { background: url(@srcdoc-style@) }</style><p>i</p>
<p style='background: url(@srcdoc-attribute@)'>j<link rel=stylesheet href=in-srcdoc.css><b class=s>k</b>"></iframe>
<iframe src=refresh.html></iframe><iframe src=frames.html></iframe><iframe src=form.html></iframe><iframe src=alone.svg></iframe>
<iframe src=page.xhtml></iframe>
<div>l<template shadowrootmode=open><img src="@shadow-img@"><slot></slot></template></div>
<script src="@script@.js"></script><script type=module src="@script-module@.js"></script>
<script type=module>import "@module-import@.js"; import "bare"; import("@module-dynamic@.js");</script>
</body></html>"""
REFRESH = '<meta charset=windows-1251><meta http-equiv=refresh content="0; url=@refresh@">'
FRAMES = '<meta charset=windows-1251><frameset><frame src="@frame@"></frameset>'
FORM = '<meta charset=windows-1251><form method=post action="@form-sent@"></form><script>document.forms[0].submit()</script>'
SVG = """<?xml version="1.0" encoding="windows-1251"?><?xml-stylesheet href="@xml-stylesheet@"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image href="@alone-image@" width="9" height="9"/>
<image xlink:href="@alone-image-xlink@" width="9" height="9"/><use href="@alone-use@#a"/><script href="@alone-script@.js"/></svg>"""
XHTML = """<?xml version="1.0" encoding="windows-1251"?><html xmlns="http://www.w3.org/1999/xhtml"><body><img src="@xhtml-img@"/>
<p style="background: url(@xhtml-style@)">x</p></body></html>"""

# Where elements lead, by a property of each: `%` is the letter itself.
LINKS = """<!doctype html><meta charset=windows-1251><a href="@a@"></a><area href="@area@"><form action="@form@"></form>
<button formaction="@formaction@"></button><blockquote cite="@cite@"></blockquote><a href="mailto:a@b?%"></a>
<a href="tel:1?%"></a><a href="data:,x?%"></a><a href="javascript:x?%"></a><a href="ftp://h/?%"></a><a href="#%"></a><a href="//h/?%#%"></a>"""
FOLLOWED = "[...document.querySelectorAll('[href], [cite], [action], [formaction]')].map(one => one.href || one.cite || one.formAction || one.action)"

# Characters, by their effects on encoders: without an encoding, between others, with states, with
# bytes that are ASCII or are escaped, and read as other characters again.
QUERIES = ["\u3042", "a\u3042b", "\u3042\u20ac\u3044", "\u3042\xe9\u3042", "\xe9\u3042\xe9", "a\xa5b\u203e", "\u3042\xa5\u3044"]
QUERIES += ["\uff71", "\u3042\u4e9cb", "\u2212", "\uff0d", "\u2225", "\u3105", "\ud55c", "\u043f", "a\U0001f600\u3042", "\ue000", "\xe9\u2013%E9", "\u301c\uff5e"]
CHARSETS = """big5 euc-jp euc-kr gb18030 gbk ibm866 iso-2022-jp iso-8859-2 iso-8859-8-i koi8-u macintosh shift_jis utf-16 utf-8
windows-1251 windows-1252 windows-1258 x-user-defined""".split()


def filled(text):
    """The text of a document, with its references."""
    return re.sub(r"@([a-z]+(?:-[a-z0-9]+)*)@((?:\.js)?)", rf"/x/\1\2?{LETTER}", text).replace("%", LETTER)


def style(name, place):
    return f".{place} {{ background: url(@{name}@) }}"


def documents():
    texts = {
        "page.html": PAGE,
        "refresh.html": REFRESH,
        "frames.html": FRAMES,
        "form.html": FORM,
        "alone.svg": SVG,
        "page.xhtml": XHTML,
        "declared.css": '@charset "windows-1251";' + style("css-declared", "d1"),
        "in-srcdoc.css": '@charset "windows-1251";' + style("css-in-srcdoc", "s"),
    }
    site = {name: filled(text).encode(CHARSET) for name, text in texts.items()}
    site["utf-8.css"] = filled('@charset "utf-8";' + style("css-utf-8", "d3")).encode()
    site["links.html"] = filled(LINKS).encode(CHARSET)
    for charset in CHARSETS:
        links = "".join(f'<a href="/y?{"".join(f"&#{ord(letter)};" for letter in query)}"></a>' for query in QUERIES)
        page = f"<!doctype html><meta charset={charset}>{links}"
        site[f"in-{charset}.html"] = b"\xff\xfe" + page.encode("utf-16le") if charset == "utf-16" else page.encode()
    return site


def serve(site):
    """A server for the pages. Returns it and its URL."""
    types = {".html": "text/html", ".css": "text/css", ".svg": "image/svg+xml", ".xhtml": "application/xhtml+xml", ".js": "text/javascript"}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            path = self.path.split("?")[0]
            extension = os.path.splitext(path)[1]
            if re.match("/x/(css-import|.*stylesheet)", path):
                extension = ".css"
            elif re.match("/x/.*(use|mask|clip|fill|filter|marker)", path):
                extension = ".svg"
            content = site.get(path[1:], b'<svg xmlns="http://www.w3.org/2000/svg" id="a"/>' if extension == ".svg" else b"")
            self.send_response(200)
            self.send_header("Content-Type", types.get(extension, "text/plain"))
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    return listen(Handler)


# A reference in a URL: its name, and its query.
REFERENCE = re.compile(r"http://[^/]*/x/([a-z0-9-]+)(?:\.js)?\?([^#]*)(?:#a)?")

# What Chromium does not load from elsewhere.
UNLOADED = ("svg-fill", "svg-filter", "svg-marker")


def listed(directory, url):
    """The targets of all references, by the names of the files, in the order of the files."""
    arguments = ["refs", directory, "--base", url, "--also", "js-modules", "--format", "json", "-q"]
    run = subprocess.run([os.environ["RELINK_BIN"], *arguments], capture_output=True, text=True, check=True)
    targets = {}
    for line in map(json.loads, run.stdout.splitlines()):
        if line.get("target"):
            targets.setdefault(os.path.basename(line["path"]), []).append(line["target"])
    return targets


def sent(url):
    """A URL as it is sent: what is not ASCII yet is sent in UTF-8."""
    return urllib.parse.quote(url, safe="".join(map(chr, range(0x21, 0x7F))))


def queries(urls):
    """The queries of references by their names, in their order."""
    found = {}
    for match in filter(None, map(REFERENCE.fullmatch, urls)):
        found.setdefault(match[1], []).append(match[2])
    return found


def check(checks, browser, directory):
    site = documents()
    write_site(site, directory + "/site")
    # A sheet without a charset has that of the page: nothing in it says so.
    site["inherits.css"] = filled(style("css-inherits", "d2")).encode(CHARSET)
    server, root = serve(site)
    found = listed(directory + "/site", root)
    said = queries(target for name, targets in found.items() if name != "links.html" for target in targets)
    browser.open(root + "page.html")
    # What is fetched for later is no part of a page that is ready.
    while not said.keys() - UNLOADED <= (requested := queries(browser.requested())).keys():
        browser.message()
    checks.check("page.html", "a sheet without a charset", requested.pop("css-inherits", [])[-1:] == ["%EF"])
    for name in sorted(said | requested):
        was, now = requested.get(name, []), sent(said.get(name, [""])[-1])
        checks.check(name, "the query", now in (was[-1:] or [now]) and now != "", requested=was, listed=now)
    for name in ["links.html"] + [f"in-{charset}.html" for charset in CHARSETS]:
        browser.open(root + name)
        was, now = browser.do(FOLLOWED), [sent(url) for url in found[name]]
        for old, new in zip(was, now, strict=True):
            checks.check(name, html.escape(old), sent(old) == new, followed=old, listed=new)
    server.shutdown()


if __name__ == "__main__":
    sys.exit(run(check))
