"""Tests of parts.py, on messages made here and, where they are present, on real ones: python3
tests/mail/parts_test.py"""

import binascii
import base64
import html
import os
import pathlib
import random
import re
import sys
import time
import urllib.parse

sys.dont_write_bytecode = True
import parts  # noqa: E402

HEADING = "From: a@h.example\nTo: b@h.example\nSubject: one\n two\nContent-Location: http://h.example/d/a.html\nMIME-Version: 1.0\n"
ENCODERS = {
    "quoted-printable": lambda octets: binascii.b2a_qp(octets).decode(),
    "base64": lambda octets: base64.encodebytes(octets).decode(),
    "8bit": lambda octets: octets.decode("latin-1"),
}


def message(text, encoding="quoted-printable", charset="utf-8", heading=HEADING):
    """A message of two parts, of which the second is the page; as bytes."""
    body = ENCODERS[encoding](text.encode(charset))
    return f"""{heading}Content-Type: multipart/alternative; boundary="b"

before
--b
Content-Type: text/plain

plain x
--b
Content-Type: text/html; charset={charset}
Content-Transfer-Encoding: {encoding}

{body}
--b--
after
""".encode("latin-1")


def lines(*texts, part="2", unit=1):
    """What the program would list: texts, or slots and texts."""
    named = [text if isinstance(text, tuple) else ("a[href]", text) for text in texts]
    return {(unit, part): [{"slot": slot, "text": text} for slot, text in named]}


def forwarded(inner):
    return f"{HEADING}Content-Type: multipart/mixed; boundary=c\n\n--c\n\nx\n--c\nContent-Type: message/rfc822\n\n".encode() + inner + b"\n--c--\n"


def page(*references):
    return "<p>x <title>x</title>" + "".join(f'<a href="{text}">x</a>\n' for text in references)


PAGE = page("x", "../y?a=1&amp;c=2", "#top")
ABSOLUTE = page("http://h.example/d/x", "http://h.example/y?a=1&amp;c=2", "#top")
OLD = lines("x", "../y?a=1&c=2", "#top")
NEW = lines("http://h.example/d/x", "http://h.example/y?a=1&c=2", "#top")
BASE = ("base[href]", "/e/")
CSS = ("css url", "a b")

