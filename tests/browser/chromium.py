"""Headless Chromium, controlled over two pipes (Chrome DevTools Protocol).

A page is ready when nothing in it can change any more by itself: its load event has been fired, each
request that it made has an end, and two frames that were drawn afterwards have made no other
request. All of that are events of the browser, so no time is measured, and no machine is too slow.
"""

import base64
import json
import os
import select
import shutil
import subprocess

NAMES = ("chromium", "chromium-browser", "google-chrome")

# The same engine in a browser without windows takes a third less time. It does nothing of what a
# whole browser does around pages, such as looking up names before they are needed.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")

# A browser that says nothing for five minutes is stuck. It is no measure of speed: no machine is so
# slow that a page which gets ready is given up before.
NEVER = 300

# All frames of a page are in one process, whose events keep their order. Drawing is the same each
# time: every image is decoded and every tile is painted before a frame is shown, and neither a
# caret, nor a scroll bar, nor the resolution of a screen is in the picture.
OPTIONS = """--headless=new --no-sandbox --disable-gpu --no-first-run --disable-dev-shm-usage --disable-sync
--disable-background-networking --disable-component-update --remote-debugging-pipe
--disable-site-isolation-trials --disable-features=IsolateOrigins,site-per-process,PaintHolding,BackForwardCache
--run-all-compositor-stages-before-draw --disable-checker-imaging --disable-threaded-animation
--disable-threaded-scrolling --disable-partial-raster --disable-lcd-text --font-render-hinting=none
--force-device-scale-factor=1 --force-color-profile=srgb --hide-scrollbars
--disable-renderer-backgrounding --disable-backgrounding-occluded-windows --disable-background-timer-throttling""".split()

# Kinds of requests that a page does not wait for: the rest of a video is fetched when it is played,
# and a ping has no answer that anybody reads.
UNAWAITED = ("Media", "Ping", "Prefetch", "Preflight", "EventSource", "WebSocket", "CSPViolationReport")

# Style, layout and paint of all frames, which begin the loads of fonts and backgrounds. The second
# frame is begun when the first one has been drawn.
DRAWN = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))"


class Failed(Exception):
    """What the browser did not do."""


def find(is_whole=False):
    """The path of the browser, or None."""
    names = NAMES if is_whole else SHELLS + NAMES
    return next(filter(None, map(shutil.which, names)), None)


