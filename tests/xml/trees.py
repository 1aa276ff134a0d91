"""Whether XML documents differ in nothing but references that lead where they led, as Python's
expat and xmllint read them.

    python3 tests/xml/trees.py [--absolute] [--events] OLD NEW URL [NEW_URL]

OLD and NEW are files, or directories with the same files; URL is that of OLD, and of NEW too unless
it is reported. Both documents must have the same events: names, namespaces, attributes in their
order, comments, instructions, declarations, sections of CDATA. A value (of an attribute, or a text)
must be equal, or it is one that the specifications say holds references, and equal piece by piece
but for references, each of which resolves to the same URL: with the xml:base of each side, the
<base> of XHTML, and what HTML in texts brings along. Nothing may be different in a document that is
not well-formed. With --absolute no reference that has a base may be left relative; with --events
xmllint is not asked.

Each difference is reported on a line. The last line is JSON: counts, and the documents that expat
and xmllint do not read, with the reason.
"""

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import xml.parsers.expat

sys.dont_write_bytecode = True
import pieces  # noqa: E402
from pieces import Different  # noqa: E402

EXTENSIONS = ("svg", "xml", "xhtml", "xht", "rss", "atom", "rdf", "xsl", "xslt", "opf", "ncx", "opml", "xsd", "rng", "mml", "osd", "kml", "xspf", "wsdl", "docbook", "dbk", "dita", "ditamap")
XML = "http://www.w3.org/XML/1998/namespace"
HTML = pieces.HTML
DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._-]+)")
# Document types whose readers know the names of HTML (HTML standard, section 14.2), and that of
# RSS 0.91, which declares them.
WITH_NAMES = re.compile(r"<!DOCTYPE\s+\S+\s+PUBLIC\s+[\"']-//(?:W3C//DTD (?:XHTML|MathML)|WAPFORUM//DTD XHTML|Netscape Communications//DTD RSS 0\.91)")
MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"<\0", "utf-16-le"), (b"\0<", "utf-16-be"))


class Malformed(Exception):
    """Where a document is not well-formed, and why."""


# Events


def text_of(octets):
    """A document in Unicode, without its mark (XML 1.0, appendix F)."""
    for mark, encoding in MARKS:
        if octets.startswith(mark):
            octets = octets if mark[:1] in (b"<", b"\0") else octets[len(mark) :]
            break
    else:
        declared = DECLARED.match(octets)
        encoding = declared[1].decode().lower() if declared else "utf-8"
        encoding = {"shift_jis": "cp932", "x-sjis": "cp932", "iso-8859-1": "cp1252"}.get(encoding, encoding)
    try:
        # Bytes that windows-1252 does not know are controls.
        return octets.decode(encoding, "strict" if encoding != "cp1252" else "latin").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeError as error:
        raise Malformed(f"{encoding}: {error.reason}") from None
    except LookupError:
        raise Malformed(f"{encoding}: unknown charset") from None


def with_numbers(text):
    """Names of characters as numbers, where the document type is one that declares them outside."""
    import html.entities

    def number(found):
        character = html.entities.html5.get(found[1] + ";")
        return found[0] if character is None or found[1] in ("amp", "lt", "gt", "quot", "apos") else "".join(f"&#{ord(c)};" for c in character)

    return re.sub(r"&([A-Za-z][A-Za-z0-9]*);", number, text) if WITH_NAMES.search(text) else text


def events(octets):
    """What expat says, as a list of (line, name, …). No entity is expanded in a text."""
    text = with_numbers(text_of(octets))
    parser = xml.parsers.expat.ParserCreate("utf-8")
    found = []

    def add(*event):
        found.append((parser.CurrentLineNumber, *event))

    def merged(name):
        def data(text):
            if found and found[-1][1] == name:
                found[-1] = (*found[-1][:2], found[-1][2] + text)
            else:
                add(name, text)

        return data

    def noted(name):
        return lambda *values: add(name, *values)

    parser.ordered_attributes = True
    parser.specified_attributes = True
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: add("start", name, list(zip(attributes[::2], attributes[1::2])))
    parser.CharacterDataHandler = merged("text")
    parser.EndElementHandler = noted("end")
    parser.CommentHandler = noted("comment")
    parser.ProcessingInstructionHandler = noted("instruction")
    parser.StartCdataSectionHandler = noted("cdata")
    parser.EndCdataSectionHandler = noted("cdata end")
    parser.XmlDeclHandler = noted("declaration")
    parser.StartDoctypeDeclHandler = lambda name, system, public, is_internal: add("doctype", name, public, is_internal, system)
    parser.EndDoctypeDeclHandler = noted("doctype end")
    parser.EntityDeclHandler = lambda name, is_parameter, value, base, system, public, notation: add("entity", name, is_parameter, value, public, notation, system)
    parser.NotationDeclHandler = lambda name, base, system, public: add("notation", name, public, system)
    parser.ElementDeclHandler = noted("element declaration")
    parser.AttlistDeclHandler = noted("attribute declaration")
    parser.DefaultHandler = merged("raw")
    try:
        parser.Parse(text.encode("utf-8", "surrogatepass"), True)
    except xml.parsers.expat.ExpatError as error:
        raise Malformed(f"{error.lineno}:{error.offset + 1}: {xml.parsers.expat.ErrorString(error.code)}") from None
    return found


