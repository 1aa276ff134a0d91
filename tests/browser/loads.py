"""What a browser loads of a site is what it loads of the converted one: python3 tests/browser/loads.py [PART]

RELINK_BIN names the program; RELINK_CASES is the number of generated sites (60; 5,000 with
RELINK_FULL=1), RELINK_SEED chooses others. Each site (`sites.py`) is converted, and loaded in Chromium
at its own URL and at that of each result: on another server in a deeper directory, under another
name, and on the disk. What counts is what is used and not what is requested (`look.py`). Error pages
are loaded at depth 0, 1 and 3, of each site in one of these unless RELINK_FULL=1. Sites with digests
come last. PART is one of `first`, `second` (half of the sites each) and `signed` (half as many sites,
with digests, as RELINK_CASES says); without it all are checked.

One line of JSON for each check, on standard output; the exit status is 1 if one fails. Without a
browser nothing is checked.
"""

import difflib
import os
import re
import sys
import urllib.parse

sys.dont_write_bytecode = True
import chromium  # noqa: E402
from checks import run, write_site  # noqa: E402
from conversions import IS_FULL, RENAMED, Places, Result, convert, unpack  # noqa: E402
from integrity import Signed  # noqa: E402
from look import Browser, alone, looked  # noqa: E402
from sites import NAMES, Maker  # noqa: E402

# What a custom property is used for may depend on the host and the path of its site. Then it stays,
# and is reported.
PLACE_DEPENDENT = {"v", "vf", "vo", "vw"}

# What has two targets is left, and reported. Which one is used may be chance; so it is for images:
# one is loaded when it is parsed only if it has been requested before.
TWO_TARGETS, BY_CHANCE = "either", ("e", "img")

# A canonical URL stays.
CANONICAL = "canonical"

# The number of sites of which a failed check shows the differences.
MOST_SHOWN = 4

ERROR_PAGES = {"missing": "an error page", "x/missing": "an error page, deeper", "x/y/z/missing": "an error page, at depth 3"}


def split(line):
    """The thing that a line is about, the URL at its end without what follows the path, and that."""
    kind, _, url = line.rpartition(" ")
    end = min(url.find(mark) % (len(url) + 1) for mark in "?#")
    return kind, url[:end], url[end:]


def shortened(lines, root, other, is_left, renamed=None):
    """Lines with the URLs below the site as paths after `T:`, those below another place after `O:`,
    or `T:` too if `is_left` says of its kind, its path and the rest that it stays where it was."""

    def short(line):
        kind, url, tail = split(line)
        for start, name in ((root, "T:"), (other, "O:")):
            # A server redirects from the site without its slash.
            if (url + "/" == start) or url.startswith(start):
                path = url[len(start) :]
                name = "T:" if is_left(kind.split()[1], path, tail) else name
                old = next((old for old in renamed or {} if path.startswith(old)), None)
                path = renamed[old] + path[len(old) :] if old else path
                path = path[: -len("index.html")] if path == "index.html" or path.endswith("/index.html") else path
                return f"{kind} {name}{path}{tail}"
        return line

    found = [short(line) for line in lines]
    n_seen = sum(not line.startswith("events") for line in found)
    return found[:n_seen] + sorted(found[n_seen:])


def stays(result, maker, files):
    """What may stay at the URL of the site itself: a function for `shortened`."""

    def is_left(element, path, tail):
        if element in PLACE_DEPENDENT or element == CANONICAL or result.keeps or (element == TWO_TARGETS and maker.is_late):
            return True
        if result.command == "absolutize":
            return path == maker.page
        # An archive has no other queries.
        is_missing = path not in files or (result.is_unpacked and "?" in tail)
        return result.leaves_missing and is_missing

    return is_left


def is_seen(result, maker, line):
    """True if what a line says holds in a result too."""
    element, what = (line + " - -").split()[1:3]
    return not (
        (element in BY_CHANCE and maker.is_late)
        or (element == "within" and maker.has_skipped_text)
        or (element == "requests" and maker.is_late and line.endswith(NAMES["object"]))
        or (element == "requests" and maker.has_no_base and line.endswith(NAMES["preload"]))
        or (element in (TWO_TARGETS, "parsed") and maker.is_late and (result.is_unpacked or result.command == "mv"))
        # A policy may not allow the base of the site in a page on another host.
        or (element == TWO_TARGETS and maker.is_limited and result.command == "absolutize")
        # What stays has another target, or is not found.
        or (element in PLACE_DEPENDENT and (result.is_unpacked or result.command in ("absolutize", "mv")))
        # A browser loads no module, sends no ping and does not speculate from the disk.
        or (result.is_disk and (element in ("module", "speculates") or what == "Ping"))
        # A file of a message may have another name.
        or (result.command == "unpack mhtml" and element == "requests")
    )


