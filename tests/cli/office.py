#!/usr/bin/env python3
"""Files of Office and OpenDocument that other libraries made, moved from share to share, to a server
and back. The judge reads them with zipfile and xml.etree, and shares no code with relink.

    office.py generated RELINK DIRECTORY NUMBER  # by python-docx, openpyxl, python-pptx, odfpy
    office.py converted RELINK DIRECTORY NUMBER  # the same, as LibreOffice reads them
    office.py real RELINK DIRECTORY FILE...  # packages, or zip and tar archives with some

What is missing is named in a line that begins with "skipped: ".
"""

import io
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.parse
import xml.etree.ElementTree
import zipfile

SPELLINGS = [
    ("\\\\old\\share\\", "\\"), ("\\\\old/share/", "/"), ("//old/share/", "/"), ("file://old/share/", "/"),
    ("file:////old/share/", "/"), ("file://///old/share/", "/"), ("file:///\\\\old\\share\\", "\\"),
    ("file:\\\\old\\share\\", "\\"), ("S:\\", "\\"), ("file:///S:/", "/"), ("file:///S|/", "/"),
]
NAMES = ["a.pdf", "d/b c.pdf", "d/b c.pdf#top", "D/\u00e9.pdf", "C#/n.pdf", "C#/n 1.pdf"]
DRIVES = {"S": "\\\\old\\share", "T": "\\\\new\\pub"}
OLD, NEW, WEB = "\\\\old\\share", "\\\\new\\pub", "https://sp.example/sites/x/"
EXTENSIONS = "docx docm dotx dotm xlsx xlsm xltx xltm pptx pptm potx potm ppsx ppsm odt ods odp odg ott ots otp otg epub".split()
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
XLINK = "{http://www.w3.org/1999/xlink}href"


def reference(spelling, name):
    """The name of a file below the share, in a spelling; URLs have escapes."""
    root, separator = SPELLINGS[spelling]
    if separator == "/" and "\\" not in root:
        name, mark, fragment = name.partition("#top")
        name = urllib.parse.quote(name, safe="/\u00e9") + mark + fragment
    return root + name.replace("/", separator)


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def cut(numbers, text, n):
    at = sorted(numbers.sample(range(1, len(text)), n - 1))
    return [text[start:end] for start, end in zip([0, *at], [*at, len(text)])]


def word(path, numbers, references):
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE as types
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    document = docx.Document()

    def field(runs):
        """Runs of a code, or a list: a field in it."""
        paragraph = document.add_paragraph()

        def mark(kind):
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
            paragraph.add_run()._r.append(element)

        def write(runs):
            mark("begin")
            for run in runs:
                if isinstance(run, list):
                    write(run)
                    continue
                element = OxmlElement("w:instrText")
                element.set(qn("xml:space"), "preserve")
                element.text = run
                paragraph.add_run()._r.append(element)
            mark("separate")
            paragraph.add_run("x")
            mark("end")

        write(runs)

    for n, target in enumerate(references):
        document.part.relate_to(target, types.HYPERLINK, is_external=True)
        code = f' HYPERLINK "{escaped(target)}" \\o "t" '
        field(cut(numbers, code, n % 5 + 1))
        if n % 3 == 0:
            field([' IF "1" = "', [" REF a "], '" "', cut(numbers, code, 3), '" '])
            field([*cut(numbers, f' INCLUDEPICTURE "{escaped(target)}" \\d \\* "', 2), [" REF b "], '" '])
        simple = OxmlElement("w:fldSimple")
        simple.set(qn("w:instr"), code)
        document.add_paragraph()._p.append(simple)
    document.save(path)


def sheet(path, _, references):
    import openpyxl

    book = openpyxl.Workbook()
    for n, target in enumerate(references, 1):
        book.active.cell(n, 1, "x").hyperlink = target
        book.active.cell(n, 2, f'=HYPERLINK("{target}","x")')
    book.save(path)


def slides(path, _, references):
    import pptx

    show = pptx.Presentation()
    box = show.slides.add_slide(show.slide_layouts[6]).shapes.add_textbox(0, 0, 9, 9)
    for target in references:
        run = box.text_frame.add_paragraph().add_run()
        run.text, run.hyperlink.address = "x", target
    show.save(path)


