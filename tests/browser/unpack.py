"""Pages that Chromium saves as MHTML, and files that other programs saved, unpacked into files, show
what the MHTML shows: python3 tests/browser/unpack.py [FILE.mhtml ...]

RELINK_BIN names the program. A small site is served on this machine, saved with
Page.captureSnapshot, and opened from the disk when the server is gone: the save, and what
`relink unpack` makes of it. Text, sizes of images, computed colours, fonts and the picture of the page
must be the same, every link to something outside must lead where it led, and no request may fail
for what the save contains. What `relink pack` makes of the unpacked page shows the same again. Arguments are more files to compare. One line of JSON for each check,
on standard output; the exit status is 1 if one fails. Without a browser nothing is checked.
"""

import glob
import os
import subprocess
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
import mhtml  # noqa: E402
from checks import run, write_site  # noqa: E402
from pictures import picture  # noqa: E402

FONT = next(iter(sorted(glob.glob("/usr/share/fonts/**/*Bold.ttf", recursive=True))), None)

# Each of these pages is saved on its own.
PAGES = {
    "index.html": mhtml.SITE["index.html"],
    "frameset.html": "<!doctype html><title>Frames</title><frameset cols='*,*'><frame src=frames/one.html><frame src=frames/two.html></frameset>\n",
    "shadow.html": "<!doctype html><meta charset=utf-8><title>Shadow</title><div id=host><template shadowrootmode=open><style>p { color: rgb(9, 8, 7); background: url(img/h1.png) }</style><p>In the shadow<img src=img/one.png alt=shadowed></p></template></div>\n",
    "font.html": "<!doctype html><title>Font</title><link rel=stylesheet href=style/font.css><h1>Set in a font of its own</h1>\n",
    "imports.html": "<!doctype html><title>Imports</title><style>@import 'style/main.css' screen; @import url(style/inner.css) layer(a);</style><h1 class=bordered>Imported</h1><p>Twice</p>\n",
    "srcset.html": "<!doctype html><title>Candidates</title><img src=img/small.png srcset='img/small.png 1x, img/large.png 2x' alt=a><picture><source media='(min-width: 1px)' srcset='img/source.png'><img src=img/one.png alt=b></picture>\n",
    "svg.html": "<!doctype html><title>SVG</title><img src=img/drawing.svg alt=file><svg width=60 height=60><image href=img/two.png width=20 height=20 /><rect x=20 width=30 height=30 fill='url(#g)'/><linearGradient id=g><stop stop-color=red /></linearGradient></svg><object data=img/drawing.svg type=image/svg+xml></object>\n",
    "latin.html": "<!doctype html><title>Latin é</title><p>Été à la plage<p><img src='img/one.png?été' alt=é>\n".encode("latin-1"),
    "nested.html": "<!doctype html><title>Nested</title><iframe src=frames/one.html width=300 height=200></iframe><iframe srcdoc='<p>Inside <img src=img/one.png alt=i>' width=200 height=60></iframe>\n",
    "based.html": "<!doctype html><title>Based</title><base href=frames/><p><img src=../img/one.png alt=x><a href=two.html>two</a> <a href=#here>here</a><iframe src=one.html width=300 height=100></iframe>\n",
    "twice.html": "<!doctype html><title>Same names</title><img src=img/one.png alt=a><img src=more/one.png alt=b><img src='more/one.png?2' alt=c><link rel=stylesheet href=more/main.css><link rel=stylesheet href=style/main.css>\n",
}
SITE = {
    **mhtml.SITE,
    **PAGES,
    "more/one.png": picture(33, 44, (200, 10, 20)),
    "more/main.css": "p, body { color: rgb(20, 30, 40) }\n",
    "style/font.css": "@font-face { font-family: Own; src: url('../font/own.ttf') format('truetype') } h1 { font-family: Own, monospace }\n",
}

LOOK = """(() => {
  // Blink disables what can be typed into in a save.
  const controls = 'input, button, select, select *, textarea, fieldset *';
  const elements = [...document.querySelectorAll('*')].filter(element => !element.matches(controls));
  const styles = elements.map(element => getComputedStyle(element));
  const shadows = [...document.querySelectorAll('*')].map(element => element.shadowRoot).filter(Boolean);
  const images = [...document.images, ...shadows.flatMap(root => [...root.querySelectorAll('img')])];
  return {
    title: document.title,
    text: document.body ? document.body.innerText.trim() : '',
    shadows: shadows.map(root => root.textContent),
    images: images.map(image => [image.alt, image.complete && image.naturalWidth, image.naturalHeight]),
    colours: styles.map(style => style.color + style.fontFamily),
    fonts: [...document.fonts].filter(font => font.status == 'loaded').map(font => font.family),
    n_backgrounds: styles.filter(style => (style.backgroundImage + style.borderImageSource).includes('url(')).length,
    links: [...document.links].map(link => link.href),
  };
})()"""


def look(browser, url):
    """What a page and its frames show, how it looks, and which requests failed."""
    browser.open(url)
    frames = [browser.evaluate(LOOK, frame) for frame in browser.frames()]
    return frames, browser.photograph(), [url for url, _ in browser.failed()]


def shown(browser, path):
    """What a file shows."""
    return look(browser, "file://" + urllib.parse.quote(path))


