"""A server for a directory of sites, which sends the error page of a site for what it does not have,
or the page of an application."""

import http.server
import os

from checks import listen

TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".woff": "font/woff",
}


# What is sent instead, from the nearest directory that has one of them.
INSTEAD = ("404.html", "app.html")


def type_of(name):
    """The media type of a file, by its name."""
    return TYPES.get(os.path.splitext(name)[1], "text/plain")


def serve(directory):
    """Starts a server for a directory of sites. Returns it and its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.split("?")[0].lstrip("/")
            file = os.path.join(directory, path, "index.html") if path.endswith("/") or not path else os.path.join(directory, path)
            status = 200
            if not os.path.isfile(file):
                status, parts = 404, path.split("/")
                places = (os.path.join(directory, *parts[:n], name) for n in range(len(parts), 0, -1) for name in INSTEAD)
                file = next(filter(os.path.isfile, places), None)
            content = b""
            if file:
                with open(file, "rb") as opened:
                    content = opened.read()
            self.answer(status, type_of(file or ""), content)

        def do_POST(self):
            # A ping.
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer(200, "text/plain", b"")

        def answer(self, status, media_type, content):
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return listen(Handler)
