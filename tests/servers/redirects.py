"""Redirects lead to the pages that moved: python3 tests/servers/redirects.py SERVER [DIRECTORY]

RELINK_BIN names the program, and SERVER is `apache`, `caddy` or `netlify`. A site with odd names moves, and a mirror of two hosts gets names for a
server of files; Apache, in its configuration and in `.htaccess`, and Caddy read the redirects, and the
parser of Netlify, a package of npm in DIRECTORY. What each old URL is led to must be the file of its
page, which has its number. One line of JSON for each check, on standard output; the exit status is 1
if one fails. Without the server nothing is checked.
"""

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from checks import Checks  # noqa: E402

NAMES = [
    "page-1.html", "a`b.html", "c\nd.html", "tab\there.html", "e\x7ff.html", "n" * 200 + ".html", "sp ace.html", " lead.html", "é.html", "日本.html",
    "pl+us.html", "100%.html", "pct%41.html", "q\"uo'te.html", "'.html", "back\\slash.html", "dol$ar{x}.html", "$1.html", "${HOME}.html", "br[a]ck(e)t^.html",
    "hash#x.html", "#start.html", "quest?x.html", "am&per;semi.html", "{placeholder}.html", "%{HTTP_HOST}.html", "~til|de.html", "a<b>.html", "*.html", "!a.html",
]  # fmt: skip
HOSTS = ("g.example", "h.example")
MODULES = "/usr/lib/apache2/modules"


class Apache:
    """Serves on a port that a socket of this process keeps, as `nginx.py` does it."""

    name, programs = "apache", ("apache2", "/usr/sbin/apache2", "httpd")
    is_ready = b"resuming normal operations"

    def command(self, program, directory, redirects, is_in_site):
        self.keeper = socket.socket()
        self.keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self.keeper.bind(("127.0.0.1", 0))
        site = os.path.join(directory, "served")
        if is_in_site:
            shutil.copy(redirects, os.path.join(site, ".htaccess"))
        lines = [f"Listen 127.0.0.1:{self.keeper.getsockname()[1]}", "ListenCoresBucketsRatio 1", f"PidFile {directory}/pid", "ErrorLog /dev/stderr", "ServerName h"]
        modules = (("mpm_event", "mpm_event"), ("rewrite", "rewrite"), ("authz_core", "authz_core"))
        lines += [f"LoadModule {name}_module {MODULES}/mod_{file}.so" for name, file in modules]
        lines += [f"DocumentRoot {site}", f"<Directory {site}>\nAllowOverride All\nRequire all granted\n</Directory>"]
        lines += [] if is_in_site else [f"Include {redirects}"]
        return write(directory, "apache.conf", lines, [program, "-DFOREGROUND", "-f"])

    def ask(self, host, path):
        return ask(socket.create_connection(self.keeper.getsockname()), host, path)


class Caddy:
    """Serves on a socket in a directory."""

    name, programs = "caddy", ("caddy",)
    is_ready = b"serving initial configuration"

    def command(self, program, directory, redirects, _):
        self.path = os.path.join(directory, "socket")
        site = [f"bind unix/{self.path}", f"import {redirects}", f"root * {directory}/served", "file_server"]
        lines = ["{", "admin off", "auto_https off", "}", "http:// {", *site, "}"]
        return write(directory, "Caddyfile", lines, [program, "run", "--adapter", "caddyfile", "--config"])

    def ask(self, host, path):
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.path)
        return ask(connection, host, path)


class Netlify:
    """Netlify's parser reads the redirects, and waits until it is ended. A request gets the first rule
    that names it, in whichever escapes; `*`, `/:` and `=:` would be for more than one."""

    name, programs = "netlify", ("node",)
    is_ready = b"read"
    SCRIPT = """
        const { parseAllRedirects } = await import("@netlify/redirect-parser");
        const { redirects, errors } = await parseAllRedirects({ redirectsFiles: [process.argv[1]], configRedirects: [], minimal: true });
        (await import("node:fs")).writeFileSync(process.argv[2], JSON.stringify(redirects));
        errors.forEach((error) => console.error(String(error)));
        if (!errors.length) { console.error("read"); setInterval(() => {}, 1000); }
    """

    def __init__(self, packages):
        self.packages = packages

    def command(self, program, directory, redirects, _):
        self.rules = os.path.join(directory, "rules.json")
        # A module is searched from the directory of the process.
        os.symlink(os.path.join(self.packages, "node_modules"), os.path.join(directory, "node_modules"))
        return [program, "--input-type=module", "--eval", self.SCRIPT, redirects, self.rules]

    def ask(self, host, path):
        path, _, query = path.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with open(self.rules, encoding="utf-8") as file:
            rules = json.load(file)
        for rule in rules:
            pattern = urllib.parse.urlsplit(rule["from"])
            is_plain = "*" not in pattern.path and "/:" not in pattern.path and not any(value.startswith(":") for value in rule["query"].values())
            is_query = {name: urllib.parse.unquote(value) for name, value in rule["query"].items()} == query
            is_path = urllib.parse.unquote(pattern.path) == urllib.parse.unquote(path)
            if is_plain and is_path and is_query and pattern.netloc in ("", host):
                return rule["status"], rule["to"]
        return 404, None


