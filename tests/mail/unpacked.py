"""What `relink unpack` makes of mail, compared with what Python's email package reads:

    python3 tests/mail/unpacked.py N [FILE ...]

RELINK_BIN names the program. N messages are generated, with parts nested at random, names as
senders write them, hostile ones among them, and references between parts; they are unpacked as one
mailbox. FILEs are messages that are unpacked one by one. With --raw the files of each message must
have the decoded bytes of its parts, and nothing may lie outside of the directory of the message;
names must be those that Python reads, as far as letters and digits go. Without it each `cid:`
reference of a body must lead to the file of its part, and no other may change its target; texts in
UTF-7 must be in UTF-8, and subjects what Python decodes. Texts after the last part (Python's
epilogues) must be reported if they are long, or messages for Python.

One line for each difference, on standard output; the exit status is 1 if there is one.
"""

import base64
import binascii
import collections
import email
import email.header
import email.message
import email.mime.image
import email.mime.message
import email.mime.multipart
import email.mime.text
import email.policy
import html
import html.parser
import os
import random
import re
import subprocess
import sys
import tempfile
import urllib.parse

NAMES = [
    "report.pdf", "Übersicht 2024.xlsx", "../../../etc/passwd", "/etc/cron.d/x", "C:\\Windows\\x.dll", "con.txt", "a" * 300 + ".txt",
    "index.html", "message.html", "..", ".bashrc", "a\tb\r\n.txt", "photo.JPG", "PHOTO.jpg", "x/y/z.png", "%2e%2e%2fz", "名前.doc", "a;b\"c.txt",
    "~root", "nul", "trailing. ", "\u202egpj.exe",
]  # fmt: skip
FIELDS = "from to cc subject date message-id received return-path mime-version content-type x-mozilla-status".split()
EPILOGUES = [
    "_______\nusers mailing list\nusers@lists.example\nhttp://lists.example/users\n",
    "-- \nSubscribe: <http://x.example/>\nTo: nobody\n\nFrom: here\n",
    "\nFrom: lost@x.example\nTo: list@x.example\nSubject: lost\n\nA message that was lost.\n",
    "A text that goes on and on.\n" * 100,
    "\n \n",
]
WORDS = "alpha beta gamma delta straße naïve 日本語 <script>alert(1)</script> & \"quoted\"".split()
BODY = "<!doctype html><p>{words}</p><img src=\"cid:{a}\"><img src='cid:{b}'><a href='https://h.example/{n}?a=1&amp;b=2#x'>h</a><a href='#top'>t</a><script>document.title='changed'</script>"


class Differences:
    def __init__(self):
        self.n = 0
        self.n_parts = 0
        self.n_references = 0

    def add(self, where, what, *more):
        self.n += 1
        print(f"{where}: {what}", *map(repr, more))


