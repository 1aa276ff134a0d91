"""Records of pages whose `<base>` looks like a template lead where Chromium goes: python3 tests/browser/templates.py

RELINK_BIN names the program. Pages are served on this machine and opened; what the browser requests is
what `relink refs` gives as the targets in a web archive of them. One line of JSON for each check, on
standard output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import html
import http.server
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import archives  # noqa: E402
from checks import listen, run  # noqa: E402

BASES = ["{{base}}", "[[x]]", "{{x}}/y/", "[[x]]/y/", "${b}", "<?= u ?>", "<%= u %>/z/", "/{{r}}/", "#{id}", '{% url "h" %}/k/', "d/?{{q}}"]
PAGES = {f"/d/{number}.html": f'<!doctype html><base href="{html.escape(base)}"><link rel=stylesheet href=s.css><img src=../i.png>'.encode() for number, base in enumerate(BASES)}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        page = PAGES.get(self.path)
        self.send_response(200 if page else 404)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page or b"")

    def log_message(self, *_):
        pass


def listed(archive):
    """The targets of the references of each page of an archive."""
    run = subprocess.run([os.environ["RELINK_BIN"], "refs", archive, "--format", "json", "-q"], capture_output=True, text=True, check=True)
    targets = {}
    for line in map(json.loads, run.stdout.splitlines()):
        if line.get("slot") in ("link[href]", "img[src]"):
            # Escaped, brackets are the same path.
            targets.setdefault(line["record"]["url"], set()).add(line.get("target", "").replace("%5B%5B", "[["))
    return targets


def check(checks, browser, directory):
    server, root = listen(Handler)
    requested = {}
    for path in PAGES:
        url = root[:-1] + path
        browser.open(url)
        requested[url] = {of for of in browser.requested() if of != url and "favicon" not in of}
    server.shutdown()
    archive = os.path.join(directory, "pages.warc")
    with open(archive, "wb") as file:
        file.writelines(archives.record(root[:-1] + path, "text/html", page) for path, page in PAGES.items())
    found = listed(archive)
    for base, (url, expected) in zip(BASES, requested.items()):
        checks.check(base, "what is requested", found.get(url) == expected and len(expected) == 2, expected=sorted(expected), found=sorted(found.get(url, [])))


if __name__ == "__main__":
    sys.exit(run(check))
