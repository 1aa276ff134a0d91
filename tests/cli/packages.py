#!/usr/bin/env python3
"""Packages: makes some of Office, OpenDocument and EPUB, and judges what relink has made of them,
with zipfile, xml.etree and urllib. It shares no code with relink.

    packages.py make DIRECTORY  # of Office
    packages.py judge OLD NEW absolute URL  # URL is that of the file
    packages.py judge OLD NEW OLDROOT NEWROOT  # shares, as \\\\host\\share
    packages.py based OLD NEW URL OLDROOT NEWROOT  # files of Office at this URL, of which roots move
    packages.py books DIRECTORY NUMBER  # of OpenDocument, and EPUB
    packages.py same OLD NEW OLDURL NEWURL COMMAND  # directories with them, and their URLs
"""

import pathlib
import random
import re
import sys
import urllib.parse
import xml.etree.ElementTree
import zipfile
from xml.sax.saxutils import escape

TYPES = """\ufeff<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="RELS" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="bin" ContentType="application/octet-stream"/>
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="svg" ContentType="image/svg+xml"/>
<Override PartName="/word/document.dat" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
<Override PartName="/Word/Plain.xml" ContentType="text/plain"/>
</Types>"""
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELS = f"""<?xml version="1.0"?>
<Relationships xmlns="{RELATIONSHIPS}">
<Relationship Id="a" Type="t/hyperlink" Target="../other/b.docx#x" TargetMode="External"/>
<Relationship Id="b" Type="t/hyperlink" Target="file:///\\\\old\\share\\a.docx" TargetMode="External"/>
<Relationship Id="c" Type="t/image" Target="media/i.svg"/>
<Relationship Id="d" Type="t/oleObject" Target="c%20d.xlsx" TargetMode="External"/>
<Relationship Id="e" Type="t/hyperlink" Target="mailto:a@b.example" TargetMode="External"/>
<Relationship Id="f" Type="t/hyperlink" Target="\\\\old\\share\\d e.docx" TargetMode="External"/>
</Relationships>"""
FIELD = 'HYPERLINK "\\\\\\\\old\\\\share\\\\f.docx"'
DOCUMENT = f"""<w:document xmlns:w="{WORD}"><w:p><w:r><w:instrText>{FIELD}</w:instrText></w:r></w:p></w:document>"""
PAGE = '<a href="x">x</a> \\\\old\\share\\no.docx'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="j.png"/></svg>'
MEMBERS = {
    "[Content_Types].xml": TYPES,
    "_rels/.rels": f'<Relationships xmlns="{RELATIONSHIPS}"><Relationship Id="a" Target="word/document.dat"/></Relationships>',
    "word/document.dat": DOCUMENT,
    "word/_rels/document.dat.rels": RELS,
    "word/media/i.svg": SVG,
    "word/plain.xml": f"<a xmlns:x='http://www.w3.org/1999/xlink' x:href='x'/>{PAGE}",
    "word/vba.bin": PAGE,
    "word/page.html": PAGE,
    "docProps/app.xml": "<Properties><HyperlinkBase> </HyperlinkBase><HLinks>\\\\old\\share\\a.docx</HLinks></Properties>",
}
SIGNED = {**MEMBERS, "_xmlsignatures/sig1.xml": "<Signature/>"}
PROPERTIES = "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"
BASED = lambda base: {**MEMBERS, "docProps/app.xml": f'<Properties xmlns="{PROPERTIES}"><HyperlinkBase>{base}</HyperlinkBase></Properties>'}
UNTYPED = {name: text for name, text in MEMBERS.items() if name[0] != "["}