def leaf(rng, number):
    """A part that is no multipart."""
    kind = rng.randrange(8)
    if kind == 0:
        part = email.mime.text.MIMEText(" ".join(rng.choices(WORDS, k=9)), "plain", "utf-8")
    elif kind == 1:
        part = email.mime.image.MIMEImage(b"GIF89a" + rng.randbytes(rng.randrange(50)), "gif")
    elif kind == 2:
        part = email.message.Message()
        part["Content-Type"] = "application/octet-stream"
        part.set_payload(rng.randbytes(40).hex() + "\n" * rng.randrange(3))
    elif kind == 3:
        part = email.mime.text.MIMEText("a { color: red }\n", "css", "us-ascii")
    elif kind == 4:
        part = email.message.Message()
        part["Content-Type"] = "application/octet-stream"
        part["Content-Transfer-Encoding"] = rng.choice(["x-uuencode", "uuencode", "X-UUE"])
        octets = rng.randbytes(rng.randrange(200))
        lines = [binascii.b2a_uu(octets[at : at + 45], backtick=rng.randrange(2) == 0).decode() for at in range(0, len(octets), 45)]
        part.set_payload("begin 644 file name\n" + "".join(lines) + "`\nend\n")
    elif kind == 5:
        # A list adds its footer to the only part that it knows.
        part = email.message.Message()
        part["Content-Type"] = "application/octet-stream"
        part["Content-Transfer-Encoding"] = "base64"
        octets = rng.randbytes(rng.randrange(30) * 3 + rng.randrange(1, 3))
        part.set_payload(base64.encodebytes(octets).decode() + "____\nusers mailing list\nusers@lists.example\n")
    elif kind == 6:
        part = email.message.Message()
        part["Content-Type"] = "text/plain; charset=utf-7"
        part.set_payload(" ".join(rng.choices(WORDS, k=9)).encode("utf-7").decode("ascii") + "\n")
    else:
        inner = email.mime.text.MIMEText("inside " + str(number), "plain", "us-ascii")
        inner["Subject"] = "Inner"
        part = email.mime.message.MIMEMessage(inner)
    if rng.randrange(3):
        name = rng.choice(NAMES)
        form = rng.randrange(3)
        if form == 0:
            part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
        elif form == 1 and name.isascii() and not re.search(r'[\r\n"\\]', name):
            part.add_header("Content-Disposition", "attachment", filename=name)
        elif not re.search(r"[\r\n]", name):
            part["Content-Disposition"] = 'attachment; filename="' + email.header.Header(name, "utf-8").encode(linesep="").replace("\n", "") + '"'
    return part


def message(rng, number):
    """A message with a body of HTML, two parts that it shows, and others."""
    ids = [f"p{number}.{idx}@x.example" for idx in range(2)]
    body = email.mime.text.MIMEText(BODY.format(words=" ".join(WORDS), a=ids[0], b=urllib.parse.quote(ids[1], safe=""), n=number), "html", "utf-8")
    related = email.mime.multipart.MIMEMultipart("related")
    related.attach(body)
    for idx, name in enumerate(ids):
        image = email.mime.image.MIMEImage(b"GIF89a" + f"{number}.{idx}".encode(), "gif")
        image["Content-ID"] = f"<{name}>"
        related.attach(image)
    top = related
    if rng.randrange(2):
        top = email.mime.multipart.MIMEMultipart("alternative")
        top.attach(email.mime.text.MIMEText("As text.", "plain", "us-ascii"))
        top.attach(related)
    if rng.randrange(2):
        mixed = email.mime.multipart.MIMEMultipart("mixed")
        mixed.attach(top)
        for _ in range(rng.randrange(4)):
            mixed.attach(leaf(rng, number))
        top = mixed
    top["From"] = f"\"Sender <b>{number}</b>\" <s@x.example>"
    top["To"] = "list@x.example"
    top["Subject"] = subject(rng, number)
    if top.get_content_maintype() == "multipart" and rng.randrange(3) == 0:
        top.epilogue = rng.choice(EPILOGUES)
    top["Date"] = email.utils.formatdate(1_500_000_000 + number * 977)
    top["Message-ID"] = f"<m{number}@x.example>"
    if number and rng.randrange(2):
        top["References"] = f"<m{rng.randrange(number)}@x.example>"
    return top


def subject(rng, number):
    """Encoded words, of a text that is cut anywhere."""
    octets = f"{' '.join(rng.choices(WORDS, k=3))} {number}".encode("utf-8")
    cuts = sorted(rng.sample(range(1, len(octets)), 2))
    pieces = [octets[start:end] for start, end in zip([0, *cuts], [*cuts, len(octets)])]
    if rng.randrange(2):
        words = ["=?utf-8?B?" + base64.b64encode(piece).decode() + "?=" for piece in pieces]
    else:
        words = ["=?UTF-8?q?" + "".join(f"={octet:02X}" for octet in piece) + "?=" for piece in pieces]
    return rng.choice([" ", "\n ", "\n\t"]).join(words)


