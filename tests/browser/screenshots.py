"""Pictures of relink for the documentation: python3 tests/browser/screenshots.py [DIRECTORY]

RELINK_BIN names the program. Each command is run on a pseudo-terminal; what it shows there, the
page of `--report` and an unpacked mailbox are photographed by headless Chromium. The pictures are written into DIRECTORY
(docs/images), and listed on standard output with their sizes in bytes.
Look at them before they are committed. Without a browser nothing is written.
"""

import datetime
import email.message
import email.utils
import html
import mailbox as mail_boxes
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import chromium  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COLUMNS = 100
DAY = datetime.datetime(2024, 3, 1, 8, tzinfo=datetime.timezone.utc)

# The colours of a terminal: SGR 30 to 37, then 90 to 97.
PALETTE = ["#3b4252", "#bf616a", "#8fbc76", "#e0b860", "#7aa2e0", "#b48ead", "#77c0c8", "#d8dee9"]
PALETTE += ["#7b8496", "#e06c75", "#a3d08a", "#f0cc78", "#91b6f5", "#cba6d8", "#8fd6de", "#ffffff"]

STYLE = """body { margin: 0; background: #1d2129; color: #d8dee9; display: inline-block }
pre { margin: 0; padding: 18px 22px; font: 15px/1.35 "DejaVu Sans Mono", monospace }
.prompt { color: #8fbc76 }"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Screen:
    """The lines of a terminal, without a limit of their number: printable characters, CR, LF, the
    erasing of lines, the cursor going up, and colours."""

    def __init__(self):
        self.lines = [[]]
        self.row = self.column = 0
        self.style = ""

    def feed(self, text):
        for part in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+|\x1b", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row, self.column = self.row + 1, 0
                while len(self.lines) <= self.row:
                    self.lines.append([])
            elif part.startswith("\x1b["):
                self.control(part[-1], part[2:-1])
            elif part != "\x1b":
                for character in part:
                    self.put(character)

    def put(self, character):
        line = self.lines[self.row]
        line.extend([(" ", "")] * (self.column - len(line)))
        line[self.column : self.column + 1] = [(character, self.style)]
        self.column += 1

    def control(self, name, numbers):
        if name == "K":
            self.lines[self.row] = [] if numbers == "2" else self.lines[self.row][: self.column]
        elif name == "A":
            self.row = max(0, self.row - int(numbers or 1))
        elif name == "m":
            self.style = self.styled(numbers)

    def styled(self, numbers):
        style = self.style
        for number in map(int, (numbers or "0").split(";")):
            if number == 0:
                style = ""
            elif number == 1:
                style += "font-weight:bold;"
            elif number == 2:
                style += "opacity:.6;"
            elif number == 4:
                style += "text-decoration:underline;"
            elif 30 <= number <= 37 or 90 <= number <= 97:
                style += f"color:{PALETTE[number - 30 if number < 40 else number - 82]};"
        return style

    def markup(self):
        lines = []
        for line in self.lines:
            spans, last = [], None
            for character, style in line:
                if style != last:
                    spans.append(f'</span><span style="{style}">')
                    last = style
                spans.append(html.escape(character))
            lines.append("<span>" + "".join(spans) + "</span>")
        while lines and lines[-1] == "<span></span>":
            lines.pop()
        return "\n".join(lines)


def screen_of(line, directory, wanted=None, rows=40):
    """What a command line shows on a terminal, as HTML: at its end, or as soon as the pattern
    `wanted` is on the screen; until then it has one processor. None if it ends without it."""
    screen, text = Screen(), ""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(directory)
        for name in ("CI", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RELINK_BASE", "COLUMNS"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm-256color", XDG_CONFIG_HOME="/nonexistent")
        if wanted and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        size = f"stty cols {COLUMNS} rows {rows}; "
        os.execvp("sh", ["sh", "-c", size + line.replace("relink ", f"exec {PROGRAM} ", 1)])
    is_there = False
    while True:
        if not select.select([terminal], [], [], chromium.NEVER)[0]:
            raise SystemExit(f"{line}: stuck after {text[-300:]!r}")
        try:
            piece = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not piece:
            break
        piece = piece.decode("utf-8", "replace")
        text += piece
        screen.feed(piece)
        if is_there := bool(wanted and re.search(wanted, text)):
            break
    # A program that has ended is not there any more, but its number is.
    os.kill(pid, signal.SIGKILL)
    os.close(terminal)
    os.waitpid(pid, 0)
    if wanted and not is_there:
        return None
    return f'<span class="prompt">$</span> <b>{html.escape(line)}</b>\n{screen.markup()}'


def progress(directory):
    """The screen of a run that shows for how long it will last. A machine that is too fast for a
    tree gets one of twice the size."""
    page = "<p><a href=../tables/may.html>May</a> <img src=map.png>\n" * 2000
    n = 0
    for size in (300 << doubled for doubled in range(7)):
        for number in range(n, size):
            write(f"{directory}/large/d{number % 40}/page{number}.html", page)
        n = size
        if found := screen_of("relink absolutize large --base https://tides.example/ -o out", directory, r" left "):
            return found
        shutil.rmtree(f"{directory}/out")
    raise SystemExit(f"a run over {n} files shows no progress")


def photograph(browser, path, clip=None):
    """Writes a picture of the page."""
    size = clip or browser.do("(() => { const box = document.body.getBoundingClientRect(); return [box.width, box.height] })()")
    area = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
    data = browser.photograph(clip=area, captureBeyondViewport=True)
    with open(path, "wb") as file:
        file.write(data)
    print(f"{os.path.basename(path)}: {len(data)} octets")


def terminal(browser, path, directory, *blocks):
    """Writes a picture of a terminal with one or more commands."""
    page = os.path.join(directory, "terminal.html")
    write(page, f"<!DOCTYPE html><meta charset=utf-8><style>{STYLE}</style><pre>" + "\n\n".join(blocks) + "</pre>")
    browser.open("file://" + page)
    photograph(browser, path)


def site(directory):
    """A copy of the site of the documentation's examples."""
    shutil.copytree(os.path.join(ROOT, "fixtures", "book"), os.path.join(directory, "book"))


