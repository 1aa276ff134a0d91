"""Firefox without windows, asked by its protocol Marionette: each message is the length of a JSON text, `:`
and the text."""

import json
import os
import re
import shutil
import socket
import subprocess

LISTENS = re.compile(rb"Marionette\s+INFO\s+Listening on port (\d+)")


class Failed(Exception):
    """What the browser did not do."""


def find():
    """The path of the browser, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """A browser with one page; a directory keeps its profile."""

    def __init__(self, program, directory):
        with open(os.path.join(directory, "user.js"), "w", encoding="utf-8") as file:
            file.write('user_pref("marionette.port", 0);')
        words = [program, "--headless", "--marionette", "--no-remote", "--profile", directory]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        port = next(filter(None, map(LISTENS.search, self.process.stdout)), None)
        if port is None:
            raise Failed("Firefox ended")
        self.socket = socket.create_connection(("127.0.0.1", int(port.group(1))))
        self.answers, self.n_asked = self.socket.makefile("rb"), 0
        self.message()
        self.version = self.ask("WebDriver:NewSession")["capabilities"]["browserVersion"]

    def close(self):
        self.process.terminate()
        self.process.wait()

    def message(self):
        """The next message."""
        length = b""
        while not length.endswith(b":"):
            length += self.answers.read(1)
        return json.loads(self.answers.read(int(length[:-1])))

    def ask(self, command, **parameters):
        """Sends a command and waits for its answer."""
        self.n_asked += 1
        text = json.dumps([0, self.n_asked, command, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(text), text))
        _, _, error, answer = self.message()
        if error:
            raise Failed(f"{command}: {error['message']}")
        return answer

    def open(self, url):
        """Opens a page and waits until it is loaded."""
        self.ask("WebDriver:Navigate", url=url)

    def do(self, script):
        """What a script answers in the page."""
        return self.ask("WebDriver:ExecuteScript", script=f"return window.eval({json.dumps(script)})", args=[])["value"]
