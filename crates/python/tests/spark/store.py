"""A server of S3 that counts what is asked of it."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Iterator, Optional


class Store(ThreadingHTTPServer):
    """A bucket with objects."""

    def __init__(self, bodies: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Request)
        self.bodies = {f"/bucket/{name}": body for name, body in bodies.items()}
        # The name, and the first and last byte, of each GET, and the number of HEADs of a name.
        self.gets: list[tuple[str, int, int]] = []
        self.heads: Counter = Counter()
        # An object that the first GET does not get to its end, and the port of its client.
        self.held: Optional[str] = None
        self.held_port: Optional[int] = None
        self.is_closing = threading.Event()

    def url(self, name: str) -> str:
        """Returns a URL by which pyarrow finds an object in this server."""
        place = f"scheme=http&region=none&endpoint_override=127.0.0.1:{self.server_port}"
        return f"s3://none:none@bucket/{name}?{place}"


class Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        name = self.path.removeprefix("/bucket/")
        self.server.heads[name] += 1
        body = self.server.bodies.get(self.path)
        self.answer(404 if body is None else 200, len(body or b""))

    def do_GET(self) -> None:
        store, name = self.server, self.path.removeprefix("/bucket/")
        first, last = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        part = store.bodies[self.path][first : last + 1]
        store.gets.append((name, first, first + len(part) - 1))
        self.answer(206, len(part))
        if name == store.held and store.held_port is None:
            store.held_port = self.client_address[1]
            # A byte now and then, so that the client does not give up.
            for at in range(len(part) - 1):
                self.wfile.write(part[at : at + 1])
                if store.is_closing.wait(0.2):
                    break
            return
        self.wfile.write(part)

    def answer(self, status: int, length: int) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(bodies: dict[str, bytes]) -> Iterator[Store]:
    server = Store(bodies)
    # What a client that is killed does not read is no error.
    server.handle_error = lambda *_: None
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.is_closing.set()
        server.shutdown()
        thread.join()
        server.server_close()
