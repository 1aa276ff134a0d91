"""The functions of URLs, with laws over generated URLs."""

import random
import re
from urllib.parse import urljoin

import pytest

import relink

SEGMENTS = ["", "a", "b", "..", ".", "c;d", "e:f", "%2e", "g?", "h h"]


def generated(seed, count):
    """Yields pairs of URLs, from few parts, so that they have much in common."""
    choose = random.Random(seed)
    for _ in range(count):
        yield tuple(
            choose.choice(["http", "https", "ftp"])
            + "://"
            + choose.choice(["h", "i.example", "h:80"])
            + "".join("/" + choose.choice(SEGMENTS) for _ in range(choose.randrange(4)))
            + choose.choice(["", "?q", "#f", "?q#f"])
            for _ in range(2)
        )


def test_what_relativize_writes_resolves_to_the_target():
    n_relative = 0
    for target, base in generated(1, 20_000):
        # A target is what a reference resolves to.
        target = relink.resolve(base, target)
        for style in ("relative", "shortest", "absolute-path", "network-path", "absolute"):
            try:
                reference = relink.relativize_url(base, target, style=style)
            except relink.UrlError:
                continue
            resolved = relink.resolve(base, reference)
            spelled = lambda url: url.replace("h:80", "h")
            assert spelled(resolved) == spelled(target), (reference, base, style)
            n_relative += "://" not in reference
    assert n_relative > 10_000


def test_a_target_of_web_is_a_fixed_point():
    for reference, base in generated(2, 20_000):
        target = relink.resolve(base, reference)
        assert relink.resolve("ftp://other.example/x/", target) == target


def test_examples_of_rfc_3986():
    base = "http://a/b/c/d;p?q"
    for reference, target in {
        "g:h": "g:h",
        "g": "http://a/b/c/g",
        "g/": "http://a/b/c/g/",
        "/g": "http://a/g",
        "//g": "http://g",
        "?y": "http://a/b/c/d;p?y",
        "g?y#s": "http://a/b/c/g?y#s",
        ";x": "http://a/b/c/;x",
        "": "http://a/b/c/d;p?q",
        "../../../g": "http://a/g",
        "g;x=1/../y": "http://a/b/c/y",
    }.items():
        assert relink.resolve(base, reference, dialect="rfc3986") == target


def test_the_arguments_are_those_of_urljoin():
    base = "http://a.example/b/c/d?q"
    for reference in ("g", "./g/", "/g", "//g.example/x", "?y", "g?y#s", "#s", "../../g", "ftp://h/x"):
        assert relink.resolve(base, reference) == urljoin(base, reference)


def test_normal_forms_are_those_of_browsers():
    # Values that the URL Standard and its tests have.
    for url, normal in {
        "HTTP://EXAMPLE.com:80": "http://example.com/",
        "https://example.com:443/./a/../b": "https://example.com/b",
        "http://ex\u00e4mple.com/\u00e4?\u00e4#\u00e4": "http://xn--exmple-cua.com/%C3%A4?%C3%A4#%C3%A4",
        "http://example.com/a b": "http://example.com/a%20b",
        "http:\\\\example.com\\a": "http://example.com/a",
        "mailto:A@B": "mailto:A@B",
        "no url": "no%20url",
    }.items():
        assert relink.normalize_url(url) == normal, url
        assert relink.normalize_url(normal) == normal


def test_every_error_of_the_package_has_one_base():
    from relink._program import ProgramError

    errors = [value for value in vars(relink).values() if isinstance(value, type)]
    errors = [value for value in [*errors, ProgramError] if issubclass(value, Exception)]
    assert len(errors) > 6 and all(issubclass(error, relink.Error) for error in errors)


def test_every_dialect_has_a_name():
    with pytest.raises(relink.OptionError) as error:
        relink.resolve("http://h/", "a", dialect="rfc1")
    names = str(error.value).partition("expected one of ")[2].split(", ")
    for name in names:
        assert relink.resolve("http://h/a/", "b", dialect=name) == "http://h/a/b"
    assert len(names) >= 7


def test_components_that_are_absent_differ_from_empty_ones():
    url = relink.parse_url("http://u:p@h.example:80/a;b?#", dialect="rfc3986")
    assert (url.scheme, url.authority, url.path) == ("http", "u:p@h.example:80", "/a;b")
    assert (url.user, url.password, url.host, url.port) == ("u", "p", "h.example", "80")
    assert (url.query, url.fragment, url.params) == ("", "", None)
    url = relink.parse_url("a")
    assert (url.scheme, url.host, url.query, url.fragment, url.path) == (None, None, None, None, "a")
    assert repr(url) == 'Url(path="a")'


def test_a_url_without_a_target_is_an_error():
    for reference, base in [("c", "mailto:x"), ("c", ""), ("http://[", "http://h/")]:
        with pytest.raises(relink.UrlError):
            relink.resolve(base, reference)
    with pytest.raises(relink.UrlError):
        relink.relativize_url("http://h/", "relative")


SESSION = "0123456789abcdefghijklmnopqrstuv"
SURT_HOSTS = ["h.example", "WWW.h.example", "www12.h.example", "www2h.example", "192.168.1.254", "b\xfccher.example"]
SURT_PORTS = ["", ":80", ":443", ":8080", ":"]
SURT_SEGMENTS = [
    "a", "B", "%62", "%2562", "%2e", "%252e%252e", "%2F", "c%20d", "e f", "\xe9", "%C3%A9", "%25%32%35", "%%41", "%", "#x",
    ".", "", "~!$'()*+,;=:@", "x.ASPX", "x.aspx;y", ".aspx", f"({SESSION[:24]})", f"(S({SESSION[:24]}))",
    f"(a({SESSION[:24]})F({SESSION[:24]}))",
]  # fmt: skip
SURT_PARAMETERS = [
    "a=1", "A=0", "a", "b=", "", "c=%26d", "%61=%2B+", "e=/?", "f=\xe9", "g=%", f"jsessionid={SESSION}", f"xsid={SESSION}",
    f"PHPSESSID={SESSION}", f"sid={SESSION}x", f"ASPSESSIONIDabcdefgh={'x' * 24}", "ASPSESSIONID=x", "cfid=1", "cftoken=2",
    "xcfid=", "cftoken=",
]  # fmt: skip


def test_surt_keys_are_those_of_the_library_surt():
    judge = pytest.importorskip("surt").surt
    choose = random.Random(3)
    n_sessions = 0
    for _ in range(30_000):
        path = "".join("/" + choose.choice(SURT_SEGMENTS) for _ in range(choose.randrange(4)))
        query = "&".join(choose.choice(SURT_PARAMETERS) for _ in range(choose.randrange(5)))
        user = choose.choice(["", "", "u@", "u:p@"])
        url = choose.choice(["http", "HTTPS"]) + "://" + user
        url += choose.choice(SURT_HOSTS) + choose.choice(SURT_PORTS) + path + choose.choice(["", "?" + query])
        key = relink.surt_key(url)
        # The library keeps a `..` at the top.
        expected = re.sub(r"\)/\.\.(?:/|(?=\?|$))", ")/", judge(url))
        assert key == expected, url
        n_sessions += SESSION[:24] in url and SESSION[:24] not in key
    assert n_sessions > 3000
    for url in ("mailto:a@h.example", "data:,x", "a/b", ""):
        assert relink.surt_key(url) is None
