"""Generated sites: a page with references in many places, what it loads, and an error page.

Every name exists in every directory, so that another base shows another file. Each file has a mark of
its own, by which it is recognized wherever it is: `mark_of`.
"""

import random
import re

from pictures import picture

DIRECTORIES = ["", "d/", "sub/", "css/"]
MARK = re.compile(r"@@(s\d+)/([^@]*)@@")

# The names of files by the words of references in the pieces below. Some are used in one place
# only, so that the requests for them say what is used there (`REQUESTED` in look.py). Of candidates
# Chromium takes a finer one than it needs if it has that already.
NAMES = {
    "css": "a.css",
    "js": "j.js",
    "module": "m.js",
    "png": "i.png",
    "big": "b.png",
    "wide": "w.png",
    "preload": "p.png",
    "svg": "u.svg",
    "font": "t.woff",
    "html": "f.html",
    "object": "o.html",
    "ping": "k.html",
}
REFERENCE = re.compile(r"(\w+)@")

FAR = '<div style="height:9000px"></div>'

# Pieces of a page: css@ is a reference to a style sheet, and so on. Where a base comes later, those
# with the name `e` are resolved against it or against the one before, as it happens.
HEAD = [
    '<link rel=stylesheet href="css@">',
    '<link rel=stylesheet media=print href="css@">',
    '<link rel=stylesheet media="(min-width: 600px)" href="css@">',
    '<script src="js@"></script>',
    '<script defer src="js@"></script>',
    '<script type=module src="module@"></script>',
    '<style>#s{background-image:url("png@")}</style>',
    '<style>@import "css@";</style>',
    "<style>@import url(css@) print;</style>",
    "<style>@media print{#s{border-image-source:url(png@)}}</style>",
    "<style>@font-face{font-family:own;src:url(font@)}#s{font-family:own}</style>",
    '<style>#s::before{content:url("png@")}</style>',
    '<style>#s{cursor:url(png@),auto;mask-image:image-set("png@" 1x,"big@" 2x)}</style>',
    '<style>#s{filter:url("svg@#g")}</style>',
    '<style>@function --f(){result:url("png@")}#vf{background-image:--f()}</style><p id=vf>x</p>',
    '<link id=e rel=icon href="png@">',
    '<link id=canonical rel=canonical href="html@">',
    '<link rel=preload as=image href="preload@">',
    '<meta http-equiv=refresh content="900;url=html@">',
    '<script type=importmap>{"imports":{"x":"./module@"}}</script><script type=module>import "x"</script>',
    '<script type=speculationrules>{"prefetch":[{"urls":["html@"]}]}</script>',
]
BODY = [
    '<img src="png@">',
    '<img id=e loading=lazy src="png@">',
    '<img id=e srcset="png@ 1x, big@ 2x">',
    '<img id=e src="png@" srcset="png@ 300w, wide@ 900w" sizes="100vw">',
    '<picture><source srcset="png@" media="(min-width: 600px)"><img id=e src="png@"></picture>',
    '<p style="background-image:url(\'png@\')">x</p>',
    "<p style=\"background-image:image-set('png@' 1x, 'big@' 2x)\">x</p>",
    '<p style="background-image:var(--none, url(\'png@\'))">x</p>',
    '<p style="--w:url(\'png@\')"><b id=vw style="background-image:var(--w)">x</b></p>',
    '<table id=e background="png@"><tr><td id=e background="png@">x</table>',
    '<a href="html@">x</a>',
    '<a href="html@?q=1#x">x</a>',
    '<a href="?q=1">x</a><a href="#x">x</a><a href="">x</a>',
    '<a ping="ping@ ping@" href="javascript:void 0">x</a>',
    '<map><area href="html@"></map>',
    '<form action="html@"><button formaction="html@"></button></form>',
    '<iframe src="html@"></iframe>',
    '<iframe loading=lazy src="html@"></iframe>',
    "<iframe id=within srcdoc=\"<img src='png@'>\"></iframe>",
    '<object id=e data="object@" width=9 height=9></object>',
    '<embed id=e src="object@" width=9 height=9>',
    '<svg><image href="png@" width="1" height="1"/></svg>',
    '<svg><a href="html@"></a><use id=e href="svg@#u"/></svg>',
    '<svg><rect id=e fill="url(svg@#g)"/></svg>',
    '<video id=e poster="png@" src="png@"></video>',
    '<input id=e type="image" src="png@">',
    '<q cite="html@"></q>',
    '<a href="SITE">x</a><form action="SITE"></form>',
    '<link rel=stylesheet href="css@">',
    '<script src="js@"></script>',
    '<template><img src="png@"></template>',
    '<div><template shadowrootmode="open"><style>p{background-image:url("png@")}</style><p>x</p></template></div>',
]
BASES = ["UPd/", "./UPsub/", "ROOTcss/", "PATHd/", "", "UP../NAME/sub/"]

