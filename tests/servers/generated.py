"""Pages of a site use in Chromium, after a move, what they used: python3 generated.py DIRECTORY FROM TO

DIRECTORY has the pages of the site, which is served at FROM, and what is made of it at TO. Each page is
loaded at both, and so is what is missing, at depth 0, 1 and 3: what is used must be the same, with the
same requests, and the same answers. One line of JSON for each check, on standard output; the exit
status is 1 if one fails. Without a browser nothing is checked.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
from checks import run  # noqa: E402
from loads import ERROR_PAGES, first_differences  # noqa: E402
from look import Browser, looked  # noqa: E402

# MkDocs writes the path of the site into a script of its page for what is missing, which looks for
# the search there. No script is edited.
SCRIPT = "search/"
FONT = ".woff"


def pages(directory):
    """The pages of a site, by their paths."""
    found = []
    for here, _, names in os.walk(directory):
        found += (os.path.relpath(os.path.join(here, name), directory) for name in names if name.endswith(".html"))
    return sorted(found)


def check(checks, browser, _):
    directory, start, end = sys.argv[1:]
    paths = pages(directory)
    if "404.html" in paths:
        paths += ERROR_PAGES
    parent = os.path.join(directory, "all.html")
    # Each page requests all that it uses.
    browser.ask("Network.setCacheDisabled", cacheDisabled=True)
    was, now = (looked([browser], parent, start + "all.html", [root + path for path in paths], requested=None) for root in (start, end))
    fonts = [set(), set()]
    for path, old, new in zip(paths, was, now, strict=True):
        old, new = ([line.replace(root, "T:") for line in lines] for root, lines in ((start, old), (end, new)))
        # A font is requested when a letter is drawn with it, which a script may do at any time.
        for lines, of_site in zip((old, new), fonts):
            of_site.update(line for line in lines if FONT in line)
        is_error = path == "404.html" or path in ERROR_PAGES
        is_compared = lambda line: FONT not in line and not (is_error and SCRIPT in line)  # noqa: E731, B023
        differ = first_differences(*(list(filter(is_compared, lines)) for lines in (old, new)))
        checks.check(path, "is the same", not differ, differ=differ)
        checks.check(path, "something is loaded", any(" answers 200 " in line for line in old), seen=old[:9])
    checks.check("", "the same fonts", fonts[0] == fonts[1], was=sorted(fonts[0]), now=sorted(fonts[1]))


if __name__ == "__main__":
    sys.exit(run(check, Browser))
