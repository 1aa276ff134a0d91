"""The references in a value: which values hold some, where in them, and whether they lead where
they led. Used by trees.py.

Resolution is that of RFC 3986, 5.2.2, with what browsers add: tabs and line ends are dropped, white
space around is, `\\` is `/`, and `http:x` is relative under a base of its own scheme.
"""

import dataclasses
import html
import html.parser
import re

HTML = "http://www.w3.org/1999/xhtml"
SVG = "http://www.w3.org/2000/svg"
MATH = "http://www.w3.org/1998/Math/MathML"
XLINK = "http://www.w3.org/1999/xlink"
XML = "http://www.w3.org/XML/1998/namespace"
XSI = "http://www.w3.org/2001/XMLSchema-instance"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSL = "http://www.w3.org/1999/XSL/Transform"
ATOM = ("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#")
APP = ("http://www.w3.org/2007/app", "http://purl.org/atom/app#")
RSS = ("http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/", "http://channel.netscape.com/rdf/simple/0.9/", "http://backend.userland.com/rss2")
SITEMAP = ("http://www.sitemaps.org/schemas/sitemap/0.9", "https://www.sitemaps.org/schemas/sitemap/0.9", "http://www.google.com/schemas/sitemap/0.84")
MEDIA = ("http://search.yahoo.com/mrss/", "http://search.yahoo.com/mrss")
SPECIAL = ("http", "https", "ftp", "ws", "wss", "file")


class Different(Exception):
    """The first difference."""


@dataclasses.dataclass
class Sums:
    wants_absolute: bool = False
    n_references: int = 0
    n_changed: int = 0
    relative: list = dataclasses.field(default_factory=list)

    def add(self, other):
        self.n_references += other.n_references
        self.n_changed += other.n_changed


# URLs

PARTS = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.S)


def clean(text):
    return re.sub(r"[\t\n\r]", "", text).strip("\0\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f ")


def split(text):
    scheme, authority, path, query, fragment = PARTS.fullmatch(text).groups()
    scheme = scheme and scheme.lower()
    return scheme, authority and authority.lower(), path, query, fragment


def without_dots(path):
    out = []
    segments = path.split("/")
    for idx, segment in enumerate(segments):
        plain = re.sub("%2e", ".", segment, flags=re.I)
        if plain == "..":
            if len(out) > 1:
                out.pop()
        elif plain != ".":
            out.append(segment)
        if plain in (".", "..") and idx == len(segments) - 1:
            out.append("")
    return "/".join(out)


def resolve(base, text):
    """The target of a reference, or nothing if it has none under the base."""
    text = clean(text)
    own = split(text)[0]
    under = split(base) if base else None
    if (own or (under and under[0])) in SPECIAL:
        head, mark, tail = re.fullmatch(r"([^?#]*)([?#]?)(.*)", text, re.S).groups()
        text = head.replace("\\", "/") + mark + tail
    scheme, authority, path, query, fragment = split(text)
    if scheme in SPECIAL and authority is None and under and scheme == under[0]:
        scheme = None
    elif scheme in SPECIAL and scheme != "file" and not authority:
        # However many slashes there are, what follows is the host.
        authority, slash, path = path.lstrip("/").partition("/")
        authority, path = authority.lower(), slash + path
    if scheme is None:
        if under is None or under[0] is None or not (under[1] is not None or under[2].startswith("/")):
            is_local = text.startswith("#") and under is not None
            return base.partition("#")[0] + text if is_local else None
        scheme = under[0]
        if authority is None:
            authority = under[1]
            if not path:
                path = under[2]
                query = under[3] if query is None else query
            elif not path.startswith("/"):
                path = (under[2].rpartition("/")[0] or "") + "/" + path
    if authority and re.fullmatch(r"[^\[\]]*|[^\[\]]*\[[0-9A-Fa-f:.]+\](?::[0-9]*)?", authority) is None:
        return None
    if authority is not None or path.startswith("/"):
        path = without_dots(path)
    if scheme in SPECIAL and not path:
        path = "/"
    return spelled([scheme, ":", "" if authority is None else "//" + authority, path, "" if query is None else "?" + query, "" if fragment is None else "#" + fragment])


