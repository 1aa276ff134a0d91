"""Links of unpacked mail do what their texts say: python3 tests/browser/links.py

RELINK_BIN names the program. A mailbox is unpacked, and each kind of link in its messages is clicked
in Chromium, as by a mouse: links to the web, to other messages, to parts and inside of a body,
attachments, and those of the pages themselves. A link to the web leaves the frame and its sandbox; a
document of a message is always shown in the sandbox. In the lists of a mailbox and of a web archive
with two parts, 8 rows (50 with RELINK_FULL=1) are clicked, and each link of what opens. One line of JSON for each check, on standard
output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import email.mime.application
import email.mime.message
import email.mime.multipart
import email.mime.text
import os
import queue
import subprocess
import sys
import urllib.parse

sys.dont_write_bytecode = True
import chromium  # noqa: E402
import http.server  # noqa: E402
from archives import record  # noqa: E402
from checks import listen, run  # noqa: E402

SVG = "http://www.w3.org/2000/svg"
# What each document of a message says of where it is: a form that the sandbox does not send.
FORM = "<form id=f action='{}form'><button id=b>send</button></form>"


class Web(http.server.BaseHTTPRequestHandler):
    """A site whose pages let a script ask for what it hears of its opener."""

    seen = []
    ran = queue.SimpleQueue()

    def do_GET(self):
        self.seen.append(self.path)
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(b"<script>new Image().src = `/ran-${window.opener === null}`</script><p>web")
        if self.path.startswith("/ran-"):
            self.ran.put(self.path)

    def log_message(self, *_):
        pass


class Browser(chromium.Browser):
    """A browser whose mouse clicks, and that says what a click did."""

    def __init__(self, program, directory):
        super().__init__(program, directory)
        self.saved = os.path.join(directory, "saved")
        self.outer("Target.setDiscoverTargets", discover=True)
        self.outer("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.saved, eventsEnabled=True)

    def outer(self, method, **parameters):
        """Asks the browser instead of the page."""
        session, self.session = self.session, None
        try:
            return self.ask(method, **parameters)
        finally:
            self.session = session

    def click(self, selector, inner=False):
        """Clicks an element of the page, or of the document in its frame."""
        outer, *frames = self.frames()
        place = f"""(() => {{
            const element = document.querySelector({selector!r});
            element.scrollIntoView({{ block: "center" }});
            const {{ left, top, width, height }} = element.getClientRects()[0];
            return [left + width / 2, top + height / 2];
        }})()"""
        at = self.evaluate(place, frames[0] if inner else outer)
        # What comes into view may get another height, and a link to a place scrolls later.
        found = None
        while at != found:
            self.settle()
            found, at = at, self.evaluate(place, frames[0] if inner else outer)
        x, y = at
        if inner:
            corner = "(() => { const frame = document.querySelector('iframe'), { left, top } = frame.getBoundingClientRect(); return [left + frame.clientLeft, top + frame.clientTop]; })()"
            left, top = self.evaluate(corner, outer)
            x, y = x + left, y + top
        self.events = []
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def wait(self, event, is_it=lambda _: True):
        """Waits for an event, which is one of those since the click."""
        while True:
            found = next((of for name, of in self.events if name == event and is_it(of)), None)
            if found is not None:
                return found
            self.message()

    def arrived(self, inner=False):
        """The URL to which a click has led the page, or the document in its frame."""
        found = self.wait("Page.frameNavigated", lambda of: ("parentId" in of["frame"]) == inner)
        self.settle()
        return found["frame"]["url"]

    def close_others(self):
        """Closes the tabs that were opened."""
        for info in self.outer("Target.getTargets")["targetInfos"]:
            if info["type"] == "page" and info["targetId"] != self.frame:
                self.outer("Target.closeTarget", targetId=info["targetId"])


def body(web):
    """The body of a message with a link of each kind."""
    links = {
        "web": web + "page",
        "blank": web + "page' target='_blank",
        "named": web + "page' target='other",
        "top": web + "page' target='_top",
        "mailto": "mailto:a@x.example",
        "here": "#end",
        "message": "mid:text@x.example",
        "page": "cid:page@x.example",
        "blank-page": "cid:page@x.example' target='_blank",
        "svg": "cid:svg@x.example",
        "xml": "cid:xml@x.example",
        "zip": "cid:zip@x.example",
    }
    lines = "".join(f"<p><a id={name} href='{url}'>{name}</a>\n" for name, url in links.items())
    return f"<!doctype html>{lines}{FORM.format(web)}<p style='margin-top: 3000px' id=end>end"


def part(kind, text, name, identifier=None):
    made = email.mime.text.MIMEText(text, kind, "utf-8")
    if kind in ("svg+xml", "xml"):
        made.replace_header("Content-Type", "image/svg+xml" if kind == "svg+xml" else "text/xml")
    if identifier:
        made["Content-ID"] = f"<{identifier}@x.example>"
    if name:
        made.add_header("Content-Disposition", "attachment", filename=name)
    return made


def mailbox(path, web):
    first = email.mime.multipart.MIMEMultipart("mixed")
    first.attach(part("html", body(web), None))
    first.attach(part("html", f"<p>the page <a id=web href='{web}page'>web</a>{FORM.format(web)}", "page.html", "page"))
    svg = f"<svg xmlns='{SVG}' width='300' height='60'><a id='web' href='{web}page'><rect width='300' height='60'/></a></svg>"
    first.attach(part("svg+xml", svg, "a.svg", "svg"))
    first.attach(part("xml", "<a>the text</a>", "a.xml", "xml"))
    archive = email.mime.application.MIMEApplication(b"PK\5\6" + bytes(18), "zip")
    archive["Content-ID"] = "<zip@x.example>"
    archive.add_header("Content-Disposition", "attachment", filename="a.zip")
    first.attach(archive)
    text = email.mime.multipart.MIMEMultipart("mixed")
    text.attach(part("plain", f"see {web}page and mailto:a@x.example\n", None))
    inner = part("html", f"<p>inner <a id=web href='{web}page'>web</a>", None)
    inner["Subject"] = "inner"
    text.attach(email.mime.message.MIMEMessage(inner))
    last = part("plain", "the last one\n", None)
    with open(path, "wb") as file:
        for number, (name, message) in enumerate({"all": first, "text": text, "last": last}.items()):
            message["Subject"], message["From"] = name, "a@x.example"
            message["Message-ID"] = f"<{name}@x.example>"
            message["Date"] = f"Mon, 0{number + 1} Jun 2026 10:00:00 +0000"
            file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + message.as_bytes() + b"\n\n")


N_CLICKED = 50 if os.environ.get("RELINK_FULL") else 8


def thread(path):
    """A mailbox in which each message has a link to the one before."""
    with open(path, "wb") as file:
        for number in range(N_CLICKED):
            message = part("html", f"<p>text {number} <a id=before href='mid:{number - 1}@x.example'>Message {number - 1}</a>", None)
            message["Subject"], message["From"] = f"Message {number}", "a@x.example"
            message["Message-ID"] = f"<{number}@x.example>"
            message["Date"] = f"Mon, 01 Jun 2026 10:{number:02}:00 +0000"
            file.write(b"From a@b Thu Jan  1 00:00:00 2020\n" + message.as_bytes() + b"\n\n")


def check_thread(same, browser, directory):
    box = os.path.join(directory, "thread.mbox")
    thread(box)
    subprocess.run([os.environ["RELINK_BIN"], "unpack", box, "-o", os.path.join(directory, "thread"), "-q"], check=True)
    index = url_of(directory, "thread", "thread", "index.html")
    title = lambda: browser.evaluate("document.querySelector('h1').textContent", browser.frames()[0])  # noqa: E731
    for number in range(N_CLICKED):
        browser.open(index)
        browser.click(f"#m{number + 1} a")
        browser.arrived()
        shown = [title(), browser.evaluate("document.body.textContent.trim().split(' ')[1]", browser.frames()[1])]
        same(f"message {number}", shown, [f"Message {number}", str(number)])
        if number:
            browser.click("#before", True)
            browser.arrived()
            same(f"message {number}: the one before", title(), f"Message {number - 1}")


def crawl(path, web):
    """A web archive of pages that lead to the next one, to the web and to a place in themselves. Of
    some there are two captures; each loads a picture that is not there."""
    with open(path, "wb") as file:
        for number in range(5000 + N_CLICKED):
            url, after = (f"http://h.example/{n:04}" for n in (number, number + 1))
            links = f"<a id=next href='{after}'>Page {number + 1}</a> <a id=web href='{web}page'>web</a> <a id=here href='#end'>end</a>"
            page = f"<!doctype html><title>Page {number}</title><h1>Page {number}</h1>{links}<img src=lost.png><p id=end>end"
            file.write(record(url, "text/html", page.encode()))
            if number % 10 == 0:
                file.write(record(url, "text/html", b"<p>old").replace(b"2020-01-01T", b"2019-01-01T"))


def check_crawl(same, browser, directory, web):
    archive = os.path.join(directory, "crawl.warc")
    crawl(archive, web)
    subprocess.run([os.environ["RELINK_BIN"], "unpack", archive, "-o", os.path.join(directory, "crawl"), "-q"], check=True)
    index = url_of(directory, "crawl", "index.html")
    ask = lambda script: browser.evaluate(script, browser.frames()[0])  # noqa: E731
    title = "document.querySelector('h1').textContent"
    for number in range(0, 5000, 5000 // N_CLICKED):
        browser.open(index)
        row = f"section:nth-of-type({number // 200 + 1}) li:nth-child({number % 200 + 1}) a"
        named = ask(f"document.querySelector({row!r}).firstChild.textContent")
        browser.click(row)
        browser.arrived()
        same(f"page {number}", [named, ask(title)], [f"Page {number}"] * 2)
        browser.click("#here")
        browser.wait("Page.navigatedWithinDocument")
        browser.click("#next")
        browser.arrived()
        same(f"page {number}: the next one", ask(title), f"Page {number + 1}")
        browser.click("#web")
        same(f"page {number}: the web", browser.arrived(), web + "page")
    # What the list says besides: other captures, and what is missing.
    browser.open(index)
    browser.click("section li details summary")
    captures = ask("document.querySelector('li details').innerText.trim().split(/\\n+/)")
    same("other captures", captures, ["1 more", "2019-01-01T00:00:00", "relink unpack crawl.warc --at 2019-01-01T00:00:00 -o OUT"])
    browser.click("a[href='#missing']")
    browser.wait("Page.navigatedWithinDocument")
    same("a link to what is missing", ask("document.querySelector(':target summary').textContent.split(' ')[0]"), "1")
    browser.click(".missing summary")
    same("what is missing", ask("[...document.querySelectorAll('.missing li')].map(row => row.textContent)"), ["http://h.example/lost.png"])
    # A search reads the other part too.
    count = ask("""new Promise(done => {
        const field = document.getElementById('search'), count = document.getElementById('count');
        new MutationObserver(() => !count.textContent.includes('+') && done(count.textContent)).observe(count, { childList: true });
        field.value = 'Page 50';
        field.dispatchEvent(new Event('input'));
    })""")
    expected = [number for number in range(5000 + N_CLICKED) if "50" in f"{number:04}"]
    same("a search in all parts", count, f"{len(expected)} of {5000 + N_CLICKED}")
    # What is found has other captures as its row does, in either part.
    shown = ask("[...document.querySelectorAll('#found > li')].map(row => Boolean(row.querySelector('details')))")
    same("what is found with other captures", shown, [number % 10 == 0 for number in expected])
    for number in (50, 5000):
        row = f"#found > li:nth-child({expected.index(number) + 1}) details"
        browser.click(f"{row} summary")
        same(f"other captures of {number}, found", ask(f"document.querySelector({row!r}).innerText.trim().split(/\\n+/)"), captures)
    browser.click("#found li:last-child a")
    browser.arrived()
    same("what is found opens", ask(title), f"Page {expected[-1]}")


def url_of(*names):
    return "file://" + urllib.parse.quote(os.path.join(*names))


def check(checks, browser, directory):
    server, web = listen(Web)
    box = os.path.join(directory, "box.mbox")
    mailbox(box, web)
    made = subprocess.run([os.environ["RELINK_BIN"], "unpack", box, "-o", os.path.join(directory, "out")], capture_output=True, text=True)
    checks.check("box.mbox", "exit status 0", made.returncode == 0, report=made.stderr)
    out = os.path.join(directory, "out", "box")
    messages = sorted(name for name in os.listdir(out) if os.path.isdir(os.path.join(out, name)))
    first, text, last = (url_of(out, name, "index.html") for name in messages)
    same = lambda what, found, expected: checks.check("box.mbox", what, found == expected, found=found, expected=expected)  # noqa: E731

    def click(page, selector, inner=False):
        browser.open(page)
        browser.click(selector, inner)

    def in_frame():
        """What the frame shows: its URL, and its text."""
        browser.settle()
        return browser.evaluate("[location.href.split('/').pop(), document.documentElement.textContent]", browser.frames()[1])

    for name in ("web", "top"):
        click(first, f"#{name}", True)
        same(f"{name}: the page leads there", browser.arrived(), web + "page")
        same(f"{name}: free of the sandbox", Web.ran.get(timeout=chromium.NEVER), "/ran-true")
    for name in ("blank", "named"):
        click(first, f"#{name}", True)
        ran = Web.ran.get(timeout=chromium.NEVER)
        same(f"{name}: free of the sandbox", ran == ("/ran-true" if name == "blank" else "/ran-false"), True)
        browser.close_others()
    # No program handles it on this machine: the browser asks for one, and the page stays.
    click(first, "#mailto", True)
    asked = browser.wait("Page.frameRequestedNavigation")
    same("mailto: for a program", [asked["url"], asked["frameId"] == browser.frame], ["mailto:a@x.example", True])
    click(first, "#here", True)
    browser.wait("Page.navigatedWithinDocument")
    same("inside of the body", browser.evaluate("scrollY > 1000", browser.frames()[1]), True)
    click(first, "#message", True)
    same("another message", browser.arrived(), text)
    for selector, inner in [("#page", True), ("[data-file='page.html']", False)]:
        click(first, selector, inner)
        browser.arrived(True)
        same(f"{selector}: a page in the frame", in_frame()[0], "page.html")
        browser.click("#b", True)
        browser.click("#web", True)
        same(f"{selector}: its link", browser.arrived(), web + "page")
    browser.open(first)
    browser.click("#b", True)
    same("no form was sent", [path for path in Web.seen if "form" in path], [])
    browser.click("#svg", True)
    browser.arrived(True)
    same("SVG in the frame", in_frame()[0], "a.svg")
    browser.click("#web", True)
    same("SVG: its link", browser.arrived(), web + "page")
    for selector, inner in [("#xml", True), ("a[href='a.xml.txt']", False)]:
        click(first, selector, inner)
        same(f"{selector}: XML as text", [browser.arrived(), browser.evaluate("document.contentType", browser.frames()[0])], [url_of(out, messages[0], "a.xml.txt"), "text/plain"])
    for selector, inner in [("#zip", True), ("a[href='a.zip']", False)]:
        click(first, selector, inner)
        same(f"{selector}: saved", browser.wait("Browser.downloadWillBegin")["suggestedFilename"], "a.zip")

    # A text, and what is in it.
    click(text, "pre a")
    same("text: the web", browser.arrived(), web + "page")
    click(text, "pre a[href^=mailto]")
    same("text: mailto", browser.wait("Page.frameRequestedNavigation")["url"], "mailto:a@x.example")
    click(text, "[data-file]")
    browser.arrived(True)
    same("a message in a message: its body", in_frame()[1].strip(), "inner web")
    browser.click("#web", True)
    same("a message in a message: its link", browser.arrived(), web + "page")

    # The pages themselves.
    for page, selector, expected in [
        (text, "[rel=next]", last),
        (text, "[rel=prev]", first),
        (text, "[data-key=u]", url_of(out, "index.html") + "#m2"),
        (url_of(out, "index.html"), "#m3 a", last),
    ]:
        click(page, selector)
        browser.arrived()
        same(selector, browser.evaluate("location.href", browser.frames()[0]), expected)
    ends = [browser.open(page) or browser.evaluate("[...document.querySelectorAll('[rel]')].map(link => link.rel)", browser.frames()[0]) for page in (first, last)]
    same("the first and the last", ends, [["next"], ["prev"]])
    browser.open(text)
    for key, expected in [("j", last), ("k", text), ("u", url_of(out, "index.html"))]:
        browser.events = []
        browser.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        browser.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        same(f"key {key}", browser.arrived(), expected)
    check_thread(same, browser, directory)
    check_crawl(same, browser, directory, web)
    server.shutdown()


if __name__ == "__main__":
    sys.exit(run(check, start=Browser, is_whole=True))