def make(directory):
    (directory / "d").mkdir(parents=True)
    packages = {"d/a.docx": MEMBERS, "signed.XLSX": SIGNED, "base.pptx": BASED("\\\\g\\s"), "based/b.docx": BASED("http://g/x/"), "untyped.docm": UNTYPED}
    for path, members in packages.items():
        (directory / path).parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(directory / path, "w") as archive:
            for number, (name, text) in enumerate(members.items()):
                info = zipfile.ZipInfo(name, (1990 + number, 1, 2, 3, 4, 6))
                info.compress_type = zipfile.ZIP_DEFLATED if number % 3 else zipfile.ZIP_STORED
                archive.writestr(info, text)
    (directory / "locked.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))


def targets(text):
    """The external targets of relationships, and those of fields."""
    for element in xml.etree.ElementTree.fromstring(text).iter():
        if element.get("TargetMode") == "External":
            yield element.get("Target")
        elif element.tag == f"{{{WORD}}}instrText":
            yield re.fullmatch('HYPERLINK "(.*)"', element.text)[1].replace("\\\\", "\\")


def raw(path):
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        ends = [info.header_offset for info in infos[1:]] + [archive.start_dir]
    return {info.filename: data[info.header_offset:end] for info, end in zip(infos, ends)}


def judge(old, new, one, other):
    def expected(target):
        if one != "absolute":
            return target.replace(one, other)
        is_path = target.startswith(("\\", "file:"))
        return target if is_path else urllib.parse.urljoin(other, target)

    members, written = raw(old), raw(new)
    assert list(members) == list(written), "names or order"
    before, after = zipfile.ZipFile(old), zipfile.ZipFile(new)
    assert after.testzip() is None
    n = 0
    for name in members:
        text, edited = before.read(name), after.read(name)
        if not name.startswith("word/") or not name.endswith((".dat", ".rels")):
            assert members[name] == written[name], name
            continue
        old_targets, new_targets = list(targets(text)), list(targets(edited))
        assert [expected(target) for target in old_targets] == new_targets, new_targets
        n += sum(a != b for a, b in zip(old_targets, new_targets))
        # Nothing else has changed: with the old targets, it is the old text.
        for a, b in zip(old_targets, new_targets):
            escaped = lambda text: text.replace("\\", "\\\\") if b"instrText" in edited else text
            edited = edited.replace(escaped(b).encode(), escaped(a).encode(), 1)
        assert edited == text, (name, edited)
    print(n)


def based(old, new, url, one, other):
    """Hyperlinks resolve at HyperlinkBase, which is a reference too; others at the document."""
    moved = lambda target: other + target.removeprefix(one) if target.startswith(one) else target
    before, after = zipfile.ZipFile(old), zipfile.ZipFile(new)
    assert after.testzip() is None
    base = lambda archive: re.search("<HyperlinkBase>([^<]*)<", archive.read("docProps/app.xml").decode())[1]
    assert base(after) == moved(base(before)), base(after)
    for name in ("word/document.dat", "word/_rels/document.dat.rels"):
        kinds = re.findall('Type="t/([a-zA-Z]+)".*External', before.read(name).decode()) or ["hyperlink"]
        for kind, a, b in zip(kinds, targets(before.read(name)), targets(after.read(name)), strict=True):
            at = lambda archive: base(archive) if kind == "hyperlink" else url
            is_path = a.startswith(("\\", "file:"))
            expected = a if is_path else moved(urllib.parse.urljoin(at(before), a))
            assert expected == (b if is_path else urllib.parse.urljoin(at(after), b)), (kind, a, b)


XLINK = 'xmlns:x="http://www.w3.org/1999/xlink"'
MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
# Old documents of macros have such a line; its name is no reference to a member.
SCRIPT = f'<!DOCTYPE a PUBLIC "b" "libraries.dtd"><a {XLINK} x:href="no.html"/>'
INSIDE_ODF = ["Pictures/1.png", "./Object 1", "#Table.A1", "./Pictures/../content.xml"]
OUTSIDE_ODF = ["../next.odt", "../d%20e/f g.ods", "../../up.html", "/t/rooted.html", "/rooted?a=1&b=2", "//k/x"]
ABSOLUTE = ["http://h/t/q.html", "http://h/t/d/", "http://z/y", "mailto:a@b.example", "vnd.sun.star.script:a"]
INSIDE_EPUB = ["c2.xhtml", "../s.css", "./c%201.xhtml", "#a", "../../OEBPS/i.svg"]
OUT_OF_EPUB = ["../../../up.html", "/t/rooted.html"]
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/p%20q.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
FONTS = '<e:encryption xmlns:e="urn:oasis:names:tc:opendocument:xmlns:container"><EncryptedData xmlns="http://www.w3.org/2001/04/xmlenc#"><EncryptionMethod Algorithm="%s"/><CipherData><CipherReference URI="OEBPS/f.otf"/></CipherData></EncryptedData></e:encryption>'
OBFUSCATED, ENCRYPTED = "http://www.idpf.org/2008/embedding", "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
ITEMS = {"Text/c 1.xhtml": "application/xhtml+xml", "Text/c2.xhtml": "application/xhtml+xml", "s.css": "text/css", "i.svg": "image/svg+xml", "toc.ncx": "application/x-dtbncx+xml", "f.otf": "font/otf"}


class References:
    """References, each with a mark that no other one has."""

    def __init__(self, numbers, kinds):
        self.numbers, self.kinds, self.n = numbers, kinds, 0

    def next(self):
        self.n += 1
        # Each package has one that leads out, and one that moves.
        chosen = {1: ABSOLUTE, 2: self.kinds[1]}.get(self.n)
        text = chosen[0] if chosen else self.numbers.choice(self.numbers.choice(self.kinds))
        return escape(f"{text}{'' if text.startswith('#') else '#'}n{self.n}n")

    def elements(self, form):
        return "".join(form % self.next() for _ in range(self.numbers.randrange(2, 9)))


def odf(numbers, extra={}, entry=""):
    links = References(numbers, [INSIDE_ODF, OUTSIDE_ODF, ABSOLUTE])
    part = lambda: f"<o:a xmlns:o='urn:o' {XLINK}>" + links.elements('<o:b x:href="%s"/>') + "</o:a>"
    members = {"content.xml": part(), "Object 1/content.xml": part(), "styles.xml": part(), "meta.xml": part()}
    types = dict.fromkeys([*members, "Basic/script.xml"], "text/xml") | {"Object 1/": "application/x", "Pictures/1.png": "image/png"}
    table = "".join(f'<m:file-entry m:full-path="{name}" m:media-type="{kind}">{entry}</m:file-entry>' for name, kind in types.items())
    rest = {"Pictures/1.png": "png", "Basic/script.xml": SCRIPT, "META-INF/manifest.xml": f'<m:manifest xmlns:m="{MANIFEST}">{table}</m:manifest>'}
    return {"mimetype": "application/vnd.oasis.opendocument.text", **members, **rest, **extra}


def epub(numbers, extra={}, method=OBFUSCATED):
    links = References(numbers, [INSIDE_EPUB, OUT_OF_EPUB, ABSOLUTE])
    page = lambda: f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{links.elements("<a href=%r>a</a>")}</body></html>'
    items = "".join(f'<item id="i{n}" href="{name.replace(" ", "%20")}" media-type="{kind}"/>' for n, (name, kind) in enumerate(ITEMS.items()))
    contents = {
        "Text/c 1.xhtml": page(),
        "Text/c2.xhtml": page(),
        "s.css": links.elements("a { background: url(%s) }").replace("&amp;", "&"),
        "i.svg": f'<svg xmlns="http://www.w3.org/2000/svg" {XLINK}>{links.elements("<a x:href=%r/>")}</svg>',
        "toc.ncx": f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/">{links.elements("<content src=%r/>")}</ncx>',
        "p q.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest></package>',
        "f.otf": "font http://h/t/q.html",
        "unlisted.xhtml": page(),
    }
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": CONTAINER, "META-INF/encryption.xml": FONTS % method}
    return {**members, **{f"OEBPS/{name}": text for name, text in contents.items()}, **extra}


def books(directory, n):
    numbers = random.Random(1808)
    signatures = {"META-INF/documentsignatures.xml": "<a/>"}
    packages = {f"d{i % 3}/{i}.{'odt ods odp otg'.split()[i % 4]}": odf(numbers) for i in range(n)}
    packages |= {f"d{i % 3}/{i}.epub": epub(numbers) for i in range(n)}
    left = {"signed.odt": odf(numbers, signatures), "locked.odt": odf(numbers, entry="<m:encryption-data/>")}
    left |= {"signed.epub": epub(numbers, {"META-INF/signatures.xml": "<a/>"}), "locked.epub": epub(numbers, method=ENCRYPTED)}
    for path, members in [*packages.items(), *((f"left/{name}", members) for name, members in left.items())]:
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(directory / path, "w") as archive:
            for name, text in members.items():
                stored = name == "mimetype" or numbers.random() < 0.2
                archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)


