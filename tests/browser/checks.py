"""What the scripts of this directory do alike: they check in one browser, with a line of JSON for
each check."""

import http.server
import json
import os
import tempfile
import threading

import chromium
import pictures


class Checks:
    """One line for each check."""

    def __init__(self):
        self.n_failed = 0

    def check(self, file, what, is_right, **more):
        print(json.dumps({"file": file, "check": what, "right": is_right, **({} if is_right else more)}, ensure_ascii=False), flush=True)
        self.n_failed += not is_right

    def same(self, file, before, after):
        """Each thing that is shown, frame by frame."""
        self.check(file, "frames", len(before[0]) == len(after[0]), was=len(before[0]), now=len(after[0]))
        for idx, (old, new) in enumerate(zip(before[0], after[0])):
            for name in old:
                self.check(file, f"frame {idx}: {name}", old[name] == new[name], was=old[name], now=new[name])
        self.look_alike(file, "looks", before[1], after[1])

    def look_alike(self, file, what, was, now):
        """Two pictures."""
        difference = pictures.difference(was, now)
        self.check(file, what, difference is None, difference=difference)


def run(act, start=chromium.Browser, is_whole=False):
    """Calls `act` with checks, a browser, which `start` makes, and a directory of its own; with a
    whole browser if it must be one. Returns the exit status."""
    program = chromium.find(is_whole)
    if program is None:
        print("skipped: no Chromium on this machine")
        return 0
    if "RELINK_BIN" not in os.environ:
        print("RELINK_BIN does not name the program")
        return 2
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="relink-browser-", ignore_cleanup_errors=True) as directory:
        browser = start(program, directory)
        try:
            act(checks, browser, directory)
        except chromium.Failed as reason:
            checks.check("", "the browser", False, reason=str(reason))
        finally:
            browser.close()
    return 1 if checks.n_failed else 0


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        # The browser drops what it no longer wants.
        pass


def listen(handler):
    """Starts a server on a free port. Returns it and its URL."""
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


def write_site(site, directory):
    """Writes the files of a site, by their names: text or bytes."""
    for name, content in site.items():
        path = os.path.join(directory, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