# What is the same but for references: old, new, the references of both.
SAME = {
    "nothing changed": (message(PAGE), message(PAGE), OLD, OLD),
    "not even listed": (message(PAGE), message(PAGE), {}, {}),
    "made absolute": (message(PAGE), message(ABSOLUTE), OLD, NEW),
    "made relative": (message(ABSOLUTE), message(PAGE), NEW, OLD),
    "in base64": (message(PAGE, "base64"), message(ABSOLUTE, "base64"), OLD, NEW),
    "as it is": (message(PAGE, "8bit"), message(ABSOLUTE, "8bit"), OLD, NEW),
    "in an old charset": (
        message(page("é/x", "é"), "quoted-printable", "iso-8859-1"),
        message(page("é/x", "/é/y"), "quoted-printable", "iso-8859-1"),
        lines("é/x", "é"),
        lines("é/x", "/é/y"),
    ),
    "in two octets a letter": (message(page("é/x"), "base64", "utf-16"), message(page("/é/x"), "base64", "utf-16"), lines("é/x"), lines("/é/x")),
    "in a charset with shifts": (
        message(page("灯/x", "x"), "8bit", "iso-2022-jp"),
        message(page("/灯/x", "/x"), "8bit", "iso-2022-jp"),
        lines("灯/x", "x"),
        lines("/灯/x", "/x"),
    ),
    "texts that begin alike": (message(page("../a", "../a")), message(page("../../a", "../a/")), lines("../a", "../a"), lines("../../a", "../a/")),
    "texts of one letter": (message(page("x", "p", "x")), message(page("xx", "px", "xxp")), lines("x", "p", "x"), lines("xx", "px", "xxp")),
    "numbers for characters": (message(page("&#x78;&#38;y")), message(page("/x&#38;y")), lines("x&y"), lines("/x&y")),
    "a document in an attribute": (
        message('<iframe srcdoc="<a href=&quot;x?a=1&amp;amp;b=2&quot;>">'),
        message('<iframe srcdoc="<a href=&quot;/x?a=1&amp;amp;b=2&quot;>">'),
        lines("x?a=1&b=2"),
        lines("/x?a=1&b=2"),
    ),
    "an escape of CSS": (message("<style>p{background:url(a\\20 b)}</style>"), message("<style>p{background:url(/a%20b)}</style>"), lines(CSS), lines(("css url", "/a%20b"))),
    "a line end in a URL": (message(page("a\n\tb")), message(page("/a\n\tb")), lines("ab"), lines("/ab")),
    "a base that is emptied": (
        message('<base href="/e/">' + page("x")),
        message('<base href="">' + page("e/x")),
        lines(BASE, "x"),
        lines("e/x"),
    ),
    "an emptied base that is listed": (message('<base href="/e/">'), message('<base href="">'), lines(BASE), lines(("base[href]", ""))),
    "a field with a reference": (message(PAGE), message(PAGE, heading=HEADING.replace("http://h.example/d/", "")), OLD, OLD),
    "other soft line breaks": (message(PAGE), message(PAGE).replace(b"<title>", b"<tit=\nle>"), OLD, OLD),
    "in a mailbox": (
        b"From a@h Thu Jan  1 00:00:00 1970\n" + message(PAGE) + b"\nFrom b@h Thu Jan  1 00:00:00 1970\n" + message(PAGE),
        b"From a@h Thu Jan  1 00:00:00 1970\n" + message(PAGE) + b"\nFrom b@h Thu Jan  1 00:00:00 1970\n" + message(ABSOLUTE),
        lines("x", "../y?a=1&c=2", "#top", unit=2),
        lines("http://h.example/d/x", "http://h.example/y?a=1&c=2", "#top", unit=2),
    ),
    "in a message that is forwarded": (
        forwarded(message(PAGE)),
        forwarded(message(ABSOLUTE)),
        lines("x", "../y?a=1&c=2", "#top", part="2.2"),
        lines("http://h.example/d/x", "http://h.example/y?a=1&c=2", "#top", part="2.2"),
    ),
    "a message without parts": (
        b"Content-Type: text/html\n\n<a href=x>",
        b"Content-Type: text/html\n\n<a href=/x>",
        lines("x", part="1"),
        lines("/x", part="1"),
    ),
    "references of a heading": (message(PAGE), message(PAGE), lines("http://h.example/d/a.html", part="HEADER"), lines("a.html", part="HEADER")),
}

# What is not the same, and what is reported.
DIFFERENT = {
    "a letter outside of references": (message(PAGE), message(ABSOLUTE.replace("<p>", "<P>")), OLD, NEW, "differs at byte"),
    "a character reference written otherwise": (message(PAGE + "&amp;"), message(ABSOLUTE + "&#38;"), OLD, NEW, "differs at byte"),
    "a reference that is not listed": (message(PAGE), message(ABSOLUTE), {}, {}, "no more references"),
    "a reference that is not written": (message(PAGE), message(PAGE), OLD, NEW, "reference 1 of 2"),
    "another order": (message(PAGE), message(ABSOLUTE), lines("../y?a=1&c=2", "x"), lines("http://h.example/y?a=1&c=2", "http://h.example/d/x"), "reference 1 of 2"),
    "more references": (message(PAGE), message(ABSOLUTE), OLD, lines("x", "y", "z", "u"), "other references"),
    "other slots": (message(PAGE), message(ABSOLUTE), lines(("img[src]", "x")), lines("/x"), "other references"),
    "references of no body": (message(PAGE), message(PAGE), lines("x", part="3"), lines("x", part="3"), "which is no body"),
    "a line end less": (message(PAGE), message(ABSOLUTE.rstrip("\n")), OLD, NEW, "differs at byte"),
    "a field's value": (message(PAGE), message(PAGE, heading=HEADING.replace("a@h", "c@h")), {}, {}, "field From"),
    "a field's fold": (message(PAGE), message(PAGE, heading=HEADING.replace("one\n two", "one two")), {}, {}, "field Subject"),
    "fields exchanged": (message(PAGE), message(PAGE, heading="".join(sorted(HEADING.splitlines(True)))), {}, {}, "other fields"),
    "a field less": (message(PAGE), message(PAGE).replace(b"MIME-Version: 1.0\n", b""), {}, {}, "other fields"),
    "another media type": (message(PAGE), message(PAGE).replace(b"text/html", b"text/xhtml"), {}, {}, "other parts"),
    "another boundary": (message(PAGE), message(PAGE).replace(b"\n--b", b"\n--d").replace(b'"b"', b'"d"'), {}, {}, "field Content-Type"),
    "a delimiter that appeared": (message(PAGE), message(PAGE + "\n--b\n", "8bit").replace(b"8bit", b"quoted-printable"), {}, {}, "other parts"),
    "an epilogue": (message(PAGE), message(PAGE).replace(b"after", b"later"), {}, {}, "preamble or epilogue"),
    "the plain text": (message(PAGE), message(PAGE).replace(b"plain x", b"plain /x"), OLD, OLD, "part 1"),
    "a separator": (b"From a@h 00:00\n" + message(PAGE), b"From b@h 00:00\n" + message(PAGE), {}, {}, "what is before it"),
    "one message more": (b"From a@h 00:00\n\n", b"From a@h 00:00\n\nFrom b@h 00:00\n\n", {}, {}, "number of messages"),
}