def differences(result, maker, there, files, was, now, unpacked):
    """The first lines of a site that are different."""
    is_left = stays(result, maker, files)
    renamed = RENAMED if result.command == "mv" else None
    was = shortened(was, maker.root, there, is_left, renamed)
    lines = [split(line) for line in now]
    now = [f"{kind} {unpacked.get(urllib.parse.unquote(url), url)}{tail}" for kind, url, tail in lines]
    # What is absolute leads to the site itself, and what is out of the tree stays there.
    target, other = (maker.root, there) if result.command == "absolutize" else (there, maker.root)
    now = shortened(now, target, other, is_left)
    was, now = ([line for line in lines if is_seen(result, maker, line)] for lines in (was, now))
    return first_differences(was, now)


def first_differences(was, now):
    """The first lines that only one of both has, each with a sign; none if both are the same."""
    return [line for line in difflib.unified_diff(was, now, n=0, lineterm="") if line[:3] not in ("---", "+++", "@@ ")][:6]


def compare(checks, what, result, sites, looks, unpacked):
    """Compares what is used of each site with what is used of it in a result. `looks` has both, by the
    names of the sites, and the root of each there."""
    wrong, n = [], 0
    for name, (was, now, there) in looks.items():
        maker, files = sites[name]
        n += len(now)
        if differ := differences(result, maker, there, files, was, now, unpacked):
            wrong.append({"site": name, "differ": differ})
    checks.check(result.command, what, not wrong, n_wrong=len(wrong), wrong=wrong[:MOST_SHOWN])
    checks.check(result.command, f"{what}: something is seen", n > 3 * len(looks), n=n)


def moved_page(result, maker, unpacked):
    """The URL of the page of a site in a result."""
    root = result.root.format(maker.name)
    if result.command == "mv":
        return root + maker.page.replace("in/", RENAMED["in/"])
    if root.startswith("unpacked:"):
        return next((url for url, at in unpacked.items() if at == root + maker.page), root)
    return root + maker.page


def compare_pages(checks, browsers, places, sites, unpacked):
    all_html = lambda result: (os.path.join(result.directory, "all.html"), result.url + "all.html")  # noqa: E731
    own = Result("", places.url["before"] + "{}/", places.path["before"], places.url["before"])
    was = dict(zip(sites, looked(browsers, *all_html(own), [maker.root + maker.page for maker, _ in sites.values()])))
    for result in places.results:
        # An archive has no directories: what is under a base that must stay is left at the site.
        is_judged = lambda maker: not (result.command.startswith("unpack") and maker.has_kept_base)  # noqa: B023, E731
        names = [name for name, (maker, _) in sites.items() if result.has(maker.number) and is_judged(maker)]
        now = looked_in_order(browsers, all_html(result), sites, names, lambda maker: moved_page(result, maker, unpacked))  # noqa: B023
        looks = {name: (was[name], now[name], result.root.format(name)) for name in names}
        compare(checks, "the page", result, sites, looks, unpacked)


def looked_in_order(browsers, parent, sites, names, url_of):
    """What is used of some sites. Each is loaded in the view in which it was loaded before: the others
    have an empty page."""
    urls = [url_of(maker) if name in names else "about:blank" for name, (maker, _) in sites.items()]
    return dict(zip(sites, looked(browsers, *parent, urls)))


def compare_error_pages(checks, browsers, places, sites):
    views, all_sites = ("narrow",), sites
    for idx, (page, what) in enumerate(ERROR_PAGES.items()):
        sites = {name: site for name, site in all_sites.items() if IS_FULL or site[0].number % len(ERROR_PAGES) == idx}
        parent = os.path.join(places.path["before"], "all.html"), places.url["before"] + "all.html"
        was = dict(zip(sites, looked(browsers, *parent, [maker.root + page for maker, _ in sites.values()], views)))
        for result in places.error_pages:
            roots = {name: result.root.format(name) for name in sites}
            parent = os.path.join(result.directory, "all.html"), result.url + "all.html"
            now = looked(browsers, *parent, [root + page for root in roots.values()], views)
            looks = {name: (was[name], lines, roots[name]) for name, lines in zip(sites, now)}
            compare(checks, what, result, sites, looks, {})


