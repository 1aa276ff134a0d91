#!/usr/bin/env python3
"""Packages: makes some of Office, and judges what relink has made of one, with zipfile, xml.etree
and urllib. It shares no code with relink.

    packages.py make DIRECTORY
    packages.py judge OLD NEW absolute URL  # URL is that of the file
    packages.py judge OLD NEW OLDROOT NEWROOT  # shares, as \\\\host\\share
"""

import pathlib
import re
import sys
import urllib.parse
import xml.etree.ElementTree
import zipfile

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
BASE = {**MEMBERS, "docProps/app.xml": "<Properties><HyperlinkBase>http://g/</HyperlinkBase></Properties>"}
UNTYPED = {name: text for name, text in MEMBERS.items() if name[0] != "["}


def make(directory):
    (directory / "d").mkdir(parents=True)
    packages = {"d/a.docx": MEMBERS, "signed.XLSX": SIGNED, "base.pptx": BASE, "untyped.docm": UNTYPED}
    for path, members in packages.items():
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


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "make":
        make(pathlib.Path(rest[0]))
    else:
        judge(pathlib.Path(rest[0]), pathlib.Path(rest[1]), *rest[2:])