def made_cases():
    for name, case in SAME.items():
        for change in (lambda octets: octets, lambda octets: octets.replace(b"\n", b"\r\n")):
            old, new, *references = case
            parts.compare(change(old), change(new), *references)
    for name, (*case, report) in DIFFERENT.items():
        try:
            parts.compare(*case)
        except parts.Different as difference:
            assert report in str(difference), f"{name}: report as {difference}"
        else:
            raise AssertionError(f"{name}: not seen")
    print(f"{len(SAME)} pairs that are the same, {len(DIFFERENT)} that are not")


def changed_body(body, chance):
    """A page with two of three links written again, absolute or shorter, and the texts."""
    exchanged = []

    def change(found):
        raw = found[2].decode("utf-8", "replace")
        text = html.unescape(raw)
        new = text
        if chance.random() < 0.7:
            new = urllib.parse.urljoin("https://base.example/a/b/c.html?q", text[:400] or "x")
            new = new if new != text else text.rpartition("/")[2]
        if raw.encode() != found[2] or new == text or "\n" in text:
            return found[0]
        exchanged.append((text, new))
        return found[1] + html.escape(new).encode() + found[3]

    try:
        new = re.sub(rb"""(?s)(\b(?:href|src|background)=["'])([^"'<>]*)(["'])""", change, body)
    except ValueError:
        return body, []
    return new, exchanged


def real_cases(directory):
    chance = random.Random(2557)
    n_files = n_bodies = n_exchanged = 0
    slowest = 0
    for path in sorted(directory.glob("mail/*.*m*")):
        data = path.read_bytes()
        parts.compare(data, data, {}, {})
        n_files += 1
        for _, octets in parts.units(data):
            tree = parts.email.message_from_bytes(octets)
            for number, part in parts.parts(tree):
                if not number.endswith(":") or part.get_content_type() != "text/html":
                    continue
                body = parts.decoded(part)
                new, exchanged = changed_body(body, chance)
                started = time.perf_counter()
                assert parts.align(body, new, exchanged, ["utf-8", "windows-1252"]) is None, f"{path.name}, {number}"
                slowest = max(slowest, time.perf_counter() - started)
                n_bodies += 1
                n_exchanged += len(exchanged)
                if not exchanged:
                    continue
                # A letter changed between references, one exchange that is not
                # listed, one that is not made.
                at = chance.choice([found.start() + 1 for found in re.finditer(rb"<[a-z]", new)])
                spoiled = new[:at] + bytes([new[at] ^ 32]) + new[at + 1 :]
                assert parts.align(body, spoiled, exchanged, ["utf-8"]) is not None, path.name
                one = chance.randrange(len(exchanged))
                assert parts.align(body, new, exchanged[:one] + exchanged[one + 1 :], ["utf-8"]) is not None, path.name
                assert parts.align(body, new, [*exchanged, ("no-such", "text")], ["utf-8"]) is not None, path.name
    print(f"{n_files} real files, {n_bodies} pages, {n_exchanged} exchanges, {slowest:.2f} s at most")


if __name__ == "__main__":
    made_cases()
    shared = pathlib.Path(os.environ.get("RELINK_SHARED_DATA") or pathlib.Path(__file__).parents[3] / "shared/data")
    if shared.is_dir():
        real_cases(shared)
    else:
        print("skipped: no real messages on this machine")