def spelled(parts):
    """A URL in one spelling of what no URL holds as it is."""
    return "".join(char if "!" <= char <= "~" and char not in '"<>' else "".join(f"%{b:02X}" for b in char.encode("utf-8", "surrogatepass")) for char in "".join(parts))


def is_absolute(text):
    return split(clean(text))[0] is not None


def is_template(text):
    return any(mark in text for mark in ("{{", "${", "<%", "<?", "<!--"))


def html_base(fallback, value):
    """The base that a <base href> gives."""
    if is_template(value):
        return None
    target = resolve(fallback, value)
    return fallback if target is None or target.startswith(("data:", "javascript:")) else target


def escaped(path):
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or b in b"/-._~" else f"%{b:02X}" for b in path.encode("utf-8", "surrogateescape"))


@dataclasses.dataclass(frozen=True)
class Bases:
    """What holds at a place, before and after, and the URLs of the documents themselves."""

    old: str
    new: str
    own: str
    new_own: str

    def moved(self, old, new):
        return dataclasses.replace(self, old=old, new=new)

    def nested(self, old, new):
        """Those of an element with an xml:base (XML Base, section 4). One that is no base
        makes it unknown."""

        def inner(outer, value):
            return None if is_template(value) else resolve(outer, value)

        return self.moved(inner(self.old, old), inner(self.new, new))


# Slots

HTML_SLOTS = {
    "href": "a area link",
    "src": "img script iframe frame embed audio video source track input layer bgsound portal fencedframe",
    "longdesc": "img iframe frame",
    "background": "body col colgroup table thead tbody tfoot tr td th",
    "cite": "blockquote q ins del",
    "action": "form",
    "formaction": "button input",
    "data": "object",
    "poster": "video",
    "lowsrc": "img",
    "dynsrc": "img",
    "manifest": "html",
    "usemap": "img input object",
}
MERCHANT = "additional_image_link ads_redirect canonical_link image_link lifestyle_image_link link link_template mobile_link mobile_link_template virtual_model_link"
ATOM_TEXTS = ("content", "copyright", "rights", "subtitle", "summary", "tagline", "title")
RSS_ATTRIBUTES = {("enclosure", "url"), ("source", "url")}
RSS_TEXTS = ("comments", "docs", "link", "url")
ATTRIBUTES = {
    **{(namespace, *name): "url" for namespace in ATOM for name in (("content", "src"), ("generator", "uri"), ("generator", "url"), ("link", "href"))},
    **{(namespace, *name): "url" for namespace in APP for name in (("categories", "href"), ("collection", "href"))},
    **{(namespace, *name): "url" for namespace in RSS for name in RSS_ATTRIBUTES},
    **{
        (namespace, *name): "url"
        for namespace in MEDIA
        for name in (("content", "url"), ("embed", "url"), ("license", "href"), ("peerLink", "href"), ("player", "url"), ("subTitle", "href"), ("thumbnail", "url"))
    },
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "image", "href"): "url",
    ("http://webfeeds.org/rss/1.0", "cover", "image"): "url",
    ("http://www.google.com/schemas/play-podcasts/1.0", "image", "href"): "url",
    ("http://purl.org/syndication/thread/1.0", "in-reply-to", "href"): "url",
    ("http://purl.org/syndication/thread/1.0", "in-reply-to", "source"): "url",
    ("http://www.google.com/schemas/sitemap-video/1.1", "uploader", "info"): "url",
    ("http://www.w3.org/2001/XInclude", "include", "href"): "url",
    ("http://www.w3.org/2003/XInclude", "include", "href"): "url",
    (XSL, "include", "href"): "url",
    (XSL, "import", "href"): "url",
    (XSL, "import-schema", "schema-location"): "url",
    ("http://a9.com/-/spec/opensearch/1.1/", "Url", "template"): "url",
    ("http://www.idpf.org/2007/opf", "item", "href"): "url",
    ("http://www.idpf.org/2007/opf", "link", "href"): "url",
    ("http://www.idpf.org/2007/opf", "reference", "href"): "url",
    ("http://www.idpf.org/2007/opf", "site", "href"): "url",
    ("http://www.daisy.org/z3986/2005/ncx/", "audio", "src"): "url",
    ("http://www.daisy.org/z3986/2005/ncx/", "img", "src"): "url",
    ("http://www.w3.org/ns/SMIL", "audio", "src"): "url",
    ("http://www.w3.org/ns/SMIL", "text", "src"): "url",
    ("http://www.daisy.org/z3986/2005/ncx/", "content", "src"): "url",
    (MATH, "annotation", "src"): "url",
    (MATH, "annotation-xml", "src"): "url",
    (MATH, "mglyph", "src"): "url",
}
TEXTS = {
    **{(namespace, name): "url" for namespace in ATOM for name in ("icon", "logo", "uri", "url")},
    **{(namespace, name): "url" for namespace in RSS for name in RSS_TEXTS},
    **{(namespace, "description"): "html" for namespace in RSS},
    **{(namespace, "loc"): "url" for namespace in SITEMAP},
    **{(namespace, "backLink"): "url" for namespace in MEDIA},
    ("http://purl.org/rss/1.0/modules/content/", "encoded"): "html",
    ("http://wellformedweb.org/CommentAPI/", "comment"): "url",
    ("http://wellformedweb.org/CommentAPI/", "commentRss"): "url",
    ("http://wellformedweb.org/CommentAPI/", "commentRSS"): "url",
    ("http://backend.userland.com/creativeCommonsRssModule", "license"): "url",
    ("http://rssnamespace.org/feedburner/ext/1.0", "origLink"): "url",
    ("http://rssnamespace.org/feedburner/ext/1.0", "origEnclosureLink"): "url",
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "new-feed-url"): "url",
    **{("http://webfeeds.org/rss/1.0", name): "url" for name in ("icon", "logo", "wordmark")},
    **{("http://base.google.com/ns/1.0", name): "url" for name in MERCHANT.split()},
    ("http://www.google.com/schemas/sitemap-image/1.1", "loc"): "url",
    ("http://www.google.com/schemas/sitemap-image/1.1", "license"): "url",
    **{("http://www.google.com/schemas/sitemap-video/1.1", name): "url" for name in ("content_loc", "gallery_loc", "player_loc", "thumbnail_loc")},
    ("http://a9.com/-/spec/opensearch/1.1/", "Image"): "url",
    (HTML, "style"): "style",
    (SVG, "style"): "style",
}