def open_document(path, _, references):
    import odf.opendocument
    import odf.table
    import odf.text

    if path.suffix == ".odt":
        document = odf.opendocument.OpenDocumentText()
        for target in references:
            paragraph = odf.text.P()
            paragraph.addElement(odf.text.A(href=target, text="x"))
            document.text.addElement(paragraph)
    else:
        document = odf.opendocument.OpenDocumentSpreadsheet()
        table = odf.table.Table(name="x")
        document.spreadsheet.addElement(table)
        for target in references:
            cell, row = odf.table.TableCell(formula=f'of:=HYPERLINK("{target}";"x")'), odf.table.TableRow()
            paragraph = odf.text.P()
            paragraph.addElement(odf.text.A(href=target, text="x"))
            cell.addElement(paragraph)
            row.addElement(cell)
            table.addElement(row)
    document.save(path)


MAKERS = {"docx": word, "xlsx": sheet, "pptx": slides, "odt": open_document, "ods": open_document}


def generate(directory, n):
    numbers, missing = random.Random(29500), set()
    for place in ("d", "D", "C#"):
        (directory / place).mkdir(parents=True)
    for name in NAMES:
        (directory / name.removesuffix("#top")).write_bytes(b"")
    kinds = ["docx", "docx", "docx", "xlsx", "pptx", "odt", "ods"]
    for number in range(n):
        # Both numbers are primes.
        kind, spelling = kinds[number % len(kinds)], number % len(SPELLINGS)
        place = ["", "d", "C#"][number % 3]
        references = [reference(spelling, name) for name in NAMES] + ["../up.docx" if place else "next%20to.docx"]
        try:
            MAKERS[kind](directory / place / f"g{number}.{kind}", numbers, references)
        except ModuleNotFoundError as error:
            missing.add(error.name)
    for name in sorted(missing):
        print(f"skipped: the Python package {name} is not installed")


def raw(path):
    """The bytes of each member with its header, compressed as they are."""
    data = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = sorted(archive.infolist(), key=lambda info: info.header_offset)
        ends = [info.header_offset for info in infos[1:]] + [archive.start_dir]
    return {info.filename: data[info.header_offset:end] for info, end in zip(infos, ends)}


def codes(root):
    """The codes of fields, without those of fields in them, each as far as it is known."""
    open_fields = []
    for element in root.iter():
        kind = element.get(WORD + "fldCharType") if element.tag == WORD + "fldChar" else None
        if kind == "begin":
            for field in open_fields:
                field["has_field"] = True
            open_fields.append({"code": "", "in_code": True, "has_field": False})
        elif kind == "separate":
            open_fields[-1]["in_code"] = False
        elif kind == "end":
            yield open_fields.pop()["code"]
        elif element.tag == WORD + "instrText" and open_fields and open_fields[-1]["in_code"]:
            # What comes after another field is no part of the first words.
            open_fields[-1]["code"] += "" if open_fields[-1]["has_field"] else element.text or ""
        elif element.tag == WORD + "fldSimple":
            yield element.get(WORD + "instr")


def targets(name, text):
    """The targets that lead out of a member."""
    if b"<" not in text[:100] or not name.endswith((".xml", ".rels")):
        return
    try:
        root = xml.etree.ElementTree.fromstring(text)
    except xml.etree.ElementTree.ParseError:
        return
    for element in root.iter():
        if element.get("TargetMode") == "External" and element.get("Target"):
            yield element.get("Target")
        link = element.get(XLINK)
        if link and "TargetMode" not in element.attrib:
            yield link
        for formula in [element.text or "" if element.tag == SHEET + "f" else "", element.get(TABLE + "formula", "")]:
            yield from re.findall(r'HYPERLINK\("([^"]*)"', formula)
    for code in codes(root):
        found = re.match(r'\s*(?:HYPERLINK|INCLUDEPICTURE)\s+"((?:[^"\\]|\\.)*)"', code)
        if found:
            yield re.sub(r"\\(.)", r"\1", found[1])


def place(text):
    """The server or share, the names below it, and the fragment of a target; None if it is relative."""
    web = re.match(r"(https?)://([^/]*)/?([^#]*)(#.*)?$", text)
    if web:
        return (web[1] + "://" + web[2], urllib.parse.unquote(web[3]), web[4] or "")
    is_url = text.lower().startswith("file:")
    is_raw = "\\" in text or not (is_url or text.startswith("//"))
    path, mark, fragment = text.rpartition("#") if re.search(r"#[^/\\]*$", text) else (text, "", "")
    path = path.replace("\\", "/")
    path = path if is_raw else urllib.parse.unquote(path)
    if is_url:
        path = path[5:].lstrip("/")
    elif not path.startswith("//") and path[1:2] != ":":
        return None
    path = path.lstrip("/")
    if path[1:2] in (":", "|"):
        path = DRIVES.get(path[0].upper(), path[:2]).replace("\\", "/").lstrip("/") + path[2:]
    host, share, *names = path.split("/") if "/" in path else (path, "")
    return (f"{host}/{share}", "/".join(names), mark + fragment)