def mailbox(directory):
    """A mailbox of a club, with threads and attachments. Returns its path."""
    path = os.path.join(directory, "club.mbox")
    senders = ["Ada Winter", "Émile Roche", "Grace Holm", "Kurt Berg"]
    subjects = ["Tables for March", "Pictures of the new gauge", "Minutes of the meeting", "Boats in the harbour, and who moves them in May"]
    box = mail_boxes.mbox(path)
    for n in range(48):
        thread, depth = n // 4, n % 4
        message = email.message.EmailMessage()
        message["From"] = f"{senders[(n + thread) % 4]} <{n % 4}@tides.example>"
        message["To"] = "Club <club@tides.example>"
        message["Subject"] = ("Re: " if depth else "") + subjects[thread % 4]
        message["Date"] = email.utils.format_datetime(DAY + datetime.timedelta(hours=9 * n))
        message["Message-ID"] = f"<{thread}.{depth}@tides.example>"
        if depth:
            message["In-Reply-To"] = message["References"] = f"<{thread}.{depth - 1}@tides.example>"
        message.set_content(f"The water was {n % 7 + 1} cm higher than in the tables of last year.\n")
        if depth == 0:
            message.add_attachment(b"day,cm\n", maintype="text", subtype="csv", filename="tables.csv")
        box.add(message)
    box.close()
    return path


def main(out):
    program = chromium.find(is_whole=True)
    if program is None:
        print("skipped: there is no browser")
        return
    os.makedirs(out, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        site(directory)
        book = os.path.join(directory, "book")
        os.mkdir(os.path.join(directory, "browser"))
        browser = chromium.Browser(program, os.path.join(directory, "browser"))
        try:
            size = {"width": 1100, "height": 800, "deviceScaleFactor": 1, "mobile": False}
            browser.ask("Emulation.setDeviceMetricsOverride", **size)
            picture = lambda name: os.path.join(out, name)  # noqa: E731
            terminal(browser, picture("progress.png"), directory, progress(directory))
            explained = screen_of("relink explain site/docs/index.html:4 --base https://tides.example/docs/", book)
            terminal(browser, picture("explain.png"), directory, explained)
            checked = screen_of("relink check site --base https://tides.example/ --format full", book)
            terminal(browser, picture("check.png"), directory, checked)
            changed = screen_of("relink move site --from https://tides.example/ --to https://example.org/tides/ --diff", book)
            terminal(browser, picture("diff.png"), directory, changed)
            report = os.path.join(directory, "report.html")
            subprocess.run(
                [PROGRAM, "move", "site", "--from", "https://tides.example/", "--to", "https://example.org/tides/", "-n", "-q", "--report", report],
                cwd=book,
                check=True,
            )
            for scheme in ("light", "dark"):
                browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.open("file://" + report)
                photograph(browser, picture(f"report-{scheme}.png"), [1100, 800])
            browser.open("file://" + report + "#references")
            photograph(browser, picture("report-references.png"), [1100, 800])
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
            subprocess.run([PROGRAM, "unpack", mailbox(directory), "-q", "-o", "mail"], cwd=directory, check=True)
            browser.open(f"file://{directory}/mail/club/index.html")
            photograph(browser, picture("mailbox.png"), [1100, 800])
        finally:
            browser.close()


PROGRAM = os.environ.get("RELINK_BIN") or os.path.join(ROOT, "target", "release", "relink")
if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "docs", "images"))
