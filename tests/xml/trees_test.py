"""Tests of trees.py, on documents made here: python3 tests/xml/trees_test.py"""

import os
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import pieces  # noqa: E402
import trees  # noqa: E402

URL = "http://h.example/d/p.xml"
LINK = "xmlns:l='http://www.w3.org/1999/xlink'"
ATOM = "xmlns='http://www.w3.org/2005/Atom'"
HTML = "xmlns='http://www.w3.org/1999/xhtml'"
SVG = "xmlns='http://www.w3.org/2000/svg'"


def rss(inner):
    return f"<rss><channel>{inner}</channel></rss>"


def svg(inner):
    return f"<svg {SVG} {LINK}>{inner}</svg>"


def page(inner, head=""):
    return f"<html {HTML}><head>{head}</head><body>{inner}</body></html>"


# What is the same but for references: old and new, and how many values are others.
SAME = {
    "nothing changed": (rss("<link>x</link>"), rss("<link>x</link>"), 0),
    "a text": (rss("<link> x </link>"), rss("<link> http://h.example/d/x </link>"), 1),
    "an attribute": (rss("<enclosure url='../x'/>"), rss("<enclosure url='http://h.example/x'/>"), 1),
    "other quotes of a value": (rss("<enclosure url='x'/>"), rss('<enclosure url="/d/x"/>'), 1),
    "escapes": (rss("<link>x?a&amp;b</link>"), rss("<link>/d/x?a&#38;b</link>"), 1),
    "a section of CDATA": (rss("<link><![CDATA[x?a&b]]></link>"), rss("<link><![CDATA[/d/x?a&b]]></link>"), 1),
    "a scope": (
        f"<a {LINK} xml:base='b/'><c l:href='e'/></a>",
        f"<a {LINK} xml:base='http://h.example/d/b/'><c l:href='/d/b/e'/></a>",
        2,
    ),
    "what browsers read in a scope": (
        page("<p xml:base='b/'><a href='e'/></p>"),
        page("<p xml:base='http://h.example/d/b/'><a href='/d/e'/></p>"),
        2,
    ),
    "a scope that leads elsewhere": (f"<a {LINK} xml:base='b/'><c l:href='e'/></a>", f"<a {LINK} xml:base='b/'><c l:href='../b/e'/></a>", 1),
    "a base": (page("<a href='x'/>", "<base href='/b/'/>"), page("<a href='../b/x'/>", "<base href=''/>"), 2),
    "HTML in a text": (
        rss("<description>&lt;a href=x?a&amp;amp;b&gt;x&lt;/a&gt;</description>"),
        rss("<description>&lt;a href=/d/x?a&amp;amp;b&gt;x&lt;/a&gt;</description>"),
        1,
    ),
    "a style sheet": (svg("<style>a{b:url(c);d:url('#e')}</style>"), svg("<style>a{b:url(/d/c);d:url('#e')}</style>"), 1),
    "candidates": (page("<img srcset='a 1x, b 2x'/>"), page("<img srcset='/d/a 1x, /d/b 2x'/>"), 1),
    "pairs": (
        "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:a a.xsd\n urn:b b.xsd'/>",
        "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='urn:a /d/a.xsd\n urn:b /d/b.xsd'/>",
        1,
    ),
    "a document type": ("<!DOCTYPE a SYSTEM 'b.dtd'><a/>", "<!DOCTYPE a SYSTEM 'http://h.example/d/b.dtd'><a/>", 1),
    "an instruction": ("<?xml-stylesheet href='b.css'?><a/>", "<?xml-stylesheet href='http://h.example/d/b.css'?><a/>", 1),
    "an entity in a text": ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", 0),
    "not well-formed": ("<a><b></a>", "<a><b></a>", 0),
}