KML = tuple(f"http://{name}" for name in ("www.opengis.net/kml/2.2", "earth.google.com/kml/2.0", "earth.google.com/kml/2.1", "earth.google.com/kml/2.2"))
XSPF = "http://xspf.org/ns/0/"
WSDL = ("http://schemas.xmlsoap.org/wsdl/", "http://www.w3.org/ns/wsdl")
DOCBOOK = "http://docbook.org/ns/docbook"
TEXTS |= {(namespace, name): "url" for namespace in KML for name in ("href", "sourceHref", "targetHref")}
TEXTS |= {(namespace, "styleUrl"): "local" for namespace in KML}
TEXTS |= {(namespace, "description"): "html" for namespace in KML}
TEXTS |= {(XSPF, name): "url" for name in ("image", "info", "license", "link", "location")}
ATTRIBUTES |= {(namespace, name, "location"): "url" for namespace in WSDL for name in ("import", "include")}
ATTRIBUTES |= {(f"http://schemas.xmlsoap.org/wsdl/{name}/", "address", "location"): "url" for name in ("soap", "soap12", "http")}
ATTRIBUTES[DOCBOOK + " 4", "ulink", "url"] = ATTRIBUTES["DITA", "object", "data"] = ATTRIBUTES["DITA", "navref", "mapref"] = "url"


