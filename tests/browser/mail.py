"""Hostile mail, unpacked, runs no script and writes nothing elsewhere: python3 tests/browser/mail.py

RELINK_BIN names the program. A mailbox of messages with scripts in every place, names that lead out
of their directory, and 2,000 parts is unpacked; its pages are opened in headless Chromium, and so
is each body by itself, and each file of messages with parts in HTML, SVG and XML. A script that runs
would leave a mark. Before that, the page of a mailbox of
2,000 messages (50,000 with RELINK_FULL=1) is opened, timed and searched. One line of JSON for each
check, on standard output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import email.encoders
import email.header
import email.mime.image
import email.mime.multipart
import email.mime.nonmultipart
import email.mime.text
import email.utils
import os
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import run  # noqa: E402
from connections import CONNECTING, Listener  # noqa: E402
from pictures import picture  # noqa: E402

IS_FULL = bool(os.environ.get("RELINK_FULL"))

MARK = "document.documentElement.setAttribute('data-ran',1);top.document.documentElement.setAttribute('data-ran',1)"
BODIES = [
    f"<script>{MARK}</script><p>after",
    f"<!doctype html \"><script>{MARK}</script>\"><p>after",
    f"<html \"><script>{MARK}</script><p>after",
    f"<!-- --!><script>{MARK}</script> --><p>after",
    f"<!--><script>{MARK}</script>--><p>after",
    f"<?xml version='1.0'?><script>{MARK}</script><p>after",
    f"<img src=x onerror=\"{MARK}\"><body onload=\"{MARK}\"><p>after",
    f"<svg onload=\"{MARK}\"><script>{MARK}</script></svg><p>after",
    f"<iframe srcdoc=\"<script>{MARK}</script>\"></iframe><iframe src=\"javascript:{MARK}\"></iframe><p>after",
    f"<meta http-equiv=refresh content=\"0;url=javascript:{MARK}\"><p>after",
    f"<frameset onload=\"{MARK}\"><frame src=\"javascript:{MARK}\"></frameset>",
    f"<base href=\"javascript:\"><a href=\"javascript:{MARK}\" id=a>a</a><p>after",
    f"\ufeff<script>{MARK}</script><p>after",
    f"<object data=\"data:text/html,<script>{MARK}</script>\"></object><embed src=\"javascript:{MARK}\"><p>after",
    f"<template shadowrootmode=open><script>{MARK}</script></template><p>after",
    f"</iframe></body></html><script>{MARK}</script><p>after",
]
SUBJECTS = [f"</title><script>{MARK}</script>", f"\"><img src=x onerror=\"{MARK}\">", "</li></ol></section><style>*{display:none}</style>", "{{7*7}} <b>"]
NAMES = ["../../../../outside.html", "/tmp/relink-outside.html", "..\\..\\outside.html", "index.html", "message.html", f"<img src=x onerror={MARK}>.txt", "a/../../b"]
HTML, SVG = "http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"
SCRIPT = f"<script>{MARK}</script>"
# Parts of a message, with their types and names, in which scripts run if the files are opened.
OPENED = [
    ("image/svg+xml", "a.svg", f"<svg xmlns='{SVG}' width='31' height='17'>{SCRIPT}</svg>"),
    ("image/svg+xml", "b.svg", f"<svg xmlns='{SVG}' width='31' height='17' onload=\"{MARK}\"/>"),
    ("image/svg+xml", "c.svg", f"<?xml version='1.0'?><!-- > --><!DOCTYPE svg [<!ENTITY e \"<script xmlns='{SVG}'>1</script>\"><!ATTLIST svg onload CDATA \"{MARK}\">]><svg xmlns='{SVG}' width='31' height='17'>&e;</svg>"),
    ("image/svg+xml", "d.svg", f"<s:svg xmlns:s='{SVG}' width='31' height='17' a='>'><s:script>{MARK}</s:script></s:svg>"),
    ("application/octet-stream", "e.svg", f"<svg xmlns='{SVG}' width='31' height='17'>{SCRIPT}</svg>"),
    ("application/xhtml+xml", "f", f"<html xmlns='{HTML}'><head>{SCRIPT}</head><body onload=\"{MARK}\"/></html>"),
    ("application/xhtml+xml", "g.xhtml", f"<html xmlns='{HTML}'><body>{SCRIPT}</body></html>"),
    ("application/xhtml+xml", "h.html", f"<h:html xmlns:h='{HTML}'><h:head/><h:script>{MARK}</h:script></h:html>"),
    ("text/html", "i.xht", f"<html xmlns='{HTML}'><body>{SCRIPT}</body></html>"),
    ("text/xml", "j.xml", f"<a><b xmlns='{HTML}'><script>{MARK}</script></b></a>"),
    ("application/rss+xml", "k.svg", f"<svg xmlns='{SVG}'>{SCRIPT}</svg>"),
    ("application/octet-stream", "l.xml", f"<script xmlns='{HTML}'>{MARK}</script>"),
    ("image/svg+xml", "m.svg", f"<?xml-stylesheet type='text/xsl' href='data:text/xsl,x'?><svg xmlns='{SVG}'>{SCRIPT}</svg>"),
    ("application/xhtml+xml", "n.xhtml", f"\ufeff<html xmlns='{HTML}'><body>{SCRIPT}</body></html>"),
]
PICTURE = picture(23, 17, (200, 30, 40))


def mailbox(path):
    with open(path, "wb") as file:
        for number, body in enumerate(BODIES):
            top = email.mime.multipart.MIMEMultipart("mixed")
            related = email.mime.multipart.MIMEMultipart("related")
            charset = "utf-16" if number % 5 == 4 else "utf-8"
            related.attach(email.mime.text.MIMEText(body + "<img src='cid:p@x' alt=shown>", "html", charset))
            image = email.mime.image.MIMEImage(PICTURE, "png")
            image["Content-ID"] = "<p@x>"
            related.attach(image)
            top.attach(related)
            for idx, name in enumerate(NAMES):
                part = email.mime.text.MIMEText(f"<script>{MARK}</script>", ["html", "plain"][idx % 2], "utf-8")
                part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name))
                top.attach(part)
            if number == 0:
                for _ in range(2000):
                    top.attach(email.mime.text.MIMEText("x", "plain", "us-ascii"))
            top["Subject"] = email.header.Header(SUBJECTS[number % len(SUBJECTS)], "utf-8")
            top["From"] = f"\"<script>{MARK}</script>\" <a@x.example>"
            top["Message-ID"] = f"<{number}@x\"><script>{MARK}</script>>"
            top["Date"] = email.utils.formatdate(1_500_000_000 + number)
            file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + top.as_bytes() + b"\n\n")


def many(path, n):
    with open(path, "w") as file:
        for number in range(n):
            answers = f"In-Reply-To: <m{number // 2}@x>\n" if number % 3 else ""
            date = email.utils.formatdate(1_400_000_000 + number * 600)
            file.write(
                f"From a@b Thu Jan  1 00:00:00 2020\nFrom: Sender {number % 50} <s@x.example>\nSubject: Topic {number}\nDate: {date}\n"
                f"Message-ID: <m{number}@x>\n{answers}\nText of {number}.\n\n"
            )


def unpack(checks, name, *arguments):
    run = subprocess.run([os.environ["RELINK_BIN"], "unpack", *arguments], capture_output=True, text=True)
    checks.check(name, "exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)


def ran(browser):
    """Whether a script of a message has run in a frame of the page."""
    frames = browser.frames()
    marks = [browser.evaluate("document.documentElement.getAttribute('data-ran')", frame) for frame in frames if frame in browser.contexts]
    return any(marks)


def check_hostile(checks, browser, directory):
    place = os.path.join(directory, "a", "b")
    os.makedirs(place)
    mailbox(os.path.join(place, "box.mbox"))
    unpack(checks, "box.mbox", os.path.join(place, "box.mbox"), "-o", os.path.join(place, "out"))
    # Without a policy the scripts do run: otherwise the checks below say nothing.
    unpack(checks, "box.mbox", os.path.join(place, "box.mbox"), "-o", os.path.join(directory, "raw"), "--raw")
    n_ran = 0
    for name in sorted(os.listdir(os.path.join(directory, "raw", "box"))):
        browser.open("file://" + urllib.parse.quote(os.path.join(directory, "raw", "box", name, "message.html")))
        n_ran += ran(browser)
    checks.check("box.mbox", "scripts that run without a policy", n_ran >= 9, found=n_ran)
    outside = [os.listdir(directory), os.listdir(os.path.join(directory, "a")), sorted(os.listdir(place))]
    is_inside = "a" in outside[0] and outside[1] == ["b"] and outside[2] == ["box.mbox", "out"] and not os.path.exists("/tmp/relink-outside.html")
    checks.check("box.mbox", "nothing outside", is_inside, found=outside)
    root = os.path.join(place, "out", "box")
    checks.check("box.mbox", "a directory for each message", len(os.listdir(root)) == len(BODIES) + 1, found=len(os.listdir(root)))
    pages = [os.path.join(root, "index.html")]
    for name in sorted(os.listdir(root)):
        inner = os.path.join(root, name)
        if os.path.isdir(inner):
            # The attachments of all messages are the same.
            is_first = name == sorted(os.listdir(root))[0]
            is_opened = lambda file: file.endswith(".html") and (is_first or file in ("index.html", "message.html"))  # noqa: B023, E731
            pages += [os.path.join(inner, file) for file in sorted(os.listdir(inner)) if is_opened(file)]
            if any(os.path.isdir(os.path.join(inner, file)) for file in os.listdir(inner)):
                checks.check(name, "no directory in it", False)
    for page in pages:
        browser.open("file://" + urllib.parse.quote(page))
        checks.check(os.path.relpath(page, root), "no script", not ran(browser))
        if os.path.basename(page) == "index.html" and page != pages[0]:
            frames = browser.frames()
            script = "[...document.images].map(image => image.alt == 'shown' && image.naturalWidth)"
            widths = [browser.evaluate(script, frame) for frame in frames[1:] if frame in browser.contexts]
            number = int(os.path.basename(os.path.dirname(page))[:5]) - 1
            if "<frameset" not in BODIES[number] and "</iframe>" not in BODIES[number]:
                checks.check(os.path.relpath(page, root), "the picture of the body", any(23 in width for width in widths), found=widths)
    browser.open("file://" + urllib.parse.quote(pages[0]))
    n_rows = browser.evaluate("document.querySelectorAll('li.m').length", browser.frames()[0])
    checks.check("index.html", "a row for each message", n_rows == len(BODIES), found=n_rows)


def parts(path):
    """Messages, each with one such part, which its body shows as an image and leads to."""
    with open(path, "wb") as file:
        for number, (kind, name, content) in enumerate(OPENED):
            top = email.mime.multipart.MIMEMultipart("related")
            refresh = ["<meta http-equiv=refresh content='0;url=cid:p@x'>", f"<meta http-equiv=refresh content='0; url={name}'>"][number % 2]
            top.attach(email.mime.text.MIMEText(f"{refresh}<img src='cid:p@x'><p>after", "html", "utf-8"))
            part = email.mime.nonmultipart.MIMENonMultipart(*kind.split("/"))
            part.set_payload(content.encode("utf-8"))
            email.encoders.encode_base64(part)
            part["Content-ID"] = "<p@x>"
            part.add_header("Content-Disposition", "attachment", filename=name)
            top.attach(part)
            file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + top.as_bytes() + b"\n\n")


def check_opened(checks, browser, directory):
    """Each file of a message, opened by itself."""
    box = os.path.join(directory, "parts.mbox")
    parts(box)
    unpack(checks, "parts.mbox", box, "-o", os.path.join(directory, "opened"))
    at = os.path.join(directory, "opened", "parts")
    names = sorted(name for name in os.listdir(at) if name != "index.html")
    checks.check("parts.mbox", "a directory for each message", len(names) == len(OPENED), found=names)
    # Without the policies most run: otherwise the checks below say nothing.
    n_ran = 0
    for number, (_, name, content) in enumerate(OPENED):
        path = os.path.join(directory, f"{number}-{name}" if "." in name else f"{number}-{name}.xhtml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        browser.open("file://" + path)
        n_ran += ran(browser)
    checks.check("parts.mbox", "scripts that run without a policy", n_ran >= 10, found=n_ran)
    for (kind, name, _), inner in zip(OPENED, names):
        for file in sorted(os.listdir(os.path.join(at, inner))):
            url = "file://" + urllib.parse.quote(os.path.join(at, inner, file))
            browser.open(url)
            checks.check(f"{inner}/{file}", "no script", not ran(browser))
            if file == "message.html":
                place = browser.evaluate("location.href.split('#')[0]", browser.frames()[0])
                checks.check(f"{inner}/{file}", "a refresh leads to no part", place == url, found=place)
                width = browser.evaluate("document.images[0].naturalWidth", browser.frames()[0])
                is_shown = width == 31 or not (kind == "image/svg+xml" and name < "e")
                checks.check(f"{inner}/{file}", "the picture", is_shown, found=width)


def bodies(path, addresses):
    """Messages, each with one piece that connects to an address."""
    with open(path, "wb") as file:
        for name, address in addresses.items():
            message = email.mime.text.MIMEText(CONNECTING[name].format(address), "html", "utf-8")
            message["To"], message["Subject"] = "b@y.example", name
            file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + message.as_bytes() + b"\n\n")


def pages_of(directory):
    """The directories of the messages of an unpacked mailbox."""
    return [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name != "index.html"]


def stays(page):
    """What leads elsewhere at once is no page that can be waited for."""
    return "refresh" not in page and "form" not in page


def check_names(checks, directory):
    """No name of a host in a message is looked up, as the browser's own log says; and it has those that are.
    Each third piece, and what does nothing else, unless RELINK_FULL=1."""
    is_asked = lambda number, name: IS_FULL or number % 3 == 0 or name == "name"  # noqa: E731
    names = {name: f"n{number}.mail.example" for number, name in enumerate(CONNECTING) if is_asked(number, name)}
    box = os.path.join(directory, "names.mbox")
    bodies(box, {name: f"http://{host}/" for name, host in names.items()})
    found = []
    for options in ([], ["--raw"]):
        out = os.path.join(directory, "names" + "".join(options))
        unpack(checks, "names.mbox", box, "-o", out, *options)
        os.mkdir(out + "-browser")
        log = out + ".json"
        browser = chromium.Browser(chromium.find(is_whole=True), out + "-browser", f"--log-net-log={log}")
        for page in filter(stays, pages_of(os.path.join(out, "names"))):
            browser.open("file://" + urllib.parse.quote(os.path.join(page, "message.html")))
        browser.open("about:blank")
        browser.end()
        with open(log, encoding="utf-8") as file:
            text = file.read()
        found.append(sorted(name for name, host in names.items() if host in text))
    checks.check("names.mbox", "no name is looked up", not found[0], found=found[0])
    checks.check("names.mbox", "names that are looked up are in the log", len(found[1]) > len(names) / 2 and "name" in found[1], found=found[1])


def check_connections(checks, browser, directory):
    """Nothing of a message connects, in its file and in its page; and what connects is heard."""
    listener = Listener(CONNECTING)
    box = os.path.join(directory, "remote.mbox")
    bodies(box, {name: listener.address(name) for name in CONNECTING})
    for options in ([], ["--raw"]):
        out = os.path.join(directory, "remote" + "".join(options))
        unpack(checks, "remote.mbox", box, "-o", out, *options)
    for number, page in enumerate(pages_of(os.path.join(directory, "remote", "remote"))):
        # The page, which has the file in a frame, is opened for some.
        for file in ("message.html", "index.html")[: 2 if IS_FULL or number % 4 == 0 else 1]:
            browser.open("file://" + urllib.parse.quote(os.path.join(page, file)))
    # A page that is left may send something.
    browser.open("about:blank")
    checks.check("remote.mbox", "nothing connects", not listener.found, found=sorted(listener.found))
    for page in filter(stays, pages_of(os.path.join(directory, "remote--raw", "remote"))):
        browser.open("file://" + urllib.parse.quote(os.path.join(page, "message.html")))
    checks.check("remote.mbox", "what connects is heard", len(listener.found) >= 30, found=sorted(listener.found))
    listener.close()


def check_many(checks, browser, directory):
    n = 50_000 if IS_FULL else 2_000
    many(os.path.join(directory, "many.mbox"), n)
    unpack(checks, "many.mbox", os.path.join(directory, "many.mbox"), "-o", os.path.join(directory, "many"))
    url = "file://" + os.path.join(directory, "many", "many", "index.html")
    browser.open(url)
    # What the page's own thread has used of the processor: other programs do not count.
    took = browser.worked()
    frame = browser.frames()[0]
    checks.check("many.mbox", "opens in a second", took <= 1, took=took)
    print(f"{n} messages: the page is shown after {took:.2f} s of the processor", file=sys.stderr)
    n_parts = browser.evaluate("document.querySelectorAll('#parts a').length", frame)
    checks.check("many.mbox", "parts", n_parts == -(-n // 1000), found=n_parts)
    sizes = [os.path.getsize(os.path.join(directory, "many", "many", name)) for name in os.listdir(os.path.join(directory, "many", "many")) if name.endswith(".html")]
    checks.check("many.mbox", "no part is large", len(sizes) == n_parts and max(sizes) <= 2 << 20, found=sizes)
    # All parts are searched, and what is found has the order of the threads.
    expected = [number for number in range(n) if "777" in str(number)]
    search = """new Promise(done => {{
        const field = document.getElementById('search'), count = document.getElementById('count');
        const look = () => !count.textContent.includes('+') && done([count.textContent, [...document.querySelectorAll('#found .what')].map(row => row.textContent)]);
        new MutationObserver(look).observe(count, {{ childList: true }});
        field.value = '{}';
        field.dispatchEvent(new Event('input'));
    }})"""
    for words in ("topic 777 sender", "Text of 777 777"):
        count, rows = browser.evaluate(search.format(words), frame)
        is_all = count == f"{len(expected)} of {n}" and sorted(rows) == sorted(f"Topic {number}" for number in expected)
        checks.check("many.mbox", f"search: {words}", is_all, count=count, found=rows)
    again = """(() => { const field = document.getElementById('search'), begun = performance.now();
        field.value = 'sender'; field.dispatchEvent(new Event('input')); return [document.getElementById('count').textContent, performance.now() - begun]; })()"""
    count, took = browser.evaluate(again, frame)
    checks.check("many.mbox", "search: many", count == f"{n} of {n}", found=count)
    print(f"{n} messages: a search takes {took:.0f} ms", file=sys.stderr)
    link = browser.evaluate("document.querySelector('#found a').getAttribute('href')", frame)
    browser.open(url[: url.rfind("/") + 1] + link)
    text = browser.evaluate("document.body.innerText", browser.frames()[0])
    checks.check("many.mbox", "a message", "Text of" in text, found=text[:300])
    # Without the token, a part sends its rows to nobody.
    for token in ("", "#x"):
        page = f"<script>addEventListener('message', () => document.title = 'heard')</script><iframe src='many/many/index-2.html{token}'></iframe>"
        with open(os.path.join(directory, "other.html"), "w") as file:
            file.write(page)
        browser.open("file://" + os.path.join(directory, "other.html"))
        checks.check("many.mbox", "no other page reads it", browser.evaluate("document.title", browser.frames()[0]) != "heard")


def check(checks, browser, directory):
    # The page that is timed is the first one, so that none before it counts.
    check_many(checks, browser, directory)
    check_hostile(checks, browser, directory)
    check_opened(checks, browser, directory)
    check_connections(checks, browser, directory)
    check_names(checks, directory)


if __name__ == "__main__":
    sys.exit(run(check, is_whole=True))