def root(text):
    found = place(text.rstrip("\\") + ("" if text.startswith("http") else "\\"))
    return found[0], found[1]


def moved(found, one, other):
    """Where a place is after the move."""
    if found is None or found[0] != one[0] or not found[1].startswith(one[1]):
        return found
    return (other[0], other[1] + found[1][len(one[1]):], found[2])


def compare(old, new, one, other, messages):
    """Each target is where it moves to, and each other byte is the same. Returns the number of edits.
    What is refused, by the messages, stays."""
    n_edited = 0
    for path in sorted(old.rglob("*.*")):
        if path.suffix[1:].lower() not in EXTENSIONS:
            continue
        there = new / path.relative_to(old)
        if f"{there}: skipped" in messages or f"{there}!" in messages:
            assert path.read_bytes() == there.read_bytes(), there
            continue
        before, after = raw(path), raw(there)
        assert list(before) == list(after), there
        with zipfile.ZipFile(path) as one_zip, zipfile.ZipFile(there) as other_zip:
            assert other_zip.testzip() == one_zip.testzip(), there
            for name in before:
                if before[name] == after[name]:
                    pairs = [(found, found) for found in targets(name, one_zip.read(name))]
                else:
                    texts = [list(targets(name, archive.read(name))) for archive in (one_zip, other_zip)]
                    assert texts[0] != texts[1], (there, name)
                    pairs = list(zip(*texts, strict=True))
                for a, b in pairs:
                    expected = moved(place(a), one, other)
                    assert place(b) == expected, (there, name, a, b, expected)
                    n_edited += a != b
    return n_edited


def is_same(one, other):
    """True if both texts are equal, but for the runs into which codes are split."""
    if one == other:
        return True
    blank = [re.sub(rb"(<w:instrText [^>]*)(/|>[^<]*</w:instrText)>", rb"\1", text) for text in (one, other)]
    return blank[0] == blank[1] and all(a == b for a, b in zip(*(codes(xml.etree.ElementTree.fromstring(text)) for text in (one, other))))


def files(tree):
    return {path: path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file() and ".relink" not in str(path)}


def texts(tree):
    packages = [path for path in sorted(tree.rglob("*")) if path.suffix[1:].lower() in EXTENSIONS]
    return {path.relative_to(tree): {name: zipfile.ZipFile(path).read(name) for name in raw(path)} for path in packages}


def relink(program, *words):
    run = subprocess.run([program, *map(str, words)], capture_output=True, text=True, errors="replace")
    assert run.returncode in (0, 2), (words, run.stdout, run.stderr)
    return run


def move(program, tree, old, one, other, *words):
    """Moves a tree, judges it, takes it back, and moves it again. Returns the number of edits."""
    if old.exists():
        shutil.rmtree(old)
    shutil.copytree(tree, old)
    words = ["--from", one, "--to", other, *words]
    run = relink(program, "move", tree, "--in-place", "-q", *words)
    n_edited = compare(old, tree, root(one), root(other), run.stderr)
    after = files(tree)
    relink(program, "undo", tree, "-q")
    assert files(tree) == {tree / path.relative_to(old): text for path, text in files(old).items()}, "undo"
    relink(program, "move", tree, "--in-place", "-q", *words)
    assert files(tree) == after, "again"
    relink(program, "move", tree, "--in-place", "-q", *words)
    assert files(tree) == after, "a second run"
    return n_edited, run.stderr


def generated(program, directory, n):
    tree, old = directory / "t", directory / "old"
    generate(tree, n)
    drives = [word for letter, share in DRIVES.items() for word in ("--drive", f"{letter}:={share}")]
    formulas = ["--also", "formulas"]
    start = texts(tree)
    for one, other in ((OLD, NEW), (NEW, OLD), (OLD, WEB), (WEB, NEW)):
        if one == OLD and other == WEB:
            changed = [(str(path), name) for path, members in texts(tree).items() for name in members if not is_same(members[name], start[path][name])]
            assert not changed, changed
        n_edited, _ = move(program, tree, old, one, other, *drives, *formulas)
        print(one, other, n_edited)


FLAT = {"docx": "fodt", "odt": "fodt", "xlsx": "fods", "ods": "fods", "pptx": "fodp"}


