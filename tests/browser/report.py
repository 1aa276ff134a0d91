"""The page of `--report` in Chromium: python3 tests/browser/report.py

RELINK_BIN names the program. A tree with hostile names and texts, and one with 200,000 references,
are converted with a report, which is opened from the disk. One line of JSON for each check, on
standard output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import chromium  # noqa: E402

HOSTILE = "</script><script>alert(1)</script><img src=http://127.0.0.1:9/x onerror=alert(2)>\u2028\u202e{{data}}"
MANY = 200_000

# The number of seconds that the page may work before a person takes it for frozen. They are those
# that it uses the processor, so other programs do not count.
OPENED, ANSWERED = 20, 5

# Timers of the page: `timersOver` is a promise that is kept when none is waiting.
TIMERS = """(() => {
  const [begin, end, waiting, listeners] = [setTimeout, clearTimeout, new Set(), []];
  const over = (timer) => { waiting.delete(timer); if (waiting.size === 0) listeners.splice(0).forEach((done) => done()); };
  window.setTimeout = (act, ...more) => {
    const timer = begin(() => { try { act(); } finally { over(timer); } }, ...more);
    waiting.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => { end(timer); over(timer); };
  window.timersOver = () => new Promise((done) => { listeners.push(done); over(0); });
})()"""

failures = 0


def check(what, right, **more):
    """Prints a check."""
    global failures
    failures += not right
    print(json.dumps({"check": what, "right": bool(right), **more}))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def hostile(directory):
    """A tree with texts that would be markup, and with a document that is skipped."""
    quoted = HOSTILE.replace('"', "&quot;")
    write(f"{directory}/a{HOSTILE.replace('/', '!')}.html", f'<base href="b/"><a href="c"><a title="x" href="{quoted}"><a href="/d.html">')
    write(f"{directory}/docs/e.html", '<a href="../none.html"><a href="#x"><img src="//[">')
    write(f"{directory}/docs/f.webmanifest", '{"scope": x')


def large(directory):
    for number in range(MANY // 400):
        links = "".join(f'<a href="../d{link % 7}/{link}.html?{number}">x</a>\n' for link in range(400))
        write(f"{directory}/d{number % 9}/p{number}.html", links)


def missing(directory):
    """References to two files that are not there, in several spellings."""
    write(f"{directory}/a.html", '<a href="w/x.html#a"><a href="./w/x.html?b"><a href="/%77/x.html"><a href="y.html"><a href="a.html">')


class Page:
    """A report in the browser."""

    def __init__(self, browser, path):
        self.browser = browser
        self.url = "file://" + path
        browser.open(self.url)

    def noise(self):
        """What the page said on the console, or in dialogs."""
        kinds = ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled", "Page.javascriptDialogOpening")
        return [json.dumps(of)[:300] for event, of in self.browser.events if event in kinds]

    def do(self, script):
        return self.browser.do(script)

    def settle(self):
        """Waits until no timer is left, and what it did is shown."""
        self.do("timersOver()")
        self.browser.settle()

    def turn(self, act):
        """Does what leads to another section, and waits until it is there."""
        self.do(f"new Promise((done) => {{ addEventListener('hashchange', () => done(1), {{ once: true }}); {act}; }})")
        self.settle()

    def go(self, section):
        if self.do("location.hash") != "#" + section:
            self.turn(f"location.hash = '#{section}'")

    def search(self, text):
        wanted = json.dumps(text)
        self.do(f"(() => {{ const box = document.querySelector('input[type=search]'); box.value = {wanted}; box.dispatchEvent(new Event('input')); }})()")
        self.settle()

    def cells(self, column):
        return self.do(f"[...document.querySelectorAll('.rows .row')].map((row) => row.children[{column}]?.textContent)")

    def press(self, key, n=1):
        for _ in range(n):
            for kind in ("keyDown", "keyUp"):
                self.browser.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "End": 35, "ArrowDown": 40, "Escape": 27}[key], text="\r" if key == "Enter" else "")
        self.settle()

    def found(self):
        return self.do("document.querySelector('.found').textContent")


def looks(page):
    """What a page says, and how it is filtered and sorted."""
    check("the title names the command", page.do("document.querySelector('h1').textContent") == "relink absolutize")
    landmarks = page.do("['header', 'nav', 'main', 'footer'].map((name) => document.querySelectorAll('body ' + name).length)")
    check("there are landmarks", landmarks == [1, 1, 1, 1], found=landmarks)
    counts = page.do("[...document.querySelectorAll('.tile .value')].map((tile) => tile.textContent)")
    check("the tiles count", counts == ["3", "2", "4", "2", "1", "1"], found=counts)
    rows = page.do("[...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === 'Directory').querySelectorAll('tbody th').length")
    check("directories are counted", rows == 2, found=rows)
    page.turn("[...document.querySelectorAll('.card button.link')].find((button) => button.textContent === 'docs').click()")
    check("a bar selects its references", page.found() == "3 of 7 references", found=page.found())
    check("the filter can be removed", page.do("document.querySelector('.chip').textContent").startswith("Directory docs"))
    page.do("document.querySelector('.chip').click()")
    check("all references are back", page.found() == "7 references")
    check("the text of a document is text", any("</script><script>alert(1)" in text for text in page.cells(3)), found=page.cells(3))
    check("characters that hide are shown", any("\\u202e" in text for text in page.cells(3)))
    page.search("NONE.html")
    check("a search ignores letter case", page.found() == "1 of 7 references" and page.cells(3) == ["../none.html"], found=page.cells(3))
    page.search("nothing has this text")
    check("no match is said", "No reference matches" in page.do("document.querySelector('.rows').textContent"))
    page.search("")
    page.do("document.querySelectorAll('[role=columnheader] button')[3].click()")
    up = page.cells(3)
    page.do("document.querySelectorAll('[role=columnheader] button')[3].click()")
    down = page.cells(3)
    check("rows are sorted", up == sorted(up) and down == up[::-1] and len(up) == 7, up=up, down=down)
    check("the order is in aria-sort", page.do("[...document.querySelectorAll('[role=columnheader]')].map((cell) => cell.getAttribute('aria-sort')).join()") == "none,none,none,descending,none")
    page.do("document.querySelector('#filter-class').value = 'failed'; document.querySelector('#filter-class').dispatchEvent(new Event('change'))")
    check("an outcome selects", page.found() == "1 of 7 references" and "cannot be resolved" in page.cells(2)[0], found=page.cells(2))
    page.do("[...document.querySelectorAll('.filters button')].find((button) => button.textContent === 'Reset').click()")


def keys(page):
    """The page without a mouse."""
    page.do("document.querySelector('.grid').focus()")
    page.press("ArrowDown", 2)
    active = page.do("(() => { const grid = document.querySelector('.grid'); const row = document.getElementById(grid.getAttribute('aria-activedescendant')); return [row.getAttribute('aria-selected'), row.getAttribute('aria-rowindex'), grid.getAttribute('aria-rowcount')]; })()")
    check("arrows move the active row", active == ["true", "4", "8"], found=active)
    page.press("Enter")
    check("Enter opens a row", page.do("document.querySelector('dialog').open && document.querySelector('dialog h2').textContent") == "Reference")
    check("it shows the bases in boxes", page.do("document.querySelectorAll('dialog .context').length") >= 1)
    check("the focus is in the dialog", page.do("document.activeElement.textContent") == "Close")
    page.do("void (window.closed_ = new Promise((done) => document.querySelector('dialog').addEventListener('close', () => done(1), { once: true })))")
    page.press("Escape")
    page.do("closed_")
    check("Escape closes it, and the focus is back", page.do("!document.querySelector('dialog').open && document.activeElement.getAttribute('role')") == "grid")
    outline = page.do("getComputedStyle(document.activeElement).outlineStyle")
    check("the focus is visible", outline == "solid", found=outline)
    names = page.do("[...document.querySelectorAll('button, input, select, [role=grid]')].filter((item) => !(item.textContent.trim() || item.getAttribute('aria-label') || item.labels?.length || item.closest('label'))).length")
    check("every control has a name", names == 0, found=names)


def colours(page):
    """Both sets of colours, of the system and of the switch."""
    def paper(scheme):
        page.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return page.do("getComputedStyle(document.body).backgroundColor")

    light, dark = paper("light"), paper("dark")
    check("the colours are those of the system", light != dark, light=light, dark=dark)
    page.do("document.getElementById('theme').click()")
    check("a switch makes it light", page.do("getComputedStyle(document.body).backgroundColor") == light)
    page.do("document.getElementById('theme').click()")
    page.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}])
    check("a switch makes it dark", page.do("getComputedStyle(document.body).backgroundColor") == dark)


def contrast(page):
    """The contrast of texts with what is behind them (WCAG 2.2, 1.4.3), in both sets of colours."""
    script = """(() => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
      const light = ([r, g, b]) => { const part = (x) => { x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; }; return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b); };
      const behind = (item) => { for (; item; item = item.parentElement) { const color = rgb(getComputedStyle(item).backgroundColor); if (color[3] === 255) return color; } return [255, 255, 255, 255]; };
      let worst = 99;
      for (const item of document.querySelectorAll('body *')) {
        if (![...item.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || item.closest('script, noscript, .unseen, .skip')) continue;
        const [a, b] = [light(rgb(getComputedStyle(item).color)), light(behind(item))];
        worst = Math.min(worst, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
      }
      return worst;
    })()"""
    for theme in ("light", "dark"):
        page.do(f"document.documentElement.dataset.theme = '{theme}'")
        for section in ("overview", "references", "documents", "skipped"):
            page.go(section)
            found = page.do(script)
            check(f"texts of {section} can be read, {theme}", found >= 4.5, found=found)


def many(page):
    """A page with many references."""
    opened = page.browser.worked()
    check("many references open", opened < OPENED, seconds=round(opened, 2))
    page.go("references")
    check("all are counted", page.found() == f"{MANY:,} references", found=page.found())
    n = page.do("document.querySelectorAll('.rows .row').length")
    check("only rows in sight are in the page", 5 < n < 100, found=n)
    start = page.browser.worked()
    page.search("p77.html")
    took = page.browser.worked() - start
    check("they are searched at once", took < ANSWERED and page.found().startswith("400 of"), seconds=round(took, 2), found=page.found())
    page.search("")
    start = page.browser.worked()
    page.do("document.querySelectorAll('[role=columnheader] button')[4].click()")
    page.settle()
    took = page.browser.worked() - start
    order = page.do("document.querySelectorAll('[role=columnheader]')[4].getAttribute('aria-sort')")
    check("they are sorted at once", took < ANSWERED and order == "ascending", seconds=round(took, 2), order=order)
    page.do("document.querySelector('.grid').focus()")
    page.press("End")
    last = page.do("document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant')).getAttribute('aria-rowindex')")
    check("the last one is in sight", last == str(MANY + 1), found=last)
    shown = page.do("(() => { const grid = document.querySelector('.grid').getBoundingClientRect(); const row = document.querySelector('[aria-selected=true]').getBoundingClientRect(); return row.top >= grid.top && row.bottom <= grid.bottom + 1; })()")
    check("its row is inside of the table", shown)


def files(page):
    """A missing file is one row, by which its references are selected."""
    rows = page.do("[...[...document.querySelectorAll('.card')].find((card) => card.querySelector('h2').textContent === 'Missing file').querySelectorAll('tbody tr')].map((row) => row.querySelector('th').textContent + ' ' + row.querySelector('.number').textContent)")
    check("missing files are counted", rows == ["w/x.html 3", "y.html 1"], found=rows)
    page.turn("[...document.querySelectorAll('.card button.link')].find((button) => button.textContent === 'w/x.html').click()")
    check("a file selects its references", page.found() == "3 of 4 problems", found=page.found())
    check("the filter names the file", page.do("document.querySelector('.chip').textContent").startswith("File w/x.html"))


def main():
    program = chromium.find()
    if program is None:
        print("skipped: there is no Chromium here")
        return
    relink = os.environ["RELINK_BIN"]
    with tempfile.TemporaryDirectory() as directory:
        for name, make, command in (("hostile", hostile, "absolutize"), ("large", large, "relativize")):
            make(f"{directory}/{name}")
            arguments = [relink, command, f"{directory}/{name}", "--base", "http://h.example/", "-n", "-q", "--report", f"{directory}/{name}.html"]
            subprocess.run(arguments, stderr=subprocess.DEVNULL, check=False)
        missing(f"{directory}/missing")
        arguments = [relink, "check", f"{directory}/missing", "--base", "http://h.example/", "-q", "--report", f"{directory}/missing.html"]
        subprocess.run(arguments, stdout=subprocess.DEVNULL, check=False)
        browser = chromium.Browser(program, directory)
        try:
            browser.ask("Log.enable")
            browser.ask("Page.addScriptToEvaluateOnNewDocument", source=TIMERS)
            browser.ask("Emulation.setDeviceMetricsOverride", width=1280, height=860, deviceScaleFactor=1, mobile=False)
            # Nothing is reached, whatever the page does.
            browser.ask("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
            for name in ("large", "missing", "hostile"):
                page = Page(browser, f"{directory}/{name}.html")
                if name == "hostile":
                    looks(page)
                    keys(page)
                    colours(page)
                    for section in ("overview", "references", "documents", "skipped", "messages"):
                        page.go(section)
                    contrast(page)
                elif name == "missing":
                    files(page)
                else:
                    many(page)
                page.settle()
                check(f"the console is silent, {name}", page.noise() == [], found=page.noise()[:3])
                check(f"nothing is requested, {name}", set(browser.requested()) == {page.url}, found=browser.requested()[:5])
        finally:
            browser.close()


if __name__ == "__main__":
    main()
    sys.exit(failures > 0)