def references(name, text):
    """The references of a member that is a document."""
    if name.endswith(".css"):
        return re.findall(r"url\((.*?)\)", text)
    keys = ("href", "src", "{http://www.w3.org/1999/xlink}href")
    elements = xml.etree.ElementTree.fromstring(text).iter()
    return [element.get(key) for element in elements for key in keys if element.get(key)]


def same(old, new, url, new_url, command):
    """Each reference keeps its target, whose place has moved with the tree; no other byte changes."""
    moved = lambda target: new_url + target.removeprefix(url) if target.startswith(url) else target
    n_changed = 0
    for path in sorted(old.rglob("*.*")):
        file = path.relative_to(old).as_posix()
        members, written = raw(path), raw(new / file)
        assert list(members) == list(written), file
        before, after = zipfile.ZipFile(path), zipfile.ZipFile(new / file)
        assert after.testzip() is None
        first = after.infolist()[0]
        assert (first.filename, first.header_offset, first.compress_type) == ("mimetype", 0, 0), file
        is_epub, is_left = file.endswith(".epub"), file.startswith("left/")
        for name in members:
            read = {"OEBPS/" + item for item in ITEMS if not item.endswith(".otf")} if is_epub else {"content.xml", "Object 1/content.xml", "styles.xml", "meta.xml"}
            if name not in read or is_left:
                assert members[name] == written[name], (file, name)
                continue
            text, edited = before.read(name).decode(), after.read(name).decode()
            assert members[name] == written[name] or text != edited, (file, name)
            at = lambda url: f"{url}{file}/{urllib.parse.quote(name)}"
            for a, b in zip(references(name, text), references(name, edited), strict=True):
                is_absolute = re.match("[a-z][a-z.]*:", a)
                if is_epub and not is_absolute:
                    expected = a == b
                elif urllib.parse.urljoin(at(url), a).startswith(f"{url}{file}/") and not is_absolute:
                    expected = a == b
                else:
                    target = urllib.parse.urljoin(at(url), a)
                    expected = moved(target).replace(" ", "%20") == urllib.parse.urljoin(at(new_url), b).replace(" ", "%20")
                    is_absolute = re.match("[a-z][a-z.]*:", b)
                    expected &= bool(is_absolute) if command == "absolutize" or is_epub else True
                    # What is next to a file is relative.
                    expected &= command != "relativize" or is_epub or not is_absolute or not target.startswith(url)
                assert expected, (command, file, name, a, b)
                n_changed += a != b
                escaped = (lambda text: text) if name.endswith(".css") else escape
                assert a == b or edited.count(escaped(b)) == 1, (file, name, b)
                edited = edited.replace(escaped(b), escaped(a))
            assert edited == text, (file, name)
    print(n_changed)


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(rest[0]))
    elif command == "books":
        books(pathlib.Path(rest[0]), int(rest[1]))
    elif command == "based":
        based(pathlib.Path(rest[0]), pathlib.Path(rest[1]), *rest[2:])
    elif command == "same":
        same(pathlib.Path(rest[0]), pathlib.Path(rest[1]), *rest[2:])
    else:
        judge(pathlib.Path(rest[0]), pathlib.Path(rest[1]), *rest[2:])
