"""Headless Chromium, controlled over two pipes (Chrome DevTools Protocol)."""

import json
import os
import select
import shutil
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")

# A browser that says nothing for so long is stuck.
PATIENCE = 30

# A page that is loaded, and of which nothing was heard for so long, has all that it wants.
QUIET = 0.3


class Failed(Exception):
    """What the browser did not do."""


def find():
    """The path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A browser with one page; a directory keeps its profile and its pipes."""

    def __init__(self, program, directory, *more):
        pipes = [os.path.join(directory, name) for name in ("to", "from")]
        for pipe in pipes:
            os.mkfifo(pipe)
        redirect = 'to=$1 from=$2; shift 2; exec "$@" 3<"$to" 4>"$from"'
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--disable-sync"]
        options += ["--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", *more]
        profile = "--user-data-dir=" + os.path.join(directory, "profile")
        # A group of its own, so that its helpers end with it.
        self.process = subprocess.Popen(
            ["sh", "-c", redirect, "sh", *pipes, program, profile, *options],
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
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.ask(domain + ".enable")

    def close(self):
        """Ends the browser and its helpers, by the number of the group that was started here."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass
        self.process.wait()

    def message(self, patience=PATIENCE):
        """The next message, an answer or an event; None if there is none for so long."""
        end = time.monotonic() + patience
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            piece = self.answers.read(1 << 16)
            if not piece:
                raise Failed("the browser ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        # The places where a script can be evaluated, by frame. The first of a frame is
        # the page's own world.
        parameters = message.get("params", {})
        if message.get("method") == "Runtime.executionContextCreated":
            context = parameters["context"]
            if context["auxData"].get("isDefault"):
                self.contexts[context["auxData"]["frameId"]] = context["id"]
        if message.get("method") == "Runtime.executionContextsCleared":
            self.contexts.clear()
        return message

    def ask(self, method, **parameters):
        """Sends a command and waits for its answer."""
        self.n_sent += 1
        message = {"id": self.n_sent, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.to.write(json.dumps(message).encode() + b"\0")
        while answer := self.message():
            if answer.get("id") == self.n_sent:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
        raise Failed(f"{method}: no answer")

    def settle(self):
        """Waits until nothing is heard any more."""
        end = time.monotonic() + PATIENCE
        while self.message(QUIET):
            if time.monotonic() > end:
                raise Failed("the page is never done")

    def open(self, url):
        """Opens a page and waits until it has all that it wants."""
        answer = self.ask("Page.navigate", url=url)
        if "errorText" in answer:
            raise Failed(f"{url}: {answer['errorText']}")
        end = time.monotonic() + PATIENCE
        while self.ask("Runtime.evaluate", expression="document.readyState")["result"].get("value") != "complete":
            if time.monotonic() > end:
                raise Failed(f"{url}: never loaded")
            time.sleep(0.05)
        self.settle()

    def frames(self):
        """The numbers of all frames of the page in tree order, the page's own first."""
        found = []
        waiting = [self.ask("Page.getFrameTree")["frameTree"]]
        while waiting:
            tree = waiting.pop(0)
            found.append(tree["frame"]["id"])
            waiting = tree.get("childFrames", []) + waiting
        return found

    def evaluate(self, script, frame):
        """What a script answers in a frame."""
        context = self.contexts.get(frame)
        if context is None:
            raise Failed("a frame without a document")
        answer = self.ask("Runtime.evaluate", expression=script, contextId=context, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failed(f"script: {answer['exceptionDetails'].get('text')}: {answer['result'].get('description')}")
        return answer["result"].get("value")