def is_reported(message):
    """Whether text after the last part of a multipart must be reported."""
    for part in message.walk():
        text = (part.epilogue or "").strip() if part.is_multipart() else ""
        sections = [email.message_from_string(section) for section in re.split(r"\n\s*\n", text)]
        if len(text) > 2000 or any(len({name.lower() for name in section.keys()} & set(FIELDS)) > 1 for section in sections):
            return True
    return False


def parts(message):
    """The parts that are files: all without parts, and messages in the message."""
    found = []
    for part in message.walk():
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            if part is not message:
                inner = part.get_payload(0)
                found.append((part, inner.as_bytes(policy=email.policy.compat32)))
        elif not part.is_multipart():
            found.append((part, part.get_payload(decode=True) or b""))
    return found


def name_of(part):
    """The name that Python reads."""
    name = part.get_filename()
    if not name:
        return None
    pieces = [text.decode(charset or "ascii", "replace") if isinstance(text, bytes) else text for text, charset in email.header.decode_header(name)]
    return "".join(pieces)


def plain(name):
    """Letters and digits of a name, and no more than a file may have."""
    return re.sub(r"[\W_]+", "", name).lower()[:40]


def is_named(name, file):
    """Whether a file has a name, with numbers and another extension perhaps."""
    stem = lambda text: re.sub(r"[0-9]+", "", plain(text))
    return stem(name)[:20] in stem(file) or stem(os.path.splitext(name)[0]) in stem(file)


class References(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("src", "href") and value is not None]


def references(octets):
    parser = References()
    parser.feed(octets.decode("utf-8", "replace"))
    return parser.found


def files(directory):
    """The bytes of the files of a directory, by their paths."""
    found = {}
    for outer, _, names in os.walk(directory):
        for name in set(names) - {".relink-unpacked"}:
            path = os.path.join(outer, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, directory)] = file.read()
    return found


def compare(differences, where, message, raw, made, is_real=False):
    """The files of one message."""
    expected = parts(message)
    differences.n_parts += len(expected)
    # Python writes a message in the message again: with line ends of its own, and header fields
    # that it folds in its own way, if it is not one that Python has made.
    if is_real:
        expected = [(part, octets) for part, octets in expected if part.get_content_type() != "message/rfc822"]
        raw = {path: octets for path, octets in raw.items() if not path.endswith(".eml")}
    if any(part.get_content_type() == "message/rfc822" for part, _ in expected):
        expected = [(part, octets.replace(b"\r\n", b"\n")) for part, octets in expected]
        raw = {path: octets.replace(b"\r\n", b"\n") for path, octets in raw.items()}
    was = collections.Counter(octets for _, octets in expected)
    now = collections.Counter(octets for path, octets in raw.items())
    if was != now:
        differences.add(where, "octets", [key[:60] for key in (was - now)], [key[:60] for key in (now - was)])
        return
    by_octets = collections.defaultdict(list)
    for path, octets in raw.items():
        by_octets[octets].append(os.path.basename(path))
    if not is_real:
        title = str(email.header.make_header(email.header.decode_header(message["Subject"])))
        found = re.search(r"<h1>(.*)</h1>", made.get("index.html", b"").decode())
        if not found or html.unescape(re.sub(r"</?bdi>", "", found[1])) != title:
            differences.add(where, "subject", title, found and found[1])
    for part, octets in expected:
        if part.get_content_charset() == "utf-7":
            text = octets.decode("utf-7").encode("utf-8")
            if not any(file.removeprefix(b"\xef\xbb\xbf") == text for file in made.values()):
                differences.add(where, "text in UTF-7", text)
    root = None
    for part, octets in expected:
        name = name_of(part)
        if name and plain(name) and not any(is_named(name, file) for file in by_octets[octets]):
            differences.add(where, "name", name, by_octets[octets])
        if root is None and part.get_content_type() == "text/html":
            root = octets
    if root is None or b"cid:" not in root:
        return
    by_id = {(part["Content-ID"] or "").strip("<> "): octets for part, octets in expected}
    pages = {path: octets for path, octets in made.items() if path == "message.html"}
    for path, octets in pages.items():
        old, new = references(root), references(octets)
        if len(old) != len(new):
            differences.add(where, "number of references", old, new)
            continue
        for before, after in zip(old, new):
            differences.n_references += 1
            if before.lower().startswith("cid:"):
                target = by_id.get(urllib.parse.unquote(before[4:]))
                if target is not None and made.get(os.path.normpath(urllib.parse.unquote(after))) != target:
                    differences.add(where, "reference to a part", before, after)
            elif before != after:
                differences.add(where, "reference", before, after)


