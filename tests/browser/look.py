"""What pages use, as Chromium sees it: `looked` at many pages in frames of one, `alone` at one page.

A page is looked at in two widths at each of two pixel ratios, and printed; it is scrolled to its end,
and what is clicked is clicked. Each second batch is loaded by another browser, which begins with the
other ratio. `look.js` lists what is used in a page, in the order of its elements. What no script sees is read from the events of the browser: requests for files
that one kind of place loads alone, refreshes, and what speculation rules name.
"""

import os
import urllib.parse

import chromium

BATCH = 15
# The widths of a page: it is loaded in one of them, and then gets the other.
VIEWS = {"narrow": 400, "wide": 1000}

# Preload scanners request more than is used; these files they do not know, or load as the page
# does.
REQUESTED = ("p.png", "t.woff", "o.html", "k.html")

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "look.js"), encoding="utf-8") as file:
    LOOK = file.read().strip().rstrip(";")

FRAMES = "[...document.querySelectorAll('iframe')].map(frame => [frame.contentDocument, frame.contentWindow])"
ALONE = "[[document, window]]"
SCROLL = "page && page.documentElement && window.scrollTo(0, 1e7)"
CLICK = "page && page.querySelectorAll('a[ping]').forEach(link => link.click())"


class Browser(chromium.Browser):
    """A browser in which a page may look into frames of other places. It draws without waiting for all
    frames of a page: of an `object` or `embed` from the disk sometimes none comes."""

    options = [option for option in chromium.OPTIONS if option != "--run-all-compositor-stages-before-draw"]

    def __init__(self, program, directory, *more):
        profile = os.path.join(directory, "-".join(["browser", *more]))
        os.mkdir(profile)
        super().__init__(program, profile, "--allow-file-access-from-files", "--disable-web-security", *more)
        self.ask("Preload.enable")


def look(browser, pages):
    """A list of lines for each page."""
    return browser.do(f"(look => {pages}.map(([page, window]) => look(page, window)))({LOOK})")


def act(browser, pages, script):
    browser.do(f"void {pages}.forEach(([page, window]) => {{ {script} }})")
    browser.settle()


def print_media(browser, is_print):
    browser.ask("Emulation.setEmulatedMedia", media="print" if is_print else "")
    browser.settle()


def heard(browser, n_pages, requested):
    """What events say of each page: of the only one, or of each frame in it. Of requests those for
    files with the names `requested`, or all requests and answers."""
    parents, tops = {}, []
    for frame in browser.heard("Page.frameAttached"):
        parents[frame["frameId"]] = frame["parentFrameId"]
        if frame["parentFrameId"] == browser.frame:
            tops.append(frame["frameId"])
    numbers = {frame: idx for idx, frame in enumerate(tops)} if n_pages > 1 else {browser.frame: 0}

    def number(frame):
        while frame is not None and frame not in numbers:
            frame = parents.get(frame)
        return numbers.get(frame)

    lines = [set() for _ in range(n_pages)]

    def add(frame, line):
        idx = number(frame)
        if idx is not None and idx < n_pages:
            lines[idx].add(line)

    for of in browser.heard("Network.requestWillBeSent"):
        url = of["request"]["url"]
        if requested is None or urllib.parse.urlsplit(url).path.rsplit("/", 1)[-1] in requested:
            add(of.get("frameId"), f"requests {of.get('type')} {url}")
    for of in browser.heard("Network.responseReceived") if requested is None else []:
        add(of.get("frameId"), f"answers {of['response']['status']} {of['response']['url']}")
    for of in browser.heard("Page.frameScheduledNavigation"):
        if of.get("delay", 0) >= 1:
            add(of["frameId"], f"refresh {of['url']}")
    frames = {of["frame"]["loaderId"]: of["frame"] for of in browser.heard("Page.frameNavigated")}
    for document, sources in speculated(browser, frames).items():
        for source in sources:
            add(frames[document]["id"], f"speculates {source['key']['action']} {source['key']['url']}")
    return [sorted(of) for of in lines]


def speculated(browser, frames):
    """What speculation rules name, by document. It comes from another process, some time after the
    rules."""
    while True:
        rules = {of["ruleSet"]["loaderId"]: of["ruleSet"]["id"] for of in browser.heard("Preload.ruleSetUpdated")}
        found = {of["loaderId"]: of["preloadingAttemptSources"] for of in browser.heard("Preload.preloadingAttemptSourcesUpdated")}
        is_there = lambda document: any(rules[document] in source["ruleSetIds"] for source in found.get(document, []))  # noqa: E731, B023
        if all(map(is_there, (document for document in rules if frames[document]["url"].startswith("http")))):
            return found
        browser.message()


def change_ratio(browser, is_other):
    """Changes the pixel ratio of the page: to the other one, or back to that of the browser."""
    ratio = browser.do("devicePixelRatio")
    if is_other:
        browser.ask("Emulation.setDeviceMetricsOverride", width=0, height=0, deviceScaleFactor=3 - ratio, mobile=False)
    else:
        browser.ask("Emulation.clearDeviceMetricsOverride")
    browser.settle()


def seen(browser, pages, n_pages, resize, views, requested):
    """Looks at pages that are open in the first of the views."""
    act(browser, pages, SCROLL)
    found = [[] for _ in range(n_pages)]

    def note(view):
        for lines, more in zip(found, look(browser, pages), strict=True):
            lines += [f"{view}: {line}" for line in more]

    note(views[0])
    if len(views) > 1:
        resize(VIEWS[views[1]])
        note(views[1])
        print_media(browser, True)
        note("print")
        print_media(browser, False)
        # A new width comes after the new ratio: at it, browsers choose among candidates again.
        change_ratio(browser, True)
        resize(VIEWS[views[0]])
        note(views[0])
        resize(VIEWS[views[1]])
        note(views[1])
        change_ratio(browser, False)
    act(browser, pages, CLICK)
    for lines, more in zip(found, heard(browser, n_pages, requested), strict=True):
        lines += [f"events: {line}" for line in more]
    return found


def looked(browsers, parent, parent_url, urls, views=tuple(VIEWS), requested=REQUESTED):
    """What is used of each page, loaded in frames of a page that is written to `parent`. The browsers
    take turns, and so do the orders of the views."""
    found = []
    for start in range(0, len(urls), BATCH):
        batch = urls[start : start + BATCH]
        number = start // BATCH
        order = views if number % 4 < 2 else views[::-1]
        # Each is in sight, above the others.
        style = "<style>iframe{position:absolute;top:0;left:0}</style>"
        with open(parent, "w", encoding="utf-8") as file:
            frames = (f'<iframe src="{url}" width={VIEWS[order[0]]} height=600></iframe>' for url in batch)
            file.write("<!doctype html>" + style + "".join(frames))
        browser = browsers[number % len(browsers)]

        def resize(width):
            act(browser, "[[document]]", f"page.querySelectorAll('iframe').forEach(frame => {{ frame.width = {width} }})")  # noqa: B023

        browser.open(parent_url)
        found += seen(browser, FRAMES, len(batch), resize, order, requested)
    return found


def alone(browser, url):
    """What is used of a page."""
    browser.open(url)
    return seen(browser, ALONE, 1, None, ("alone",), REQUESTED)[0]