class Root:
    """What the first element says of those without a namespace, and whether the document is a
    style sheet that writes others."""

    def __init__(self, element, attributes, public=None):
        namespace, name = element
        self.plain = {"rss": RSS[0], "opml": "opml", "urlset": SITEMAP[0], "sitemapindex": SITEMAP[0]}.get(name, "") if not namespace else ""
        if re.match("-//OASIS//DTD (LIGHTWEIGHT )?DITA ", public or "") or any(local == "DITAArchVersion" for _, local in attributes):
            self.plain = self.plain or "DITA"
        elif re.match("-//OASIS//DTD (Simplified )?DocBook ", public or ""):
            self.plain = self.plain or DOCBOOK + " 4"
        self.is_stylesheet = namespace == XSL or (XSL, "version") in attributes
        self.is_sitemap = namespace in SITEMAP or self.plain == SITEMAP[0]
        self.is_of_web = namespace in (HTML, SVG) and not self.is_stylesheet

    def ignores_xml_base(self, element):
        """Whether browsers read the element, and so do not read the xml:base around it."""
        return self.is_of_web and element[0] in (HTML, SVG, MATH)

    def element(self, element):
        namespace, name = element
        if not namespace:
            return self.plain, name
        return ("", name) if self.is_stylesheet and namespace not in (XSL, "http://www.w3.org/2001/XInclude") else element


def attribute_slot(root, element, attribute, known, value):
    """What an attribute holds: `url`, a list, a text in another language; `base` and `xml:base`
    are resolved elsewhere."""
    namespace, name = root.element(element)
    space, local = attribute
    if space == XML:
        return "xml:base" if local == "base" else None
    if space == XSI:
        return {"schemaLocation": "pairs", "noNamespaceSchemaLocation": "url"}.get(local)
    if space == XLINK:
        is_local = namespace == SVG and name != "a"
        return None if local != "href" or root.is_stylesheet else "local" if is_local else "url"
    if space:
        return None
    if (namespace, name, local) in ATTRIBUTES:
        return ATTRIBUTES[namespace, name, local]
    if namespace == HTML:
        return "url" if root.is_sitemap and (name, local) == ("link", "href") else html_slot(name, local, {key[1]: value for key, value in known.items() if not key[0]})
    if namespace == SVG:
        if local == "href":
            return "url" if name == "a" else "local"
        if local in ("values", "from", "to") and known.get(("", "attributeName"), known.get("attributeName")) in ("href", "xlink:href"):
            return "semicolons" if local == "values" else "local"
        return "declarations" if local == "style" or "url(" in value.lower() else "url" if (name, local) == ("script", "src") else None
    if namespace == MATH:
        return "url" if local in ("href", "altimg") else None
    if namespace == "opml":
        return "url" if name == "outline" and local in ("htmlUrl", "url", "xmlUrl") else None
    if namespace == "https://podcastindex.org/namespace/1.0":
        return "url" if local in ("href", "img", "url") else None
    if namespace == "http://www.w3.org/2001/XMLSchema":
        return "url" if local == "schemaLocation" else None
    if namespace in (DOCBOOK, DOCBOOK + " 4"):
        return "url" if local == "fileref" else None
    if namespace == "DITA":
        return {"href": "local", "conref": "local", "conrefend": "local", "copy-to": "url"}.get(local)
    if namespace in KML:
        return "local" if local == "schemaUrl" else None
    if namespace == "http://relaxng.org/ns/structure/1.0":
        return "url" if local == "href" else None
    return None


def html_slot(name, local, known):
    if (name, local) == ("base", "href"):
        return "base"
    if name in HTML_SLOTS.get(local, "").split():
        return "local" if local == "usemap" else "url"
    if local in ("srcset", "imagesrcset"):
        return "candidates"
    if local in ("ping", "attributionsrc"):
        return "urls"
    if local == "style":
        return "declarations"
    if local == "srcdoc":
        return "html"
    if (name, local) == ("meta", "content"):
        if (known.get("http-equiv") or "").lower() == "refresh":
            return "refresh"
        return "property" if known.get("property") or known.get("name") or known.get("itemprop") else None
    if name in ("object", "applet") and local in ("codebase", "archive", "classid"):
        # The URL of an installer is no base (HTML 4.01, 13.3.2).
        is_base = not known.get("classid", "").lower().startswith("clsid:")
        return "url" if local == "codebase" and is_base else None if local == "codebase" else local
    return "property" if (name, local) == ("param", "value") else None