class Browser:
    """A browser with one page; a directory keeps its profile and its pipes."""

    options = OPTIONS

    def __init__(self, program, directory, *more):
        pipes = [os.path.join(directory, name) for name in ("to", "from")]
        for pipe in pipes:
            os.mkfifo(pipe)
        redirect = 'to=$1 from=$2; shift 2; exec "$@" 3<"$to" 4>"$from"'
        profile = "--user-data-dir=" + os.path.join(directory, "profile")
        # A group of its own, so that its helpers end with it.
        self.process = subprocess.Popen(
            ["sh", "-c", redirect, "sh", *pipes, program, profile, *self.options, *more],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.to = open(pipes[0], "wb", buffering=0)
        self.answers = open(pipes[1], "rb", buffering=0)
        self.rest = b""
        self.n_sent = 0
        self.session = None
        self.contexts = {}
        # The events since the last page was opened, with their parameters.
        self.events = []
        # The requests without an end: the number of each, with its frame, its document and its URL.
        self.waiting = {}
        self.n_requests = 0
        # The document of the page, whether its load event has been fired, and frames that will be
        # led elsewhere at once.
        self.document, self.is_loaded, self.led = None, False, set()
        # What was opened and asked last, for the message if the browser is stuck.
        self.opened = self.asked = None
        target = self.frame = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.ask(domain + ".enable")
        self.ask("Performance.enable", timeDomain="threadTicks")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        """Ends the browser and its helpers, by the number of the group that was started here."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()

    def end(self):
        """Asks the browser to end, so that it writes what it has not yet written."""
        self.session = None
        self.ask("Browser.close")
        self.process.wait(NEVER)
        self.close()

    def message(self):
        """The next message, an answer or an event."""
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], NEVER)[0]:
                waiting = [url for _, _, url in self.waiting.values()]
                raise Failed(
                    f"the browser is stuck: opened: {self.opened}, asked: {self.asked}, loaded: {self.is_loaded}, led: {self.led},"
                    f" requests: {waiting[:9]}, events: {[event for event, _ in self.events[-20:]]}"
                )
            piece = self.answers.read(1 << 16)
            if not piece:
                raise Failed("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
            self.hear(message["method"], message["params"])
        return message

    def hear(self, event, parameters):
        """Notes what an event says of requests, documents and places for scripts."""
        if event == "Network.requestWillBeSent":
            self.n_requests += 1
            if parameters.get("type") == "Document":
                self.led.discard(parameters.get("frameId"))
            # That of a worker, which has no document, ends unheard.
            if parameters.get("type") not in UNAWAITED and parameters["loaderId"]:
                self.waiting[parameters["requestId"]] = (parameters.get("frameId"), parameters["loaderId"], parameters["request"]["url"])
        elif event in ("Network.loadingFinished", "Network.loadingFailed"):
            self.waiting.pop(parameters["requestId"], None)
        elif event == "Page.frameNavigated":
            self.navigated(parameters["frame"])
        elif event == "Page.frameDetached":
            self.led.discard(parameters["frameId"])
            self.forget(lambda frame, _: frame == parameters["frameId"])
        elif event in ("Page.frameScheduledNavigation", "Page.frameRequestedNavigation"):
            if parameters.get("delay", 0) < 1:
                self.led.add(parameters["frameId"])
        elif event in ("Page.frameClearedScheduledNavigation", "Page.frameStoppedLoading"):
            self.led.discard(parameters["frameId"])
        elif event == "Page.lifecycleEvent":
            self.is_loaded |= parameters["name"] == "load" and parameters["loaderId"] == self.document
        # The places where a script can be evaluated, by frame. The first of a frame is
        # the page's own world.
        elif event == "Runtime.executionContextCreated":
            context = parameters["context"]
            if context["auxData"].get("isDefault"):
                self.contexts[context["auxData"]["frameId"]] = context["id"]
        elif event == "Runtime.executionContextsCleared":
            self.contexts.clear()

    def navigated(self, frame):
        """Forgets the requests of the document that was in the frame, and of all frames in it if it
        is the page: what a later document replaces is never reported to have an end."""
        self.led.discard(frame["id"])
        if "parentId" in frame:
            self.forget(lambda other, document: other == frame["id"] and document != frame["loaderId"])
            return
        self.forget(lambda _, document: document != frame["loaderId"])
        self.document, self.is_loaded = frame["loaderId"], False

    def forget(self, is_gone):
        self.waiting = {number: of for number, of in self.waiting.items() if not is_gone(of[0], of[1])}

    def ask(self, method, **parameters):
        """Sends a command and waits for its answer."""
        self.n_sent += 1
        self.asked = method
        message = {"id": self.n_sent, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.n_sent:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]

    def settle(self):
        """Waits until the page has all that it wants, and shows it."""
        while True:
            while self.waiting or self.led or not self.is_loaded:
                self.message()
            before = (self.n_requests, self.document)
            # In a saved page, and without scripts, only a world of its own hears of frames.
            world = self.ask("Page.createIsolatedWorld", frameId=self.frame, worldName="drawn")
            self.do(DRAWN, contextId=world["executionContextId"])
            if before == (self.n_requests, self.document) and not self.waiting and not self.led:
                return

    def open(self, url):
        """Opens a page and waits until it has all that it wants."""
        self.events, self.opened = [], url
        answer = self.ask("Page.navigate", url=url)
        if "errorText" in answer:
            raise Failed(f"{url}: {answer['errorText']}")
        # Without a document of its own, the URL leads into the page that is open.
        while "loaderId" in answer and not self.has_begun(answer["loaderId"]):
            self.message()
        self.settle()

    def has_begun(self, document):
        """Whether a document is in the page, or was, since it was opened."""
        return any(event == "Page.frameNavigated" and of["frame"]["loaderId"] == document for event, of in self.events)

    def heard(self, event):
        """The parameters of each event of a kind since the page was opened."""
        return [parameters for name, parameters in self.events if name == event]

    def requested(self):
        """The URLs of all requests since the page was opened."""
        return [of["request"]["url"] for of in self.heard("Network.requestWillBeSent")]

    def failed(self, is_wanted=False):
        """The failed requests since the page was opened: for each its URL and the error. If
        `is_wanted`, those are left out that the page itself did not want any more."""
        urls = {of["requestId"]: of["request"]["url"] for of in self.heard("Network.requestWillBeSent")}
        failures = [of for of in self.heard("Network.loadingFailed") if not (is_wanted and of.get("canceled"))]
        return [(urls.get(of["requestId"], of["requestId"]), of.get("errorText")) for of in failures]

    def frames(self):
        """The numbers of all frames of the page in tree order, the page's own first."""
        found = []
        waiting = [self.ask("Page.getFrameTree")["frameTree"]]
        while waiting:
            tree = waiting.pop(0)
            found.append(tree["frame"]["id"])
            waiting = tree.get("childFrames", []) + waiting
        return found

    def do(self, script, **more):
        """What a script answers in the page, or what its promise becomes."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, **more)
        if "exceptionDetails" in answer:
            raise Failed(f"script: {answer['exceptionDetails'].get('text')}: {answer['result'].get('description')}")
        return answer["result"].get("value")

    def evaluate(self, script, frame):
        """What a script answers in a frame."""
        context = self.contexts.get(frame)
        if context is None:
            raise Failed("a frame without a document")
        return self.do(script, contextId=context)

    def worked(self):
        """The number of seconds that the thread of the page, and of those before it in the same
        process, has used the processor. Another page may have another process."""
        metrics = self.ask("Performance.getMetrics")["metrics"]
        return next(metric["value"] for metric in metrics if metric["name"] == "ThreadTime")

    def photograph(self, **options):
        """A picture of the page, a PNG."""
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", **options)["data"])