def outside(links):
    """The links that do not lead to files or into the page."""
    return [link for link in links if not link.startswith("file:") and "#" not in link]


def compare(checks, browser, archive, out, live=None):
    """Opens an archive, and what is unpacked of it. Blink saves what a `<style>` imports under a URL
    by which it does not find it; so what is unpacked may also look as `live`, the page itself."""
    name = os.path.basename(archive)
    run = subprocess.run([os.environ["RELINK_BIN"], "unpack", archive, "-o", out], capture_output=True, text=True)
    checks.check(name, "exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)
    pages = [file for file in os.listdir(out) if os.path.isfile(os.path.join(out, file)) and file != ".relink-unpacked"]
    checks.check(name, "one page", len(pages) == 1, pages=pages)
    if len(pages) != 1:
        return
    before = shown(browser, archive)
    after = shown(browser, os.path.join(out, pages[0]))
    checks.check(name, "frames", len(before[0]) == len(after[0]), was=len(before[0]), now=len(after[0]))
    # A save has more elements than its page, such as a `<meta>`.
    colours = lambda seen: [set(frame["colours"]) for frame in seen[0]]
    looks_live = live is not None and colours(live) == colours(after) != colours(before)
    # Blink opens no file of other programs.
    is_opened = bool(before[0][0]["text"]) or any(frame["images"] for frame in before[0])
    checks.check(name, "something is shown", any(frame["text"] or frame["images"] for frame in after[0]))
    for idx, (old, new) in enumerate(zip(before[0], after[0])):
        if not is_opened:
            break
        for what in old:
            is_same = old[what] == new[what] or (looks_live and (what == "colours" or new[what] == live[0][idx][what]))
            if what != "links":
                checks.check(name, f"frame {idx}: {what}", is_same, was=old[what], now=new[what])
        were, are = set(outside(old["links"])), set(outside(new["links"]))
        # What the archive contains is a file now.
        checks.check(name, f"frame {idx}: links", are <= were, new=sorted(are - were))
        lost = [link for link in were - are if not any(link in saved for saved in locations(archive))]
        checks.check(name, f"frame {idx}: links to others", not lost, lost=lost)
    has_controls = "<input" in open(archive, encoding="latin-1").read()
    if is_opened and not looks_live and not has_controls:
        checks.look_alike(name, "looks", before[1], after[1])
    saved = set(locations(archive))
    wrong = [url for url in after[2] if url.startswith("file:") or url in saved]
    checks.check(name, "no failed request for what the archive has", not wrong, failed=wrong)
    pack_again(checks, browser, os.path.join(out, pages[0]), name, after, has_controls)


def pack_again(checks, browser, page, name, unpacked, has_controls):
    """Packs an unpacked page, and opens it from a directory in which nothing else is. Blink disables
    controls in it."""
    with tempfile.TemporaryDirectory(prefix="relink-packed-") as directory:
        again = os.path.join(directory, "again.mhtml")
        run = subprocess.run([os.environ["RELINK_BIN"], "pack", page, "-o", again], capture_output=True, text=True)
        checks.check(name, "packed again: exit status 0", run.returncode == 0, status=run.returncode, report=run.stderr)
        if run.returncode != 0:
            return
        packed = shown(browser, again)
        saved = set(locations(again))
    checks.check(name, "packed again: frames", len(unpacked[0]) == len(packed[0]), was=len(unpacked[0]), now=len(packed[0]))
    for idx, (old, new) in enumerate(zip(unpacked[0], packed[0])):
        for what in old:
            if what != "links":
                checks.check(name, f"packed again: frame {idx}: {what}", old[what] == new[what], was=old[what], now=new[what])
        # What was a file is in the archive now.
        lost = set(outside(old["links"])) - set(new["links"])
        checks.check(name, f"packed again: frame {idx}: links", not lost, lost=sorted(lost))
    if not has_controls:
        checks.look_alike(name, "packed again: looks", unpacked[1], packed[1])
    wrong = [url for url in packed[2] if url in saved and url not in unpacked[2]]
    checks.check(name, "packed again: no failed request for what it has", not wrong, failed=wrong)


def locations(archive):
    """The URLs of the parts of an archive, as Python reads it."""
    import email
    import email.policy

    with open(archive, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.compat32)
    return ["".join((part["Content-Location"] or "").split()) for part in message.walk()]


def check(checks, browser, directory):
    site = os.path.join(directory, "site")
    write_site(SITE, site)
    if FONT:
        os.makedirs(os.path.join(site, "font"))
        with open(FONT, "rb") as old, open(os.path.join(site, "font/own.ttf"), "wb") as new:
            new.write(old.read())
    archives = []
    server, root = mhtml.serve(site)
    lives = {}
    for name in PAGES:
        lives[len(archives)] = look(browser, root + name)
        archives.append(os.path.join(directory, name.replace(".html", ".mhtml")))
        mhtml.save(browser, root + name, archives[-1])
    server.shutdown()
    server.server_close()
    archives += sys.argv[1:]
    for idx, archive in enumerate(archives):
        compare(checks, browser, archive, os.path.join(directory, f"out{idx}"), lives.get(idx))


if __name__ == "__main__":
    sys.exit(run(check))