def unpack(directory, path, out, *more):
    run = subprocess.run([os.environ["RELINK_BIN"], "unpack", path, "-o", os.path.join(directory, out), *more], capture_output=True, text=True)
    return run


def main():
    differences = Differences()
    rng = random.Random(int(os.environ.get("RELINK_SEED", "1996")))
    n = int(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="relink-mail-") as directory:
        place = os.path.join(directory, "place")
        os.mkdir(place)
        messages = [message(rng, number) for number in range(n)]
        octets = [one.as_bytes(policy=email.policy.compat32.clone(mangle_from_=True)) for one in messages]
        path = os.path.join(place, "box.mbox")
        with open(path, "wb") as file:
            for one in octets:
                file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + one.rstrip(b"\n") + b"\n\n")
        for out, more in (("raw", ["--raw"]), ("made", [])):
            run = unpack(place, path, out, *more)
            if run.returncode != 0:
                differences.add("box.mbox", "exit status", run.returncode, run.stderr[-2000:])
            reported = {int(number) for number in re.findall(r"message (\d+):.* after the closing boundary", run.stderr)}
            expected = {idx + 1 for idx, one in enumerate(octets) if is_reported(email.message_from_bytes(one))}
            if reported != expected:
                differences.add("box.mbox", "epilogues", reported ^ expected)
        if sorted(os.listdir(place)) != ["box.mbox", "made", "raw"] or os.listdir(directory) != ["place"]:
            differences.add("box.mbox", "files outside", os.listdir(place), os.listdir(directory))
        found = {name[:5]: name for name in os.listdir(os.path.join(place, "raw", "box"))}
        if len(found) != n:
            differences.add("box.mbox", "messages", len(found), n)
        for number, one in enumerate(octets):
            name = found.get(f"{number + 1:05}", "")
            read = email.message_from_bytes(one.rstrip(b"\n") + b"\n")
            raw, made = (files(os.path.join(place, out, "box", name)) for out in ("raw", "made"))
            if any(os.sep in path for path in raw):
                differences.add(name, "directories", list(raw))
            compare(differences, name, read, raw, made)
        for idx, path in enumerate(sys.argv[2:]):
            with open(path, "rb") as file:
                octets = file.read()
            read = email.message_from_bytes(octets)
            given = path
            if not path.endswith(".eml"):
                given = os.path.join(directory, f"{idx}.eml")
                with open(given, "wb") as file:
                    file.write(octets)
            outs = []
            for out, more in ((f"raw{idx}", ["--raw"]), (f"made{idx}", [])):
                run = unpack(place, given, out, *more)
                inner = os.path.join(place, out)
                directories = [name for name in os.listdir(inner) if os.path.isdir(os.path.join(inner, name))] if os.path.isdir(inner) else []
                # What is in one `multipart/related` is a page, and not mail.
                is_page = os.path.isdir(inner) and any(os.path.isfile(os.path.join(inner, name)) for name in os.listdir(inner))
                outs.append(files(inner if is_page else os.path.join(inner, directories[0])) if directories or is_page else {})
                if run.returncode != 0:
                    print(f"{path}: exit status {run.returncode}: {run.stderr.strip()}")
            compare(differences, path, read, *outs, is_real=True)
    print(f"{n} messages and {len(sys.argv) - 2} files: {differences.n_parts} parts, {differences.n_references} references, {differences.n} differences")
    return 1 if differences.n else 0


if __name__ == "__main__":
    sys.exit(main())