def contents(tree, out):
    """The text of each file and its links, in their order, as LibreOffice converts it."""
    found = {}
    for kind, flat in FLAT.items():
        paths = sorted(tree.rglob(f"*.{kind}"))
        profile = f"-env:UserInstallation={(out / 'profile').as_uri()}"
        command = ["soffice", profile, "--headless", "--convert-to", flat, "--outdir", out / kind, *paths]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in paths:
            root = xml.etree.ElementTree.parse(out / kind / f"{path.stem}.{flat}").getroot()
            body = next(element for element in root if element.tag.endswith("}body"))
            formulas = [re.findall(r'HYPERLINK\("([^"]*)"', e.get(TABLE + "formula", "")) for e in body.iter()]
            links = [e.get(XLINK) for e in body.iter() if e.get(XLINK)] + sum(formulas, [])
            found[path.relative_to(tree)] = ("".join(body.itertext()), links)
    return found


def read_place(link):
    """The place of a link as LibreOffice writes it: names for Windows are relative, with the escapes of
    URLs, and with those of a code of a field."""
    if re.match("https?:", link):
        return place(link)
    text = urllib.parse.unquote(link)
    if re.search(r"\\{4}|\b[A-Z]:\\\\", text):
        text = text.replace("\\\\", "\\")
    text = re.sub(r"^(?:\.\.?/)*\.\.(?=//)|^(?:\.\.?/)+(?:[^/\\]*/)*?(?=\\|[A-Z][:|]|file:)", "", text)
    return place(text)


def converted(program, directory, n):
    """What LibreOffice shows of the files stays the same, but for the links, which move."""
    tree = directory / "t"
    generate(tree, n)
    drives = [word for letter, share in DRIVES.items() for word in ("--drive", f"{letter}:={share}")]
    before = contents(tree, directory / "0")
    for number, (one, other) in enumerate([(OLD, NEW), (NEW, WEB)], 1):
        relink(program, "move", tree, "--in-place", "-q", "--from", one, "--to", other, *drives, "--also", "formulas")
        after, n_moved = contents(tree, directory / str(number)), 0
        assert list(before) == list(after)
        for path, (text, links) in before.items():
            assert text == after[path][0], path
            for old, new in zip(links, after[path][1], strict=True):
                found = read_place(old)
                expected = moved(found, root(one), root(other))
                is_right = read_place(new) == expected if found else old == new
                assert is_right, (path, old, new, expected)
                n_moved += old != new
        print(one, other, len(after), "files", n_moved, "links")
        before = after


def packages(path):
    """The packages in an archive, or a file that is one."""
    name = str(path)
    if name.endswith((".tar.gz", ".tgz", ".tar.xz", ".crate")):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and member.name.rsplit(".", 1)[-1].lower() in EXTENSIONS:
                    yield f"{path.name}/{member.name}", archive.extractfile(member).read()
    elif name.endswith((".zip", ".whl")):
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                if member.rsplit(".", 1)[-1].lower() in EXTENSIONS:
                    yield f"{path.name}/{member}", archive.read(member)
    elif path.is_dir():
        for child in sorted(path.rglob("*")):
            if child.is_file():
                yield from packages(child)
    elif path.suffix[1:].lower() in EXTENSIONS:
        yield name.lstrip("/"), path.read_bytes()


def real(program, directory, paths):
    """Real files: what begins with one of the most frequent hosts moves."""
    tree, old, found = directory / "t", directory / "old", set()
    for path in paths:
        for name, data in packages(path):
            if data not in found and zipfile.is_zipfile(io.BytesIO(data)):
                found.add(data)
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_bytes(data)
    hosts = {}
    for path in files(tree):
        for name in raw(path):
            for target in targets(name, zipfile.ZipFile(path).read(name)):
                if re.match("https?://[a-z0-9.-]+/", target):
                    host = target[: target.index("/", 8) + 1]
                    hosts[host] = hosts.get(host, 0) + 1
    print(len(found), "files with", sum(hosts.values()), "URLs of", len(hosts), "hosts")
    refused = ""
    for host in sorted(hosts, key=hosts.get, reverse=True)[:5]:
        n_edited, refused = move(program, tree, old, host, "https://new.example/a/", "--base", "http://tree.example/")
        print(host, n_edited)
    print(refused, end="")


if __name__ == "__main__":
    command, program, directory, *rest = sys.argv[1:]
    if command in ("generated", "converted"):
        judge = generated if command == "generated" else converted
        judge(program, pathlib.Path(directory), int(rest[0]))
    else:
        real(program, pathlib.Path(directory), [pathlib.Path(path) for path in rest])