# What is not the same, and what is reported.
DIFFERENT = {
    "a target": (rss("<link>x</link>"), rss("<link>y</link>"), "was 'x' to"),
    "a text outside of slots": (rss("<title>x</title>"), rss("<title>y</title>"), "a text"),
    "an attribute outside of slots": (rss("<enclosure type='x'/>"), rss("<enclosure type='/d/x'/>"), "<enclosure type>"),
    "an identifier": (rss("<guid>x</guid>"), rss("<guid>http://h.example/d/x</guid>"), "a text"),
    "white space in a text": (rss("<link> x</link>"), rss("<link>x</link>"), "white space"),
    "white space between elements": ("<a> <b/></a>", "<a><b/></a>", "line 1"),
    "a comment": ("<a><!-- b --></a>", "<a><!-- c --></a>", "comment"),
    "an instruction": ("<a><?b c?></a>", "<a><?b d?></a>", "<?b"),
    "an element less": ("<a><b/></a>", "<a></a>", "start"),
    "another element": ("<a><b/></a>", "<a><c/></a>", "start"),
    "another prefix": ("<a xmlns:b='u' xmlns:c='u'><b:d/></a>", "<a xmlns:b='u' xmlns:c='u'><c:d/></a>", "start"),
    "another namespace": ("<a xmlns='b'/>", "<a xmlns='c'/>", "<a xmlns>"),
    "an attribute less": ("<a b='c'/>", "<a/>", "start"),
    "another order of attributes": ("<a b='' c=''/>", "<a c='' b=''/>", "start"),
    "a section of CDATA that is a text": (rss("<link><![CDATA[x]]></link>"), rss("<link>x</link>"), "cdata"),
    "a declaration": ("<?xml version='1.0'?><a/>", "<?xml version='1.0' encoding='utf-8'?><a/>", "declaration"),
    "a document type": ("<!DOCTYPE a SYSTEM 'b'><a/>", "<!DOCTYPE a SYSTEM 'c'><a/>", "the identifier of doctype"),
    "what an entity means": ("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<!DOCTYPE a [<!ENTITY b 'd'>]><a/>", "entity"),
    "an entity written out": ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>c</a>", "raw"),
    "what browsers read, as XML Base reads it": (page("<p xml:base='b/'><a href='e'/></p>"), page("<p xml:base='b/'><a href='/d/b/e'/></p>"), "<a href>"),
    "a scope that moves": (f"<a {LINK} xml:base='b/'><c l:href='e'/></a>", f"<a {LINK} xml:base='f/'><c l:href='e'/></a>", "xml:base"),
    "what an emptied base leaves behind": (page("<a href='x'/>", "<base href='/b/'/>"), page("<a href='x'/>", "<base href=''/>"), "<a href>"),
    "what is in a scope that was emptied": (f"<a {LINK} xml:base='b/'><c l:href='e'/></a>", f"<a {LINK} xml:base=''><c l:href='e'/></a>", "<c l:href>"),
    "a tag of HTML in a text": (rss("<description>&lt;b></description>"), rss("<description>&lt;i></description>"), "a text"),
    "a target in HTML in a text": (rss("<description>&lt;a href=x></description>"), rss("<description>&lt;a href=y></description>"), "was 'x' to"),
    "quotes of HTML in a text": (rss("<description>&lt;a href='x'></description>"), rss("<description>&lt;a href=\"x\"></description>"), "a text"),
    "a style sheet outside of url()": (svg("<style>a{b:url(c)}</style>"), svg("<style>a {b:url(c)}</style>"), "a text"),
    "a descriptor of a candidate": (page("<img srcset='a 1x'/>"), page("<img srcset='a 2x'/>"), "srcset"),
    "a name of a pair": (
        "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='a b'/>",
        "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:schemaLocation='/d/a b'/>",
        "schemaLocation",
    ),
    "a local reference": (svg("<use href='#a'/>"), svg("<use href='p.xml#a'/>"), "<use href>"),
    "something after the end": ("<a/>", "<a/><!-- -->", "events"),
    "not well-formed any more": (rss("<link>x</link>"), rss("<link>/d/x</lin>"), "any more"),
    "something in a document that is not well-formed": ("<a><b c='d'></a>", "<a><b c='e'></a>", "not well-formed, and was changed"),
    "an attribute of a style sheet that is written out": (
        "<t:stylesheet xmlns:t='http://www.w3.org/1999/XSL/Transform' " + HTML + "><a href='x'/></t:stylesheet>",
        "<t:stylesheet xmlns:t='http://www.w3.org/1999/XSL/Transform' " + HTML + "><a href='/d/x'/></t:stylesheet>",
        "<a href>",
    ),
}

RESOLVED = [
    ("g:h", "g:h"),
    ("./g", "http://a/b/c/g"),
    ("g?y#s", "http://a/b/c/g?y#s"),
    ("?y", "http://a/b/c/d;p?y"),
    ("", "http://a/b/c/d;p?q"),
    ("../../../g", "http://a/g"),
    ("..", "http://a/b/"),
    ("//g", "http://g/"),
    ("http:g", "http://a/b/c/g"),
    ("\\g", "http://a/g"),
    ("g\n/", "http://a/b/c/g/"),
]


def compared(old, new, wants_absolute=False, with_lint=True):
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(directory, name) for name in ("old.xml", "new.xml")]
        for path, text in zip(paths, (old, new)):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return trees.compare_files(*paths, [URL, URL], wants_absolute, with_lint)


def main():
    with_lint = trees.shutil.which("xmllint") is not None
    faults = []
    for text, target in RESOLVED:
        if pieces.resolve("http://a/b/c/d;p?q", text) != target:
            faults.append(f"{text!r} leads to {pieces.resolve('http://a/b/c/d;p?q', text)!r}, and not to {target!r}")
    for name, (old, new, n_changed) in SAME.items():
        try:
            sums, malformed, complaint = compared(old, new, with_lint=with_lint)
            if sums.n_changed != n_changed:
                faults.append(f"{name}: {sums.n_changed} values changed, and not {n_changed}")
            if with_lint and (malformed is None) != (complaint is None):
                faults.append(f"{name}: expat tells {malformed!r}, and xmllint {complaint!r}")
        except trees.Different as difference:
            faults.append(f"{name}: {difference}")
    for name, (old, new, words) in DIFFERENT.items():
        try:
            compared(old, new, with_lint=with_lint)
            faults.append(f"{name}: nothing was report")
        except trees.Different as difference:
            if words not in str(difference):
                faults.append(f"{name}: it was report {difference}")
    # xmllint sees it too where expat's events are not asked.
    if with_lint:
        with tempfile.TemporaryDirectory() as directory:
            paths = [os.path.join(directory, name) for name in ("old.xml", "new.xml")]
            for path, text in zip(paths, ("<a><b/>x</a>", "<a><c/>x</a>")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            try:
                trees.compare_dumps(*paths, 1)
                faults.append("xmllint: nothing was report")
            except trees.Different:
                pass
    relative = compared(rss("<link>x</link>"), rss("<link>x</link>"), wants_absolute=True, with_lint=with_lint)[0].relative
    if len(relative) != 1:
        faults.append(f"left relative: {relative}")
    started = time.monotonic()
    many = rss("<item><link>x</link></item>" * 20_000)
    compared(many, many.replace("x</link>", "/d/x</link>"), with_lint=with_lint)
    if time.monotonic() - started > 20:
        faults.append("20,000 items take too long")
    for fault in faults:
        print(fault)
    if not with_lint:
        print("skipped: xmllint is not installed")
    print(f"{len(SAME)} that are the same, {len(DIFFERENT)} that are not, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