# Documents


class Names:
    """Which namespaces prefixes mean, element by element (Namespaces in XML 1.0)."""

    def __init__(self):
        self.stack = [{"xml": XML}]

    def enter(self, attributes):
        inner = self.stack[-1]
        declared = {name.partition(":")[2]: value for name, value in attributes if name == "xmlns" or name.startswith("xmlns:")}
        self.stack.append({**inner, **declared} if declared else inner)

    def leave(self):
        self.stack.pop()

    def element(self, name):
        prefix, _, local = name.rpartition(":")
        return self.stack[-1].get(prefix, ""), local

    def attribute(self, name):
        prefix, _, local = name.rpartition(":")
        return (self.stack[-1].get(prefix, "?") if prefix else ""), local


def document_base(found, url):
    """The base that the first <base href> of XHTML gives, or the URL."""
    names = Names()
    for event in found:
        if event[1] == "start":
            names.enter(event[3])
            if names.element(event[2]) == (HTML, "base"):
                for name, value in event[3]:
                    if name == "href":
                        return pieces.html_base(url, value)
        elif event[1] == "end":
            names.leave()
    return url


def shape(found):
    """An event without its line and without what may differ."""
    line, kind, *rest = found
    if kind == "start":
        return kind, rest[0], [name for name, _ in rest[1]]
    if kind in ("doctype", "entity", "notation"):
        return kind, *rest[:-1], rest[-1] is None
    return (kind,) if kind in ("text", "instruction") else (kind, *rest)


class Judge:
    """Two documents, event by event."""

    def __init__(self, olds, news, urls, wants_absolute):
        self.olds, self.news, self.urls = olds, news, urls
        self.sums = pieces.Sums(wants_absolute)
        self.names = Names()
        self.root = None
        self.position = 0
        fallback = pieces.Bases(*urls, *urls)
        self.fallback = fallback
        # The scope of xml:base of each open element, what its text is, and the bases that
        # hold for it.
        document = [document_base(found, url) for found, url in zip((olds, news), urls)]
        document = fallback.moved(*document)
        self.open = [(document, None, document)]

    def judge(self):
        for self.position, (old, new) in enumerate(zip(self.olds, self.news)):
            if shape(old) != shape(new):
                raise Different(f"line {old[0]}: was {shape(old)!r}\n  now {shape(new)!r}")
            self.event(old, new)
        if len(self.olds) != len(self.news):
            raise Different(f"{len(self.olds)} events, now {len(self.news)}")
        return self.sums

    def event(self, old, new):
        line, kind = old[:2]
        if kind == "start":
            self.start(old, new)
        elif kind == "end":
            self.names.leave()
            self.open.pop()
        elif kind in ("doctype", "entity", "notation") and old[-1] is not None:
            self.compare(line, f"the identifier of {kind} {old[2]}", "url", old[-1], new[-1], self.fallback)
        elif kind == "instruction":
            if old[2] != new[2]:
                raise Different(f"line {line}: was an instruction {old[2]}, now {new[2]}")
            is_sheet = old[2] in ("xml-stylesheet", "xml-model") and self.root is None
            self.compare(line, f"<?{old[2]}", "instruction" if is_sheet else None, old[3], new[3], self.fallback)
        elif kind == "text":
            _, slot, bases = self.open[-1]
            self.compare(line, "a text", slot, old[2], new[2], bases)

    def start(self, old, new):
        line, _, name, attributes = old
        news = new[3]
        self.names.enter(attributes)
        element = self.names.element(name)
        public = next((event[3] for event in self.olds if event[1] == "doctype"), None) if self.root is None else None
        self.root = self.root or pieces.Root(element, [self.names.attribute(name) for name, _ in attributes], public)
        known = {self.names.attribute(name): value for name, value in attributes}
        outer = self.open[-1][0]
        bases = outer
        for (attribute, before), (_, after) in zip(attributes, news):
            if self.names.attribute(attribute) == (XML, "base"):
                bases = outer.nested(before, after)
        scope = bases
        if self.root.ignores_xml_base(element):
            bases = self.open[0][0]
        for (attribute, before), (_, after) in zip(attributes, news):
            expanded = self.names.attribute(attribute)
            slot = pieces.attribute_slot(self.root, element, expanded, known, before)
            where = {"base": self.fallback, "xml:base": outer}.get(slot, bases)
            self.compare(line, f"<{name} {attribute}>", slot, before, after, where, known)
        slot = pieces.text_slot(self.root, element, known)
        self.open.append((scope, slot if slot and self.is_one_text(slot) else None, bases))

    def is_one_text(self, slot):
        """Whether the element that begins here holds one text, in one piece, and no
        reference to an entity. A style sheet may be cut."""
        texts = 0
        for at in range(self.position + 1, len(self.olds)):
            event = self.olds[at]
            if event[1] == "end":
                return texts <= 1 or slot == "style"
            if event[1] == "text":
                texts += bool(event[2].strip())
            elif event[1] in ("start", "raw"):
                return slot == "style"
        return False

    def compare(self, line, where, slot, old, new, bases, known=()):
        try:
            pieces.compare(self.sums, slot, old, new, bases, known)
        except Different as difference:
            raise Different(f"line {line}: {where}: {difference}") from None