def compare_packed(checks, browsers, places, sites):
    """A message is opened alone, and runs no scripts; what is only for pages without them is not packed.
    Its parts have the URLs of the site. Chromium loads no file for an SVG `use` there, and an image
    that is not found has no URL."""
    result = next(result for result in places.results if result.command == "unpack mhtml")
    unseen = ("events", "alone: either before", "alone: parsed", "alone: e size")
    without_url = lambda line: re.sub("(shows 0 wide).*", r"\1", line)  # noqa: E731
    # Which target is used may be chance, as in `is_seen`.
    by_chance = lambda maker: BY_CHANCE * maker.is_late + ("within",) * maker.has_skipped_text  # noqa: E731
    is_kept = lambda maker, line: not line.startswith(unseen) and line.split()[1] not in by_chance(maker)  # noqa: E731
    kept = lambda maker, lines: [without_url(line) for line in lines if is_kept(maker, line)]  # noqa: E731
    is_judged = lambda maker, files: result.has(maker.number) and not maker.is_limited and "<noscript><base" not in files[maker.page]  # noqa: E731
    makers = [maker for maker, files in sites.values() if is_judged(maker, files)]
    seen = []
    for browser in browsers:
        browser.open("about:blank")
        browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    for url_of in (lambda maker: maker.root + maker.page, lambda maker: f"{places.url['packed']}{maker.name}.mhtml"):
        seen.append([kept(maker, alone(browsers[number % len(browsers)], url_of(maker))) for number, maker in enumerate(makers)])
    for browser in browsers:
        browser.ask("Emulation.setScriptExecutionDisabled", value=False)
    differ = {maker.name: first_differences(was, now) for maker, was, now in zip(makers, *seen)}
    wrong = [{"site": name, "differ": lines} for name, lines in differ.items() if lines]
    checks.check("pack", "the page", not wrong, n_wrong=len(wrong), wrong=wrong[:MOST_SHOWN])
    n = sum(map(len, seen[1]))
    checks.check("pack", "something is seen", n >= 10 * len(makers), n=n)


# Pieces of a page, each with what another base would make of it.
SEEN = [
    '<link rel=stylesheet href="~a.css">',
    '<link rel=stylesheet media=print href="~a.css">',
    '<link rel=preload as=image href="~p.png">',
    '<script src="~j.js"></script>',
    '<script type=module src="~m.js"></script>',
    '<img src="~i.png">',
    '<img srcset="i.png 1x, ~i.png 2x">',
    '<picture><source srcset="~i.png" media="(min-width: 600px)"><img src="i.png"></picture>',
    '<div style="height:9000px"></div><img loading=lazy src="~i.png">',
    "<iframe srcdoc=\"<img src='~i.png'>\"></iframe>",
    "<style>@media print{p{background-image:url(~i.png)}}</style><p>x</p>",
    "<style>@font-face{font-family:o;src:url(~t.woff)}p{font-family:o}</style><p>x</p>",
    '<object data="~o.html"></object>',
    '<embed src="~o.html">',
    '<a ping="~k.html" href="javascript:void 0">x</a>',
    '<meta http-equiv=refresh content="900;url=~f.html">',
    '<script type=speculationrules>{"prefetch":[{"urls":["~f.html"]}]}</script>',
    '<svg><use href="~u.svg#u"/></svg>',
]


def check_the_judge(checks, browsers, places, name):
    """What is wrong is seen: a file of another directory."""
    directory = os.path.join(places.path["after"], "m", name)
    pages = {f"{idx}{place}.html": "<!doctype html>" + piece.replace("~", place.replace("-", "/")) for idx, piece in enumerate(SEEN) for place in ("", "d-")}
    write_site(pages, directory)
    parent = os.path.join(places.path["after"], "all.html"), places.url["after"] + "all.html"
    found = dict(zip(pages, looked(browsers, *parent, [f"{places.url['after']}m/{name}/{page}" for page in pages])))
    unseen = [piece for idx, piece in enumerate(SEEN) if found[f"{idx}.html"] == found[f"{idx}d-.html"]]
    checks.check("", "what is wrong is seen", not unseen, unseen=unseen)


# The parts, which can run beside one another: the kind of site, their number, and which
# share of them, of how many.
PARTS = [("first", Maker, 60, (0, 2)), ("second", Maker, 60, (1, 2)), ("signed", Signed, 16, (0, 2))]


def check(checks, browser, directory):
    # As a screen with two pixels for one of CSS.
    fine = Browser(chromium.find(), directory, "--force-device-scale-factor=2")
    try:
        for part, kind, n_sites, share in PARTS:
            if part in (sys.argv[1:] or [part]):
                check_sites(checks, (browser, fine), os.path.join(directory, part), kind, n_sites, share)
    finally:
        fine.close()


def check_sites(checks, browsers, directory, kind, n_sites, share):
    os.mkdir(directory)
    seed = os.environ.get("RELINK_SEED", "1")
    n_sites = int(os.environ.get("RELINK_CASES", "5000" if IS_FULL else n_sites))
    places = Places(directory)
    sites = {}
    (idx, n_shares) = share
    for number in range(n_sites * idx // n_shares, n_sites * (idx + 1) // n_shares):
        maker = kind(number, seed, f"{places.url['before']}s{number}/")
        sites[maker.name] = maker, convert(places, maker, seed)
    unpacked = unpack(places, {name: files for name, (_, files) in sites.items()})
    compare_pages(checks, browsers, places, sites, unpacked)
    compare_error_pages(checks, browsers, places, sites)
    if kind is Maker:
        compare_packed(checks, browsers, places, sites)
    check_the_judge(checks, browsers, places, next(iter(sites)))
    places.close()


if __name__ == "__main__":
    sys.exit(run(check, Browser))