def text_slot(root, element, known):
    namespace, name = root.element(element)
    if namespace in ATOM and name in ATOM_TEXTS:
        mode, media = known.get(("", "mode"), "xml"), known.get(("", "type"), "text")
        is_html = media in ("html", "text/html") and (namespace == ATOM[0] or mode == "escaped")
        return "html" if is_html and ("", "src") not in known else None
    if namespace in MEDIA and name in ("description", "text"):
        return "html" if known.get(("", "type")) in ("html", "text/html") else None
    if (namespace, name) == ("opml", "docs"):
        return "url"
    return TEXTS.get((namespace, name))


# Values

STRING = r"\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'"
CSS = re.compile(rf"(?i)/\*[\s\S]*?\*/|(\burl\(\s*(?:{STRING}|[^)\"']*)\s*\))|(@import\s*(?:{STRING}))|(?:{STRING})")
CANDIDATE = re.compile(r"([\s,]*)(\S*[^\s,])(?:(,)|((?:[^,(]|\([^)]*\))*)(,|$))")


def unescaped_css(text):
    return re.sub(r"\\(?:([0-9a-fA-F]{1,6})\s?|(\n)|([\s\S]))", lambda m: chr(int(m[1], 16)) if m[1] else "" if m[2] else m[3], text)


def css_pieces(text, is_sheet):
    """Texts between references, and references, by turns."""
    found, at = [], 0
    for match in CSS.finditer(text):
        body = match[1] or (match[2] if is_sheet else None)
        if body is None:
            continue
        inner = re.search(STRING, body)
        start, end = (inner.start() + 1, inner.end() - 1) if inner else (body.index("(") + 1, len(body) - 1)
        found += [text[at : match.start() + start], unescaped_css(body[start:end])]
        at = match.start() + end
    return [*found, text[at:]]


def interleaved(tokens):
    """Tokens, and what is between them, as texts and references by turns."""
    return ["", *tokens, ""]


def candidate_pieces(text):
    found, rest = [""], text
    while match := CANDIDATE.match(rest):
        found[-1] += match[1]
        found += [match[2], (match[3] or "") + (match[4] or "") + (match[5] or "")]
        rest = rest[match.end() :]
    found[-1] += rest
    return found


def compare(sums, slot, old, new, bases, known=()):
    """Compares the values of a slot; every reference in them must lead where it led."""
    if slot is None or slot == "property":
        if old != new and (slot is None or resolve(bases.old, old) != resolve(bases.new, new)):
            raise Different(f"was {old!r}, now {new!r}")
        sums.n_changed += old != new
        return
    if slot in ("url", "base", "xml:base", "local"):
        compare_reference(sums, slot, old, new, bases)
    elif slot == "html":
        compare_html(sums, old, new, bases)
    else:
        if slot in ("archive", "classid") and (codebase := attribute_of(known, "codebase")) is not None:
            # It leads where it led.
            bases = bases.moved(*[resolve(bases.old, codebase)] * 2)
        before, after = (taken_apart(slot, text) for text in (old, new))
        if len(before) != len(after) or before[::2] != after[::2]:
            raise Different(f"was {old!r}, now {new!r}")
        for was, now in zip(before[1::2], after[1::2]):
            compare_reference(sums, "local" if slot in ("style", "declarations", "instruction") else "url", was, now, bases)
    sums.n_changed += old != new


def attribute_of(known, name):
    return known.get(("", name), known.get(name)) if known else None


def taken_apart(slot, text):
    if slot in ("style", "declarations"):
        return css_pieces(text, slot == "style")
    if slot == "candidates":
        return candidate_pieces(text)
    if slot in ("urls", "archive", "classid"):
        return interleaved(re.split(r"(\s+)", text))
    if slot == "semicolons":
        return interleaved(re.split(r"(;)", text))
    if slot == "pairs":
        # Names and places by turns; names are no references.
        tokens = re.findall(r"\s+|\S+", text)
        found, n_names = [""], 0
        for token in tokens:
            n_names += not token.isspace()
            if token.isspace() or n_names % 2:
                found[-1] += token
            else:
                found += [token, ""]
        return found
    if slot == "refresh":
        match = re.match(r"(?is)(\s*[0-9.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?)([^\"']*)(.*)", text)
        return list(match.groups()) if match and match[2] else [text]
    match = re.search(r"(\bhref\s*=\s*)(\"[^\"]*\"|'[^']*')", text)
    return [text[: match.start(2) + 1], html.unescape(match[2][1:-1]), text[match.end(2) - 1 :]] if match else [text]