# Files


def lint(path, *options):
    """What xmllint says: whether the document is well-formed, and the first line of its
    complaint or the dump. Nothing is fetched, no document type is read."""
    run = subprocess.run(["xmllint", "--nonet", "--huge", *options, path], stdin=subprocess.DEVNULL, capture_output=True)
    if run.returncode:
        return False, [line.decode("utf-8", "replace") for line in run.stderr.splitlines()[:1]]
    return True, run.stdout.decode("utf-8", "replace").splitlines()


def dumped(path):
    """The tree of a document, a line for each node and value, without what says only of lengths
    and of the place of the file."""
    _, lines = lint(path, "--debug")
    return [re.sub(r"^( *)TEXT (?:compact|interned)$", r"\1TEXT", line) for line in lines if not re.match(" *UR[LI]=", line)]


VALUE = re.compile(r" *(?:content=|SystemID=|DTD\(|ENTITY |NOTATION |[A-Z]+ ENTITY )")


def compare_dumps(old, new, n_changed):
    """Whether xmllint sees the same nodes, and no more other values than there are."""
    olds, news = dumped(old), dumped(new)
    different = [(before, after) for before, after in zip(olds, news) if before != after]
    for before, after in different:
        if not VALUE.match(before) or not VALUE.match(after) or before.split("=")[0].split("(")[0] != after.split("=")[0].split("(")[0]:
            raise Different(f"xmllint: was {before!r}, now {after!r}")
    if len(olds) != len(news) or len(different) > n_changed:
        raise Different(f"xmllint: {len(olds)} lines, now {len(news)}, of which {len(different)} differ, and {n_changed} values")


def compare_files(old, new, urls, wants_absolute, with_lint):
    """Compares two documents. Returns sums, and why expat and xmllint do not read the old one,
    or nothing."""
    before, after = (open(path, "rb").read() for path in (old, new))
    complaint = None
    if with_lint:
        is_fine, lines = lint(old, "--noout")
        complaint = None if is_fine else "".join(lines).partition(":")[2].strip()
    try:
        read = events(before)
    except Malformed as malformed:
        if before != after:
            raise Different("it is not well-formed, and was changed") from None
        return pieces.Sums(), str(malformed), complaint
    try:
        sums = Judge(read, events(after), urls, wants_absolute).judge()
    except Malformed as malformed:
        raise Different(f"it is not well-formed any more: {malformed}") from None
    if with_lint and complaint is None and before != after:
        compare_dumps(old, new, sums.n_changed)
    return sums, None, complaint


def files(root):
    """Paths below a directory, or nothing but the empty one for a file."""
    if not os.path.isdir(root):
        return [""]
    return sorted(os.path.relpath(os.path.join(directory, name), root) for directory, _, names in os.walk(root) for name in names)


def main(arguments):
    wants_absolute = "--absolute" in arguments
    with_lint = "--events" not in arguments and shutil.which("xmllint") is not None
    arguments = [argument for argument in arguments if not argument.startswith("--")]
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    old, new, *urls = arguments
    urls = [urls[0], urls[-1]]
    paths = files(old)
    sums = pieces.Sums()
    faults, malformed, complaints = [], {}, {}
    if paths != files(new):
        faults.append("the directories hold different files")
    paths = [path for path in paths if not path or path.rpartition(".")[2].lower() in EXTENSIONS]

    def compared(path):
        both = [os.path.join(root, path) if path else root for root in (old, new)]
        try:
            return compare_files(*both, [url + pieces.escaped(path) for url in urls], wants_absolute, with_lint)
        except Different as difference:
            return str(difference), None, None

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for path, (found, reason, complaint) in zip(paths, pool.map(compared, paths)):
            if isinstance(found, str):
                faults.append(f"{path}: {found}")
                continue
            sums.add(found)
            faults.extend(f"{path}: {text}" for text in found.relative)
            if reason:
                malformed[path] = reason
            if complaint:
                complaints[path] = complaint
    for fault in faults:
        print(fault)
    report = {"documents": len(paths), "references": sums.n_references, "changed": sums.n_changed, "faults": len(faults)}
    print(json.dumps({**report, "malformed": malformed, "xmllint": complaints if with_lint else None}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