# How a reference is written.
FORMS = ["{root}", "{path}", "{up}../{site}/", *["{up}"] * 5]

# Elements that are no base of the page.
NO_BASES = ['<template><base href="d/"></template>', "<base target=_self>", '<noscript><base href="d/"></noscript>', '<svg><base href="d/"/></svg>']


def mark_of(content):
    """What a file of a site is recognized by: its mark, or all of a picture."""
    found = MARK.search(content.decode("utf-8", "replace"))
    return found.group() if found else content


class Maker:
    """Writes one site, whose URL is `root`."""

    # Directories whose style sheets are edited by every command.
    EDITED = ()

    def __init__(self, number, seed, root):
        self.random = random.Random(f"{seed}/{number}")
        self.number, self.root, self.name = number, root, f"s{number}"
        self.path = "/" + root.split("/", 3)[3]
        self.files = {}
        self.n_pieces = 0
        self.has_base = False
        # True if the page has references before a base, so that some have two targets.
        self.is_late = False
        # True if it has an element that is no base, which preload scanners may take for one.
        self.has_no_base = False
        # True if a policy does not allow each base.
        self.is_limited = False
        # True if a base names the site; if something is left that depends on the base.
        self.names_site = self.has_kept_base = False
        # The way from the page to the root of the site.
        self.up = "../" if number % 3 == 2 else ""
        self.page = "in/page.html" if self.up else "index.html"

    def reference(self, match, forms=FORMS):
        name = self.random.choice(DIRECTORIES) + NAMES[match.group(1)]
        return self.random.choice(forms).format(root=self.root, path=self.path, up=self.up, site=self.name) + name

    def fill(self, piece):
        forms = FORMS
        if "--w" in piece or "--f" in piece or "importmap" in piece:
            # A custom property whose uses are not known stays as it is, and an address in an import
            # map is a URL only with a mark at its start.
            forms = ["{up}"]
        elif "id=e" in piece:
            # What has two targets stays, and may not name the site.
            forms = [form for form in FORMS if "{site}" not in form]
        # Chromium gives elements with the same attributes one style, with the base of the first,
        # and values with `var()` in the same text one URL.
        self.n_pieces += 1
        piece = piece.replace("<p style=", f"<p class=p{self.n_pieces} style=").replace("--none", f"--none{self.n_pieces}")
        # The site without its slash.
        piece = piece.replace("SITE", self.random.choice([self.root, self.path])[:-1])
        return REFERENCE.sub(lambda match: self.reference(match, forms), piece)

    def base(self):
        self.has_base = True
        href = self.random.choice(BASES)
        self.names_site |= href.startswith(("ROOT", "PATH", "UP../"))
        href = href.replace("UP", self.up).replace("ROOT", self.root).replace("PATH", self.path).replace("NAME", self.name)
        return f'<base href="{href}">'

    def mark(self, name):
        return f"@@{self.name}/{name}@@"

    def policy(self):
        """A policy that allows some bases, or none: the same ones on the disk."""
        sources = self.random.choice(["'none'", "'self'", "'self' https:", "*"])
        # In a message, the site is another one than that of the page. This is reported.
        self.is_limited = sources != "*"
        return f'<meta http-equiv=Content-Security-Policy content="base-uri {sources}">'

    def head(self):
        """Pieces of its head."""
        return [self.fill(self.random.choice(HEAD)) for _ in range(6)]

    def body(self):
        """Pieces of its body, those at its end that are loaded when they are in sight."""
        pieces = [self.fill(self.random.choice(BODY)) for _ in range(12)]
        lazy = [piece for piece in pieces if "lazy" in piece]
        return [piece for piece in pieces if "lazy" not in piece] + [FAR] * bool(lazy) + lazy

    def index(self):
        """The page."""
        head = self.head()
        body = self.body()
        base = self.base
        place = self.random.randrange(9)
        self.is_late = 3 <= place < 6
        if place < 3:
            at = self.random.randrange(len(head) + 1)
            head.insert(at, base())
            self.is_late = at > 0
        elif place == 3:
            body.insert(self.random.randrange(len(body) + 1), base())
        elif place == 4:
            # The second one is put before the table, and becomes the first.
            cells = f"<tr><td>{base()}{body.pop()}</td></tr>{base()}<tr><td>{body.pop()}</td></tr>"
            body.insert(self.random.randrange(len(body)), f"<table>{cells}</table>")
        elif place == 5:
            head.insert(self.random.randrange(len(head) + 1), self.random.choice(NO_BASES))
            self.has_no_base = True
            body.insert(self.random.randrange(len(body) + 1), base())
        # A document that is skipped, as it has two bases, keeps each base of the page.
        keeping = ("id=e", "id=within", "--w", "--f") if self.names_site else ("id=within",) * (self.is_late and self.has_base)
        self.has_kept_base = any(mark in piece for piece in [*head, *body] for mark in keeping)
        if self.random.randrange(4) == 0:
            head.insert(0, self.policy())
        style = f"<style>:root{{--own:url({self.root}i.png)}}</style>" if self.random.randrange(3) == 0 else ""
        uses = '<p id=v>x</p><p id=vo style="background-image:var(--own)">x</p><p id=s>x</p>'
        sheets = f'<link rel=stylesheet href="{self.root}css/vars.css"><link rel=stylesheet href="{self.root}css/d/use.css">'
        first = sheets if self.random.randrange(2) else ""
        mark = f"<!--{self.mark(self.page)}-->"
        page = "<!doctype html>" + mark + "<title>t</title>" + first + style + "".join(head) + "<body>" + "".join(body) + uses
        # A text with two bases is skipped, and reported.
        self.has_skipped_text = -1 < page.find("srcdoc=") < page.rfind("<base")
        return page

    def error_page(self):
        path = self.path
        start, here = self.random.choice([("", path), (f'<base href="{path}">', ""), ("", self.root)])
        more = f"<script src=\"{here}sub/j.js\"></script><img srcset=\"{here}i.png 1x, {here}d/b.png 2x\"><p style=\"background-image:url('{here}sub/i.png')\">x</p>"
        return f'<!doctype html>{start}<link rel=stylesheet href="{here}a.css"><img src="{here}d/i.png"><a href="{here or "./"}">home</a>{more}'

    def site(self):
        """The files, by their names."""
        files = self.files
        for number, directory in enumerate(DIRECTORIES):
            mark = lambda name: self.mark(directory + name)  # noqa: E731, B023
            image = (self.root + directory if directory in self.EDITED else "") + "i.png"
            paths = f"--last:{directory}a}}#s{{list-style-image:url({image})"
            files[directory + "a.css"] = f"/*{mark('a.css')}*/:root{{{paths}}}@media print{{:root{{--printed:{directory}a}}}}"
            files[directory + "j.js"] = f'(window.seen = window.seen || []).push("{mark("j.js")}");'
            files[directory + "m.js"] = f'(window.modules = window.modules || []).push("{mark("m.js")}");'
            files[directory + "t.woff"] = mark("t.woff")
            files[directory + "u.svg"] = f'<svg xmlns="http://www.w3.org/2000/svg"><desc>{mark("u.svg")}</desc><filter id="g"/><rect id="u" width="{number + 1}" height="1"/></svg>'
            for name, height in (("i.png", 2), ("p.png", 3), ("b.png", 4), ("w.png", 5)):
                files[directory + name] = picture(number + 1, height, (self.number >> 8, self.number & 255, 7))
            for name in ("f.html", "o.html", "k.html"):
                files[directory + name] = f"<!doctype html>{mark(name)}"
        # One that depends on the host or the path of the site is left, and reported.
        form = self.random.choice(["../i.png", self.root + "i.png", "i.png", "../../sub/i.png"])
        files["css/vars.css"] = f"/*{self.mark('css/vars.css')}*/:root{{--p:url({form})}}"
        files["css/d/use.css"] = f"/*{self.mark('css/d/use.css')}*/#v{{background-image:var(--p)}}"
        files[self.page] = self.index()
        files["404.html"] = self.error_page()
        return files