def compare_reference(sums, slot, old, new, bases):
    sums.n_references += 1
    spaces = [re.match(r"(?s)(\s*).*?(\s*)$", text).groups() for text in (old, new)]
    is_emptied = slot == "base" and not clean(new)
    if spaces[0] != spaces[1] and not is_emptied:
        raise Different(f"other white space: was {old!r}, now {new!r}")
    before, after = clean(old), clean(new)
    if is_template(before) or (slot == "local" and before.startswith("#")) or not before and slot not in ("url", "xml:base"):
        if old != new:
            raise Different(f"was {old!r}, now {new!r}")
        return
    if is_emptied:
        return
    targets = [resolve(base, text) for base, text in ((bases.old, before), (bases.new, after))]
    if old != new and None in targets or targets[0] != targets[1] and before and after:
        raise Different(f"was {old!r} to {targets[0]}, now {new!r} to {targets[1]}")
    if old == new and slot in ("archive", "classid"):
        return
    is_own = bases.new is not None and bases.new.partition("#")[0] == bases.new_own.partition("#")[0]
    is_fine = is_absolute(after) or targets[1] is None or after.startswith("#") and is_own or not after
    if sums.wants_absolute and not is_fine:
        sums.relative.append(f"{slot}: {new!r} is relative, and leads to {targets[1]}")


class Reader(html.parser.HTMLParser):
    """The tags and texts of HTML."""

    def __init__(self, text):
        super().__init__(convert_charrefs=False)
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        # The tag as it is written, without its values.
        bare = re.sub(r"(=\s*)(?:(\")[^\"]*\"|(')[^']*'|[^\s>\"']+)", r"\1\2\3", self.get_starttag_text())
        self.found.append(("start", tag, attrs, bare))

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        self.found.append(("end", tag))

    def handle_data(self, data):
        self.found.append(("text", data))

    def handle_comment(self, data):
        self.found.append(("comment", data))

    def handle_decl(self, decl):
        self.found.append(("declaration", decl))

    def unknown_decl(self, data):
        self.found.append(("unknown", data))

    def handle_pi(self, data):
        self.found.append(("instruction", data))

    def handle_entityref(self, name):
        self.found.append(("entity", name))

    def handle_charref(self, name):
        self.found.append(("character", name))


def compare_html(sums, old, new, around):
    """Compares HTML in a text. It may have a <base>; else it has that of the document around it."""
    olds, news = Reader(old).found, Reader(new).found
    if len(olds) != len(news):
        raise Different(f"HTML with {len(olds)} tags and texts, now {len(news)}: was {old!r}, now {new!r}")
    both = []
    for found, base in ((olds, around.old), (news, around.new)):
        hrefs = [dict(event[2])["href"] for event in found if event[:2] == ("start", "base") and dict(event[2]).get("href") is not None]
        both.append(html_base(base, hrefs[0]) if hrefs else base)
    bases = around.moved(*both)
    n_changed = sums.n_changed
    in_style = False
    for before, after in zip(olds, news):
        if before[0] == "start" and after[0] == "start":
            names = [[name for name, _ in event[2]] for event in (before, after)]
            if before[1] != after[1] or names[0] != names[1] or before[3] != after[3]:
                raise Different(f"was {before!r}, now {after!r}")
            known = {name: value or "" for name, value in before[2]}
            for (name, was), (_, now) in zip(before[2], after[2]):
                slot = html_slot(before[1], name, known)
                compare(sums, slot, was or "", now or "", around if slot == "base" else bases)
            in_style = before[1] == "style"
        elif before[0] == "text" and after[0] == "text":
            compare(sums, "style" if in_style else None, before[1], after[1], bases)
        elif before != after:
            raise Different(f"was {before!r}, now {after!r}")
        else:
            in_style = False
    # The text is one value.
    sums.n_changed = n_changed