def write(directory, name, lines, command):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return [*command, path]


def ask(connection, host, path):
    """The status and the Location of a GET."""
    client = http.client.HTTPConnection(host)
    client.sock = connection
    client.request("GET", path)
    answer = client.getresponse()
    answer.read()
    client.close()
    return answer.status, answer.getheader("Location")


def started(server, program, directory, redirects, is_in_site):
    """A process that is ready, or has ended, and the lines that it has written."""
    command = server.command(program, directory, redirects, is_in_site)
    environment = {**os.environ, "HOME": directory, "XDG_DATA_HOME": directory}
    process = subprocess.Popen(command, cwd=directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    lines = []
    for line in process.stderr:
        if server.is_ready in line:
            return process, lines
        lines.append(line.decode(errors="replace"))
    process.wait()
    return process, lines


def page(number):
    return f"<!doctype html><title>page {number};</title>"


def moved(directory, server):
    """A site whose pages move to `new/`: its redirects, and the old URLs with their numbers and files."""
    site, out, redirects = (os.path.join(directory, name) for name in ("site", "out", "site.conf"))
    os.makedirs(os.path.join(site, "docs"))
    pages = [os.path.join(place, name) for place in ("", "docs") for name in NAMES]
    for number, name in enumerate(pages):
        with open(os.path.join(site, name), "w") as file:
            file.write(page(number))
    relink("move", site, "--base", "http://h/", "--rule", "s|^/([^/]*)$|/new/$1|", "--rename-files", f"--redirects={server}={redirects}", "-o", out)
    return redirects, [("h", "/" + urllib.parse.quote(name), number, out) for number, name in enumerate(NAMES)]


def mirrored(directory, server):
    """A mirror whose pages get names by their types, with the same paths on both hosts, and queries."""
    mirror, out, redirects = (os.path.join(directory, name) for name in ("mirror", "hosted", "mirror.conf"))
    urls = []
    for host in HOSTS:
        os.makedirs(os.path.join(mirror, host))
        for name in ("about", "item?id=1", "item?id=2&x=ü", "item?flag", "item?u=:x"):
            with open(os.path.join(mirror, host, name), "w") as file:
                file.write(page(len(urls)))
            urls.append((host, "/" + urllib.parse.quote(name, safe="?=&:"), len(urls), os.path.join(out, host)))
    options = ["--layout", "wget", "--for", "static-host", "--rename"]
    relink("relativize", mirror, *options, f"--redirects={server}={redirects}", "-o", out)
    return redirects, urls


def relink(*arguments):
    subprocess.run([os.environ["RELINK_BIN"], *arguments, "-q"], check=True)


def check(checks, server, program):
    for make in (moved, mirrored):
        for is_in_site in (False, True) if server.name == "apache" else (False,):
            with tempfile.TemporaryDirectory(prefix="relink-servers-") as directory:
                os.mkdir(os.path.join(directory, "served"))
                redirects, urls = make(directory, server.name)
                what = f"{server.name}, {make.__name__}{', in the site' if is_in_site else ''}"
                process, lines = started(server, program, directory, redirects, is_in_site)
                is_started = process.poll() is None
                checks.check(what, "it starts", is_started, lines=lines)
                if is_started:
                    wrong = [url for url in urls if not leads(server, *url)]
                    checks.check(what, "each URL leads to its page", not wrong, n=len(urls), wrong=wrong)
                    # With those that it has started.
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                process.stderr.close()


def leads(server, host, path, number, out):
    status, location = server.ask(host, path)
    file = out + urllib.parse.unquote(urllib.parse.urlsplit(location or "/").path)
    if status not in (301, 308) or not os.path.isfile(file):
        return False
    with open(file) as file:
        return page(number) in file.read()


def main():
    checks, server = Checks(), {"apache": Apache, "caddy": Caddy, "netlify": Netlify}[sys.argv[1]](*sys.argv[2:])
    program = next(filter(None, map(shutil.which, server.programs)), None)
    if program is None or (server.name == "apache" and not os.path.isdir(MODULES)):
        print(f"skipped: no {server.name} on this machine")
        return 0
    check(checks, server, program)
    return 1 if checks.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
